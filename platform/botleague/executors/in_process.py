"""Holds matches in the runner's own process, one after another: for debugging."""

from __future__ import annotations

from collections.abc import Sequence

from botleague.executors.match_orders import MatchOrder, MatchOutcome
from botleague.executors.match_worker import MatchHost
from botleague.workers import HostSetup


class InProcess:
    """An executor without processes of its own (the bots still have theirs)."""

    capacity = 1

    def __init__(self, setup: HostSetup, jobs: int = 1) -> None:
        self._host = MatchHost(setup)
        self._orders: list[MatchOrder] = []

    def submit(self, order: MatchOrder) -> None:
        """Keep an order until somebody waits for it."""
        self._orders.append(order)

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        """Hold the matches that were ordered."""
        orders, self._orders = self._orders, []
        return [self._host.hold(order) for order in orders]

    def close(self) -> None:
        """End all sandboxes."""
        self._host.close()
