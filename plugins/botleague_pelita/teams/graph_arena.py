"""The board with its graph, for bots in Python: a host or a bot in WebAssembly needs no networkx.

Source: rules/pelita.md, sections 2.2 and 11.2.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx

from botleague_pelita.config import Config
from botleague_pelita.mazes.board import Square
from botleague_pelita.teams.arena import Arena


class Walls(tuple[Square, ...]):
    """Walls for bots of 2021 and 2022, when they were a set: a tuple with ``union`` and ``difference``."""

    __slots__ = ()

    def union(self, *others: Iterable[Square]) -> set[Square]:
        """Return the walls and the given squares as a set."""
        return set(self).union(*others)

    def difference(self, *others: Iterable[Square]) -> set[Square]:
        """Return the walls without the given squares as a set."""
        return set(self).difference(*others)


class GraphArena(Arena):
    """Board, geometry, the graph of the free squares, and the options that bots differ by."""

    def __init__(
        self, config: Config, shape: tuple[int, int], walls: Iterable[Square], *, is_frozen: bool = True
    ) -> None:
        super().__init__(shape, walls)
        self.config = config
        if config.legacy_walls:
            self.walls = Walls(self.walls)
        graph = walls_to_graph(self.walls, shape)
        self.graph = nx.freeze(graph) if is_frozen else graph


def walls_to_graph(walls: Iterable[Square], shape: tuple[int, int] | None = None) -> Any:
    """Return the :class:`networkx.Graph` of neighbouring free squares.

    The order in which nodes and edges come into being is the original's, so that bots find the same one of
    several shortest paths. A free square without free neighbours is not in it.

    Args:
        shape: width and height, None for what the walls span.

    Source: rules/pelita.md, section 2.2.
    """
    blocked = set(walls)
    width, height = shape or (max(x for x, _ in blocked) + 1, max(y for _, y in blocked) + 1)
    graph: Any = nx.Graph()
    for x in range(width):
        for y in range(height):
            if (x, y) in blocked:
                continue
            for other in ((x + 1, y), (x, y + 1)):
                if other not in blocked and other[0] < width and other[1] < height:
                    graph.add_edge((x, y), other)
    return graph
