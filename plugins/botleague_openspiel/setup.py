"""The option of these games: a name of the library's game with parameters, checked before native code sees it.

The library ends the process at many wrong parameters, and prints the files that others name. So only games and
parameters of the catalogue are allowed, in their ranges and in canonical spelling.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any

from msgspec import Meta

from botleague.rules import Configuration, Seats
from botleague_openspiel.catalogue import GAMES, OTHERS, Entry

_GAME = re.compile(r"([A-Za-z0-9_-]+)(?:\(([^()]*)\))?")
_WHOLE = re.compile(r"-?[0-9]{1,6}")
_NUMBER = re.compile(r"-?[0-9]{1,6}(?:\.[0-9]{1,3})?")


class Setup(Configuration, frozen=True):
    """Configuration of every variant.

    Attributes:
        game: the library's game with parameters in brackets: ``"hex(board_size=7)"``.
    """

    game: Annotated[str, Meta(max_length=200)]

    def __post_init__(self) -> None:
        try:
            parse(self.game)
        except ValueError as error:
            raise ValueError(f"game: {error}") from None


def parse(game: str) -> tuple[str, dict[str, str]]:
    """Return the short name of a game and its parameters.

    Raises:
        ValueError: the game or a parameter is not allowed, or a value is out of range.
    """
    match = _GAME.fullmatch(game.strip())
    if match is None:
        raise ValueError(f"must read like hex(board_size=7), not {game!r}")
    name = match[1].lower().replace("-", "_")
    allowed = _allowed(entry(name))
    chosen: dict[str, str] = {}
    for part in filter(None, map(str.strip, (match[2] or "").split(","))):
        key, _, value = map(str.strip, part.partition("="))
        if key not in allowed:
            raise ValueError(f"{name} has no parameter {key!r} here; known: {', '.join(allowed) or 'none'}")
        if key in chosen:
            raise ValueError(f"{key} is given twice")
        chosen[key] = _checked(key, value, allowed[key])
    return name, chosen


def spelled(game: str, players: int) -> str:
    """Return a game as the library reads it, for a number of players."""
    name, chosen = parse(game)
    if "-" in entry(name).seats:
        chosen["players"] = str(players)
    if name == "twixt":  # its text would have codes of terminals
        chosen["ansi_color_output"] = "False"
    return f"{name}({','.join(f'{key}={value}' for key, value in chosen.items())})"


def seats(game: str) -> Seats:
    """Return the number of seats of a game, which the parameter ``players`` fixes."""
    name, chosen = parse(game)
    if "players" in chosen:
        return Seats(int(chosen["players"]))
    return Seats(*map(int, entry(name).seats.split("-")))


def entry(name: str) -> Entry:
    """Return the entry of a game.

    Raises:
        ValueError: the catalogue does not have it.
    """
    if name not in GAMES and name not in OTHERS:
        close = get_close_matches(name, names := sorted({*GAMES, *OTHERS}), n=1)
        raise ValueError(
            f"{name!r} is not {f'a game; did you mean {close[0]}?' if close else 'one of ' + ', '.join(names)}"
        )
    return GAMES.get(name) or OTHERS[name]


def _allowed(entry: Entry) -> Mapping[str, str]:
    ranges = dict(pair.split("=", 1) for pair in entry.parameters.split())
    if "-" in entry.seats:
        ranges["players"] = entry.seats.replace("-", "..")
    return ranges


def _checked(key: str, value: str, allowed: str) -> str:
    """Return a value in the library's spelling."""
    if allowed == "?":
        if value.lower() not in ("true", "false"):
            raise ValueError(f"{key} must be true or false, not {value!r}")
        return value.capitalize()
    if ".." not in allowed:
        if value not in allowed.split("|"):
            raise ValueError(f"{key} must be {' or '.join(allowed.split('|'))}, not {value!r}")
        return value
    least, most = allowed.split("..")
    form: Any = _NUMBER if "." in most else _WHOLE
    if form.fullmatch(value) is None or not float(least) <= float(value) <= float(most):
        kind = "number" if form is _NUMBER else "whole number"
        raise ValueError(f"{key} must be a {kind} from {least} to {most}, not {value!r}")
    return str(float(value)) if form is _NUMBER else value
