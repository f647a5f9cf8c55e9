"""Walls of the left half, drawn by the two maze generators.

Both partition a rectangle by a wall with gaps and continue in both parts with the other direction; they differ in
how they choose the place, the gaps and the order of the parts, and so in their draws.

Source: rules/pelita.md, sections 17.1 and 17.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from botleague_pelita.mazes.board import Square


def classic_walls(rng: Random, width: int, height: int) -> set[Square]:
    """Return the whole rim of the board, the border column and the inner walls of the left half."""
    border = width // 2 - 1
    walls = {(x, y) for x in range(width) for y in (0, height - 1)}
    walls |= {(x, y) for x in (0, width - 1) for y in range(height)}
    walls |= {(border, y) for y in range(1, height - 1)}
    middle = (height - 2) // 2
    rows = list(range(middle))
    rng.shuffle(rows)
    for row in rows[: height // 2 // 2]:
        walls -= {(border, row + 1), (border, 2 * middle - row)}
    _split_classic(rng, walls, (1, 1, border - 1, 2 * middle), height // 2 // 2, upright=False)
    return walls


def _split_classic(
    rng: Random, walls: set[Square], part: tuple[int, int, int, int], gaps: int, *, upright: bool
) -> None:
    x0, y0, x1, y1 = part
    columns, rows = x1 - x0 + 1, y1 - y0 + 1
    if columns < 3 and rows < 3:
        return
    least = rng.randint(3, 5)
    across = columns if upright else rows
    if across < least:
        return
    place = (x0 if upright else y0) + rng.randint(1, across - 2)
    if upright:
        before, after = (place, y0 - 1), (place, y1 + 1)
        line = [(place, y) for y in range(y0, y1 + 1)]
    else:
        before, after = (x0 - 1, place), (x1 + 1, place)
        line = [(x, place) for x in range(x0, x1 + 1)]
    gaps = max(1, gaps)
    order = list(range(len(line)))
    rng.shuffle(order)
    holes = {line[index] for index in order[:gaps]}
    # A wall never closes a gap of the wall that it meets. In the narrowest maze there are no squares between.
    if before not in walls:
        holes.update(line[:1])
    if after not in walls:
        holes.update(line[-1:])
    walls.update(square for square in line if square not in holes)
    if upright:
        low, high = (x0, y0, place - 1, y1), (place + 1, y0, x1, y1)
    else:
        low, high = (x0, y0, x1, place - 1), (x0, place + 1, x1, y1)
    for side in (low, high):
        _split_classic(rng, walls, side, max(1, gaps // 2), upright=not upright)


def v27_walls(rng: Random, width: int, height: int) -> tuple[set[Square], list[tuple[Square, Square]]]:
    """Return the walls of the left half and the pairs of openings in its border column."""
    half = width // 2
    border = half - 1
    walls = {(x, y) for x in range(half) for y in (0, height - 1)} | {(0, y) for y in range(height)}
    rows = rng.sample(list(range((height - 2) // 2)), height // 4)
    openings = [((border, y + 1), (border, height - 2 - y)) for y in rows]
    doors = {square for pair in openings for square in pair}
    walls |= {(border, y) for y in range(1, height - 1)} - doors
    parts = [((0, 0), (border, height - 1), max(1, height // 4), False)]
    while parts:
        (x0, y0), (x1, y1), gaps, upright = parts.pop()
        across, along = (x1 - x0 + 1, y1 - y0 + 1) if upright else (y1 - y0 + 1, x1 - x0 + 1)
        if across < 5 and along < 5:
            continue
        if across < rng.randint(5, 7):
            continue
        low, high = (x0, x1) if upright else (y0, y1)
        place = rng.randint(low + 2, high - 2)
        start, end = (y0, y1) if upright else (x0, x1)

        def square(along: int, place: int = place, upright: bool = upright) -> Square:
            return (place, along) if upright else (along, place)

        first = start + (1 if square(start) in walls else 2)
        last = end - (1 if square(end) in walls else 2)
        line = [square(v) for v in range(first, last + 1)]
        walls.update(rng.sample(line, max(0, len(line) - gaps)))
        rest = (max(1, gaps // 2), not upright)
        if upright:
            parts += [((x0, y0), (place, y1), *rest), ((place, y0), (x1, y1), *rest)]
        else:
            parts += [((x0, y0), (x1, place), *rest), ((x0, place), (x1, y1), *rest)]
    return walls, openings


def v27_bridges(openings: Sequence[tuple[Square, Square]]) -> list[tuple[Square, Square]]:
    """Return the edges that stand for the way through the other half: each opening to its mirror image."""
    return [pair for pair in openings if pair[0] != pair[1]]
