"""One point of a match of Bot Royale: the battle, the seats that steer its units, and what each of them knows."""

from __future__ import annotations

import msgspec

from botleague.rules import Fault
from botleague_botroyale.battle.ops import Op
from botleague_botroyale.battle.state import State
from botleague_botroyale.battle.trails import Trails


class Match(msgspec.Struct, frozen=True):
    """A match at one point. (A struct: every operation makes one, and a frozen dataclass takes several times as long.)

    Attributes:
        seed: of the battle.
        owners: per unit, the seat that steers it, None for a unit that just stands there.
        log: the latest operations, back to the first one that some seat in play has not received.
        log_start: number of operations of the match that precede ``log``.
        told: per seat, the number of operations of the match that it has received.
        illegal: per unit, how many illegal actions it tried.
        faults: per unit, the fault that killed it or will on its first turn, None for none.
        trails: for the picture.
        disqualified: seats that rank last, in order of disqualification.
        since: the battle's step of the last request to a bot.
    """

    seed: int
    battle: State
    owners: tuple[int | None, ...]
    log: tuple[Op, ...]
    log_start: int
    told: tuple[int, ...]
    illegal: tuple[int, ...]
    faults: tuple[Fault | None, ...]
    trails: Trails
    disqualified: tuple[int, ...] = ()
    since: int = 0
