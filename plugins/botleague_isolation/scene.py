"""The picture of a position: who reaches which cell first, tokens with their trails, and the steps of the mover.

Cells are called as on a chessboard: a letter for the column, from the left, and a number for the row, from below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from string import ascii_lowercase

from botleague.rules import (
    Circle,
    Emblem,
    Event,
    Line,
    Polygon,
    Rect,
    Scene,
    Shape,
    Text,
    seat_color,
    seat_name,
)
from botleague.rules.scene import Point
from botleague_isolation.board import Setup
from botleague_isolation.engine import Loc, Position
from botleague_isolation.state import State

SCORE_WORDS = ("cells", "had more room")

_GROUND, _OPEN, _CLOSED, _INK, _SOFT = "#f0eee6", "#fbfaf7", "#cbc5b8", "#15181d", "#59616c"
_ON_TOKEN, _REMOVED = "#fffffe", "#b3341f"

DARK = {
    _GROUND: "#171b22",
    _OPEN: "#2a313c",
    _CLOSED: "#0a0d12",
    _INK: "#eef1f5",
    _SOFT: "#9ba6b4",
    _ON_TOKEN: "#0e1116",
    _REMOVED: "#ff8d7a",
}

_MARGIN = 0.62
"""Space for the names of columns and rows, in cells."""

_REACHED = "38"
"""Opacity of a seat's colour on the cells that it reaches first."""

_TRAIL = ("d0", "80", "40")
"""Opacity of the newest three steps, of those before, and of the oldest; few values keep replays small."""

_KNIGHT: tuple[Point, ...] = (
    *((-0.24, 0.33), (0.27, 0.33), (0.25, 0.22), (0.18, 0.17), (0.21, 0.0), (0.18, -0.15), (0.08, -0.26)),
    *((-0.01, -0.29), (-0.04, -0.38), (-0.10, -0.28), (-0.17, -0.20), (-0.21, -0.08), (-0.30, 0.03)),
    *((-0.27, 0.11), (-0.19, 0.12), (-0.11, 0.05), (-0.03, 0.03), (-0.06, 0.11), (-0.15, 0.17)),
    (-0.20, 0.22),
)
"""Outline of a knight that looks to the left, in cells from its centre."""


def draw(setup: Setup, state: State, position: Position, ending: str) -> Scene:
    """Return the scene of ``state``.

    Args:
        state: what to draw.
        position: the same as a position of the engine.
        ending: the result of the match, empty until its end.
    """
    owners = _first_reached(position)
    first = {cell: state.seat(player) for cell, player in owners.items()}
    shapes: list[Shape] = [
        _cell(setup, cell, bool(state.board >> cell & 1), first.get(cell))
        for row in range(0, setup.height * setup.pitch, setup.pitch)
        for cell in range(row, row + setup.width)
    ]
    shapes += _coordinates(setup)
    shapes += _trail(setup, state)
    if state.removed is not None:
        shapes.append(Circle(*_centre(setup, state.removed), 0.18, fill=_REMOVED, title="closed last"))
    if not ending:
        shapes += _ways_out(setup, state, position)
    last_mover = (state.ply - 1) % 2 if state.ply else None  # a player number, like the indices of locs
    for player, loc in enumerate(state.locs):
        if loc is not None:
            shapes += _token(setup, state.seat(player), loc, position, has_moved=player == last_mover)
    return Scene(
        setup.width + _MARGIN,
        setup.height + _MARGIN,
        tuple(shapes),
        _caption(state, position, ending),
        _GROUND,
        scores=tuple(float(list(owners.values()).count(state.player(seat))) for seat in (0, 1)),
        events=tuple(_events(state, position, ending)),
    )


def cell_name(setup: Setup, cell: int) -> str:
    """Return the name of a cell, "g3"; beyond z come aa, ab and so on."""
    y, x = divmod(cell, setup.pitch)
    return f"{_column_name(setup.width - x)}{y + 1}"


def _column_name(column: int) -> str:
    letters = ""
    while column:
        column, letter = divmod(column - 1, len(ascii_lowercase))
        letters = ascii_lowercase[letter] + letters
    return letters


def _first_reached(position: Position) -> Mapping[int, int]:
    """Return the open cells with the player whose token is there first; at equal distance it is the one to move.

    Empty until both tokens are placed.
    """
    if None in position.locs:
        return {}
    mover = position.player()
    distances = [_distances(position, loc) for loc in position.locs]
    return {
        cell: min((0, 1), key=lambda player: (distances[player].get(cell, math.inf), player != mover))
        for cell in distances[0].keys() | distances[1].keys()
    }


def _distances(position: Position, loc: Loc) -> dict[int, int]:
    """Return the number of steps to each cell in reach."""
    reached: dict[int, int] = {}
    newest = [loc]
    steps = 0
    while newest:
        steps += 1
        further = {cell for start in newest for cell in position.liberties(start)} - reached.keys()
        reached.update(dict.fromkeys(further, steps))
        newest = [*further]
    return reached


@lru_cache(maxsize=4096)  # pictures of consecutive turns share most cells
def _cell(setup: Setup, cell: int, is_open: bool, first: int | None) -> Rect:
    """Return a cell; ``first`` is the seat that reaches it first."""
    name = cell_name(setup, cell)
    title = f"{name} (cell {cell}), {'open' if is_open else 'closed'}"
    fill = _OPEN if is_open else _CLOSED
    if is_open and first is not None:
        fill = seat_color(first) + _REACHED
        title += f", {seat_name(first)} is there first"
    left, top = _centre(setup, cell)
    return Rect(left - 0.46, top - 0.46, 0.92, 0.92, fill, key=name, title=title, radius=0.08)


def _coordinates(setup: Setup) -> Iterator[Text]:
    bottom = setup.height + _MARGIN / 2
    for column in range(1, setup.width + 1):
        yield Text(_MARGIN + column - 0.5, bottom, _column_name(column), 0.3, _SOFT)
    for row in range(1, setup.height + 1):
        yield Text(_MARGIN / 2, setup.height - row + 0.5, str(row), 0.3, _SOFT)


def _trail(setup: Setup, state: State) -> Iterator[Shape]:
    """Yield the newest steps, older ones paler."""
    for age, (start, end) in enumerate(reversed(state.hops)):
        color = seat_color(state.seat((state.ply - 1 - age) % 2))
        opacity = _TRAIL[age // 3]
        points = (_centre(setup, start), _centre(setup, end))
        yield Line(points, color + opacity, 0.12 if age < 2 else 0.07)
        yield Circle(*points[0], 0.12, fill=color + opacity)


def _token(setup: Setup, seat: int, cell: int, position: Position, *, has_moved: bool) -> Iterator[Shape]:
    x, y = _centre(setup, cell)
    key = f"token {seat}"
    if has_moved:
        yield Rect(x - 0.5, y - 0.5, 1, 1, _INK, key=f"{key} rim", radius=0.16)
        yield Rect(x - 0.45, y - 0.45, 0.9, 0.9, _GROUND, key=f"{key} gap", radius=0.13)
    title = f"{seat_name(seat)} on {cell_name(setup, cell)}, ways out: {_mobility(position, cell)}"
    yield Rect(x - 0.41, y - 0.41, 0.82, 0.82, seat_color(seat), key=key, title=title, radius=0.1)
    if setup.moves == "knight":
        yield Polygon(tuple((x + dx, y + dy) for dx, dy in _KNIGHT), _ON_TOKEN, key=f"{key} piece")
        yield Circle(x - 0.08, y - 0.16, 0.03, seat_color(seat), key=f"{key} eye")
    else:
        yield Emblem(x, y, 0.66, seat, _ON_TOKEN, key=f"{key} piece")


def _centre(setup: Setup, cell: int) -> Point:
    y, x = divmod(cell, setup.pitch)
    return _MARGIN + setup.width - x - 0.5, setup.height - y - 0.5


def _mobility(position: Position, loc: Loc) -> int:
    """Return how many cells a token can go to; one that is not placed yet could go anywhere."""
    return 0 if loc is None else len(position.liberties(loc))


def _ways_out(setup: Setup, state: State, position: Position) -> list[Shape]:
    mover = position.player()
    if position.locs[mover] is None:
        return []  # everywhere: rings would hide the board
    color = seat_color(state.seat(mover))
    return [
        Line(_ring(*_centre(setup, cell)), color, 0.07, title="way out")
        for cell in position.liberties(position.locs[mover])
    ]


def _ring(x: float, y: float) -> tuple[Point, ...]:
    # Outlines of circles are hairlines in every viewer. Rounded as replays store places, so that pictures are equal.
    angles = (math.radians(angle) for angle in range(0, 361, 20))
    return tuple((round(x + 0.18 * math.cos(a), 3), round(y + 0.18 * math.sin(a), 3)) for a in angles)


def _caption(state: State, position: Position, ending: str) -> tuple[str, ...]:
    free = ["not placed" if loc is None else f"{_mobility(position, loc)} open" for loc in state.locs]
    rematch = "" if state.earlier is None else "rematch, "
    return (
        f"{rematch}ply {state.ply}"
        + ("" if ending else f", {seat_name(state.seat(position.player()))} to move"),
        "ways out: " + ", ".join(f"{seat_name(seat)} {free[state.player(seat)]}" for seat in (0, 1)),
        *((ending,) if ending else ()),
    )


def _events(state: State, position: Position, ending: str) -> Iterator[Event]:
    if state.earlier is not None and not state.hops and not ending:
        yield Event("the rematch begins", weight=2)
    for forfeit in state.forfeits:
        yield Event(f"{seat_name(forfeit.seat)} forfeits the game", forfeit.seat, 3)
    for player, loc in enumerate(state.locs):
        if loc is None or state.forfeits:
            continue
        seat, ways = state.seat(player), _mobility(position, loc)
        if ending and not ways:
            yield Event(f"{seat_name(seat)} is stuck", seat, 3)
        elif ways == 1 and player == position.player():
            yield Event(f"{seat_name(seat)} has one way out", seat)
