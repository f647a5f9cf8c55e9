"""Sizes of shapes, and functions that fit them into the picture.

The font of a viewer is unknown, so the width of a text is an estimate: wide letters (Chinese,
emoji) are as wide as high, all others 0.6 of their height.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

import msgspec

from botleague.rules.scene.shapes import LETTER_WIDTH, Circle, Emblem, Line, Point, Polygon, Rect, Shape, Text

__all__ = ["Box", "bounds", "clipped", "moved_into", "shortened", "text_width"]

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom."""

_WIDE_LETTER = 1.0
_ELLIPSIS = "…"
_NAME = "{seat "


def bounds(shape: Shape) -> Box:
    """Return the bounding box of ``shape``, without the width of lines and edges."""
    match shape:
        case Rect(x, y, width, height):
            return x, y, x + width, y + height
        case Circle(x, y, radius):
            return x - radius, y - radius, x + radius, y + radius
        case Emblem(x, y, size):
            return x - size / 2, y - size / 2, x + size / 2, y + size / 2
        case Text(x, y, _, size):
            reach = _room(shape) / 2
            return x - reach, y - size / 2, x + reach, y + size / 2
        case Polygon(points) | Line(points):
            xs, ys = [x for x, _ in points], [y for _, y in points]
            return min(xs), min(ys), max(xs), max(ys)


def text_width(text: str, size: float) -> float:
    """Return the approximate width of ``text`` in letters of height ``size``."""
    return size * sum(map(_letter_width, text))


def shortened(text: str, size: float, width: float) -> str:
    """Return ``text``, cut and with an ellipsis if it is wider than ``width`` in letters of height ``size``."""
    if text_width(text, size) <= width:
        return text
    room = width - text_width(_ELLIPSIS, size)
    length = 0
    while length < len(text) and text_width(text[: length + 1], size) <= room:
        length += 1
    return text[:length].rstrip() + _ELLIPSIS


def moved_into(text: Text, width: float, height: float) -> Text:
    """Return ``text`` moved inside a picture of the given size, in smaller letters and cut if it is too long.

    Letters shrink to two thirds at most, unless they are higher than the picture. Viewers cut a text with a width.
    """
    if text.width:
        text = msgspec.structs.replace(text, width=min(text.width, width), size=min(text.size, height))
        reach = _room(text) / 2
        return msgspec.structs.replace(
            text,
            x=min(max(text.x, reach), width - reach),
            y=min(max(text.y, text.size / 2), height - text.size / 2),
        )
    size = min(
        text.size, max(text.size * 2 / 3, text.size * width / max(text_width(text.text, text.size), 1e-9))
    )
    size = min(size, height)
    label = shortened(text.text, size, width)
    reach = min(text_width(label, size), width) / 2
    return msgspec.structs.replace(
        text,
        x=min(max(text.x, reach), width - reach),
        y=min(max(text.y, size / 2), height - size / 2),
        text=label,
        size=size,
    )


def clipped(points: Sequence[Point], width: float, height: float) -> tuple[Point, ...]:
    """Return the part of a polygon inside a picture of the given size; empty if no part is inside.

    Source: I. E. Sutherland, G. W. Hodgman, Reentrant polygon clipping, Communications of the ACM 17, 1974.
    """
    for axis, bound, sign in ((0, 0.0, 1), (0, width, -1), (1, 0.0, 1), (1, height, -1)):
        points = list(_cut(points, lambda point, a=axis, b=bound, s=sign: s * (point[a] - b)))  # type: ignore[misc]  # bound early
    return tuple((min(max(x, 0.0), width), min(max(y, 0.0), height)) for x, y in points)


def _room(text: Text) -> float:
    """Return the width of a text; of one with a bot's name, the maximum."""
    if text.width and _NAME in text.text:
        return text.width
    needed = text_width(text.text, text.size)
    return min(needed, text.width) if text.width else needed


def _cut(points: Sequence[Point], depth: Callable[[Point], float]) -> Iterator[Point]:
    """Yield the corners of the part of a polygon where ``depth`` is not negative."""
    for before, here in pairwise((*points[-1:], *points)):
        first, second = depth(before), depth(here)
        if (first < 0) != (second < 0):
            share = first / (first - second)
            yield before[0] + share * (here[0] - before[0]), before[1] + share * (here[1] - before[1])
        if second >= 0:
            yield here


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Cf", "Mn", "Me"):
        return 0.0
    return _WIDE_LETTER if unicodedata.east_asian_width(letter) in "WF" else LETTER_WIDTH
