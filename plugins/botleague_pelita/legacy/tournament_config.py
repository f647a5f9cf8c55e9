"""The tournament configuration file of the original, read into a value.

It is YAML. PyYAML is imported only when such a file is read.

Source: rules/pelita.md, section 15.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Entrant:
    """A team of a tournament.

    Attributes:
        id: unique; ``#0``, ``#1``, ... unless the file gives one.
        spec: path of the team.
        members: names of its authors.
    """

    id: str
    spec: str
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TournamentConfig:
    """What a tournament file says.

    Attributes:
        teams: in the order of the file, which decides between equal points.
        bonus: the last of round 1 plays the winner of the knock-out.
        seed: of the tournament, None for another one each time.
        rounds: of every game, None for the default.
        size: of the mazes, None for the default.
        location, date, host, greeting, farewell: texts for the announcements.
        viewer, interactive, speak, speaker: how the original showed and announced it; kept, not used.
    """

    teams: tuple[Entrant, ...]
    bonus: bool
    seed: int | None = 42
    rounds: int | None = None
    size: str | None = None
    location: str = ""
    date: str = ""
    host: str = ""
    greeting: str = ""
    farewell: str = ""
    viewer: str | None = None
    interactive: bool | None = None
    speak: bool | None = None
    speaker: str | None = None

    @property
    def entrants(self) -> tuple[str, ...]:
        """The ids of the teams."""
        return tuple(team.id for team in self.teams)


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
    return tournament_config(content)


def tournament_config(content: Mapping[Any, Any]) -> TournamentConfig:
    """Return what the keys and values of a tournament file mean.

    Raises:
        ValueError: a key is unknown or missing, or a value impossible.
    """
    unknown = sorted(str(key) for key in content if key not in _KEYS)
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r}; known: {', '.join(_KEYS)}")
    for key in ("teams", "bonusmatch"):
        if key not in content:
            raise ValueError(f"key {key!r} is missing")
    teams = content["teams"]
    if not isinstance(teams, list) or not teams:
        raise ValueError("'teams' must be a list of teams, each with a 'spec'")
    entrants = tuple(_entrant(number, team) for number, team in enumerate(teams))
    seen: set[str] = set()
    for entrant in entrants:
        if entrant.id in seen:
            raise ValueError(f"two teams have the id {entrant.id!r}")
        seen.add(entrant.id)
    return TournamentConfig(
        teams=entrants,
        bonus=_typed(content, "bonusmatch", bool, "true or false"),
        seed=_typed(content, "seed", int, "a whole number, or null", optional=True, default=42),
        rounds=_positive(content, "rounds"),
        size=_typed(content, "size", str, "the name of a size", optional=True),
        viewer=_typed(content, "viewer", str, "a name", optional=True),
        interactive=_typed(content, "interactive", bool, "true or false", optional=True),
        speak=_typed(content, "speak", bool, "true or false", optional=True),
        speaker=_typed(content, "speaker", str, "a command", optional=True),
        **{key: _text(content.get(key)) for key in ("location", "date", "host", "greeting", "farewell")},
    )


def _entrant(number: int, team: object) -> Entrant:
    if not isinstance(team, dict) or not isinstance(team.get("spec"), str):
        raise ValueError(f"team {number}: needs a 'spec', the path of the team")
    extra = sorted(str(key) for key in team if key not in ("id", "spec", "members"))
    if extra:
        raise ValueError(f"team {number}: unknown key {extra[0]!r}; known: id, spec, members")
    members = team.get("members") or []
    if not isinstance(members, list):
        raise ValueError(f"team {number}: 'members' must be a list of names")
    name = team.get("id")
    if name is not None and str(name).startswith("#"):
        raise ValueError(f"team {number}: the id {str(name)!r} must not start with '#'")
    return Entrant(f"#{number}" if name is None else str(name), team["spec"], tuple(map(str, members)))


def _typed(
    content: Mapping[Any, Any],
    key: str,
    kind: type,
    hint: str,
    *,
    optional: bool = False,
    default: Any = None,
) -> Any:
    value = content.get(key, default)
    if value is None and optional:
        return None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{key!r} must be {hint}, not {value!r}")
    return value


def _positive(content: Mapping[Any, Any], key: str) -> int | None:
    value: int | None = _typed(content, key, int, "a whole number of 1 or more", optional=True)
    if value is not None and value < 1:
        raise ValueError(f"{key!r} must be a whole number of 1 or more, not {value}")
    return value


def _text(value: object) -> str:
    return "" if value is None else str(value)


_KEYS = (
    "teams",
    "location",
    "date",
    "bonusmatch",
    "rounds",
    "size",
    "viewer",
    "interactive",
    "seed",
    "greeting",
    "farewell",
    "host",
    "speak",
    "speaker",
)
