"""The board as bots see it: walls, home zones and legal steps, the same at every call of a game.

Source: rules/pelita.md, sections 2.2 and 11.2.
"""

from __future__ import annotations

from collections.abc import Iterable

from botleague_pelita.bot_options import DEFAULT_OPTIONS, BotOptions
from botleague_pelita.mazes.board import Square, respawns

_STEPS = ((0, 0), (-1, 0), (1, 0), (0, 1), (0, -1))
"""Stay, left, right, down, up: the order of ``legal_positions``, which is not the engine's."""


class Walls(tuple[Square, ...]):
    """Walls for bots of 2021 and 2022, when they were a set: a tuple with ``union`` and ``difference``."""

    __slots__ = ()

    def union(self, *others: Iterable[Square]) -> set[Square]:
        """Return the walls and the given squares as a set."""
        return set(self).union(*others)

    def difference(self, *others: Iterable[Square]) -> set[Square]:
        """Return the walls without the given squares as a set."""
        return set(self).difference(*others)


class Arena:
    """Board and geometry in the form in which bots see them."""

    def __init__(
        self, shape: tuple[int, int], walls: Iterable[Square], *, options: BotOptions = DEFAULT_OPTIONS
    ) -> None:
        width, height = self.shape = shape
        ordered = tuple(sorted(set(walls)))
        self.walls: tuple[Square, ...] = Walls(ordered) if options.legacy_walls else ordered
        self.options = options
        self.homezones = home_zones(shape, ordered)
        self.initial_positions = respawns(shape, ordered)
        blocked = set(ordered)
        self.legal: dict[Square, list[Square]] = {
            square: [(square[0] + dx, square[1] + dy) for dx, dy in _STEPS]
            for zone in self.homezones
            for square in zone
        }
        for square, targets in self.legal.items():
            self.legal[square] = [target for target in targets if target not in blocked]
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
