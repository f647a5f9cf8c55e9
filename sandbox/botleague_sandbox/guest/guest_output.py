"""Output of a guest for one question: the line that counts, and drawings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from botleague_sandbox.inside.botdraw import SHAPES

DRAWING = b"draw "
MAX_DRAWN = SHAPES + 1  # of one write: the last ones, and one more to show that there were others


class GuestOutput:
    """Lines of a guest's standard output.

    Args:
        limit: bytes of a line.
        shapes: functions that draw, by name.
    """

    __slots__ = ("_is_long", "_limit", "_rest", "_shapes", "line", "too_long")

    def __init__(self, limit: int, shapes: Mapping[str, Any]) -> None:
        self._limit = limit
        self._shapes = shapes
        self.clear()

    def clear(self) -> None:
        """Begin the next question; what has no end is dropped, or it would become a part of another answer."""
        self.line: bytes | None = None
        self.too_long = False
        self._rest = b""
        self._is_long = False

    @property
    def has_rest(self) -> bool:
        """Whether the last line has no end."""
        return bool(self._rest) or self._is_long

    def take(self, data: bytes) -> None:
        """Take what was written, in pieces of any size."""
        end = data.rfind(b"\n")
        if end < 0:
            self._keep(data)
            return
        whole, is_long = self._rest + data[:end], self._is_long
        self._rest, self._is_long = b"", False
        if is_long:
            self._set(b"", True)
            _, _, whole = whole.partition(b"\n")
        # Only the last of many lines counts, and the last drawings: looking at all would take longer than writing them.
        whole = whole.rstrip()
        lines = whole.split(b"\n") if DRAWING in whole else [whole[whole.rfind(b"\n") + 1 :]]
        for line in [line for line in lines if line.startswith(DRAWING)][-MAX_DRAWN:]:
            self._draw(line[len(DRAWING) :])
        answer = next(
            (line for line in reversed(lines) if line.strip() and not line.startswith(DRAWING)), b""
        )
        if answer:
            self._set(answer, len(answer) > self._limit)
        self._keep(data[end + 1 :])

    def _set(self, line: bytes, too_long: bool) -> None:
        self.line, self.too_long = b"" if too_long else line, too_long

    def _keep(self, data: bytes) -> None:
        """Keep the beginning of a line; of one that is too long, only that it is."""
        self._rest += data[: self._limit + 1]
        if len(self._rest) > self._limit:
            self._rest, self._is_long = b"", True

    def _draw(self, data: bytes) -> None:
        """Draw a shape, ``["circle", 3, 4, 0.5]``; anything that is not a shape is left out, as in ``botdraw``."""
        try:
            shape: Any = msgspec.json.decode(data)
            name, *arguments = shape
            self._shapes[name](*arguments)
        except (msgspec.DecodeError, KeyError, RecursionError, TypeError, UnicodeDecodeError, ValueError):
            pass
