"""When to stop looking at passwords: after five wrong ones in a row, for a minute, then twice as long each time.

Attempts are counted by account and address together; those from all addresses that never logged in to the account are
counted once more, with a limit of their own, so that guessing from many addresses ends as well.

An attempt counts as wrong before it is looked at, and a right one is forgiven afterwards: so many at once are no more
than one after another.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

FREE = 5
"""Wrong attempts in a row before the first pause."""

FREE_IN_ALL = 20
"""The same, of all addresses together that never logged in."""

FIRST_PAUSE_S = 60.0
LONGEST_PAUSE_S = 15 * 60.0


@dataclass(frozen=True, slots=True)
class Attempts:
    """Wrong attempts in a row, and until when no further one is looked at, in seconds since the epoch."""

    failures: int = 0
    locked_until: float = 0.0

    def wait_s(self, now: float) -> float:
        """Return how long nothing is looked at, 0 for not at all."""
        return max(0.0, self.locked_until - now)

    def failed(self, now: float, free: int = FREE) -> Attempts:
        """Return what follows from one more wrong attempt. Only for attempts that are looked at.

        Args:
            free: wrong attempts in a row before the first pause.
        """
        failures = self.failures + 1
        if failures < free:
            return Attempts(failures, self.locked_until)
        doublings = min(failures - free, 10)
        return Attempts(failures, now + min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**doublings))


OPEN = Attempts()
"""Nobody has failed."""


def network_of(address: str) -> str:
    """Return what one customer of a provider has: an IPv4 address, or the half of an IPv6 address that is given out."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    # A server that listens for both kinds is told IPv4 addresses inside IPv6 ones, all of one network.
    return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
