"""Choice of processors for matches: the least busy ones by the kernel's counters.

A match host and its bots stay on one processor. If every command took the same processor, two commands would share
it while another processor is idle.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Collection, Mapping
from pathlib import Path

WINDOW_S = 0.05
"""Length of the measurement in seconds; the kernel counts in hundredths of a second."""


def quiet_cores() -> list[int]:
    """Return the usable processors, the least busy first; empty if the system allows no choice.

    Takes 50 ms if there are several.
    """
    if not hasattr(os, "sched_getaffinity"):
        return []
    cores = os.sched_getaffinity(0)
    if len(cores) == 1:
        return list(cores)
    before = _busy_ticks()
    time.sleep(WINDOW_S)  # This process is idle meanwhile, so the counters show the work of others.
    return ranked(cores, before, _busy_ticks(), _present_core())


def ranked(
    cores: Collection[int], before: Mapping[int, int], after: Mapping[int, int], present: int | None
) -> list[int]:
    """Return ``cores`` in order of their load between two counts.

    Args:
        cores: processors to order.
        before, after: busy ticks of each since the machine started.
        present: processor of this process, preferred among equals: the kernel puts other commands elsewhere.
    """
    busy = {core: after.get(core, 0) - before.get(core, 0) for core in cores}
    return sorted(cores, key=lambda core: (busy[core], core != present, random.random()))


def _busy_ticks() -> dict[int, int]:
    """Return the ticks that were neither idle nor waiting for a disk, per processor; see proc_stat(5)."""
    ticks = {}
    try:
        lines = Path("/proc/stat").read_text().splitlines()
    except OSError:
        return {}
    for line in lines:
        name, *counts = line.split()
        if name.startswith("cpu") and name[3:].isdigit():
            user, nice, system, _idle, _waiting, *others = map(int, counts[:8])
            ticks[int(name[3:])] = user + nice + system + sum(others)
    return ticks


def _present_core() -> int | None:
    try:
        return int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[36])
    except (OSError, IndexError):
        return None
