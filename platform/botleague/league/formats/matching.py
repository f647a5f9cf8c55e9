"""Perfect matchings: can all of these be paired so that only permitted pairs occur?

Source: J. Edmonds, Paths, trees, and flowers, 1965; the search grows one alternating tree and contracts odd cycles.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

__all__ = ["extend", "perfect_matching"]


def perfect_matching(allowed: Sequence[Sequence[int]]) -> list[int] | None:
    """Return everyone's partner, or None if somebody must stay alone.

    Args:
        allowed: for each vertex the vertices it may be paired with, in both directions.
    """
    partner = [-1] * len(allowed)
    for vertex in range(len(allowed)):
        if partner[vertex] < 0 and not extend(allowed, partner, vertex):
            return None
    return partner


def extend(allowed: Sequence[Sequence[int]], partner: list[int], root: int) -> bool:
    """Pair the free vertex ``root`` by changing ``partner`` along an augmenting path; say whether there is one.

    Vertices whose partner is themselves are taken out and left alone.
    """
    size = len(allowed)
    parent = [-1] * size
    base = list(range(size))
    in_tree = [False] * size
    in_tree[root] = True
    queue = deque([root])
    while queue:
        vertex = queue.popleft()
        for other in allowed[vertex]:
            if base[vertex] == base[other] or partner[vertex] == other or partner[other] == other:
                continue
            if other == root or (partner[other] >= 0 and parent[partner[other]] >= 0):
                _contract(partner, parent, base, in_tree, queue, vertex, other)
            elif parent[other] < 0:
                parent[other] = vertex
                if partner[other] < 0:
                    _augment(partner, parent, other)
                    return True
                in_tree[partner[other]] = True
                queue.append(partner[other])
    return False


def _augment(partner: list[int], parent: list[int], end: int) -> None:
    while end >= 0:
        before = parent[end]
        following = partner[before]
        partner[end], partner[before] = before, end
        end = following


def _contract(
    partner: list[int],
    parent: list[int],
    base: list[int],
    in_tree: list[bool],
    queue: deque[int],
    one: int,
    other: int,
) -> None:
    """Contract the odd cycle that the edge between ``one`` and ``other`` closes."""
    stem = _common_base(partner, parent, base, one, other)
    cycle: set[int] = set()
    for start, child in ((one, other), (other, one)):
        vertex = start
        while base[vertex] != stem:
            cycle |= {base[vertex], base[partner[vertex]]}
            parent[vertex] = child
            child = partner[vertex]
            vertex = parent[child]
    for vertex in range(len(base)):
        if base[vertex] in cycle:
            base[vertex] = stem
            if not in_tree[vertex]:
                in_tree[vertex] = True
                queue.append(vertex)


def _common_base(partner: list[int], parent: list[int], base: list[int], one: int, other: int) -> int:
    seen = set()
    vertex = one
    while True:
        vertex = base[vertex]
        seen.add(vertex)
        if partner[vertex] < 0:
            break
        vertex = parent[partner[vertex]]
    vertex = base[other]
    while vertex not in seen:
        vertex = base[parent[partner[vertex]]]
    return vertex
