"""One moment of a match of Isolation: a position of the original, and what surrounds it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from botleague.rules import Outcome


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A seat that lost a game by its own fault, and why."""

    seat: int
    reason: str


class State(msgspec.Struct, frozen=True):
    """One moment of a match. (A struct: one is made every turn, and a frozen dataclass takes eight times as long.)

    Attributes:
        board, ply, locs: the position, as in the original (``ply`` is its ``ply_count``, ``locs`` are by player).
        hops: the newest steps of this game, oldest first: the cells where each began and ended. Players take turns.
        removed: the cell that the last action closed (Isola), None otherwise.
        contexts: per seat, the context of its bot for its next turn: pickled, and opaque here.
        context_bytes: per seat, the size of all its contexts of the match together.
        seeds: per seat, the seed of its bot's random numbers.
        forfeits: the seats that lost by a fault; the game is over then.
        first: the seat that is player 0 of this game.
        opening: the first two actions of the match, as far as they were played.
        earlier: how the first game ended, while its rematch is played; None in the first game.
    """

    board: int
    ply: int
    locs: tuple[int | None, int | None]
    hops: tuple[tuple[int, int], ...] = ()
    removed: int | None = None
    contexts: tuple[bytes | None, bytes | None] = (None, None)
    context_bytes: tuple[int, int] = (0, 0)
    seeds: tuple[int, int] = (0, 0)
    forfeits: tuple[Forfeit, ...] = ()
    first: int = 0
    opening: tuple[object, ...] = ()
    earlier: Outcome | None = None

    def player(self, seat: int) -> int:
        """Return the player number that ``seat`` has in this game."""
        return seat ^ self.first

    def seat(self, player: int) -> int:
        """Return the seat that is ``player`` in this game."""
        return player ^ self.first
