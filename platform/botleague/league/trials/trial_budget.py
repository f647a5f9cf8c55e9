"""Time budget of a check, charged like the bot's clocks: time lost by the machine is not charged."""

from __future__ import annotations

import math

import msgspec

from botleague.referee import Phase
from botleague.rules import Variant

SPARE_S = 60.0
"""Additional time for the turns of whole matches."""

_NAMES: dict[Phase, str] = {"load": "loading", "brief": "briefings", "turn": "turns"}


class BudgetUsedUp(Exception):
    """A bot used up the time of its check; the text lists the duration of each step."""


def budget_ms(variant: Variant) -> float:
    """Return the time for a check, in milliseconds: never less than a bot within all limits of a variant can use.

    A bot sits on every seat in its trial and in the match against itself, and on one against another bot. Only the last
    turn of each match adds its limit: matches end after the spare time at the latest.
    """
    time = variant.time
    turn = max(time.move_ms, time.first_move_ms or 0.0) + time.bank_ms
    seats = 2 * variant.seats.least + (variant.seats.least > 1)
    return seats * (time.load_ms + time.brief_ms + turn) + 1000 * SPARE_S


class Budget(msgspec.Struct):
    """Time budget of a check, and its use.

    Attributes:
        limit_ms: the whole, in milliseconds.
        used: number of times and milliseconds of each phase.
    """

    limit_ms: float = math.inf
    used: dict[Phase, tuple[int, float]] = msgspec.field(default_factory=dict)

    def charge(self, seat: int, phase: Phase, used_ms: float) -> None:
        """Charge the bot for its use of time on a seat.

        Raises:
            BudgetUsedUp: it was too much.
        """
        times, before_ms = self.used.get(phase, (0, 0.0))
        self.used[phase] = times + 1, before_ms + used_ms
        if sum(ms for _, ms in self.used.values()) > self.limit_ms:
            parts = [
                f"{_NAMES[phase]} {ms / 1000:.1f} s ({times} times)"
                for phase, (times, ms) in self.used.items()
            ]
            raise BudgetUsedUp(
                f"The bot used up the {self.limit_ms / 1000:g} s that its check may take: {', '.join(parts)}. "
                "A bot that dies is loaded and briefed again. Fix what ends it, or load less."
            )
