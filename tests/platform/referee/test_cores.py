"""Which processor a match host stays on."""

from __future__ import annotations

import os

from botleague.referee import quiet_cores
from botleague.referee.players.cpu_affinity import ranked


def test_the_quietest_processor_comes_first() -> None:
    before = {0: 1000, 1: 2000, 2: 3000}
    assert ranked([0, 1, 2], before, {0: 1005, 1: 2000, 2: 3002}, present=0) == [1, 2, 0]


def test_current_core_comes_first_among_equals() -> None:
    ticks = dict.fromkeys(range(8), 5)
    assert ranked(range(8), ticks, ticks, present=6)[0] == 6
    assert len({tuple(ranked(range(8), ticks, ticks, present=6)) for _ in range(20)}) > 1, "the others spread"


def test_only_processors_that_this_process_may_use_are_chosen() -> None:
    allowed = os.sched_getaffinity(0)
    assert set(quiet_cores()) == allowed
    only = {max(allowed)}
    os.sched_setaffinity(0, only)
    try:
        assert quiet_cores() == list(only)
    finally:
        os.sched_setaffinity(0, allowed)
