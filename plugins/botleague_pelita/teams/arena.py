"""The board as bots see it: walls, home zones and legal steps, the same at every call of a game.

Source: rules/pelita.md, sections 2.2 and 11.2.
"""

from __future__ import annotations

from collections.abc import Iterable

from botleague_pelita.mazes.board import Square, respawns

_STEPS = ((0, 0), (-1, 0), (1, 0), (0, 1), (0, -1))
"""Stay, left, right, down, up: the order of ``legal_positions``, which is not the engine's."""


class Arena:
    """Board and geometry in the form in which bots see them."""

    def __init__(self, shape: tuple[int, int], walls: Iterable[Square]) -> None:
        width, height = self.shape = shape
        blocked = set(walls)
        self.walls: tuple[Square, ...] = tuple(sorted(blocked))
        self.homezones = home_zones(shape, blocked)
        self.initial_positions = respawns(shape, blocked)
        self.legal = {
            (x, y): [target for dx, dy in _STEPS if (target := (x + dx, y + dy)) not in blocked]
            for zone in self.homezones
            for x, y in zone
        }
        self.squares = [(x, y) for x in range(width) for y in range(height)]


def home_zones(
    shape: tuple[int, int], walls: Iterable[Square]
) -> tuple[tuple[Square, ...], tuple[Square, ...]]:
    """Return the free squares of the blue and of the red half, sorted."""
    width, height = shape
    blocked = set(walls)

    def zone(columns: range) -> tuple[Square, ...]:
        return tuple((x, y) for x in columns for y in range(height) if (x, y) not in blocked)

    return zone(range(width // 2)), zone(range(width // 2, width))
