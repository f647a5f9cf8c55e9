"""Contract of executors, which play matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

OrderT = TypeVar("OrderT", contravariant=True)
OutcomeT = TypeVar("OutcomeT", covariant=True)


class Executor(Protocol[OrderT, OutcomeT]):
    """A place where matches are played. As a context manager, it stops all running matches on exit."""

    @property
    def capacity(self) -> int:
        """Maximum number of orders under way at the same time."""
        ...

    def submit(self, order: OrderT) -> None:
        """Start a match; at most ``capacity`` at a time."""
        ...

    def wait(self, timeout_s: float) -> Sequence[OutcomeT]:
        """Return the outcomes that have arrived, after waiting up to ``timeout_s`` for the first one."""
        ...

    def close(self) -> None:
        """Stop all running matches; orders under way have no outcome."""
        ...
