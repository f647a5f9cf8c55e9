"""Rating curve of a bot over time as SVG: a line per version, its error as a band, a mark at its start."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from botleague.application.pages import VersionCurve
from botleague.emblems import emblem_of
from botleague.site.pictures.svg_text import element, n, t

WIDTH, HEIGHT = 760.0, 280.0
LEFT, RIGHT, TOP, BOTTOM = 48.0, 12.0, 22.0, 30.0
LINES = 5
"""Approximate number of horizontal lines."""

MIN_RANGE = 40.0
"""Minimum range of the picture in rating points: small changes must not look large."""


def curve_svg(curves: Sequence[VersionCurve], bot: str) -> str:
    """Return the picture in the colour of the bot; "" without rated matches."""
    points = [point for curve in curves for point in curve.points]
    if not points:
        return ""
    bounds = [point.rating + side * (point.error or 0.0) for point in points for side in (-1, 1)]
    bounds += [curve.start for curve in curves if curve.points]
    low, high = min(bounds), max(bounds)
    spare = max(0.0, MIN_RANGE - (high - low)) / 2 + 0.04 * (high - low)
    low, high = low - spare, high + spare
    first, last = min(point.ordinal for point in points), max(point.ordinal for point in points)

    def x(ordinal: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (ordinal - first + 1) / max(1, last - first + 1)

    def y(rating: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - rating) / (high - low)

    parts = [element("title", t(f"Rating of {bot} over the season"))]
    parts += _lines(low, high, y)
    for ordinal, anchor in ((first, "start"), (last, "end")):
        at = LEFT if anchor == "start" else WIDTH - RIGHT
        parts.append(
            element(
                "text", f"match {ordinal + 1}", x=n(at), y=n(HEIGHT - 8), class_="tick", text_anchor=anchor
            )
        )
    for index, curve in enumerate(curves):
        parts += _version(index, curve, first, x, y)
    color = f"curve c{emblem_of(bot).color}"
    return element("svg", "".join(parts), viewBox=f"0 0 {n(WIDTH)} {n(HEIGHT)}", class_=color, role="img")


def _lines(low: float, high: float, y: Callable[[float], float]) -> list[str]:
    step = nice_step((high - low) / LINES)
    parts = []
    value = math.ceil(low / step) * step
    while value <= high:
        at = y(value)
        parts.append(element("line", x1=n(LEFT), x2=n(WIDTH - RIGHT), y1=n(at), y2=n(at), class_="grid"))
        parts.append(
            element("text", f"{value:g}", x=n(LEFT - 8), y=n(at + 4), class_="tick", text_anchor="end")
        )
        value += step
    return parts


def _version(
    index: int, curve: VersionCurve, first: int, x: Callable[[float], float], y: Callable[[float], float]
) -> list[str]:
    if not curve.points:
        return []
    begins = max(curve.points[0].ordinal, first) - 1
    path = [(x(begins), y(curve.start)), *((x(point.ordinal), y(point.rating)) for point in curve.points)]
    parts = []
    banded = [point for point in curve.points if point.error is not None]
    if banded:
        upper = [(x(point.ordinal), y(point.rating + (point.error or 0.0))) for point in banded]
        lower = [(x(point.ordinal), y(point.rating - (point.error or 0.0))) for point in reversed(banded)]
        parts.append(element("polygon", points=_points([*upper, *lower]), class_="band"))
    parts.append(element("polyline", points=_points(path), class_="line"))
    if index or curve.version > 1:
        at = path[0][0]
        parts.append(element("line", x1=n(at), x2=n(at), y1=n(TOP), y2=n(HEIGHT - BOTTOM), class_="mark"))
        parts.append(element("text", f"v{curve.version}", x=n(at + 4), y=n(TOP - 8), class_="tick"))
    end = path[-1]
    parts.append(element("circle", cx=n(end[0]), cy=n(end[1]), r="3.5", class_="dot"))
    return parts


def _points(path: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{n(one)},{n(other)}" for one, other in path)


def nice_step(step: float) -> float:
    """Return a round number near ``step``: 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(max(step, 1e-9)))
    return power * next(size for size in (1, 2, 5, 10) if step <= size * power)
