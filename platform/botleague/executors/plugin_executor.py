"""The executor of a plugin, whose errors and wrong outcomes become one message with its name."""

from __future__ import annotations

from collections.abc import Sequence

from botleague.errors import PluginError
from botleague.executors.match_orders import Executor, MatchOrder, MatchOutcome
from botleague.plugins.boundary import Boundary


class PluginExecutor:
    """Executor that calls the executor of a plugin.

    Args:
        name: its name in the plugin's offer.
        theirs: the executor of the plugin.

    Raises:
        PluginError: from every call, if the plugin fails, or returns something other than the outcome of a pending
        order.
    """

    def __init__(self, name: str, theirs: Executor) -> None:
        self._name = name
        self._theirs = theirs
        self._boundary = Boundary("executor", name)
        self._under_way: set[tuple[int, int]] = set()

    @property
    def capacity(self) -> int:
        """Maximum number of orders under way at the same time."""
        with self._boundary:
            return self._theirs.capacity

    def submit(self, order: MatchOrder) -> None:
        """Start a match."""
        self._under_way.add((order.fixture, order.epoch))
        with self._boundary:
            self._theirs.submit(order)

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        """Return the outcomes that have arrived, after waiting up to ``timeout_s`` for the first one."""
        with self._boundary:
            outcomes = list(self._theirs.wait(timeout_s))
        for outcome in outcomes:
            if (
                not isinstance(outcome, MatchOutcome)
                or (outcome.fixture, outcome.epoch) not in self._under_way
            ):
                raise PluginError(
                    f"The executor {self._name} returned what is no outcome of a match under way: {str(outcome)[:80]}."
                )
            self._under_way.remove((outcome.fixture, outcome.epoch))
        return outcomes

    def close(self) -> None:
        """Stop all running matches."""
        with self._boundary:
            self._theirs.close()
