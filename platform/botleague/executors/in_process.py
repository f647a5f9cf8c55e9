"""Executor that plays matches in the runner's own process, one after another: for debugging."""

from __future__ import annotations

from collections.abc import Sequence

from botleague.executors.match_orders import MatchOrder, MatchOutcome
from botleague.executors.match_worker import MatchHost
from botleague.workers import HostSetup


class InProcess:
    """An executor without worker processes (bots still have their own); ``address`` is ignored."""

    capacity = 1

    def __init__(self, setup: HostSetup, jobs: int | None = None, address: str = "") -> None:
        self._host = MatchHost(setup)
        self._orders: list[MatchOrder] = []

    def submit(self, order: MatchOrder) -> None:
        """Store an order until the next call of :meth:`wait`."""
        self._orders.append(order)

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        """Play the ordered matches."""
        orders, self._orders = self._orders, []
        return [self._host.hold(order) for order in orders]

    def close(self) -> None:
        """Close all sandboxes."""
        self._host.close()
