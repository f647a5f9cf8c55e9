"""Leases of the runners that share a database, and their expiry.

Clocks of machines differ and are set, so no two times of different machines are compared. A lease has run out if it was
not renewed for a minute while this runner watched; that minute is measured by this runner's steady clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

LEASE_S = 60.0
"""Seconds without renewal after which a lease has run out."""

RENEW_S = 15.0
"""Seconds between two renewals, and between two checks of the leases of others."""


class Leases:
    """Leases as one runner sees them.

    Args:
        steady: seconds on a monotonic clock.
    """

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._seen: dict[str, tuple[float, float]] = {}
        self._looked_at = steady()

    def run_out(self, leases: Mapping[str, float]) -> list[str]:
        """Return the runners whose leases have run out.

        Args:
            leases: the end of each runner's lease as it is stored now; only whether it changes matters.
        """
        now = self._steady()
        if now - self._looked_at > LEASE_S:
            self._seen = {}  # this runner or the database was stopped, perhaps with the other runners
        self._looked_at = now
        before = self._seen
        self._seen = {
            name: before[name] if name in before and before[name][0] == until else (until, now)
            for name, until in leases.items()
        }
        return [name for name, (_, since) in self._seen.items() if now - since > LEASE_S]
