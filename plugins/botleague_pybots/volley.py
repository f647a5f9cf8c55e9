"""Shots in the air, as columns of numbers: there may be thousands of them, and each moves in every step.

Source: rules/pybots.md, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from itertools import compress
from operator import add
from typing import NamedTuple

from botleague_pybots.options import Arena

__all__ = ["NO_SHOTS", "Shot", "Volley"]


class Shot(NamedTuple):
    """What does not change about a shot; ``number`` counts within the round, ``owner`` is a seat."""

    number: int
    owner: int
    direction: float
    speed: float
    power: float


class Volley(NamedTuple):
    """All shots in the air, in order of creation: places in ``x`` and ``y``, moves in ``dx`` and ``dy``."""

    shots: tuple[Shot, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    dx: tuple[float, ...]
    dy: tuple[float, ...]

    def joined_by(self, fired: Collection[Shot], places: Iterable[tuple[float, float]]) -> Volley:
        """Return the volley with new shots at these places."""
        xs, ys = zip(*places, strict=True)
        return Volley(
            self.shots + tuple(fired),
            self.x + xs,
            self.y + ys,
            self.dx + tuple([math.cos(shot.direction) * shot.speed for shot in fired]),
            self.dy + tuple([math.sin(shot.direction) * shot.speed for shot in fired]),
        )

    def moved(self) -> Volley:
        """Return the volley one step later."""
        return self._replace(x=tuple(map(add, self.x, self.dx)), y=tuple(map(add, self.y, self.dy)))

    def outside(self, arena: Arena) -> set[int]:
        """Return the indices of shots that are not inside the arena, or nowhere at all."""
        width, height = arena.width, arena.height
        return {
            index
            for index, x, y in zip(range(len(self.x)), self.x, self.y, strict=True)
            if not (0 <= x <= width and 0 <= y <= height)
        }

    def without(self, gone: Collection[int]) -> Volley:
        """Return the volley without the shots of these indices."""
        kept = [True] * len(self.shots)
        for index in gone:
            kept[index] = False
        return Volley(
            tuple(compress(self.shots, kept)),
            tuple(compress(self.x, kept)),
            tuple(compress(self.y, kept)),
            tuple(compress(self.dx, kept)),
            tuple(compress(self.dy, kept)),
        )


NO_SHOTS = Volley((), (), (), (), ())
