"""``pelita.layout``: layout text for bots' tests.

Source: rules/pelita.md, sections 3 and 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from botleague_pelita.mazes.board import LETTERS, Board, Square, respawns
from botleague_pelita.mazes.layout import format_layout, read_layout

__all__ = [
    "BOT_I2N",
    "BOT_N2I",
    "get_legal_positions",
    "initial_positions",
    "layout_as_str",
    "parse_layout",
    "wall_dimensions",
]

BOT_N2I: dict[str, int] = {letter: index for index, letter in enumerate(LETTERS)}
BOT_I2N: dict[int, str] = dict(enumerate(LETTERS))


def parse_layout(
    layout_str: str,
    food: Iterable[Sequence[int]] | None = None,
    bots: Mapping[str, Sequence[int]] | None = None,
    strict: bool = True,
) -> dict[str, Any]:
    """Return walls, food, bots and shape of a layout text.

    Raises:
        ValueError: it is not a layout.
    """
    layout = read_layout(layout_str, food, bots, strict=strict)
    return {
        "walls": layout.walls,
        "food": list(layout.food),
        "bots": list(layout.bots),
        "shape": layout.shape,
    }


def layout_as_str(
    *,
    walls: Iterable[Square],
    food: Iterable[Square] | None = None,
    bots: Sequence[Square | None] | None = None,
    shape: tuple[int, int] | None = None,
) -> str:
    """Return layout text; ``bots`` in the order a, x, b, y."""
    return format_layout(walls, food or (), bots or (), shape)


def wall_dimensions(walls: Iterable[Square]) -> tuple[int, int]:
    """Return the width and height that walls span."""
    squares = list(walls)
    return max(x for x, _ in squares) + 1, max(y for _, y in squares) + 1


def initial_positions(walls: Iterable[Square], shape: tuple[int, int]) -> list[Square]:
    """Return the squares where a, x, b and y start again after they died."""
    return list(respawns(shape, walls))


def get_legal_positions(
    walls: Iterable[Square], shape: tuple[int, int], bot_position: Square
) -> list[Square]:
    """Return the legal targets from a square in the order of the engine: up, right, left, down, stay.

    Raises:
        ValueError: the square is outside the board or on a wall.
    """
    board = Board.of(shape, walls)
    x, y = bot_position
    if not (0 <= x < board.width and 0 <= y < board.height):
        raise ValueError(f"({x}, {y}) is outside the board")
    targets = board.legal[board.number((x, y))]
    if not targets:
        raise ValueError(f"({x}, {y}) is a wall")
    return [board.squares[number] for number in targets]
