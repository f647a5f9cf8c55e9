"""Stills: a scene as SVG, with the same shapes as in the player, without scripts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from html import escape

from botleague.rules import Circle, Line, Polygon, Rect, Scene, Shape, Text, with_names

HAIRLINE = 0.0015
"""Width of an outline, in parts of the longer side."""

HIDDEN = frozenset({"debug"})
"""Layers that are hidden by default, as in the player."""

FONT = "system-ui, sans-serif"


def svg(scene: Scene, width: float, names: Sequence[str] = (), hidden: Collection[str] = HIDDEN) -> str:
    """Return a scene as an SVG element for HTML or for a file of its own.

    Args:
        scene: the scene.
        width: in pixels; the height is computed from it.
        names: names of the bots by seat, inserted where titles and lines name a seat.
        hidden: optional layers to leave out.
    """
    hairline = _number(max(scene.width, scene.height) * HAIRLINE)
    box = f"0 0 {_number(scene.width)} {_number(scene.height)}"
    height = _number(width * scene.height / scene.width)
    title = with_names("; ".join(scene.caption), names) or "a state of a match"
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{_number(width)}" height="{height}"',
            f' role="img" font-family="{FONT}" text-anchor="middle" stroke-width="{hairline}"',
            ' stroke-linejoin="round" fill="none">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{_number(scene.width)}" height="{_number(scene.height)}"',
            f' fill="{escape(scene.background)}"/>',
            *(part for shape in scene.shapes if shape.layer not in hidden for part in _drawn(shape, names)),
            "</svg>",
        )
    )


def _drawn(shape: Shape, names: Sequence[str]) -> Iterator[str]:
    attributes = " ".join(f'{name}="{escape(value)}"' for name, value in _attributes(shape) if value)
    inside = f"<title>{escape(with_names(shape.title, names))}</title>" if shape.title else ""
    match shape:
        case Text(text=text):
            yield f"<text {attributes}>{inside}{escape(with_names(text, names))}</text>"
        case _:
            yield f"<{_element(shape)} {attributes}" + (f">{inside}</{_element(shape)}>" if inside else "/>")


def _element(shape: Shape) -> str:
    match shape:
        case Rect():
            return "rect"
        case Circle():
            return "circle"
        case Polygon():
            return "polygon"
        case _:
            return "polyline"


def _attributes(shape: Shape) -> Iterable[tuple[str, str]]:
    match shape:
        case Rect(x, y, width, height, fill, stroke):
            return (
                *_numbers(x=x, y=y, width=max(width, 0), height=max(height, 0)),
                ("fill", fill or ""),
                ("stroke", stroke or ""),
            )
        case Circle(x, y, radius, fill, stroke):
            return (*_numbers(cx=x, cy=y, r=max(radius, 0)), ("fill", fill or ""), ("stroke", stroke or ""))
        case Polygon(points, fill, stroke):
            return (("points", _points(points)), ("fill", fill or ""), ("stroke", stroke or ""))
        case Line(points, stroke, width):
            return (
                ("points", _points(points)),
                ("stroke", stroke),
                ("stroke-width", _number(width)),
                ("stroke-linecap", "round"),
            )
        case Text(x, y, _, size, fill):
            # Without dominant-baseline, which some viewers lack: capitals have their middle at a third of the size.
            return (*_numbers(x=x, y=y + 0.35 * size), ("font-size", _number(size)), ("fill", fill))


def _numbers(**values: float) -> Iterator[tuple[str, str]]:
    return ((name, _number(value)) for name, value in values.items())


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _number(value: float) -> str:
    """Return a number for SVG, with at most four decimals."""
    return f"{round(value, 4):g}" if math.isfinite(value) else "0"
