"""Mazes that are new for every game: the two generators of the original, exact to the seed.

Both build walls and pellets of the left half and rotate them by 180 degrees about the centre for the right
half. What is shared lives here: rotation, start squares, chambers and pellets; the walls are drawn in
:mod:`botleague_pelita.mazes.maze_walls`. Chambers are squares that can be cut off from the way between the two
halves by blocking one square: dead ends, and rooms with one opening. A given number of pellets is hidden in them.

Source: rules/pelita.md, section 17.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Literal

from botleague_pelita.mazes.board import Square
from botleague_pelita.mazes.graph import biconnected_components, is_connected
from botleague_pelita.mazes.layout import Layout
from botleague_pelita.mazes.maze_walls import classic_walls, v27_bridges, v27_walls

Generator = Literal["classic", "v27"]

SIZES: Mapping[Generator, Mapping[str, tuple[int, int, int, int]]] = {
    "classic": {"small": (16, 8, 3, 10), "normal": (32, 16, 10, 30), "big": (64, 32, 20, 60)},
    "v27": {
        "tiny": (16, 8, 3, 10),
        "small": (24, 12, 5, 15),
        "normal": (32, 16, 10, 30),
        "big": (48, 24, 15, 50),
        "huge": (64, 32, 20, 60),
    },
}
"""Built-in sizes: width, height, pellets per team in chambers, pellets per team. Section 1."""


def generate(
    rng: Random,
    size: tuple[int, int] = (32, 16),
    food: tuple[int, int] = (10, 30),
    generator: Generator = "classic",
) -> Layout:
    """Return a new maze with pellets and the four bots at their start squares.

    Args:
        rng: all draws come from it.
        size: width (even) and height, 4 or more each.
        food: pellets per team that are hidden in chambers if there is room, and pellets per team in all.
        generator: ``classic`` (releases up to 2.6) or ``v27``.

    Raises:
        ValueError: the size or the number of pellets is impossible, or the drawn maze is not connected.
    """
    width, height = size
    if width % 2 or width < 4 or height < 4:
        raise ValueError(f"a maze of {width}x{height}: the width must be even, and both at least 4")
    trapped, total = food
    if not 0 <= trapped <= total:
        raise ValueError(f"food {trapped}:{total}: trapped pellets must be from 0 to all {total}")
    if generator == "v27":
        walls, free, chambers = _v27_half(rng, width, height)
    else:
        walls, free, chambers = _classic_half(rng, width, height)
    pellets = _place(rng, free, chambers, trapped, total)
    rotated = {(width - 1 - x, height - 1 - y) for x, y in walls}
    return Layout(
        size,
        tuple(sorted(walls | rotated)),
        tuple(sorted(pellets | {(width - 1 - x, height - 1 - y) for x, y in pellets})),
        ((1, height - 3), (width - 2, 2), (1, height - 2), (width - 2, 1)),
    )


def _starts(height: int) -> set[Square]:
    return {(1, height - 3), (1, height - 2)}


def _classic_half(rng: Random, width: int, height: int) -> tuple[set[Square], set[Square], set[Square]]:
    """Return the walls of the left half, its free squares and its chambers, both without start squares.

    Source: rules/pelita.md, section 17.2.
    """
    half, starts = width // 2, _starts(height)
    border = half - 1
    walls = classic_walls(rng, width, height) - starts
    edges: list[tuple[Square, Square]] = []
    for x in range(half + 1):
        for y in range(height):
            if (x, y) in walls:
                continue
            # Squares one column further right take part as neighbours only.
            edges.extend(((x, y), other) for other in ((x + 1, y), (x, y + 1)) if other not in walls)
    _demand_connected(edges)
    inside: set[Square] = set()
    across: set[Square] = set()
    for component in biconnected_components(edges):
        reaches = min(x for x, _ in component) < half <= max(x for x, _ in component)
        (across if reaches else inside).update(component)
    chambers = {square for square in inside - across if square[0] < border} - starts
    free = {(x, y) for x in range(border) for y in range(height) if (x, y) not in walls} - starts
    return {square for square in walls if square[0] < half}, free, chambers


def _v27_half(rng: Random, width: int, height: int) -> tuple[set[Square], set[Square], set[Square]]:
    """As :func:`_classic_half`. Source: rules/pelita.md, section 17.1."""
    half, starts = width // 2, _starts(height)
    drawn, openings = v27_walls(rng, width, height)
    walls = drawn - starts
    edges: list[tuple[Square, Square]] = []
    for x in range(half):
        for y in range(height):
            if (x, y) in walls:
                continue
            near = [o for o in ((x + 1, y), (x, y + 1)) if o[0] < half and o[1] < height and o not in walls]
            edges.extend(((x, y), other) for other in near)
    _demand_connected(edges)
    edges.extend(v27_bridges(openings))
    nodes = {square for edge in edges for square in edge}
    doors = {square for pair in openings for square in pair}
    inside: set[Square] = set()
    across: set[Square] = set()
    for component in biconnected_components(edges):
        (inside if doors.isdisjoint(component) else across).update(component)
    return walls, nodes - doors - starts, inside - across - starts


def _demand_connected(edges: Iterable[tuple[Square, Square]]) -> None:
    if not is_connected(edges):
        raise ValueError("the drawn maze is not connected; try another seed or size")


def _place(rng: Random, free: set[Square], chambers: set[Square], trapped: int, total: int) -> set[Square]:
    if total > len(free):
        raise ValueError(f"{total} pellets do not fit on the {len(free)} free squares of one half")

    def pick(squares: set[Square], count: int) -> set[Square]:
        return set(rng.sample(sorted(squares), count)) if count < len(squares) else squares

    hidden = pick(chambers, trapped)
    open_air = pick(free - chambers, total - len(hidden))
    missing = total - len(hidden) - len(open_air)
    return hidden | open_air | (pick(chambers - hidden, missing) if missing > 0 else set())
