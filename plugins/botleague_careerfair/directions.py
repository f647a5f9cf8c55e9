"""``awap2019.Direction``: what bots ask for. Source: rules/careerfair.md, section 11."""

from __future__ import annotations

import enum
from typing import Any

Location = tuple[int, int]


class Direction(enum.Enum):
    """A request; the value is its offset in rows and columns."""

    NONE = (None, None)
    LEFT = (0, -1)
    UP = (-1, 0)
    RIGHT = (0, 1)
    DOWN = (1, 0)
    ENTER = (0, 0)
    REPLACE = (None, 0)

    def __init__(self, x: int | None, y: int | None) -> None:
        self.x = x
        self.y = y

    def get_loc(self, loc: Location) -> Location:
        """Return the location one step from ``loc``; ``loc`` itself for NONE and REPLACE. Not bounded."""
        if self.x is None or self.y is None:
            return loc
        return loc[0] + self.x, loc[1] + self.y

    @classmethod
    def get_dir(cls, src: Location, dest: Location) -> Direction:
        """Return the cardinal direction from ``src`` to its neighbour ``dest``, NONE if it is not a neighbour."""
        return CARDINAL_DIRECTIONS.get((dest[0] - src[0], dest[1] - src[1]), cls.NONE)


CARDINAL_DIRECTIONS: dict[Any, Direction] = {
    direction.value: direction
    for direction in (Direction.LEFT, Direction.UP, Direction.RIGHT, Direction.DOWN)
}
"""Directions by offset."""

DIRECTIONS = tuple(Direction)
"""Directions by request number."""
