"""Log of what would repeat with every request: reached limits and failed pages."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

logger = logging.getLogger(__name__)

QUIET_S = 600.0
"""Seconds without a message after which it is logged again."""


class QuietLog:
    """Logs a message once, until it has not occurred for a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._noted: dict[str, float] = {}

    def note(self, message: str, level: int = logging.WARNING) -> None:
        """Log a message, unless the same was noted less than :data:`QUIET_S` ago."""
        now, last = self._clock(), self._noted.get(message)
        self._noted[message] = now
        if last is None or now - last > QUIET_S:
            logger.log(level, "%s", message)
