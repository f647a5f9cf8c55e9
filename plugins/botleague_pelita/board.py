"""The board of one game: walls, and everything that follows from the walls alone.

Bots and layout texts speak of *squares*, pairs ``(x, y)`` with ``(0, 0)`` in the upper left corner. The engine
speaks of *numbers*: square ``(x, y)`` has number ``x * height + y``, so that ascending numbers are squares
sorted by x, then y, which is the order in which the original lists squares. A set of squares is an integer
whose bit n stands for number n; the pellets near two ghosts are then one ``&``.

Source: rules/pelita.md, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

__all__ = [
    "LETTERS",
    "Board",
    "Square",
    "Team",
    "manhattan",
    "near_mask",
    "near_squares",
    "numbers",
    "respawns",
]

Square: TypeAlias = tuple[int, int]
Team = Literal[0, 1]

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


@dataclass(frozen=True, slots=True)
class Board:
    """Walls with what the engine looks up at every turn; make one with :meth:`of`.

    Attributes:
        width, height: of the board, rim included; the width is even.
        walls: sorted by x, then y.
        squares: the square of every number.
        free: the set of squares that are not walls.
        halves: the free squares of the blue (left) and the red half, as sets.
        legal: for every number the legal targets from there in the engine's order; empty for walls.
        respawn: the numbers at which the bots a, x, b, y start again after they died.
    """

    width: int
    height: int
    walls: tuple[Square, ...]
    squares: tuple[Square, ...] = field(compare=False, repr=False)
    free: int = field(compare=False, repr=False)
    halves: tuple[int, int] = field(compare=False, repr=False)
    legal: tuple[tuple[int, ...], ...] = field(compare=False, repr=False)
    respawn: tuple[int, int, int, int] = field(compare=False, repr=False)
    _hash: int = field(compare=False, repr=False)

    @classmethod
    def of(cls, shape: tuple[int, int], walls: Iterable[Square]) -> Board:
        """Return the board of ``shape`` (width, height); equal boards share one object.

        Raises:
            ValueError: the width is odd, the rim has a hole, or too few squares are free for respawning.
        """
        return _board(shape, tuple(sorted(set(walls))))

    def __hash__(self) -> int:
        # Boards are keys of the caches below, once or twice a turn; hashing a thousand walls there would
        # cost more than the rest of the turn.
        return self._hash

    @property
    def shape(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height

    def number(self, square: Square) -> int:
        """Return the number of a square on the board."""
        return square[0] * self.height + square[1]

    def team_at(self, number: int) -> int:
        """Return the team in whose half the square lies."""
        return 0 if number < self.width // 2 * self.height else 1

    def distance(self, p: int, q: int) -> int:
        """Return the Manhattan distance of two square numbers."""
        return manhattan(self.squares[p], self.squares[q])

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
    x0, y0 = board.squares[number]
    height = board.height
    bits = 0
    for x in range(max(0, x0 - distance), min(board.width - 1, x0 + distance) + 1):
        reach = distance - abs(x - x0)
        low, high = max(0, y0 - reach), min(height - 1, y0 + reach)
        bits |= ((1 << (high - low + 1)) - 1) << (x * height + low)
    return bits & board.free


@lru_cache(maxsize=4096)
def near_squares(board: Board, number: int, distance: int) -> tuple[int, ...]:
    """Return the free squares within ``distance`` of a square, ascending."""
    return tuple(numbers(near_mask(board, number, distance)))


@lru_cache(maxsize=64)
def _board(shape: tuple[int, int], walls: tuple[Square, ...]) -> Board:
    width, height = shape
    if width % 2:
        raise ValueError(f"a board must have an even width, this one is {width} wide")
    wall_set = set(walls)
    for x in range(width):
        for y in range(height):
            if (x in (0, width - 1) or y in (0, height - 1)) and (x, y) not in wall_set:
                raise ValueError(f"the rim of the board must be wall, but ({x}, {y}) is open")
    squares = tuple((x, y) for x in range(width) for y in range(height))
    free = sum(1 << number for number, square in enumerate(squares) if square not in wall_set)
    left = (1 << (width // 2 * height)) - 1
    legal = tuple(
        ()
        if (x, y) in wall_set
        else tuple((x + dx) * height + y + dy for dx, dy in _ENGINE_STEPS if (x + dx, y + dy) not in wall_set)
        for x, y in squares
    )
    a, x_, b, y_ = (square[0] * height + square[1] for square in respawns(shape, walls))
    return Board(
        width,
        height,
        walls,
        squares,
        free,
        (free & left, free & ~left),
        legal,
        (a, x_, b, y_),
        hash((shape, walls)),
    )
