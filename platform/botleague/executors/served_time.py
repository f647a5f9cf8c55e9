"""How long the machine has served a process and its children: a clock that a busy machine does not make run."""

from __future__ import annotations

import time
from pathlib import Path


class ServedTime:
    """Wall time since it was made, less the time that the processes waited for a CPU and gaps of our own.

    Of several processes that wait at the same time the one that waits longest counts: the others may wait for it.

    Args:
        pid: of the process; its descendants count, too.
        look_s: seconds between two looks at most. Whoever comes later was kept from running by the machine.
    """

    def __init__(self, pid: int, look_s: float) -> None:
        self._pid = pid
        self._look_s = look_s
        self._looked = time.monotonic()
        self._waited = dict(_waits(pid))
        self._served = 0.0

    def look(self) -> float:
        """Return it in seconds."""
        now, waited = time.monotonic(), dict(_waits(self._pid))
        # A process that is new has waited since the last look only.
        lost = max((waits - self._waited.get(pid, 0.0) for pid, waits in waited.items()), default=0.0)
        self._served += max(0.0, min(now - self._looked, self._look_s) - lost)
        self._looked, self._waited = now, waited
        return self._served


def _waits(pid: int) -> list[tuple[int, float]]:
    """Return for a process and its descendants how many seconds each was able to run and got no CPU."""
    found, pids = [], [pid]
    while pids:
        one = pids.pop()
        folder = Path("/proc", str(one))
        try:
            found.append((one, int((folder / "schedstat").read_text().split()[1]) / 1e9))
            for children in folder.glob("task/*/children"):
                pids += map(int, children.read_text().split())
        except (OSError, IndexError):  # it has ended, or the kernel keeps no such account
            continue
    return found
