"""Clock of the time in which the machine served a process and its children; it does not count waiting for a CPU."""

from __future__ import annotations

import time
from pathlib import Path


class ServedTime:
    """Wall time since creation, less the time in which the processes waited for a CPU, and less our own gaps.

    If several processes wait at the same time, only the longest wait counts: the others may depend on it.

    Args:
        pid: of the process; its descendants count, too.
        look_s: maximum seconds between two calls of :meth:`look`. A later call counts as a delay by the machine.
    """

    def __init__(self, pid: int, look_s: float) -> None:
        self._pid = pid
        self._look_s = look_s
        self._looked = time.monotonic()
        self._waited = dict(_waits(pid))
        self._served = 0.0

    def look(self) -> float:
        """Return the served time in seconds."""
        now, waited = time.monotonic(), dict(_waits(self._pid))
        # A new process has waited only since the last call.
        lost = max((waits - self._waited.get(pid, 0.0) for pid, waits in waited.items()), default=0.0)
        self._served += max(0.0, min(now - self._looked, self._look_s) - lost)
        self._looked, self._waited = now, waited
        return self._served


def _waits(pid: int) -> list[tuple[int, float]]:
    """Return the seconds that a process and each of its descendants were runnable without a CPU."""
    waits, pids = [], [pid]
    while pids:
        one = pids.pop()
        folder = Path("/proc", str(one))
        try:
            waits.append((one, int((folder / "schedstat").read_text().split()[1]) / 1e9))
            for children in folder.glob("task/*/children"):
                pids += map(int, children.read_text().split())
        except (OSError, IndexError):  # It has ended, or the kernel does not count this.
            continue
    return waits
