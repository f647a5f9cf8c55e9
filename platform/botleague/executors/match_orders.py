"""Messages to and from executors: orders for matches and their outcomes.

Both are sent as MessagePack to another process or another machine. A report does not show whether it was
recorded: the league runner does that.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from botleague.referee import MatchReport, Measures, Player
from botleague.rules import TimeControl
from botleague.rules.plugin_support.executors import Executor as AnyExecutor
from botleague.rules.variant import Imports


class MatchOrder(msgspec.Struct, frozen=True):
    """One match to play.

    Attributes:
        fixture, epoch: of the claim, returned in the outcome.
        variant, config_digest: the variant to play; a host with a different configuration refuses.
        players: one per seat.
        time: the league's time control, None for the variant's own.
        imports: the league's import policy, None for the variant's own.
        openings: random opening turns per seat.
        measures: additional measurements of seats.
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
    """Result of an order: the report of the match, or the failure of the system.

    Attributes:
        failure: one sentence; the match is void and can be played again. Empty with a report.
        is_final: playing again cannot help (a plugin is broken or differs).
    """

    fixture: int
    epoch: int
    report: MatchReport | None = None
    failure: str = ""
    is_final: bool = False


Executor: TypeAlias = AnyExecutor[MatchOrder, MatchOutcome]
"""A place where matches are played."""
