"""Configuration of a match.

Source: rules/careerfair.md, sections 8, 9 and 12.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, field

from botleague.rules import Configuration, plain_form, read_config
from botleague_careerfair.simulation.board import MAX_CROWD
from botleague_careerfair.simulation.crowd import KINDS
from botleague_careerfair.simulation.fair import TEAM_SIZE
from botleague_careerfair.simulation.profiles import PROFILES, Profile

MAX_STEPS = 100_000
"""Idle steps and moves up to which a match is played; the original has 10 and 300."""

_Seed: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class Config(Configuration, frozen=True):
    """Everything that can be chosen about a match.

    Attributes:
        board: name of a board of the package, or a board text.
        teams: 1 or 2.
        crowd: how many people, rounded down to tens; None for what the board says.
        kinds: the kind of each member of the crowd instead of the usual ten kinds in turn.
        view: how far bots see; None for what the board says.
        idle_steps: steps before the first question, in which the crowd spreads.
        moves: number of turns of the teams.
        score_threshold: points that end the match at once, 0 for none.
        companies: text of a company list; empty for the package's.
        company_seed, crowd_seed: None to draw them from the match's seed.
        profile: ``"wiki"`` or ``"original"``.
        options: single options of the profile to change.
        people: content of ``Tile.bots``: only the number of bots, or also their ids and directions.
        strike_limit: faults after which a team is out, 0 for never.
        after_strikes: what being out means: the match is lost, or the team stands still for the rest of it.
    """

    board: str = "gallery"
    teams: Literal[1, 2] = 2
    crowd: Annotated[int, Meta(ge=0, le=MAX_CROWD)] | None = None
    kinds: Annotated[tuple[str, ...], Meta(max_length=MAX_CROWD)] | None = None
    view: Annotated[int, Meta(ge=0, le=1000)] | None = None
    idle_steps: Annotated[int, Meta(ge=0, le=MAX_STEPS)] = 10
    moves: Annotated[int, Meta(ge=1, le=MAX_STEPS)] = 300
    score_threshold: Annotated[int, Meta(ge=0, le=10**9)] = 0
    companies: str = ""
    company_seed: _Seed | None = None
    crowd_seed: _Seed | None = None
    profile: Literal["wiki", "original"] = "wiki"
    options: dict[str, Any] = field(default_factory=dict)
    people: Literal["counts", "full"] = "counts"
    strike_limit: Annotated[int, Meta(ge=0, le=10**9)] = 10
    after_strikes: Literal["forfeit", "idle"] = "forfeit"

    def __post_init__(self) -> None:
        self.chosen_profile()
        unknown = [kind for kind in self.kinds or () if kind not in KINDS]
        if unknown:
            raise ValueError(f"kinds: no kind of crowd is called {unknown[0]!r}; known: {', '.join(KINDS)}")

    @property
    def fewest_requests(self) -> int:
        """Requests that an answer has at least; where fewer than four are allowed, bots repeat their last one."""
        return TEAM_SIZE if self.chosen_profile().short_answer == "fault" else 1

    def chosen_profile(self) -> Profile:
        """Return the profile with its changed options.

        Raises:
            ValueError: an option is unknown, or cannot be that.
        """
        return read_config(Profile, {**plain_form(PROFILES[self.profile]), **self.options}, "options")
