"""The normal distribution, as far as tables need it."""

from __future__ import annotations

import math

__all__ = ["QUANTILE_95", "normal_probability"]

QUANTILE_95 = 1.959963984540054
"""Half the width of a 95 % interval, in standard errors."""


def normal_probability(x: float) -> float:
    """Return Phi(x), the chance that a standard normal variable is below ``x``."""
    return 0.5 * math.erfc(-x / math.sqrt(2))
