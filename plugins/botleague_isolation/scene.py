"""The picture of a position: cells, closed cells, tokens, the last move and where the mover can go.

Cells are called as on a chessboard: a letter for the column, from the left, and a number for the row, from below.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase

from botleague.rules import Circle, Event, Line, Rect, Scene, Shape, Text, seat_color, seat_name
from botleague_isolation.board import Setup
from botleague_isolation.engine import Loc, Position
from botleague_isolation.state import State

__all__ = ["cell_name", "draw"]

_OPEN, _CLOSED, _GRID, _INK = "#fffdf8", "#4a4f57", "#c9c3b6", "#ffffff"
_LAST, _REMOVED = "#e0a92f", "#8a2f2f"


def draw(setup: Setup, state: State, position: Position, ending: str) -> Scene:
    """Return the scene of ``state``.

    Args:
        setup: the board.
        state: what to draw.
        position: the same as a position of the engine.
        ending: the result of the match, empty until its end.
    """
    shapes: list[Shape] = [
        _cell(setup, state.board, x, y) for y in range(setup.height) for x in range(setup.width)
    ]
    last_mover = (state.ply - 1) % 2  # a player number, like the indices of locs
    arrived = state.locs[last_mover] if state.ply else None
    if state.came_from is not None and arrived is not None:
        shapes.append(Line((_centre(setup, state.came_from), _centre(setup, arrived)), _LAST, 0.1))
    if state.removed is not None:
        shapes.append(Circle(*_centre(setup, state.removed), 0.18, fill=_REMOVED, title="closed last"))
    if not ending:
        shapes += _ways_out(setup, state, position)
    for player, loc in enumerate(state.locs):
        if loc is not None:
            has_moved = player == last_mover and arrived is not None
            shapes += _token(setup, state.seat(player), loc, position, has_moved=has_moved)
    return Scene(
        setup.width,
        setup.height,
        tuple(shapes),
        _caption(state, position, ending),
        scores=tuple(float(_mobility(position, state.locs[state.player(seat)])) for seat in (0, 1)),
        events=tuple(_events(state, position, ending)),
    )


def cell_name(setup: Setup, cell: int) -> str:
    """Return what a cell is called, "g3"; beyond z come aa, ab and so on."""
    y, x = divmod(cell, setup.pitch)
    column, letters = setup.width - x, ""
    while column:
        column, letter = divmod(column - 1, len(ascii_lowercase))
        letters = ascii_lowercase[letter] + letters
    return f"{letters}{y + 1}"


def _cell(setup: Setup, board: int, x: int, y: int) -> Rect:
    cell = y * setup.pitch + x
    is_open = board >> cell & 1
    name = cell_name(setup, cell)
    return Rect(
        *(setup.width - 1 - x, setup.height - 1 - y, 1, 1),
        fill=_OPEN if is_open else _CLOSED,
        stroke=_GRID,
        key=name,
        title=f"{name}, {'open' if is_open else 'closed'}",
    )


def _token(setup: Setup, seat: int, cell: int, position: Position, *, has_moved: bool) -> Iterator[Shape]:
    x, y = _centre(setup, cell)
    yield Circle(
        *(x, y, 0.38),
        fill=seat_color(seat),
        stroke=_LAST if has_moved else None,
        key=f"token {seat}",
        title=f"{seat_name(seat)} on {cell_name(setup, cell)}, ways out: {_mobility(position, cell)}",
    )
    yield Text(x, y, str(seat), 0.5, _INK, key=f"number {seat}")


def _centre(setup: Setup, cell: int) -> tuple[float, float]:
    y, x = divmod(cell, setup.pitch)
    return setup.width - x - 0.5, setup.height - y - 0.5


def _mobility(position: Position, loc: Loc) -> int:
    """Return how many cells a token can go to; one that is not placed yet would hide everything else in a graph."""
    return 0 if loc is None else len(position.liberties(loc))


def _ways_out(setup: Setup, state: State, position: Position) -> list[Shape]:
    mover = position.player()
    if position.locs[mover] is None:
        return []  # everywhere: dots would hide the board
    return [
        Circle(*_centre(setup, cell), 0.12, fill=seat_color(state.seat(mover)))
        for cell in position.liberties(position.locs[mover])
    ]


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
    if state.earlier is not None and state.came_from is None and not ending:
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
