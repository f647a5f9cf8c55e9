"""A picture of a state, made of a few primitive shapes that every viewer can draw.

``Rules.scene`` is the only drawing code of a plugin. Terminal, SVG, notebook and web viewers all draw
scenes, so a new game is watchable everywhere the day it is written.

Coordinates are the game's own: x grows to the right, y grows downwards, the picture covers
``(0, 0)`` to ``(width, height)``. Later shapes cover earlier ones. Colours are ``#rrggbb``.

Every shape may say three things of itself, all empty by default:

* ``layer``: an optional layer ("debug") that a viewer may hide; shapes with an empty layer are always drawn.
* ``key``: which thing it is. A key occurs once in a scene, and the same key in two scenes is the same thing: viewers
  glide it from one place to the other, and follow it when it is chosen.
* ``title``: what it is, in words: shown when one points at it, and read out to those who do not see the picture.

Titles, captions and events name bots by :func:`~botleague.rules.outcome.seat_name`; a :class:`Text` cannot, since
nobody knows how much room a name takes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "SEAT_COLORS",
    "Circle",
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
"""Well apart from each other on light and on dark ground; seat n has the n-th, and so round again."""


def seat_color(seat: int) -> str:
    """Return the colour in which every viewer shows ``seat``."""
    return SEAT_COLORS[seat % len(SEAT_COLORS)]


@dataclass(frozen=True, slots=True)
class Rect:
    """An upright rectangle with its top left corner at ``(x, y)``."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    stroke: str | None = None
    layer: str = ""
    key: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle around ``(x, y)``."""

    x: float
    y: float
    radius: float
    fill: str | None = None
    stroke: str | None = None
    layer: str = ""
    key: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed shape through ``points``."""

    points: tuple[Point, ...]
    fill: str | None = None
    stroke: str | None = None
    layer: str = ""
    key: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """An open line through ``points``; ``width`` in scene units."""

    points: tuple[Point, ...]
    stroke: str
    width: float = 0.1
    layer: str = ""
    key: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """``text`` centred on ``(x, y)``, ``size`` scene units high."""

    x: float
    y: float
    text: str
    size: float = 0.8
    fill: str = "#222222"
    layer: str = ""
    key: str = ""
    title: str = ""


Shape: TypeAlias = Rect | Circle | Polygon | Line | Text


@dataclass(frozen=True, slots=True)
class Event:
    """Something that just happened and is worth finding again: a capture, a hit, a fault.

    Attributes:
        text: a few words; names of bots are written as in captions.
        seat: whom it is about, None for nobody.
        weight: how much it matters beside the other events of this game; above 0.
    """

    text: str
    seat: int | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture of one state.

    Attributes:
        width, height: the part of the plane to show, in scene units, from ``(0, 0)``.
        shapes: what to draw, first to last; they stay within that part.
        caption: lines of text beside the picture: scores, whose turn it is, what the bots said. Viewers put the
            names of bots in for :func:`~botleague.rules.outcome.seat_name`.
        background: the ground colour.
        scores: one number a seat that says how it stands, the more the better: points, food, mobility. Viewers draw
            them as a graph; empty where there is nothing to draw.
        events: what happened on the way to this state.
    """

    width: float
    height: float
    shapes: tuple[Shape, ...]
    caption: tuple[str, ...] = ()
    background: str = "#f7f5f0"
    scores: tuple[float, ...] = ()
    events: tuple[Event, ...] = ()


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
