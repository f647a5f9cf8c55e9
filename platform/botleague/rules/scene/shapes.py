"""A picture of a state, made of a few primitive shapes that every viewer can draw.

``Rules.scene`` is the only drawing code of a plugin. Terminal, SVG, notebook and web viewers all draw
scenes, so every viewer can show a new game at once.

Coordinates are the game's own: x grows to the right, y grows downwards, and the picture covers
``(0, 0)`` to ``(width, height)``. Later shapes cover earlier ones. Colours are ``#rrggbb``, or ``#rrggbbaa`` with
opacity.

A scene names bots and their colours by seat only: viewers replace :func:`seat_color` by the bot's own colour, and
draw its emblem in place of an :class:`Emblem`. On a dark page they replace colours by those of
:attr:`~botleague.rules.variant.Variant.dark`.

Every shape has three optional texts, all empty by default:

* ``layer``: an optional layer ("debug") that a viewer may hide; shapes with an empty layer are always drawn.
* ``key``: identity of the thing drawn. A key occurs once in a scene. Equal keys in two scenes mean the same thing:
  viewers move it smoothly from one place to the other, and follow it when it is selected.
* ``title``: the thing in words; shown on hover, and read by screen readers.

Titles, captions and events name bots by :func:`~botleague.rules.outcome.seat_name`; a :class:`Text` only if it has a
``width``, because the width of a name is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

__all__ = [
    "LETTER_WIDTH",
    "LINE_HEIGHT",
    "SEAT_COLORS",
    "Circle",
    "Emblem",
    "Event",
    "Line",
    "Point",
    "Polygon",
    "Rect",
    "Scene",
    "Shape",
    "Text",
    "hexagon",
    "seat_color",
    "wedge",
]

Point: TypeAlias = tuple[float, float]

LETTER_WIDTH = 0.6
"""Width of a letter of monospaced text, in parts of its size."""

LINE_HEIGHT = 1.2
"""Distance of two lines of text, in parts of their size."""

SEAT_COLORS: tuple[str, ...] = (
    "#3d7edb",
    "#e0533d",
    "#2fa36b",
    "#c98a1b",
    "#8e5bd0",
    "#1fa3b5",
    "#d6549b",
    "#7c8b2a",
    "#5c6f8c",
    "#a8643a",
    "#4f9ae8",
    "#b53a52",
)
"""Colours that differ clearly on light and dark backgrounds; seat n has the n-th, modulo their number."""


def seat_color(seat: int) -> str:
    """Return the colour of ``seat`` in every viewer."""
    return SEAT_COLORS[seat % len(SEAT_COLORS)]


class Rect(msgspec.Struct, frozen=True):
    """An upright rectangle with its top left corner at ``(x, y)``; ``radius`` rounds its corners."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    stroke: str | None = None
    layer: str = ""
    key: str = ""
    title: str = ""
    radius: float = 0.0


class Circle(msgspec.Struct, frozen=True):
    """A circle around ``(x, y)``."""

    x: float
    y: float
    radius: float
    fill: str | None = None
    stroke: str | None = None
    layer: str = ""
    key: str = ""
    title: str = ""


class Polygon(msgspec.Struct, frozen=True):
    """A closed shape through ``points``."""

    points: tuple[Point, ...]
    fill: str | None = None
    stroke: str | None = None
    layer: str = ""
    key: str = ""
    title: str = ""


class Line(msgspec.Struct, frozen=True):
    """An open line through ``points``; ``width`` in scene units."""

    points: tuple[Point, ...]
    stroke: str
    width: float = 0.1
    layer: str = ""
    key: str = ""
    title: str = ""


class Text(msgspec.Struct, frozen=True):
    """``text`` centred on ``(x, y)``, ``size`` scene units high.

    Attributes:
        halo: colour of a rim around the letters, None for no rim.
        monospaced: whether all letters have the same width, and spaces count.
        width: maximum width in scene units, 0 for any; viewers cut a longer text and end it in "…". A text with a
            width may contain :func:`~botleague.rules.outcome.seat_name`. Viewers leave it out where its letters are
            too small to read.
    """

    x: float
    y: float
    text: str
    size: float = 0.8
    fill: str = "#222222"
    layer: str = ""
    key: str = ""
    title: str = ""
    halo: str | None = None
    monospaced: bool = False
    width: float = 0.0


class Emblem(msgspec.Struct, frozen=True):
    """The emblem of the bot on ``seat``, centred on ``(x, y)``, ``size`` scene units high and wide.

    Viewers draw it, because rules do not know the names of bots.

    Attributes:
        fill: colour, None for the bot's own; on a piece in the bot's colour use that of its background.
    """

    x: float
    y: float
    size: float
    seat: int
    fill: str | None = None
    layer: str = ""
    key: str = ""
    title: str = ""


Shape: TypeAlias = Rect | Circle | Polygon | Line | Text | Emblem


class Event(msgspec.Struct, frozen=True):
    """A recent event of interest: a capture, a hit, a fault.

    Attributes:
        text: a few words; names of bots are written as in captions.
        seat: the seat that it concerns, None for no seat.
        weight: importance relative to other events of this game; above 0.
    """

    text: str
    seat: int | None = None
    weight: float = 1.0


class Scene(msgspec.Struct, frozen=True):
    """A picture of one state.

    Attributes:
        width, height: the part of the plane to show, in scene units, from ``(0, 0)``.
        shapes: drawn in this order; they stay within that part.
        caption: lines of text next to the picture: scores, the seat to move, messages of bots. Viewers replace
            :func:`~botleague.rules.outcome.seat_name` by the names of bots.
        background: the background colour.
        scores: one number per seat that measures its position, higher is better: points, food, mobility. Viewers draw
            them as a graph; empty for no graph.
        events: events between the previous state and this one.
        focus: left, top, width and height of the part that viewers show, such as the place of a fight; None for the
            whole picture. Viewers move smoothly from one part to the next.

    Raises:
        ValueError: the picture or its focus has no size.
    """

    width: float
    height: float
    shapes: tuple[Shape, ...]
    caption: tuple[str, ...] = ()
    background: str = "#f7f5f0"
    scores: tuple[float, ...] = ()
    events: tuple[Event, ...] = ()
    focus: tuple[float, float, float, float] | None = None

    def __post_init__(self) -> None:
        for width, height in ((self.width, self.height), self.focus[2:] if self.focus else (1, 1)):
            if not (0 < width < math.inf and 0 < height < math.inf):
                raise ValueError(f"a scene of {width!r} x {height!r} units: width and height must be above 0")


def hexagon(x: float, y: float, radius: float) -> tuple[Point, ...]:
    """Return the corners of a hexagon with pointed top around ``(x, y)``, ``radius`` to each corner."""
    return tuple(
        (x + radius * math.sin(math.radians(angle)), y - radius * math.cos(math.radians(angle)))
        for angle in range(0, 360, 60)
    )


def wedge(center: Point, radius: float, start_deg: float, end_deg: float) -> tuple[Point, ...]:
    """Return the corners of a slice of pie: 0 degrees points right, angles grow clockwise as seen."""
    steps = max(2, math.ceil(abs(end_deg - start_deg) / 10))
    angles: Sequence[float] = [
        math.radians(start_deg + (end_deg - start_deg) * step / steps) for step in range(steps + 1)
    ]
    x, y = center
    return (center, *((x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles))
