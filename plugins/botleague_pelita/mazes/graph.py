"""Two questions about small undirected graphs, given as lists of edges.

The host of a match draws mazes without networkx, which only bots need.
"""

from __future__ import annotations

from collections.abc import Iterable

from botleague_pelita.mazes.board import Square


def is_connected(edges: Iterable[tuple[Square, Square]]) -> bool:
    """Return whether one can walk along ``edges`` between any two of their ends; False without edges."""
    near = _neighbours(edges)
    if not near:
        return False
    start = next(iter(near))
    reached, todo = {start}, [start]
    while todo:
        for other in near[todo.pop()]:
            if other not in reached:
                reached.add(other)
                todo.append(other)
    return len(reached) == len(near)


def biconnected_components(edges: Iterable[tuple[Square, Square]]) -> list[set[Square]]:
    """Return the largest parts that stay connected when any one of their squares is removed.

    Two squares joined by a bridge are a component, a square where components meet is in all of them.

    Source: Hopcroft and Tarjan, Efficient algorithms for graph manipulation, 1973.
    """
    near = _neighbours(edges)
    depth: dict[Square, int] = {}
    low: dict[Square, int] = {}
    components: list[set[Square]] = []
    for root in near:
        if root in depth:
            continue
        depth[root] = low[root] = 0
        stack = [root]  # squares whose component is not closed yet
        path = [(root, iter(near[root]))]
        while path:
            here, others = path[-1]
            for other in others:
                if other not in depth:
                    depth[other] = low[other] = len(path)
                    stack.append(other)
                    path.append((other, iter(near[other])))
                    break
                if len(path) < 2 or other != path[-2][0]:
                    low[here] = min(low[here], depth[other])
            else:
                path.pop()
                if not path:
                    continue
                parent = path[-1][0]
                low[parent] = min(low[parent], low[here])
                if low[here] >= depth[parent]:
                    component = {parent}
                    while here not in component:
                        component.add(stack.pop())
                    components.append(component)
    return components


def _neighbours(edges: Iterable[tuple[Square, Square]]) -> dict[Square, list[Square]]:
    near: dict[Square, list[Square]] = {}
    for one, other in edges:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    return near
