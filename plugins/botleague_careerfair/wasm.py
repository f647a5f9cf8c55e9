"""Interface of the career fair for bots in WebAssembly: the whole view in every turn, in words instead of bits.

The host sends changes of the view. The adapter applies them as the harness of Python bots does.

Source: rules/careerfair.md, sections 1 to 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from botleague.rules import WasmAdapter, WasmInterface, read_config
from botleague_careerfair.config import Config
from botleague_careerfair.simulation.fair import TEAM_SIZE
from botleague_careerfair.simulation.floor import threshold_for
from botleague_careerfair.simulation.requests import LETTERS
from botleague_careerfair.view import END, PERSON_FIELDS, SEEN, changed, free_and_queued

_WALKS = ("none", "left", "up", "right", "down", "enter", "exchange")
_Walk = Literal["none", "left", "up", "right", "down", "enter", "exchange"]
_FEWEST = 1  # Some rules repeat the last requests for bots without one.


class Options(msgspec.Struct, frozen=True):
    """Options of the match."""

    moves: Annotated[int, Meta(ge=1, description="turns of the match")]
    score_threshold: Annotated[int, Meta(ge=0, description="points that end the match at once; 0: none do")]
    strike_limit: Annotated[int, Meta(ge=0, description="faults after which the team is out; 0: none are")]


class Company(msgspec.Struct, frozen=True):
    """A company."""

    name: Annotated[str, Meta(description="its name")]
    reward: Annotated[
        int, Meta(description="points for the main bot's first visit; helpers get half; halved by each visit")
    ]
    front: Annotated[int, Meta(description="the tile at the front of its line")]


class Briefing(msgspec.Struct, frozen=True):
    """Briefing before the first turn. A tile is a number: row x cols + col; rows grow downwards."""

    team: Annotated[int, Meta(ge=0, le=1, description="number of your team")]
    rows: Annotated[int, Meta(ge=1, description="rows of the hall")]
    cols: Annotated[int, Meta(ge=1, description="columns of the hall")]
    companies: Annotated[list[Company], Meta(description="all companies by number")]
    booths: Annotated[list[int], Meta(description="per tile the company whose booth it is, or -1")]
    lines: Annotated[list[int], Meta(description="per tile the company whose line may reach it, or -1")]


class Bot(msgspec.Struct, frozen=True):
    """A bot of your team; the first one is the main bot."""

    tile: Annotated[int, Meta(ge=0, description="where it is")]
    walk: Annotated[
        _Walk, Meta(description="the request that it is carrying out, which takes `threshold` turns")
    ]
    progress: Annotated[int, Meta(ge=0, description="turns that it has spent on it")]
    threshold: Annotated[int, Meta(description="turns that it takes")]
    line_place: Annotated[int, Meta(ge=-1, description="place in a line, 0 at the front; -1: in none")]


class Person(msgspec.Struct, frozen=True):
    """A person or a bot on a tile in sight."""

    tile: Annotated[int, Meta(ge=0, description="where it is")]
    id: Annotated[int, Meta(description="number in the crowd, or in its team")]
    walk: Annotated[_Walk, Meta(description="the request that it is carrying out")]
    progress: Annotated[int, Meta(ge=0, description="turns that it has spent on it")]
    in_line: Annotated[bool, Meta(description="whether it stands in a line")]


class Turn(msgspec.Struct, frozen=True):
    """One turn."""

    step: Annotated[int, Meta(ge=0, description="steps so far, with those before the first turn")]
    score: Annotated[int, Meta(ge=0, description="points of your team")]
    bots: Annotated[list[Bot], Meta(min_length=TEAM_SIZE, max_length=TEAM_SIZE, description="your bots")]
    seen: Annotated[
        str, Meta(pattern="^[01]*$", description="character t is 1 if a bot of yours sees tile t")
    ]
    ends: Annotated[list[int], Meta(description="tiles in sight where a line ends, so that E joins it")]
    free: Annotated[
        list[int], Meta(description="per tile the people who do not stand in a line; 0 out of sight")
    ]
    queued: Annotated[list[int], Meta(description="per tile the people in a line; 0 out of sight")]
    thresholds: Annotated[list[int], Meta(description="per tile the turns that a step onto it takes")]


class TurnWithPeople(Turn, frozen=True):
    """One turn under rules that show people, too."""

    people: Annotated[list[Person], Meta(description="people on tiles in sight, by tile")]


class Requests(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answer to a turn."""

    requests: Annotated[
        Annotated[str, Meta(pattern=f"^[{LETTERS}]{{{_FEWEST},{TEAM_SIZE}}}$")],
        Meta(
            description="one letter per bot, the main bot's first: L left, U up, R right, D down, E enter the line, "
            "N nothing, X exchange the main bot and a helper on the same tile (both ask for it)"
        ),
    ]


class CareerFairAdapter(WasmAdapter):
    """Questions to a guest that is a team."""

    def __init__(self, seat: int, config: Mapping[str, Any], variant: str) -> None:
        super().__init__(seat, config, variant)
        self._config = read_config(Config, config)
        self._view: list[int] = []
        self._people: dict[int, Sequence[int]] = {}

    def options(self) -> Any:
        """Return the options that a team needs, as :class:`Options`."""
        return {name: getattr(self._config, name) for name in Options.__struct_fields__}

    def brief(self, brief: Any) -> Any:
        """Return the hall as :class:`Briefing`."""
        self._view = [0] * len(brief["lines"])
        companies = zip(brief["companies"], brief["fronts"], strict=True)
        return {
            "team": brief["team"],
            "rows": brief["rows"],
            "cols": brief["cols"],
            "companies": [
                {"name": name, "reward": reward, "front": front} for (name, reward), front in companies
            ],
            "booths": brief["booths"],
            "lines": brief["lines"],
        }

    def turn(self, observation: Any, is_fresh: bool) -> Any:
        """Return the whole view as :class:`Turn`."""
        if observation["fresh"]:
            self._view = [0] * len(self._view)
            self._people.clear()
        for tile, number in changed(observation["tiles"]):
            self._view[tile] = number
        self._people.update(changed(observation.get("people", ())))
        view = self._view
        free, queued = map(list, zip(*map(free_and_queued, view), strict=True))
        question = {
            "step": observation["step"],
            "score": observation["score"],
            "bots": [
                {
                    "tile": tile,
                    "walk": _WALKS[walk],
                    "progress": progress,
                    "threshold": threshold,
                    "line_place": place,
                }
                for tile, walk, progress, threshold, place in observation["bots"]
            ],
            "seen": "".join("1" if number & SEEN else "0" for number in view),
            "ends": [tile for tile, number in enumerate(view) if number & END],
            "free": free,
            "queued": queued,
            "thresholds": [threshold_for(sum(both)) for both in zip(free, queued, strict=True)],
        }
        if self._config.people == "full":
            question["people"] = [
                person
                for tile, number in enumerate(view)
                if number
                for person in self._persons(tile, free[tile])
            ]
        return question

    def answer(self, answer: Any) -> Any:
        return msgspec.convert(answer, Requests).requests

    def _persons(self, tile: int, free: int) -> list[dict[str, Any]]:
        numbers = self._people.get(tile, ())
        return [
            {
                "tile": tile,
                "id": numbers[start],
                "walk": _WALKS[numbers[start + 1]],
                "progress": numbers[start + 2],
                "in_line": start >= PERSON_FIELDS * free,
            }
            for start in range(0, len(numbers), PERSON_FIELDS)
        ]


def wasm_interface(config: Config) -> WasmInterface:
    fewest = config.fewest_requests
    return WasmInterface(
        adapter="botleague_careerfair.wasm:CareerFairAdapter",
        config_type=Options,
        brief_type=Briefing,
        turn_type=TurnWithPeople if config.people == "full" else Turn,
        answer_type=Requests,
        legal=f"{fewest} or more letters of {LETTERS}, at most {TEAM_SIZE}."
        if fewest < TEAM_SIZE
        else f"{TEAM_SIZE} letters of {LETTERS}.",
        safe=[{"requests": "UURD"}, {"requests": "LRUD"}, {"requests": "EEEE"}, {"requests": "DLNR"}],
    )
