"""The tournament configuration file of the original, read into a value.

It is YAML. PyYAML is imported only when such a file is read.

Source: rules/pelita.md, section 15.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from botleague.rules import Configuration, read_config

_ANNOUNCED = ("location", "host", "greeting", "farewell")


class Entrant(Configuration, frozen=True):
    """A team of a tournament.

    Attributes:
        spec: path of the team.
        id: unique; ``#0``, ``#1``, ... unless the file gives one.
        members: names of its authors.
    """

    spec: str
    id: str
    members: tuple[str, ...]


class TournamentConfig(Configuration, frozen=True):
    """What a tournament file says.

    Attributes:
        teams: in the order of the file, which decides between equal points.
        bonusmatch: the last of round 1 plays the winner of the knock-out.
        seed: of the tournament, None for another one each time.
        rounds: of every game, None for the default.
        size: of the mazes, None for the default.
        location, host, greeting, farewell: texts for the announcements.
        viewer: who looks on; the original's window is not here.
        date, interactive, speak, speaker: how the original showed and announced it; accepted, not used.
    """

    teams: Annotated[tuple[Entrant, ...], Meta(min_length=1)]
    bonusmatch: bool
    seed: int | None = 42
    rounds: Annotated[int, Meta(ge=1)] | None = None
    size: str | None = None
    location: str | None = None
    host: str | None = None
    greeting: str | None = None
    farewell: str | None = None
    viewer: str | None = None
    date: Any = None
    interactive: Any = None
    speak: Any = None
    speaker: Any = None

    def __post_init__(self) -> None:
        ids = [team.id for team in self.teams]
        for number, name in enumerate(ids):
            if name in ids[:number]:
                raise ValueError(f"teams: two teams have the id {name!r}")

    @classmethod
    def spelled_out(cls, plain: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return ``plain`` with texts for announcements, and an id and members for every team: YAML reads numbers."""
        announced = {key: str(plain[key]) for key in _ANNOUNCED if plain.get(key) is not None}
        plain, teams = {**plain, **announced}, plain.get("teams")
        if not isinstance(teams, list):
            return plain
        return {**plain, "teams": [_spelled_out(number, team) for number, team in enumerate(teams)]}


def _spelled_out(number: int, team: object) -> object:
    if not isinstance(team, dict):
        return team
    name, members = team.get("id"), team.get("members") or ()
    if name is not None and str(name).startswith("#"):
        raise ValueError(f"teams[{number}].id: must not start with '#', like {str(name)!r}")
    texts = [*map(str, members)] if isinstance(members, list | tuple) else members
    return {**team, "id": f"#{number}" if name is None else str(name), "members": texts}


def read_tournament(text: str, *, source: str = "tournament file") -> TournamentConfig:
    """Return what a tournament file says.

    Args:
        text: the file's content.
        source: how messages call it.

    Raises:
        ValueError: the file is malformed; the message says what to do.
    """
    import yaml  # type: ignore[import-untyped]  # PyYAML ships no types

    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{source} is not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{source} must have keys and values, first of all 'teams'")
    return read_config(TournamentConfig, content, "tournament")
