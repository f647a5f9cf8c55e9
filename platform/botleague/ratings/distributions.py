"""The normal distribution and Student's, and the spread of a Beta distribution, as far as tables need them."""

from __future__ import annotations

import math

QUANTILE_95 = 1.959963984540054
"""Half the width of a 95 % interval, in standard errors."""

TINY = 1e-300
"""Stands for 0 where the continued fraction would divide by it."""


def normal_probability(x: float) -> float:
    """Return Phi(x), the chance that a standard normal variable is below ``x``."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def student_probability(t: float, df: float) -> float:
    """Return the chance that a variable of Student's distribution is below ``t``.

    Args:
        df: degrees of freedom, above 0, need not be whole; infinity is the normal distribution.

    Source: RATINGS, section 7.3; Student, Biometrika 6, 1908.
    """
    if math.isinf(df):
        return normal_probability(t)
    tail = _tail(df, t * t) / 2
    return 1 - tail if t > 0 else tail


def student_quantile(p: float, df: float) -> float:
    """Return the t with :func:`student_probability` ``p``, which is between 0 and 1."""
    if p < 0.5:
        return -student_quantile(1 - p, df)
    high = 1.0
    while student_probability(high, df) < p:
        high *= 2
    low = 0.0
    while low < (middle := (low + high) / 2) < high:  # until they are neighbours among floats
        if student_probability(middle, df) < p:
            low = middle
        else:
            high = middle
    return high


def _tail(df: float, square: float) -> float:
    """Return I_x(df/2, 1/2) at x = df/(df + square): the chance to be farther from 0 than the root of ``square``."""
    a, b = df / 2, 0.5
    x, y = df / (df + square), square / (df + square)
    if square == 0:
        return 1.0
    front = math.exp(_log_ratio(a) - a * math.log1p(square / df)) * math.sqrt(y / math.pi)
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, y) / b


def _log_ratio(a: float) -> float:
    """Return ln Gamma(a + 1/2) - ln Gamma(a); for large a the difference of the two would lose its digits.

    Source: F. Tricomi, A. Erdélyi, The asymptotic expansion of a ratio of gamma functions, 1951.
    """
    if a < 40:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    square = 1 / (a * a)
    series = -1 / 8 + square * (1 / 192 + square * (-1 / 640 + square * (17 / 14336 - square * 31 / 18432)))
    return math.log(a) / 2 + series / a


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of I_x(a, b), by Lentz's method.

    Source: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 1964, 26.5.8.
    """
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or TINY)
    result = d
    m = 0
    while True:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for term in (even, odd):
            d = 1 / (1 + term * d or TINY)
            c = 1 + term / c or TINY
            change *= c * d
        result *= change
        if abs(change - 1) < 1e-15:
            return result


def trigamma(x: float) -> float:
    """Return the second derivative of ln Gamma at ``x`` above 0.

    The logit of a Beta(a, a) variable has the variance 2 trigamma(a).

    Source: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 1964, 6.4.6 and 6.4.12.
    """
    before = 0.0
    while x < 20:
        before += 1 / (x * x)
        x += 1
    square = 1 / (x * x)
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square / 30))
    return before + 1 / x + square / 2 + series * square / x
