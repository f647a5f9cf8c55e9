"""Drawings of bots as shapes, decoded on request from untrusted bytes.

The bytes come from a bot's process. Invalid shapes are left out; numbers are clamped, texts cleaned and
colours checked as in a reply. All shapes are in the layer ``bot``.
"""

from __future__ import annotations

import math
import re
from itertools import islice
from typing import TypeAlias

import msgspec

from botleague.rules import Circle, Line, Polygon, Rect, Shape, Text
from botleague_sandbox import clean_text
from botleague_sandbox.inside import botdraw

LAYER = "bot"
"""Layer of all drawings of bots."""

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_INK = "#d6549b"
_FARTHEST = 1e6
_MAX_TEXT_LENGTH = 200

MAX_TAGS = 8
"""Tags of a turn."""

MAX_TAG_BYTES = 40


class _Drawn(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    """A shape on the wire: its number, then the arguments of the function that drew it."""


class _Cut(_Drawn, frozen=True, tag=botdraw.CUT):
    pass


class _Line(_Drawn, frozen=True, tag=botdraw.LINE):
    x1: float
    y1: float
    x2: float
    y2: float
    color: str
    width: float


class _Rect(_Drawn, frozen=True, tag=botdraw.RECT):
    x: float
    y: float
    width: float
    height: float
    fill: str | None
    stroke: str | None


class _Circle(_Drawn, frozen=True, tag=botdraw.CIRCLE):
    x: float
    y: float
    radius: float
    fill: str | None
    stroke: str | None


class _Polygon(_Drawn, frozen=True, tag=botdraw.POLYGON):
    points: tuple[tuple[float, float], ...]
    fill: str | None
    stroke: str | None


class _Text(_Drawn, frozen=True, tag=botdraw.TEXT):
    x: float
    y: float
    text: str
    size: float
    color: str


class _Tag(_Drawn, frozen=True, tag=botdraw.TAG):
    text: str


_AnyDrawn: TypeAlias = _Cut | _Line | _Rect | _Circle | _Polygon | _Text | _Tag

_read_all = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode
_read_one = msgspec.msgpack.Decoder(_AnyDrawn).decode
_ERRORS = (msgspec.MsgspecError, ValueError, RecursionError, OverflowError)


def read_drawings(drawn: bytes) -> tuple[tuple[Shape, ...], bool]:
    """Return the shapes that a bot drew in one turn, and whether some were left out.

    Args:
        drawn: the drawings from a journal.
    """
    shapes: list[Shape] = []
    parts, is_cut = _parts(drawn)
    for part in parts:
        try:
            if not isinstance(part, _Tag):
                shapes.append(_shape(part))
        except _ERRORS:
            is_cut = True
    return tuple(shapes[: botdraw.SHAPES]), is_cut


def read_tags(drawn: bytes) -> tuple[str, ...]:
    """Return the tags of one turn, each once, cleaned and cut.

    Args:
        drawn: the drawings from a journal.
    """
    tags = (part for part in _parts(drawn)[0] if isinstance(part, _Tag))
    texts = (" ".join(clean_text(tag.text, MAX_TAG_BYTES).split()) for tag in tags)
    return tuple(islice(dict.fromkeys(filter(None, texts)), MAX_TAGS))


def _parts(drawn: bytes) -> tuple[list[_AnyDrawn], bool]:
    """Return the decoded shapes and tags, and whether some were left out."""
    parts: list[_AnyDrawn] = []
    is_cut = False
    try:
        encoded = _read_all(drawn) if drawn else []
    except _ERRORS:
        return [], True
    for part in encoded[: botdraw.SHAPES + 1]:
        try:
            parts.append(_read_one(part))
        except _ERRORS:
            is_cut = True
    return parts, is_cut or len(encoded) > botdraw.SHAPES


def _shape(drawn: _AnyDrawn) -> Shape:
    """Convert a decoded shape.

    Raises:
        ValueError: the shape is invalid.
    """
    match drawn:
        case _Line(x1, y1, x2, y2, color, width):
            points = (_point(x1, y1), _point(x2, y2))
            return Line(points, _color(color) or _INK, _size(width), LAYER)
        case _Rect(x, y, width, height, fill, stroke):
            return Rect(*_point(x, y), _size(width), _size(height), *_paint(fill, stroke), LAYER)
        case _Circle(x, y, radius, fill, stroke):
            return Circle(*_point(x, y), _size(radius), *_paint(fill, stroke), LAYER)
        case _Polygon(points, fill, stroke) if points:
            return Polygon(tuple(_point(x, y) for x, y in points), *_paint(fill, stroke), LAYER)
        case _Text(x, y, text, size, color):
            label = " ".join(clean_text(text, _MAX_TEXT_LENGTH).split())
            return Text(*_point(x, y), label, _size(size), _color(color) or _INK, LAYER)
    raise ValueError("the mark of a cut, or a polygon without points")


def _point(x: float, y: float) -> tuple[float, float]:
    if not math.isfinite(x + y):
        raise ValueError("a point that is not finite")
    return max(-_FARTHEST, min(x, _FARTHEST)), max(-_FARTHEST, min(y, _FARTHEST))


def _size(size: float) -> float:
    if not math.isfinite(size):
        raise ValueError("a size that is not finite")
    return max(0.0, min(size, _FARTHEST))


def _paint(fill: str | None, stroke: str | None) -> tuple[str | None, str | None]:
    """Return checked colours; a shape without colours is drawn by its edge."""
    fill, stroke = _color(fill), _color(stroke)
    return (fill, stroke) if fill or stroke else (None, _INK)


def _color(color: str | None) -> str | None:
    return color.lower() if color is not None and _COLOR.fullmatch(color) else None
