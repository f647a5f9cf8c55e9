"""Numbers from stored plain data, which may be damaged."""

from __future__ import annotations

from collections.abc import Mapping

from botleague.ratings.rated_result import RatingError


def number(stored: Mapping[str, object], key: str) -> float:
    """Return ``stored[key]`` as a float.

    Raises:
        RatingError: it is missing or not a number.
    """
    value = stored.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RatingError(f"a stored rating state needs a number {key!r}, not {value!r}")
    return float(value)


def whole(stored: Mapping[str, object], key: str) -> int:
    """Return ``stored[key]`` as an integer.

    Raises:
        RatingError: it is missing or not a whole number.
    """
    value = number(stored, key)
    if value != int(value):
        raise RatingError(f"a stored rating state needs a whole number {key!r}, not {value!r}")
    return int(value)
