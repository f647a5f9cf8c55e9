"""Reading a state back from plain data that somebody else stored."""

from __future__ import annotations

from collections.abc import Mapping

from botleague.ratings.record import RatingError

__all__ = ["number", "whole"]


def number(plain: Mapping[str, object], key: str) -> float:
    """Return ``plain[key]`` as a float.

    Raises:
        RatingError: it is missing or not a number.
    """
    value = plain.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RatingError(f"a stored rating state needs a number {key!r}, not {value!r}")
    return float(value)


def whole(plain: Mapping[str, object], key: str) -> int:
    """Return ``plain[key]`` as an integer.

    Raises:
        RatingError: it is missing or not a whole number.
    """
    value = number(plain, key)
    if value != int(value):
        raise RatingError(f"a stored rating state needs a whole number {key!r}, not {value!r}")
    return int(value)
