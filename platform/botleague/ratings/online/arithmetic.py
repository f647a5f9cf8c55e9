"""Sums that come to the same bits on every Python.

The built-in ``sum`` adds floats with compensation from Python 3.12 on and without before, so a fold that used
it would not be reproduced by another interpreter.
"""

from __future__ import annotations

from collections.abc import Iterable


def add_up(values: Iterable[float]) -> float:
    """Return the sum of ``values``, added from left to right."""
    total = 0.0
    for value in values:
        total += value
    return total
