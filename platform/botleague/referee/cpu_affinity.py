"""On which processors matches are held: those that have least to do, as the kernel counts it.

A match host stays on one processor together with its bots. If every command took the same one, two commands would share
it while another is idle.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Collection, Mapping
from pathlib import Path

WINDOW_S = 0.05
"""How long to watch; the kernel counts in hundredths of a second."""


def quiet_cores() -> list[int]:
    """Return the processors that this process may use, the quietest first; empty where there is no choice to be had.

    Takes 50 ms if there are several.
    """
    if not hasattr(os, "sched_getaffinity"):
        return []
    cores = os.sched_getaffinity(0)
    if len(cores) == 1:
        return list(cores)
    before = _busy_ticks()
    time.sleep(WINDOW_S)  # this process does nothing meanwhile, so what is counted is the work of others
    return ranked(cores, before, _busy_ticks(), _present_core())


def ranked(
    cores: Collection[int], before: Mapping[int, int], after: Mapping[int, int], present: int | None
) -> list[int]:
    """Return ``cores`` by how busy they were between two counts.

    Args:
        cores: to be ordered.
        before, after: ticks that each was busy since the machine was started.
        present: where this process is, the first of equals: the kernel has put it there, and other commands elsewhere.
    """
    busy = {core: after.get(core, 0) - before.get(core, 0) for core in cores}
    return sorted(cores, key=lambda core: (busy[core], core != present, random.random()))


def _busy_ticks() -> dict[int, int]:
    """Return the ticks that were neither idle nor waiting for a disk, by processor; see proc_stat(5)."""
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
