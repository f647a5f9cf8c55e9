"""Boards of games, read from the library's text: what stands where, and how a picture shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple, TypeAlias


class Man(NamedTuple):
    """A piece on a board: the seat that owns it (None: no seat) and its look.

    Attributes:
        look: "" for a disc, "king" for a ringed one, a chess piece by its letter, or the letters on a disc.
    """

    seat: int | None
    look: str


Rows: TypeAlias = list[list[Man | None]]
"""A board, row by row from the top."""


class Board(NamedTuple):
    """Text and look of a game's board.

    Attributes:
        kind: its look.
        pieces: character of the text and its piece: "x0" for a disc of seat 0, "80k" for its king, "#b" for a block.
        empty: characters of empty cells.
        names: names of columns and rows, like ``a1`` (rows from the bottom), ``a1v`` (from the top), ``00v``; or "".
        label: pattern of what stands before a row of the text.
        is_chequered: whether cells alternate in colour.
    """

    kind: Literal["cells", "points", "hexagons"]
    pieces: str
    empty: str = "."
    names: str = ""
    label: str = ""
    is_chequered: bool = False


_CHESS = Board("cells", "fen", names="a1", is_chequered=True)
BOARDS: dict[str, Board] = {
    "chess": _CHESS,
    "antichess": _CHESS,
    "crazyhouse": _CHESS,
    "kriegspiel": _CHESS,
    "shogi": Board("cells", "sfen"),
    "xiangqi": Board("points", "letters", names="00v"),
    "go": Board("points", "X0 O1", "+", "A1", r"\d+"),
    "phantom_go": Board("points", "X0 O1", "+", "A1", r"\d+"),
    "gomoku": Board("points", "b0 w1", names="00v"),
    "hex": Board("hexagons", "x0 y0 z0 X0 o1 p1 q1 O1", names="a1v"),
    "dark_hex": Board("hexagons", "x0 y0 z0 X0 o1 p1 q1 O1", names="a1v"),
    "othello": Board("cells", "x0 o1", "-", "a1v", r"\d"),
    "connect_four": Board("cells", "x0 o1", names="0"),
    "tic_tac_toe": Board("cells", "x0 o1"),
    "mnk": Board("cells", "x0 o1"),
    "breakthrough": Board("cells", "b0 w1", names="a1", label=r"\d", is_chequered=True),
    "checkers": Board("cells", "o0 80k +1 *1k", names="a1", label=r"\d", is_chequered=True),
    "amazons": Board("cells", "X0 O1 #b", names="00v", is_chequered=True),
    "clobber": Board("cells", "o0 x1", names="a1", label=r"\d+", is_chequered=True),
    "lines_of_action": Board("cells", "x0 o1", names="a1", label=r"\d", is_chequered=True),
}
"""Boards that are drawn, by short name; texts of other games are shown as they are."""

_BLANKS = {ord(mark): " " for mark in "\t\r\x0b\x0c"}
_PROMOTED = str.maketrans("each", "qbrn")
"""Letters of promoted pieces in crazyhouse, which fall back to pawns when captured."""

_GO_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def text_of(text: str) -> str:
    """Return a text of the library without trailing blanks."""
    return "\n".join(line.rstrip() for line in text.translate(_BLANKS).split("\n")).strip("\n")


def cells(board: Board, text: str) -> Rows:
    """Return the rows of a board, from the top; empty if the text is not a board of this kind."""
    if board.pieces in ("fen", "sfen"):
        return [list(_from_fen(row, board.pieces)) for row in text.split()[0].partition("[")[0].split("/")]
    pieces, pattern = _reader(board)
    rows = [match[1].replace(" ", "") for line in text.split("\n") if (match := pattern.fullmatch(line))]
    width = max(map(len, rows), default=0)
    return [[pieces.get(mark) for mark in row] for row in rows if len(row) == width]


def in_hand(board: Board, text: str) -> str:
    """Return the captured pieces that can be dropped, as letters; empty for none."""
    if board.pieces == "sfen":
        hand = text.split()[2]
        return "" if hand == "-" else hand
    return text.partition("[")[2].partition("]")[0] if board.pieces == "fen" else ""


def names(board: Board, height: int, width: int) -> tuple[list[str], list[str]]:
    """Return the names of columns, and of rows from the top; empty if the game has none."""
    if not board.names:
        return [], []
    letters = _GO_LETTERS if board.names[0] == "A" else _LETTERS
    columns = [str(column) if board.names[0] == "0" else letters[column] for column in range(width)]
    if len(board.names) == 1:
        return columns, []
    first = int(board.names[1])
    lines = [str(first + row) for row in range(height)]
    return columns, lines if board.names.endswith("v") else lines[::-1]


@cache
def _reader(board: Board) -> tuple[dict[str, Man], re.Pattern[str]]:
    if board.pieces == "letters":
        pieces = {letter: Man(0, letter) for letter in "RHEAGCS"}
        pieces |= {letter.lower(): Man(1, letter) for letter in "RHEAGCS"}
    else:
        pieces = {
            code[0]: Man(None if code[1] == "b" else int(code[1]), "king" if code[2:] else "")
            for code in board.pieces.split()
        }
    marks = re.escape("".join([*pieces, *board.empty]))
    return pieces, re.compile(rf"\s*{board.label}\s*([{marks}](?: ?[{marks}])*)[\s\d]*")


def _from_fen(row: str, notation: str) -> Iterator[Man | None]:
    """Yield the cells of a row of a FEN (seat 1 has the capitals, white) or an SFEN (seat 0 has them)."""
    capital = 1 if notation == "fen" else 0
    for mark in re.findall(r"\d+|\+?[A-Za-z]", row):
        if mark[0].isdigit():
            yield from [None] * int(mark)
        else:
            seat = capital if mark[-1].isupper() else 1 - capital
            yield Man(seat, mark.upper() if notation == "sfen" else mark.lower().translate(_PROMOTED))
