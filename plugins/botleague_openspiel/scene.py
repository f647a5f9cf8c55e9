"""Pictures of positions: drawn boards where the game has one, else the library's text.

Colours are those of seats, so player numbers: in chess seat 1 has white and begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from botleague.rules import (
    Circle,
    Grid,
    Outcome,
    Polygon,
    Rect,
    Scene,
    Shape,
    Text,
    hexagon,
    moved_keys,
    seat_color,
    seat_name,
    text_scene,
)
from botleague_openspiel.boards import BOARDS, Board, Man, Rows, cells, in_hand, names, text_of

if TYPE_CHECKING:
    from botleague_openspiel.library import Position
    from botleague_openspiel.state import State

Point: TypeAlias = tuple[float, float]

_GROUND, _CELL, _OTHER, _LAST, _GRID = "#f0eee6", "#fbfaf7", "#e3ddcf", "#f2dfa8", "#a39b89"
_INK, _SOFT, _ON_PIECE, _BLOCK = "#15181d", "#59616c", "#fffffe", "#8c8474"
DARK = {
    _GROUND: "#171b22",
    _CELL: "#2a313c",
    _OTHER: "#20262f",
    _LAST: "#5b4d22",
    _GRID: "#596474",
    _INK: "#eef1f5",
    _SOFT: "#9ba6b4",
    _ON_PIECE: "#0e1116",
    _BLOCK: "#66717f",
}

_MARGIN = 0.62
_ROW = 0.75**0.5  # distance of two rows of hexagons
_TEXT_WIDTH = 76  # letters in a line
_WORDS = {"p": "pawn", "r": "rook", "n": "knight", "b": "bishop", "q": "queen", "k": "king"}
SCORE_WORDS = {
    **dict.fromkeys(("chess", "crazyhouse", "kriegspiel"), ("material", "had more material")),
    **dict.fromkeys(("othello", "checkers"), ("pieces", "had more pieces")),
}
_WORTH = {"p": 1.0, "n": 3.0, "b": 3.0, "r": 5.0, "q": 9.0}


def _mirrored(*right: Point) -> tuple[Point, ...]:
    """Return an outline that is symmetric, from its right half, bottom up."""
    return (*right, *((-x, y) for x, y in reversed(right) if x))


_FOOT: tuple[Point, ...] = ((0.26, 0.36), (0.25, 0.26), (0.18, 0.2))
_OUTLINES: dict[str, tuple[Point, ...]] = {
    "p": _mirrored((0.23, 0.36), (0.21, 0.26), (0.1, 0.17), (0.07, 0.0), (0.14, -0.04), (0.1, -0.09), (0.15, -0.17),
        (0.12, -0.27), (0.0, -0.32)),
    "r": _mirrored(*_FOOT, (0.15, -0.1), (0.23, -0.17), (0.23, -0.34), (0.12, -0.34), (0.12, -0.26), (0.05, -0.26),
        (0.05, -0.34)),
    "n": ((-0.24, 0.36), (0.27, 0.36), (0.25, 0.25), (0.18, 0.18), (0.21, 0.0), (0.18, -0.16), (0.08, -0.28),
        (-0.01, -0.31), (-0.04, -0.4), (-0.1, -0.3), (-0.17, -0.2), (-0.21, -0.08), (-0.3, 0.03), (-0.27, 0.11),
        (-0.19, 0.12), (-0.11, 0.05), (-0.03, 0.03), (-0.06, 0.11), (-0.15, 0.18), (-0.2, 0.24)),
    "b": _mirrored((0.25, 0.36), (0.23, 0.27), (0.1, 0.21), (0.08, 0.09), (0.16, 0.02), (0.17, -0.1), (0.1, -0.22),
        (0.03, -0.29), (0.05, -0.35), (0.0, -0.4)),
    "q": _mirrored(*_FOOT, (0.23, -0.02), (0.35, -0.27), (0.18, -0.08), (0.16, -0.35), (0.05, -0.1), (0.0, -0.39)),
    "k": _mirrored(*_FOOT, (0.29, 0.0), (0.28, -0.13), (0.17, -0.18), (0.05, -0.1), (0.04, -0.23), (0.12, -0.23),
        (0.12, -0.3), (0.04, -0.3), (0.04, -0.4)),
}  # fmt: skip
"""Outlines of chess pieces, in cells from the centre."""


class Drawing:
    """Pictures of one game. Pieces have keys that follow them along the history, and depend on the history alone."""

    def __init__(self, name: str) -> None:
        self._name = name
        # History, position, pieces and keys of the last picture: most pictures are drawn in the order of turns.
        self._last: tuple[tuple[int, ...], Position, Rows, list[list[str]]] | None = None

    def scene(self, state: State, acting: Sequence[int], outcome: Outcome | None) -> Scene:
        """Return the picture of a state, with the seats that act and the outcome of a match that is over."""
        position, text = state.position, text_of(str(state.position))
        to_move = f", {' and '.join(map(seat_name, acting))} to move" if acting else ""
        caption = [f"{position.move_number()} actions{to_move}"]
        rows = self._rows(position)
        if not rows:
            scene = written(text)
        elif self._name == "backgammon":
            scene = _backgammon(rows, self._keys(state), text)
        else:
            before = rows if state.before is None else self._rows(state.before)
            scene = _board(self._name, rows, before, self._keys(state))
            if hand := in_hand(BOARDS[self._name], text):
                caption.append(f"in hand: {hand}")
        return msgspec.structs.replace(
            scene, caption=(*caption, *scene.caption, *([outcome.reason] if outcome else ()))
        )

    def _rows(self, position: Position) -> Rows:
        """Return the pieces of a drawn board, none for others; in backgammon by point, and last of all on the bar."""
        text = text_of(str(position))
        if self._name != "backgammon":
            return cells(BOARDS[self._name], text) if self._name in BOARDS else []
        bar = re.search(r"^Bar:(.*)", text, re.MULTILINE)
        stacks = [[position.board(seat, point) for seat in (0, 1)] for point in range(24)]
        stacks += [[bar[1].count("x"), 0], [0, bar[1].count("o")]] if bar else [[0, 0]] * 2
        return [([Man(0, "")] * x + [Man(1, "")] * o + [None] * 15)[:15] for x, o in stacks]

    def _keys(self, state: State) -> list[list[str]]:
        """Return the keys of the pieces by cell; "" on boards that start empty, on which nothing moves."""
        last = self._last
        if last is None or state.history[: len(last[0])] != last[0]:
            start = state.position.get_game().new_initial_state()
            rows = self._rows(start)
            nothing = [[""] * len(line) for line in rows]
            last = (
                (),
                start,
                rows,
                moved_keys(nothing, rows, nothing, "start") if any(map(any, rows)) else nothing,
            )
        history, position, rows, keys = last
        if any(map(any, keys)):
            position = position.clone()
            for ply in range(len(history), len(state.history)):
                position.apply_action(state.history[ply])
                before, rows = rows, self._rows(position)
                keys = moved_keys(before, rows, keys, str(ply), owner=lambda man: man.seat)
            self._last = state.history, position, rows, keys
        return keys


def written(text: str, caption: str = "") -> Scene:
    """Return a text as a picture."""
    return msgspec.structs.replace(
        text_scene(text, _TEXT_WIDTH, _INK), caption=(caption,) if caption else (), background=_GROUND
    )


def _board(name: str, rows: Rows, before: Rows, keys: list[list[str]]) -> Scene:
    """Return the picture of a board: cells or points, what was just changed, names, and pieces."""
    board, height, width = BOARDS[name], len(rows), len(rows[0])
    columns, lines = names(board, height, width)
    grid = Grid(width, height, _MARGIN if columns else 0.1)
    shapes: list[Shape] = []
    if board.kind == "hexagons":
        shapes += _hexagons(height, width, columns, lines)
    elif board.kind == "points":
        shapes += grid.lines(_GRID)
    else:
        shapes += grid.cells(_CELL, _OTHER) if board.is_chequered else grid.cells(_CELL, stroke=_GRID)
    if board.kind != "hexagons":
        shapes += grid.labels(columns, lines, _SOFT)
    men: list[Shape] = []  # above all marks, also on their way
    for row, line in enumerate(rows):
        for column, man in enumerate(line):
            center = _hexagon_center(row, column) if board.kind == "hexagons" else grid.center(column, row)
            if man != before[row][column]:
                shapes.append(_mark(board, *center))
            if man is not None:
                where = f" on {columns[column]}{lines[row] if lines else ''}" if columns else ""
                men += _man(man, center, board, where, keys[row][column])
            elif name == "connect_four":
                shapes.append(Circle(*center, 0.4, _GROUND))
    size = _hexagon_center(height - 1, width - 1) if board.kind == "hexagons" else (grid.width, grid.height)
    slack = 1.3 if board.kind == "hexagons" else 0.0
    return Scene(size[0] + slack, size[1] + slack, (*shapes, *men), (), _GROUND, scores=_scores(name, rows))


def _hexagon_center(row: int, column: int) -> Point:
    return 1.3 + column + row / 2, 0.8 + row * _ROW


def _hexagons(height: int, width: int, columns: Sequence[str], lines: Sequence[str]) -> Iterator[Shape]:
    """Yield the cells of hex, with sides in the colours of the seats that connect them: seat 0 top and bottom."""
    places = [[_hexagon_center(row, column) for column in range(width)] for row in range(height)]
    first, last = ([row[end] for row in places] for end in (0, -1))
    for seat, line, dx, dy in (
        (1, first, -1, 0),
        (1, last, 1, 0),
        (0, places[0], 0, -1),
        (0, places[-1], 0, 1),
    ):
        for x, y in line:
            yield Polygon(hexagon(x + 0.16 * dx, y + 0.16 * dy, 0.577), seat_color(seat))
    for place in (place for line in places for place in line):
        yield Polygon(hexagon(*place, 0.577), _CELL, _GRID)
    for (x, y), label in zip(places[-1], columns, strict=True):
        yield Text(x, y + 1.02, label, 0.36, _SOFT)
    for line, label in zip(places, lines, strict=True):
        yield Text(line[0][0] - 0.98, line[0][1], label, 0.36, _SOFT)


def _mark(board: Board, x: float, y: float) -> Shape:
    """Return the mark of a cell on which the last action changed something."""
    if board.kind == "hexagons":
        return Polygon(hexagon(x, y, 0.56), _LAST)
    return Rect(x - 0.47, y - 0.47, 0.94, 0.94, _LAST, radius=0.08)


def _man(man: Man, center: Point, board: Board, where: str, key: str) -> Iterator[Shape]:
    x, y = center
    if man.seat is None:
        yield Rect(x - 0.34, y - 0.34, 0.68, 0.68, _BLOCK, key=key, title=f"blocked{where}", radius=0.1)
        return
    color = seat_color(man.seat)
    title = f"{seat_name(man.seat)}, {_WORDS.get(man.look, man.look) or 'stone'}{where}"
    if board.pieces == "fen":
        outline = tuple((x + dx, y + dy) for dx, dy in _OUTLINES[man.look])
        yield Polygon(outline, color, _INK, key=key, title=title)
        return
    yield Circle(x, y, 0.42, color, key=key, title=title)
    if man.look == "king":
        yield Circle(x, y, 0.25, _ON_PIECE, key=key and f"{key} ring")
        yield Circle(x, y, 0.17, color, key=key and f"{key} core")
    elif man.look:
        yield Text(x, y, man.look, 0.5 if len(man.look) == 1 else 0.42, _ON_PIECE, key=key and f"{key} look")


def _scores(name: str, rows: Rows) -> tuple[float, ...]:
    """Return material in chess, and pieces in othello and checkers; nothing elsewhere."""
    if name not in SCORE_WORDS:
        return ()
    men = [man for row in rows for man in row if man]
    worth = _WORTH if BOARDS[name].pieces == "fen" else {"": 1.0, "king": 1.0}
    return tuple(sum((worth.get(man.look, 0.0) for man in men if man.seat == seat), 0.0) for seat in (0, 1))


def _backgammon(rows: Rows, keys: list[list[str]], text: str) -> Scene:
    """Return a board of backgammon: points 12 to 23 above, 11 to 0 below, the bar between, borne off checkers named."""
    shapes: list[Shape] = [Rect(0.2, 0.2, 13.6, 10.6, _CELL, radius=0.15), Rect(6.5, 0.2, 1, 10.6, _OTHER)]
    men: list[Shape] = []
    for point in range(24):
        column = point - 12 if point >= 12 else 11 - point
        x = 1.0 + column + (column >= 6)
        base, sign = (0.2, 1) if point >= 12 else (10.8, -1)
        title = f"point {point + 1}"
        triangle = ((x - 0.45, base), (x + 0.45, base), (x, base + sign * 4.4))
        shapes.append(Polygon(triangle, _OTHER if point % 2 else _GRID, title=title))
        men += _stack(rows[point], keys[point], (x, base), sign, title)
    for point, base, sign in ((24, 5.9, 1), (25, 5.1, -1)):
        men += _stack(rows[point], keys[point], (7.0, base), sign, "bar")
    dice, off = (re.search(rf"^{name}(.*)", text, re.MULTILINE) for name in ("Dice:", "Scores"))
    more = (
        f"dice: {dice[1].strip()}" if dice and dice[1].strip() else "no dice",
        f"borne off: {' to '.join(re.findall(r'[0-9]+', off[1] if off else ''))}",
    )
    return Scene(14, 11, (*shapes, *men), more, _GROUND, scores=_pips(rows))


def _stack(
    men: Sequence[Man | None], keys: Sequence[str], foot: Point, sign: int, title: str
) -> Iterator[Shape]:
    """Yield the checkers of a point; those beyond five are on the fifth, which has their number."""
    x, base = foot
    number = sum(man is not None for man in men)
    for height, (man, key) in enumerate(zip(men[:number], keys, strict=False)):
        y = base + sign * (0.45 + min(height, 4) * 0.86)
        if man is not None and man.seat is not None:
            color, owner = seat_color(man.seat), seat_name(man.seat)
            yield Circle(x, y, 0.42, color, _CELL, key=key, title=f"{owner}, {number} on {title}")
    if number > 5:
        yield Text(x, base + sign * 3.89, str(number), 0.45, _ON_PIECE)


def _pips(rows: Rows) -> tuple[float, float]:
    """Return how far each seat is ahead of an empty start, in pips: 375 minus those to go. Seat 0 goes upwards."""
    ahead = [375.0, 375.0]
    for point, line in enumerate(rows):
        for man in filter(None, line):
            seat = man.seat or 0
            ahead[seat] -= 25 if point > 23 else point + 1 if seat else 24 - point
    return ahead[0], ahead[1]
