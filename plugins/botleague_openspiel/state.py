"""One moment of a match."""

from __future__ import annotations

from dataclasses import dataclass, field

from botleague.rules import Forfeits
from botleague_openspiel.library import Position


@dataclass(frozen=True, slots=True)
class State:
    """One moment of a match.

    Attributes:
        history: all actions so far, of players and of chance; it determines the position.
        forfeits: the seats that are out.
        seeds: per seat, the seed of its bot's random numbers.
        since: per seat, the observations after its last turn; only where the library has no text of everything that a
            seat knows.
        position: the position as the library's object. It follows from ``history``, so it is not compared.
        before: the previous position, for the picture.
    """

    history: tuple[int, ...]
    forfeits: Forfeits
    seeds: tuple[int, ...]
    since: tuple[tuple[str, ...], ...] = ()
    position: Position = field(default=None, repr=False, compare=False)
    before: Position = field(default=None, repr=False, compare=False)
