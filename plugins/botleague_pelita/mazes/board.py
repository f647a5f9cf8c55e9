"""The board of one game: walls, and everything that follows from the walls alone.

Bots and layout texts speak of *squares*, pairs ``(x, y)`` with ``(0, 0)`` in the upper left corner. The engine
speaks of *numbers*: square ``(x, y)`` has number ``x * height + y``, so that ascending numbers are squares
sorted by x, then y, which is the order in which the original lists squares. A set of squares is an integer
whose bit n stands for number n; the pellets near two ghosts are then one ``&``.

Source: rules/pelita.md, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

Square: TypeAlias = tuple[int, int]

LETTERS = ("a", "x", "b", "y")
"""Letters of the bots in turn order; bot n belongs to team n % 2 and is number n // 2 of it."""

_ENGINE_STEPS = ((0, -1), (1, 0), (-1, 0), (0, 1), (0, 0))
"""Up, right, left, down, stay: the order of the engine's legal targets, which the random step draws from."""


def manhattan(p: Square, q: Square) -> int:
    """Return |x1-x2| + |y1-y2|; walls do not matter."""
    return abs(p[0] - q[0]) + abs(p[1] - q[1])


def numbers(mask: int) -> Iterator[int]:
    """Yield the square numbers in the set ``mask``, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


@dataclass(frozen=True)
class Board:
    """The walls of a board; create one with :meth:`of`. Derived tables are computed once, at first use.

    Attributes:
        width, height: of the board, rim included; the width is even.
        wall_mask: the set of walls.
    """

    width: int
    height: int
    wall_mask: int

    @classmethod
    def of(cls, shape: tuple[int, int], walls: Iterable[Square]) -> Board:
        """Return the board of ``shape`` (width, height).

        Raises:
            ValueError: the width is odd, the rim has a hole, a wall is outside, or too few squares are free
                for respawning.
        """
        width, height = shape
        if width % 2:
            raise ValueError(f"a board must have an even width, this one is {width} wide")
        blocked = set(walls)
        for x, y in ((x, y) for x in range(width) for y in range(height)):
            if (x in (0, width - 1) or y in (0, height - 1)) and (x, y) not in blocked:
                raise ValueError(f"the rim of the board must be wall, but ({x}, {y}) is open")
        if outside := [(x, y) for x, y in blocked if not (0 <= x < width and 0 <= y < height)]:
            raise ValueError(f"wall {min(outside)} is outside the board of {width}x{height}")
        board = cls(width, height, sum(1 << (x * height + y) for x, y in blocked))
        respawns(shape, board.walls)
        return board

    @property
    def shape(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height

    @cached_property
    def walls(self) -> tuple[Square, ...]:
        """The walls, sorted by x, then y."""
        return tuple(self.listed(self.wall_mask))

    @cached_property
    def squares(self) -> tuple[Square, ...]:
        """The square of every number."""
        return tuple((x, y) for x in range(self.width) for y in range(self.height))

    @cached_property
    def free(self) -> int:
        """The set of squares that are not walls."""
        return ~self.wall_mask & ((1 << self.width * self.height) - 1)

    @cached_property
    def halves(self) -> tuple[int, int]:
        """The free squares of the blue (left) and the red half, as sets."""
        left = (1 << (self.width // 2 * self.height)) - 1
        return self.free & left, self.free & ~left

    @cached_property
    def legal(self) -> tuple[tuple[int, ...], ...]:
        """Legal targets of every square, in the engine's order; empty for walls."""
        # The rim is wall, so a step from a free square never leaves the board.
        steps = [dx * self.height + dy for dx, dy in _ENGINE_STEPS]
        return tuple(
            tuple(number + step for step in steps if self.free >> number + step & 1)
            if self.free >> number & 1
            else ()
            for number in range(self.width * self.height)
        )

    @cached_property
    def respawn(self) -> tuple[int, int, int, int]:
        """The numbers at which the bots a, x, b, y start again after they died."""
        a, x, b, y = map(self.number, respawns(self.shape, self.walls))
        return a, x, b, y

    def number(self, square: Square) -> int:
        """Return the number of a square on the board."""
        return square[0] * self.height + square[1]

    def team_at(self, number: int) -> int:
        """Return the team in whose half the square lies."""
        return 0 if number < self.width // 2 * self.height else 1

    def mask(self, squares: Iterable[Square]) -> int:
        """Return the set of the given squares."""
        bits = 0
        for x, y in squares:
            bits |= 1 << (x * self.height + y)
        return bits

    def listed(self, mask: int) -> list[Square]:
        """Return the squares of a set, sorted by x, then y."""
        return [self.squares[number] for number in numbers(mask)]

    def border_column(self, team: int) -> int:
        """Return the set of all squares in the column of ``team`` that touches the other half."""
        x = self.width // 2 - 1 + team
        return ((1 << self.height) - 1) << (x * self.height)


def respawns(shape: tuple[int, int], walls: Iterable[Square]) -> tuple[Square, Square, Square, Square]:
    """Return where a, x, b and y start again: the two free squares nearest to each team's corner.

    Raises:
        ValueError: there are not two free squares to be found from a corner.

    Source: rules/pelita.md, section 2.1.
    """
    width, height = shape
    blocked = set(walls)
    free = [(x, y) for x in range(width) for y in range(height) if (x, y) not in blocked]
    blue_corner, red_corner = (1, height - 2), (width - 2, 1)
    blue = sorted(
        (manhattan(square, blue_corner), square[0] - 1, square)
        for square in free
        if square[0] >= 1 and square[1] <= height - 2
    )
    red = sorted(
        (manhattan(square, red_corner), width - 2 - square[0], square)
        for square in free
        if square[0] <= width - 2 and square[1] >= 1
    )
    if len(blue) < 2 or len(red) < 2:
        raise ValueError("the board needs two free squares for each team to start from")
    return blue[1][2], red[1][2], blue[0][2], red[0][2]


@lru_cache(maxsize=4096)
def near_mask(board: Board, number: int, distance: int) -> int:
    """Return the set of free squares within ``distance`` of a square."""
    height = board.height
    x0, y0 = divmod(number, height)
    bits = 0
    for x in range(max(0, x0 - distance), min(board.width - 1, x0 + distance) + 1):
        reach = distance - abs(x - x0)
        low, high = max(0, y0 - reach), min(height - 1, y0 + reach)
        bits |= ((1 << (high - low + 1)) - 1) << (x * height + low)
    return bits & ~board.wall_mask


@lru_cache(maxsize=4096)
def near_squares(board: Board, number: int, distance: int) -> tuple[int, ...]:
    """Return the free squares within ``distance`` of a square, ascending."""
    return tuple(numbers(near_mask(board, number, distance)))
