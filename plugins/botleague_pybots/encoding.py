"""Encoding of Pybots for learning programs: numbers from 0 to 1 for the robot, the robots in sight, and its orders."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from botleague.rules import Box, Encoding
from botleague_pybots.hardware import LIMITS, Hardware
from botleague_pybots.orders import Orders

OWN = 3 + len(LIMITS)
OTHER = 5
ORDERS = 6


@dataclass(frozen=True, slots=True)
class Known:
    """Knowledge of a robot.

    Attributes:
        hardware: its own.
        arena: width and height of the arena.
        act: what it was told last: x, y, damage and the robots that it sees; None before its first step, and where
            its hardware is read.
    """

    hardware: Hardware
    arena: tuple[float, float] = (1.0, 1.0)
    act: Sequence[Any] | None = None


class PybotsEncoding(Encoding[Known]):
    """Numbers from 0 to 1: the robot's x, y, damage that it can still take, hardware; then for each robot in sight,
    nearest first: 1, x, y, direction, speed.

    An action has the direction to drive to, the speed, the direction to scan, from 0.5 on a shot, its direction, its
    power. Directions are parts of the full circle, the rest parts of what the hardware can do.

    Args:
        seats: maximum number of seats.
    """

    def __init__(self, seats: int) -> None:
        self._others = seats - 1
        self.observation = Box((OWN + OTHER * self._others,))
        self.action = Box((ORDERS,))

    def begin(self, seat: int, declaration: Any, briefing: Any) -> Known:
        """Return the robot's hardware, and the arena where the match has only one."""
        _, *hardware = declaration
        return self._in_arena(Known(Hardware(*hardware)), briefing)

    def learn(self, known: Known, observation: Any) -> Known:
        """Return what the robot sees now."""
        return replace(self._in_arena(known, observation), act=observation.get("act"))

    def encode(self, known: Known) -> list[float]:
        return [*self._own(known), *self._seen(known)]

    def decode(self, known: Known, action: Any) -> Orders:
        """Return the orders; where hardware is read, the hardware."""
        hardware = known.hardware
        if known.act is None:
            return Orders(None, None, None, hardware=hardware)
        drive, speed, scan, shoots, aim, power = (float(number) for number in action)
        shot = (360 * aim, hardware.shotspeed, power * hardware.shotpower)
        return Orders(360 * drive, speed * hardware.maxspeed, 360 * scan, (shot,) if shoots >= 0.5 else ())

    def _in_arena(self, known: Known, observation: Any) -> Known:
        arena = observation.get("arena")
        return known if arena is None else replace(known, arena=(arena["ARENA_W"], arena["ARENA_H"]))

    def _own(self, known: Known) -> Iterator[float]:
        width, height = known.arena
        x, y, damage = known.act[:3] if known.act is not None else (0.0, 0.0, 0.0)
        yield from (_part(x, width), _part(y, height), _part(damage, known.hardware.maxdamage))
        for value, limit in zip(known.hardware, LIMITS.values(), strict=True):
            yield _part(value, limit.most)

    def _seen(self, known: Known) -> Iterator[float]:
        width, height = known.arena
        robots = known.act[3][: self._others] if known.act is not None else ()
        for _, (x, y), direction, speed in robots:
            turn = _part(direction % math.tau, math.tau)
            yield from (1.0, _part(x, width), _part(y, height), turn, _part(speed, LIMITS["maxspeed"].most))
        yield from (0.0 for _ in range(OTHER * (self._others - len(robots))))


def _part(value: float, whole: float) -> float:
    """Return a value as a part of a whole, from 0 to 1; 0 for what is not a number."""
    return min(max(0.0, value / whole), 1.0)
