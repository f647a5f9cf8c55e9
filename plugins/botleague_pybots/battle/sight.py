"""Sight of robots.

It follows from the positions after a step, so it is computed when a robot is asked.

Source: rules/pybots.md, section 6.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

from botleague_pybots.battle.geometry import get_direction
from botleague_pybots.battle.robots import Robot

Seen: TypeAlias = tuple[str, tuple[float, float], float, float]
"""Name, position, commanded direction in radians, commanded speed."""

_MARGIN = 0.01
"""Distance from the edge of a scan, in arena units, below which a bearing is measured. Bearings come from an
arc sine, whose error near 90 degrees is about 1.5e-8: that is 0.0015 units across the largest arena."""


def look(robot: Robot, robots: Iterable[Robot], *, wrap: bool) -> list[Seen]:
    """Return what a robot sees now, nearest first, equal distances by name.

    Args:
        robot: who looks, with its scan.
        robots: all living robots.
        wrap: whether the scan sees on both sides of its direction across 0 degrees.


    A scan is at most 180 degrees wide, so it is what two half planes have in common. Robots clearly outside of one
    are not seen; only those close to an edge have their bearing measured, which decides.
    """
    lo, hi = robot.scan
    own_x, own_y = robot.x, robot.y
    # Both normals point inwards. The places where a robot is surely in: beyond the edge by the margin.
    lo_rad, hi_rad = math.radians(lo), math.radians(hi)
    lo_x, lo_y, hi_x, hi_y = -math.sin(lo_rad), math.cos(lo_rad), math.sin(hi_rad), -math.cos(hi_rad)
    lo_edge, hi_edge = own_x * lo_x + own_y * lo_y, own_x * hi_x + own_y * hi_y
    lo_out, hi_out = lo_edge - _MARGIN, hi_edge - _MARGIN
    lo_in, hi_in = lo_edge + _MARGIN, hi_edge + _MARGIN
    visible: list[tuple[float, str, Seen]] = []
    for body, x, y, direction, speed, _, _ in robots:
        from_lo = x * lo_x + y * lo_y
        if from_lo < lo_out:
            continue
        from_hi = x * hi_x + y * hi_y
        if from_hi < hi_out or body is robot.body:
            continue
        if not (wrap and from_lo > lo_in and from_hi > hi_in):
            bearing = get_direction((own_x, own_y), (x, y))
            if not (
                lo <= bearing <= hi or (wrap and (lo <= bearing - 360 <= hi or lo <= bearing + 360 <= hi))
            ):
                continue
        far = math.sqrt((x - own_x) ** 2 + (y - own_y) ** 2)
        visible.append((far, body[1], (body[1], (x, y), direction, speed)))
    visible.sort()
    return [entry[2] for entry in visible]
