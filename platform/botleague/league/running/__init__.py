"""The runner: the only code that claims fixtures and records results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.running.dispatch import MatchOrders
    from botleague.league.running.match_runner import ATTEMPTS, Progress, Runner, is_dead, runner_name
    from botleague.league.running.retried_transactions import Transactions, outlast

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
