"""Robots: their constant and their changing properties, and the execution of orders.

Source: rules/pybots.md, sections 4 and 5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from botleague.rules import Fault
from botleague_pybots.hardware import Hardware
from botleague_pybots.options import Options
from botleague_pybots.orders import SLOWEST_SHOT, Number, Orders, clamp

SCAN_DEGREES = 10
"""Half width of the scan for each point of ``scanradius``."""


class Body(NamedTuple):
    """Properties of a robot that stay constant during a round."""

    seat: int
    name: str
    size: float
    armour: float
    maxdamage: float
    maxspeed: float
    shotpower: float
    shotspeed: float
    scanradius: float

    @classmethod
    def of(cls, seat: int, name: str, hardware: Hardware) -> Body:
        """Return the body of ``seat`` with this hardware."""
        return cls(seat, name, *hardware)


class Robot(NamedTuple):
    """A living robot. ``direction`` is in radians, ``scan`` is the interval of bearings in degrees."""

    body: Body
    x: float
    y: float
    direction: float = 0.0
    speed: float = 0
    damage: float = 0
    scan: tuple[float, float] = (0, 0)


class Command(NamedTuple):
    """Orders as they were applied. ``failure`` is None if all of them were; shots have radians."""

    direction: float
    speed: float
    scan: tuple[float, float]
    shots: Sequence[tuple[float, float, float]] = ()
    failure: str | None = None
    penalty: float = 0


class _Unusable(Exception):
    """A value in orders that no honest harness sends under these options."""


def obey(robot: Robot, reply: Orders | Fault, options: Options) -> Command:
    """Return the command of one reply, with each value checked and clamped again, in the order of the rules."""
    body = robot.body
    direction, speed, scan = robot.direction, robot.speed, robot.scan
    if isinstance(reply, Fault):
        timeout = reply.kind == "timeout" and options.timeout_cost is not None
        penalty = options.timeout_cost if timeout else options.exception_cost
        return Command(direction, speed, scan, (), f"{reply.kind}: {reply.detail}", penalty or 0)
    wanted_direction, wanted_speed, wanted_scan, wanted_shots, failure, _ = reply
    shots: list[tuple[float, float, float]] = []
    try:
        direction = _degrees(wanted_direction, options) / 180.0 * math.pi
        speed = _bounded(wanted_speed, 0, body.maxspeed, options)
        center = _degrees(wanted_scan, options)
        scan = (center - SCAN_DEGREES * body.scanradius, center + SCAN_DEGREES * body.scanradius)
        if wanted_shots:
            total: float = 0
            for shot_direction, shot_speed, shot_power in wanted_shots[: options.shots_per_step]:
                power = _bounded(shot_power, 0, body.shotpower, options)
                if power != power:
                    raise _Unusable("a power that is not a number")
                # With refunds any powers can be reached, so there is nothing to check here.
                if options.negative_power == "zero" and total + power > body.shotpower:
                    power = body.shotpower - total
                radians = _degrees(shot_direction, options) / 180.0 * math.pi
                shots.append((radians, _bounded(shot_speed, SLOWEST_SHOT, body.shotspeed, options), power))
                total += power
                if options.negative_power == "zero" and total >= body.shotpower:
                    break
    except _Unusable as unusable:
        failure = failure or f"orders: {unusable}"
    if failure:
        return Command(direction, speed, scan, shots, failure, options.exception_cost)
    return Command(direction, speed, scan, shots)


def _degrees(value: Number | None, options: Options) -> float:
    """Return a direction within [0, 360]; honest orders hold nothing else."""
    if value is None:
        raise _Unusable("a value is missing")
    if 0 <= value <= 360:
        return value
    if not math.isfinite(value) and options.nonfinite == "error":
        raise _Unusable("a direction that is not finite")
    return value % 360


def _bounded(value: Number | None, least: float, most: float, options: Options) -> float:
    """Return a number within a range; one that is not a number stays what it is, where options allow it."""
    if value is None:
        raise _Unusable("a value is missing")
    if least <= value <= most:
        return value
    if value != value and options.nonfinite == "error":
        raise _Unusable("a value that is not a number")
    return clamp(value, least, most)
