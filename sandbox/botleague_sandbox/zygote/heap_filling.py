"""Fills the holes in the memory that bots are born with.

Where a zygote has thrown away what it no longer needs, Python finds room for small objects here and there: each of a
bot's first objects would go to another page, which its process must copy first. In filled memory they lie side by side.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable

# Objects/obmalloc.c: sizes in steps of 16 bytes up to 512, cut from pools of 16 KiB (4 KiB before Python 3.10).
STEP, LARGEST, POOL = 16, 512, 1 << 14
HEADER = sys.getsizeof(b"")
MAX_OBJECTS = 100_000  # objects of a size

_kept: list[list[object]] = []


def fill_holes() -> None:
    """Take up every free place of a size until Python cuts a new pool for it."""
    makers: dict[int, Callable[[], object]] = {16: object, 32: itertools.count(1 << 20).__next__}
    for size in range(STEP, LARGEST + 1, STEP):
        make = makers.get(size) or functools.partial(bytes, size - HEADER)
        blocks: list[object] = []
        _kept.append(blocks)
        in_a_row, last = 0, 0
        while in_a_row < POOL // size // 2 and len(blocks) < MAX_OBJECTS:
            blocks.append(one := make())
            in_a_row = in_a_row + 1 if id(one) == last + size else 0
            last = id(one)
