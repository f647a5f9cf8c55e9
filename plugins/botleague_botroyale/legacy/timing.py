"""Stopwatches.

Source: rules/botroyale.md, section 13, ``botroyale.util.time``.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager


def ping() -> float:
    """Return a point in time for :func:`pong`."""
    return time.perf_counter() * 1000


def pong(ping_: float) -> float:
    """Return the milliseconds since ``ping_``."""
    return ping() - ping_


@contextmanager
def pingpong(
    description: str = "Pingpong",
    logger: Callable[[str], object] | None = None,
    return_elapsed: Callable[[float], object] | None = None,
) -> Iterator[None]:
    """Measure a ``with`` block.

    Args:
        description: what is measured, for the message.
        logger: takes the message, if given.
        return_elapsed: takes the milliseconds.
    """
    started = ping()
    yield
    elapsed = pong(started)
    if return_elapsed is not None:
        return_elapsed(elapsed)
    if logger is not None:
        logger(f"{description} took {elapsed:.3f} ms")


class RateCounter:
    """Running mean of how long things take.

    Args:
        sample_size: how many measurements count.
        starting_elapsed: milliseconds to begin with.
    """

    def __init__(self, sample_size: int = 120, starting_elapsed: float = 1000) -> None:
        """Begin as if every measurement had been ``starting_elapsed``."""
        self.sample_size = sample_size
        self.last_elapsed_ms = float(starting_elapsed)
        self._samples: deque[float] = deque([float(starting_elapsed)] * sample_size, sample_size)
        self._started = ping()

    def start(self) -> None:
        """Begin a measurement."""
        self._started = ping()

    ping = start

    def tick(self) -> float:
        """End a measurement, begin the next one and return the milliseconds."""
        self.last_elapsed_ms = pong(self._started)
        self._samples.append(self.last_elapsed_ms)
        self._started = ping()
        return self.last_elapsed_ms

    pong = tick

    @property
    def timed_block(self) -> AbstractContextManager[None]:
        """Measures a ``with`` block: ``with counter.timed_block: ...``."""
        return ratecounter(self)

    @property
    def mean_elapsed_ms(self) -> float:
        """Mean milliseconds of a measurement."""
        return sum(self._samples) / len(self._samples)

    @property
    def mean_elapsed(self) -> float:
        """Mean seconds of a measurement."""
        return self.mean_elapsed_ms / 1000

    @property
    def last_elapsed(self) -> float:
        """Seconds of the last measurement."""
        return self.last_elapsed_ms / 1000

    @property
    def current_elapsed_ms(self) -> float:
        """Milliseconds since the present measurement began."""
        return pong(self._started)

    @property
    def current_elapsed(self) -> float:
        """Seconds since the present measurement began."""
        return self.current_elapsed_ms / 1000

    @property
    def rate(self) -> float:
        """Measurements per second."""
        return 1 / self.mean_elapsed

    @property
    def rate_ms(self) -> float:
        """Measurements per millisecond."""
        return 1 / self.mean_elapsed_ms


@contextmanager
def ratecounter(counter: RateCounter) -> Iterator[None]:
    """Measure a ``with`` block as one more thing that ``counter`` counts."""
    counter.start()
    yield
    counter.tick()
