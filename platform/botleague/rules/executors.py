"""The contract of executors: places where matches are played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

__all__ = ["Executor"]

OrderT = TypeVar("OrderT", contravariant=True)
OutcomeT = TypeVar("OutcomeT", covariant=True)


class Executor(Protocol[OrderT, OutcomeT]):
    """A place where matches are held. A context manager: leaving it ends whatever still runs."""

    @property
    def capacity(self) -> int:
        """How many orders can be under way at once."""
        ...

    def submit(self, order: OrderT) -> None:
        """Begin a match; at most ``capacity`` at a time."""
        ...

    def wait(self, timeout_s: float) -> Sequence[OutcomeT]:
        """Return the outcomes that have come in, waiting up to ``timeout_s`` for a first one."""
        ...

    def close(self) -> None:
        """End everything that runs; orders under way have no outcome."""
        ...
