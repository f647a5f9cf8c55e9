"""``pelita.graph`` of 2019: a maze as a dictionary of neighbours, with searches whose paths run from the target back.

Source: rules/pelita.md, section 19.
"""

from __future__ import annotations

import heapq
from collections import UserDict, deque
from collections.abc import Container, Iterable, Sequence
from typing import Any

__all__ = ["Graph", "NoPathException", "diff_pos", "manhattan_dist", "move_pos"]

Square = tuple[int, int]

_STEPS = ((0, 0), (-1, 0), (1, 0), (0, 1), (0, -1))


class NoPathException(Exception):  # the original's name
    """There is no such square, or no way to it."""


def move_pos(position: Square, move: Square) -> Square:
    """Return the square that a move leads to."""
    return position[0] + move[0], position[1] + move[1]


def diff_pos(initial: Square, target: Square) -> Square:
    """Return the move from one square to another."""
    return target[0] - initial[0], target[1] - initial[1]


def manhattan_dist(pos1: Square, pos2: Square) -> int:
    """Return the distance of two squares without walls."""
    return abs(pos1[0] - pos2[0]) + abs(pos1[1] - pos2[1])


class Graph(UserDict):  # type: ignore[type-arg]  # bots see a plain dictionary
    """Free squares with their neighbours; every square is its own neighbour, too.

    Args:
        arguments: a dictionary of neighbours, or a square and the walls around all that can be reached from it.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__()
        if len(arguments) == 1:
            self.update(arguments[0])
            return
        initial, walls = arguments
        self._explore(initial, set(walls))

    def _explore(self, initial: Square, walls: Container[Square]) -> None:
        waiting = [initial]
        while waiting:
            square = waiting.pop()
            if square not in self:
                self[square] = [
                    near for near in (move_pos(square, step) for step in _STEPS) if near not in walls
                ]
                waiting += self[square]

    def pos_within(self, position: Square, distance: int) -> set[Square]:
        """Return the squares that are nearer than ``distance`` steps."""
        self._check(position)
        within, border = {position}, {position}
        for _ in range(distance - 1):
            border = {near for square in border for near in self[square]} - within
            within |= border
        return within

    def bfs(self, initial: Square, targets: Sequence[Square]) -> list[Square]:
        """Return a shortest path to the nearest of some squares, the next step last."""
        self._check(initial, *targets)
        before: dict[Square, Square] = {initial: initial}
        waiting = deque([initial])
        while waiting:
            square = waiting.popleft()
            if square in targets:
                return _path(before, initial, square)
            for near in self[square]:
                if near not in before:
                    before[near] = square
                    waiting.append(near)
        raise NoPathException(f"no path from {initial!r} to {list(targets)!r}")

    def a_star(self, initial: Square, target: Square) -> list[Square]:
        """Return a shortest path to a square, the next step last."""
        self._check(initial, target)
        before: dict[Square, Square] = {initial: initial}
        costs = {initial: 0}
        waiting = [(0, initial)]
        while waiting:
            _, square = heapq.heappop(waiting)
            if square == target:
                return _path(before, initial, target)
            cost = costs[square] + 1
            for near in self[square]:
                if cost < costs.get(near, cost + 1):
                    costs[near], before[near] = cost, square
                    heapq.heappush(waiting, (cost + manhattan_dist(target, near), near))
        raise NoPathException(f"no path from {initial!r} to {target!r}")

    def _check(self, *squares: Square) -> None:
        for square in squares:
            if square not in self:
                raise NoPathException(f"the maze has no free square {square!r}")


def _path(before: dict[Square, Square], initial: Square, square: Square) -> list[Square]:
    """Return the squares from ``square`` back to the one after ``initial``."""
    path = []
    while square != initial:
        path.append(square)
        square = before[square]
    return path


def is_of_2019(sources: Iterable[bytes]) -> bool:
    """Return whether a team tests if its state is None, as it was at first in 2019."""
    return any(b"state is None" in source or b"state == None" in source for source in sources)
