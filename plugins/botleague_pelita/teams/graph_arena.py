"""The board with its graph, for bots in Python: a host or a bot in WebAssembly needs no networkx.

Source: rules/pelita.md, sections 2.2 and 11.2.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx

from botleague_pelita.bot_options import DEFAULT_OPTIONS, BotOptions
from botleague_pelita.mazes.board import Square
from botleague_pelita.teams.arena import Arena


class GraphArena(Arena):
    """Board, geometry, and the graph of the free squares."""

    def __init__(
        self,
        shape: tuple[int, int],
        walls: Iterable[Square],
        *,
        is_frozen: bool = True,
        options: BotOptions = DEFAULT_OPTIONS,
    ) -> None:
        super().__init__(shape, walls, options=options)
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
