"""What an executor is told and what it tells: orders for matches and reports of them.

Both are values that travel as MessagePack, to another process or another machine. A report never says whether it was
recorded: that is the league runner's business.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from botleague.referee import MatchReport, Measures, Player
from botleague.rules import TimeControl
from botleague.rules.executors import Executor as AnyExecutor
from botleague.rules.variant import Imports


class MatchOrder(msgspec.Struct, frozen=True):
    """One match to be held.

    Attributes:
        fixture, epoch: of the claim; the report carries them back.
        variant, config_digest: what is played; a host whose variant differs refuses.
        seed: of the match.
        players: one per seat.
        time: the league's time control, None for the variant's own.
        imports: what the league lets bots import, None for the variant's own.
        openings: turns a seat that are played by lot first.
        measures: what else is to be known of seats.
    """

    fixture: int
    epoch: int
    variant: str
    config_digest: str
    seed: int
    players: tuple[Player, ...]
    time: TimeControl | None = None
    imports: Imports | None = None
    openings: int = 0
    measures: Measures = Measures()


class MatchOutcome(msgspec.Struct, frozen=True):
    """What became of an order: the report of the match, or why the machinery could not hold it.

    Attributes:
        failure: one sentence; the match is void and can be played again.
        is_final: playing again cannot help (a plugin is broken or differs).
    """

    fixture: int
    epoch: int
    report: MatchReport | None = None
    failure: str = ""
    is_final: bool = False


Executor: TypeAlias = AnyExecutor[MatchOrder, MatchOutcome]
"""A place where matches are played."""
