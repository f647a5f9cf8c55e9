"""Pauses of logins after wrong passwords: after five in a row for a minute, then twice as long each time.

Attempts are counted per account and address. Attempts from all addresses that never logged in to the account are
also counted together, with a limit of their own, so that guessing from many addresses is stopped as well.

An attempt counts as wrong before its password is checked; a right one removes the count afterwards. So simultaneous
attempts have no advantage over consecutive ones.
"""

from __future__ import annotations

import msgspec

FREE = 5
"""Wrong attempts in a row before the first pause."""

FREE_IN_ALL = 20
"""The same, for all addresses together that never logged in."""

FIRST_PAUSE_S = 60.0
MAX_PAUSE_S = 15 * 60.0


class Attempts(msgspec.Struct, frozen=True):
    """Consecutive wrong attempts, and the end of the current pause in seconds since the epoch."""

    failures: int = 0
    locked_until: float = 0.0

    def wait_s(self, now: float) -> float:
        """Return the remaining seconds of the pause, 0 for no pause."""
        return max(0.0, self.locked_until - now)

    def failed(self, now: float, free: int = FREE) -> Attempts:
        """Return the state after one more wrong attempt. Only for attempts outside a pause.

        Args:
            free: wrong attempts in a row before the first pause.
        """
        failures = self.failures + 1
        if failures < free:
            return Attempts(failures, self.locked_until)
        doublings = min(failures - free, 10)
        return Attempts(failures, now + min(MAX_PAUSE_S, FIRST_PAUSE_S * 2**doublings))


OPEN = Attempts()
"""No wrong attempt."""
