"""Directions, distances and moves: the arithmetic of the arena, and what bots import as ``util``.

x grows to the right, y grows downwards, so 0 degrees points right and 90 degrees points down the screen. Bots
speak degrees, the engine keeps travel directions in radians. Every function performs the operations of the
specification in its order, since matches are compared to the last bit.

Source: rules/pybots.md, sections 1 and 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Point = tuple[float, float]


def rad2deg(rad: float) -> float:
    """Return an angle in degrees, within [0, 360)."""
    return ((rad / math.pi) * 180.0) % 360


def deg2rad(deg: float) -> float:
    """Return an angle in radians, reduced to one turn."""
    return (deg % 360) / 180.0 * math.pi


def newpos(pos: Point, direction: float, speed: float) -> Point:
    """Return the place after one move of ``speed`` in ``direction`` (radians)."""
    return (pos[0] + math.cos(direction) * speed, pos[1] + math.sin(direction) * speed)


def distance(p1: Point, p2: Point) -> float:
    """Return the distance of two points."""
    # Not math.hypot, and ** instead of *: both round differently in the last place.
    return math.sqrt((p2[0] - p1[0]) ** 2 + (p2[1] - p1[1]) ** 2)


def distance2(x1: float, y1: float, x2: float, y2: float) -> float:
    """Return the distance of two points given by their coordinates."""
    return distance((x1, y1), (x2, y2))


def get_direction_rad(from_pos: Point, to_pos: Point) -> float:
    """Return the bearing of ``to_pos`` seen from ``from_pos`` in radians, 0 for the same point."""
    far = distance(from_pos, to_pos)
    if far == 0:
        return 0
    angle = math.asin((to_pos[1] - from_pos[1]) / far)
    return (angle if to_pos[0] >= from_pos[0] else math.pi - angle) % (2 * math.pi)


def get_direction(from_pos: Point, to_pos: Point) -> float:
    """Return the bearing of ``to_pos`` seen from ``from_pos`` in degrees, within [0, 360)."""
    return rad2deg(get_direction_rad(from_pos, to_pos))


UTIL: Mapping[str, Callable[..., Any]] = {
    "rad2deg": rad2deg,
    "deg2rad": deg2rad,
    "newpos": newpos,
    "distance": distance,
    "distance2": distance2,
    "get_direction_rad": get_direction_rad,
    "get_direction": get_direction,
}
"""The functions of the module ``util`` by the names that bots know."""
