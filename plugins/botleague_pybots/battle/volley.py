"""Shots in the air, as columns of numbers: there may be thousands of them, and each moves in every step.

Few shots move fastest one by one; hundreds are a ``Barrage`` (``battle.barrage``), which does the same
arithmetic for whole columns at a time.

Source: rules/pybots.md, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from itertools import compress
from operator import add
from typing import NamedTuple, TypeAlias

from botleague_pybots.options import Arena

Reach: TypeAlias = tuple[float, float, float]
"""A place and the greatest distance from it, in each direction, that is near."""

_CELL_BITS = 5
"""Cells of the grid are 32 units wide, a little more than the largest robot."""


class Shot(NamedTuple):
    """Constant properties of a shot; ``number`` counts within the round, ``owner`` is a seat."""

    number: int
    owner: int
    direction: float
    speed: float
    power: float


class Volley(NamedTuple):
    """All shots in the air, in order of creation: places in ``x`` and ``y``, moves in ``dx`` and ``dy``."""

    shots: tuple[Shot, ...]
    x: Sequence[float]
    y: Sequence[float]
    dx: Sequence[float]
    dy: Sequence[float]

    def joined_by(self, fired: Collection[Shot], places: Iterable[tuple[float, float]]) -> Volley:
        """Return the volley with new shots at these places."""
        ours = (self.x, self.y, self.dx, self.dy)
        return Volley(
            self.shots + tuple(fired),
            *[(*old, *new) for old, new in zip(ours, columns(fired, places), strict=True)],
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

    def near(self, reaches: Sequence[Reach]) -> list[tuple[int, int]]:
        """Return index of the shot and index of the place for all shots within reach, and for some others, in order."""
        columns: dict[int, dict[int, list[int]]] = {}
        for index, (x, y, reach) in enumerate(reaches):
            if x != x:
                continue  # a place that is not a number is near nothing
            rows = range(int(y - reach) >> _CELL_BITS, (int(y + reach) >> _CELL_BITS) + 1)
            for number in range(int(x - reach) >> _CELL_BITS, (int(x + reach) >> _CELL_BITS) + 1):
                column = columns.setdefault(number, {})
                for row in rows:
                    column.setdefault(row, []).append(index)
        candidates = [
            (number, near)
            for number, x, y in zip(range(len(self.x)), self.x, self.y, strict=True)
            if x == x
            and (cells := columns.get(int(x) >> _CELL_BITS))
            and (near := cells.get(int(y) >> _CELL_BITS))
        ]
        return [(number, index) for number, near in candidates for index in near]

    def without(self, gone: Collection[int]) -> Volley:
        """Return the volley without the shots of these indices."""
        remaining = [True] * len(self.shots)
        for index in gone:
            remaining[index] = False
        return Volley(
            tuple(compress(self.shots, remaining)),
            tuple(compress(self.x, remaining)),
            tuple(compress(self.y, remaining)),
            tuple(compress(self.dx, remaining)),
            tuple(compress(self.dy, remaining)),
        )


NO_SHOTS = Volley((), (), (), (), ())


def columns(
    fired: Collection[Shot], places: Iterable[tuple[float, float]]
) -> tuple[Sequence[float], Sequence[float], Sequence[float], Sequence[float]]:
    """Return the columns of new shots at these places: ``x``, ``y``, ``dx`` and ``dy``."""
    xs, ys = zip(*places, strict=True)
    return (
        xs,
        ys,
        [math.cos(shot.direction) * shot.speed for shot in fired],
        [math.sin(shot.direction) * shot.speed for shot in fired],
    )
