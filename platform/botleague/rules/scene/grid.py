"""Boards as shapes: a grid of cells or points with pieces, and rows of monospaced text.

A scene of a board game takes a few lines::

    grid = Grid(columns=8, rows=8, margin=0.6)
    looks = {"x": Piece(seat_color(0), title="{seat 0}"), "o": Piece(seat_color(1), title="{seat 1}")}
    shapes = (
        *grid.cells("#e8dcc0", "#b58863"),
        *grid.labels("abcdefgh", "87654321"),
        *grid.pieces(["........", "..xo....", ...], looks),
    )
    scene = Scene(grid.width, grid.height, shapes)

Colours are those of a light page; :attr:`~botleague.rules.variant.Variant.dark` names the dark ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

import msgspec

from botleague.rules.scene.shapes import (
    LETTER_WIDTH,
    LINE_HEIGHT,
    Circle,
    Line,
    Point,
    Rect,
    Scene,
    Shape,
    Text,
)

__all__ = ["Grid", "Piece", "moved_keys", "text_rows", "text_scene"]

_LABEL_SIZE = 0.36
_INK = "#59616c"


class Piece(msgspec.Struct, frozen=True):
    """Look of a kind of piece: a disc, a letter, or a letter on a disc.

    Attributes:
        fill: colour of the disc, None for no disc.
        stroke: colour of the disc's edge, None for no edge.
        letter: a letter or two, "" for no letter.
        ink: colour of the letter; dark pages change it independently of the disc's.
        title: the piece in words, for pointers and screen readers.
    """

    fill: str | None = None
    stroke: str | None = None
    letter: str = ""
    ink: str = "#222222"
    title: str = ""


class Grid(msgspec.Struct, frozen=True):
    """A grid of square cells, each one scene unit wide; column 0 is at the left, row 0 at the top.

    Attributes:
        columns, rows: numbers of cells.
        margin: free space on each side, in scene units.
    """

    columns: int
    rows: int
    margin: float = 0.0

    @property
    def width(self) -> float:
        """The width of the picture."""
        return self.columns + 2 * self.margin

    @property
    def height(self) -> float:
        """The height of the picture."""
        return self.rows + 2 * self.margin

    def center(self, column: int, row: int) -> Point:
        """Return the centre of a cell."""
        return self.margin + column + 0.5, self.margin + row + 0.5

    def cells(self, fill: str, *others: str, stroke: str | None = None) -> tuple[Rect, ...]:
        """Return all cells; several colours alternate along rows and columns, as on a chessboard."""
        fills = (fill, *others)
        return tuple(
            Rect(self.margin + x, self.margin + y, 1, 1, fills[(x + y) % len(fills)], stroke)
            for y in range(self.rows)
            for x in range(self.columns)
        )

    def lines(self, stroke: str, width: float = 0.04) -> tuple[Line, ...]:
        """Return lines through the centres of the cells, for games whose pieces stand on crossings."""
        right, bottom = self.columns - 1, self.rows - 1
        ends = [((x, 0), (x, bottom)) for x in range(self.columns)]
        ends += [((0, y), (right, y)) for y in range(self.rows)]
        return tuple(Line((self.center(*start), self.center(*end)), stroke, width) for start, end in ends)

    def labels(self, columns: Sequence[str], rows: Sequence[str], fill: str = _INK) -> tuple[Text, ...]:
        """Return names of columns below the grid and names of rows at its left, in the margin.

        Args:
            columns: from left to right.
            rows: from top to bottom.
        """
        left, below = self.margin / 2, self.height - self.margin / 2
        return (
            *(Text(self.center(n, 0)[0], below, name, _LABEL_SIZE, fill) for n, name in enumerate(columns)),
            *(Text(left, self.center(0, n)[1], name, _LABEL_SIZE, fill) for n, name in enumerate(rows)),
        )

    def piece(self, column: int, row: int, look: Piece, key: str = "") -> tuple[Shape, ...]:
        """Return one piece; with a key it moves smoothly between scenes."""
        return tuple(self._drawn(column, row, look, key))

    def pieces(self, rows: Sequence[str], looks: Mapping[str, Piece]) -> tuple[Shape, ...]:
        """Return the pieces of a whole board.

        Args:
            rows: from top to bottom, one letter per cell; cells with letters that are not in ``looks`` are empty.
            looks: by letter.
        """
        return tuple(
            shape
            for y, row in enumerate(rows)
            for x, letter in enumerate(row)
            if letter in looks
            for shape in self._drawn(x, y, looks[letter], "")
        )

    def _drawn(self, column: int, row: int, look: Piece, key: str) -> Iterator[Shape]:
        x, y = self.center(column, row)
        if look.fill or look.stroke:
            yield Circle(x, y, 0.4, look.fill, look.stroke, key=key, title=look.title)
            key, title, size = key and f"{key}-letter", "", 0.5
        else:
            title, size = look.title, 0.8
        if look.letter:
            size = min(size, size / LETTER_WIDTH / len(look.letter))
            yield Text(x, y, look.letter, size, look.ink, key=key, title=title)


def text_rows(
    text: str, x: float = 0.0, y: float = 0.0, size: float = 1.0, fill: str = "#222222"
) -> tuple[Text, ...]:
    """Return lines of monospaced text, one below the other, in columns.

    Args:
        text: the lines; empty lines leave room.
        x, y: the upper left corner.
        size: height of letters. A letter takes 0.6 of it in width and 1.2 in height.
        fill: colour of the letters.
    """
    lines = _lines(text)
    width = max(map(len, lines), default=0)
    middle = x + width * LETTER_WIDTH * size / 2
    return tuple(
        Text(middle, y + (n + 0.5) * LINE_HEIGHT * size, line.ljust(width), size, fill, monospaced=True)
        for n, line in enumerate(lines)
        if line.strip()
    )


def text_scene(text: str, width: int | None = None, fill: str = "#222222") -> Scene:
    """Return a picture of monospaced text with a margin of one letter: enough for any game that prints its state.

    Args:
        width: the letters of a line, None for any number; longer lines are broken at spaces.
        fill: colour of the letters.
    """
    lines = [
        part for line in _lines(text) for part in (wrap(line, width) if width and line[width:] else [line])
    ]
    columns, rows = max(map(len, lines), default=0) + 2, len(lines) + 2
    shapes = text_rows("\n".join(lines), LETTER_WIDTH, LINE_HEIGHT, fill=fill)
    return Scene(columns * LETTER_WIDTH, rows * LINE_HEIGHT, shapes)


def moved_keys(
    before: Sequence[Sequence[Any]],
    now: Sequence[Sequence[Any]],
    keys: Sequence[Sequence[str]],
    new: str,
    owner: Callable[[Any], object] | None = None,
) -> list[list[str]]:
    """Return the keys of the pieces on a board after a move: a piece keeps its key where it goes.

    Args:
        before, now: the pieces by row and column before and after the move; false values are empty cells.
        keys: the keys before, by row and column.
        new: prefix of the keys of new pieces, which no other move has.
        owner: returns what a piece keeps when its look changes, as in a promotion; None if looks never change.
    """
    places = [(y, x) for y, line in enumerate(now) for x in range(len(line)) if line[x] != before[y][x]]
    left = {(y, x): before[y][x] for y, x in places if before[y][x]}
    after = [list(line) for line in keys]
    looks = list(left.values())
    # Pieces of unchanged look first: they keep their own keys.
    for y, x in sorted(places, key=lambda place: now[place[0]][place[1]] not in looks):
        after[y][x] = ""
        if piece := now[y][x]:
            own = [place for place in left if left[place] == piece]
            own += [place for place in left if owner and owner(left[place]) == owner(piece)]
            start = own[0] if own else None
            after[y][x] = f"{new} {y} {x}" if start is None else keys[start[0]][start[1]]
            if start is not None:
                del left[start]
    return after


def _lines(text: str) -> list[str]:
    return [line.expandtabs() for line in text.splitlines()]
