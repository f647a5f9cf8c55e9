"""A turn clock that never moves, for harnesses that are called in this process."""

from __future__ import annotations


class StillClock:
    """A clock of a bot that has all the time in the world; its game takes no provisional moves."""

    limit_ms = 1000.0
    bank_ms = 0.0

    def elapsed_ms(self) -> float:
        return 0.0

    def propose(self, move: object) -> None:
        raise AssertionError("bots of this game propose nothing")
