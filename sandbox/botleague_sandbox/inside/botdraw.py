"""``botdraw``: drawings of a program, for its author to look at later.

Every function appends one shape to the drawings of the present question. They go with the final reply as MessagePack,
and the host keeps the bytes unread. Drawing never raises and changes nothing: what cannot be sent, or is too much, is
left out, and the drawings say so with the shape :data:`CUT`. The bytes are only the program's own claim.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

MODULE = "botdraw"
"""The name under which programs import it."""

SHAPES = 64
"""Shapes of one question, the latest ones."""

CUT, LINE, RECT, CIRCLE, POLYGON, TEXT, TAG = range(7)
"""The first entry of each shape, an array; the others are the arguments of the function, in order. Tags are among the
shapes, and count as such."""

_INK, _DARK = "#d6549b", "#222222"
_encode = msgspec.msgpack.Encoder().encode


class Canvas:
    """The drawings of one question after another.

    Args:
        limit: bytes of the drawings of one question.
    """

    __slots__ = ("_limit", "shapes")

    def __init__(self, limit: int) -> None:
        # The latest, and one more to say that there were too many: a bot may draw in its innermost loop.
        self.shapes: deque[tuple[Any, ...]] = deque(maxlen=SHAPES + 1)
        self._limit = limit

    def take(self) -> bytes:
        """Return the drawings since the last call as an array of shapes, and start an empty list.

        Taking foreign values apart may run code of the program, so call it under the same limits as the program.
        """
        shapes = list(self.shapes)
        self.shapes.clear()
        if len(shapes) <= SHAPES:
            try:
                drawn = _encode(shapes)
            except Exception:  # one of them is no plain data
                pass
            else:
                if len(drawn) <= self._limit:
                    return drawn
        return self._cut(shapes)

    def _cut(self, shapes: list[tuple[Any, ...]]) -> bytes:
        """Return those of ``shapes`` that can be sent, and :data:`CUT` if that is not all."""
        drawn: list[Any] = []
        room = self._limit - 8  # for the array and the mark
        for shape in shapes[-SHAPES:]:
            try:
                plain = [_plain(part) for part in shape]
                room -= len(_encode(plain))
            except Exception:  # whatever a program passes: a drawing is no reason to lose a match
                continue
            if room < 0:
                break
            drawn.append(plain)
        if len(drawn) < len(shapes):
            drawn.append([CUT])
        return _encode(drawn)

    def module(self) -> Mapping[str, object]:
        """Return the functions that a program may import. They do as little as can be: bots count time."""
        shapes = self.shapes
        append = shapes.append

        def line(
            x1: object, y1: object, x2: object, y2: object, color: object = _INK, width: object = 0.1
        ) -> None:
            """Draw a line from ``(x1, y1)`` to ``(x2, y2)``, in the coordinates of the game's pictures."""
            append((LINE, x1, y1, x2, y2, color, width))

        def rect(
            x: object, y: object, width: object, height: object, fill: object = None, stroke: object = None
        ) -> None:
            """Draw a rectangle with its top left corner at ``(x, y)``."""
            append((RECT, x, y, width, height, fill, stroke))

        def circle(x: object, y: object, radius: object, fill: object = None, stroke: object = None) -> None:
            """Draw a circle around ``(x, y)``."""
            append((CIRCLE, x, y, radius, fill, stroke))

        def polygon(points: Iterable[object], fill: object = None, stroke: object = None) -> None:
            """Draw a closed shape through ``points``, pairs ``(x, y)``."""
            try:
                points = tuple(points)  # a list may be changed before the turn is over
            except Exception:
                points = ()
            append((POLYGON, points, fill, stroke))

        def text(x: object, y: object, text: object, size: object = 0.8, color: object = _DARK) -> None:
            """Write ``text`` centred on ``(x, y)``, ``size`` high."""
            append((TEXT, x, y, text, size, color))

        def tag(text: object) -> None:
            """Mark this turn with a short word, by which logs and replays find it."""
            append((TAG, text))

        def clear() -> None:
            """Remove the drawings and tags of this turn."""
            shapes.clear()

        functions = (line, rect, circle, polygon, text, tag, clear)
        return {function.__name__: function for function in functions}


def _plain(part: Any) -> object:
    """Return a part of a shape as plain data: numbers that only look like numbers (numpy's), points that are pairs.

    Raises: any exception from converting it.
    """
    if part is None or isinstance(part, str | int | float):
        return part
    if isinstance(part, Iterable):
        return [[float(x), float(y)] for x, y in part]
    return float(part)
