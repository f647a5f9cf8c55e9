"""Start positions of the robots of a round.

Random places first, as the game always did. When they do not fit, a search on a grid, then a regular pattern
that always fits: an arena that cannot hold the pattern is refused when the variant is made, so that no choice
of hardware can prevent a match.

Source: rules/pybots.md, section 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Literal

from botleague_pybots.battle.geometry import Point, distance
from botleague_pybots.hardware import LIMITS
from botleague_pybots.options import Arena

PLACEMENT_TRIES = 100


class PlacementFailed(Exception):
    """There is no free place for a robot; ``placed`` holds the places of those before it."""

    def __init__(self, placed: Sequence[Point]) -> None:
        super().__init__(f"no free place for robot number {len(placed) + 1}")
        self.placed = tuple(placed)


def capacity(arena: Arena) -> int:
    """Return how many robots of the greatest size are certain to fit."""
    return len(_pattern(arena))


def place(
    arena: Arena, sizes: Sequence[float], rng: Random, method: Literal["retry_then_grid", "retry_then_fail"]
) -> tuple[Point, ...]:
    """Return a place for each robot, in order, such that none touch.

    Raises:
        PlacementFailed: only with "retry_then_fail", after 100 refused tries for one robot.
    """
    placed: list[Point] = []
    for size in sizes:
        spot = _random_place(arena, size, placed, sizes, rng)
        if spot is None and method == "retry_then_fail":
            raise PlacementFailed(placed)
        spot = spot or _grid_place(arena, size, placed, sizes)
        if spot is None:
            pattern = _pattern(arena)
            if len(pattern) < len(sizes):
                raise PlacementFailed(placed)
            return tuple(rng.sample(pattern, len(sizes)))
        placed.append(spot)
    return tuple(placed)


def _random_place(
    arena: Arena, size: float, placed: Sequence[Point], sizes: Sequence[float], rng: Random
) -> Point | None:
    for _ in range(PLACEMENT_TRIES):
        x = size + rng.random() * (arena.width - 2 * size)
        y = size + rng.random() * (arena.height - 2 * size)
        if _is_free(arena, size, (x, y), placed, sizes):
            return x, y
    return None


def _grid_place(arena: Arena, size: float, placed: Sequence[Point], sizes: Sequence[float]) -> Point | None:
    for column in range(max(0, math.ceil(arena.width - 2 * size))):
        for row in range(max(0, math.ceil(arena.height - 2 * size))):
            spot = (size + column, size + row)
            if _is_free(arena, size, spot, placed, sizes):
                return spot
    return None


def _is_free(arena: Arena, size: float, spot: Point, placed: Sequence[Point], sizes: Sequence[float]) -> bool:
    x, y = spot
    return (
        size <= x <= arena.width - size
        and size <= y <= arena.height - size
        and not any(
            distance(other, spot) < size + other_size
            for other, other_size in zip(placed, sizes, strict=False)
        )
    )


def _pattern(arena: Arena) -> list[Point]:
    """Return places side by side for robots of the greatest size."""
    size = LIMITS["size"].most
    columns = max(0, math.floor((arena.width - 2 * size) / (2 * size)) + 1)
    rows = max(0, math.floor((arena.height - 2 * size) / (2 * size)) + 1)
    return [
        (size + 2 * size * column, size + 2 * size * row) for column in range(columns) for row in range(rows)
    ]
