"""Reports of a runner about itself: since when it plays, how fast, and its last failure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from sqlalchemy.engine import Connection

from botleague_storage import runners
from botleague_storage.league_rows.runners import RunnerRow

HOUR_S = 3600.0

MIN_MEASURED_S = 60.0
"""Seconds after the start before which a rate has no meaning."""

MAX_ERROR_LENGTH = 500


class RunnerReport:
    """State of a runner.

    Args:
        clock: seconds since the epoch.
        steady: seconds on a monotonic clock.
    """

    def __init__(self, name: str, clock: Callable[[], float], steady: Callable[[], float]) -> None:
        self._name = name
        self._clock = clock
        self._steady = steady
        self._started_at, self._begun = clock(), steady()
        self._finished: deque[tuple[float, int]] = deque()
        self._error: tuple[str, str, float | None] = ("", "", None)

    def finished(self, matches: int) -> None:
        """Count recorded matches."""
        self._finished.append((self._steady(), matches))
        self._forget()

    def failed(self, league: str, error: str) -> None:
        """Record a failure in a league."""
        self._error = error[:MAX_ERROR_LENGTH], league, self._clock()

    @property
    def hourly(self) -> float | None:
        """Matches per hour over the last hour, or since the start; None at first."""
        self._forget()
        measured_s = min(HOUR_S, self._steady() - self._begun)
        matches = sum(number for _, number in self._finished)
        return matches * HOUR_S / measured_s if measured_s >= MIN_MEASURED_S else None

    @property
    def has_failed(self) -> bool:
        """Whether there was a failure."""
        return bool(self._error[0])

    def write(self, connection: Connection) -> None:
        """Store the state. Needs a write transaction."""
        hourly = self.hourly
        runners.report(
            connection, RunnerRow(self._name, self._started_at, self._clock(), hourly, *self._error)
        )

    def _forget(self) -> None:
        while self._finished and self._finished[0][0] < self._steady() - HOUR_S:
            self._finished.popleft()
