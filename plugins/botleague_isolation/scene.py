"""The picture of a position: cells, closed cells, tokens, the last move and where the mover can go."""

from __future__ import annotations

from botleague.rules import Circle, Line, Rect, Scene, Shape, Text, seat_color, seat_name
from botleague_isolation.board import Setup
from botleague_isolation.engine import Position
from botleague_isolation.state import State

__all__ = ["draw"]

_OPEN, _CLOSED, _GRID, _INK = "#fffdf8", "#4a4f57", "#c9c3b6", "#ffffff"
_LAST, _REMOVED = "#e0a92f", "#8a2f2f"


def draw(setup: Setup, state: State, position: Position, ending: str) -> Scene:
    """Return the scene of ``state``.

    Args:
        setup: the board.
        state: what to draw.
        position: the same as a position of the engine.
        ending: how the match ended, empty while it goes on.
    """
    shapes: list[Shape] = [
        _cell(setup, state.board, x, y) for y in range(setup.height) for x in range(setup.width)
    ]
    last_mover = (state.ply - 1) % 2  # a player number, like the indices of locs
    arrived = state.locs[last_mover] if state.ply else None
    if state.came_from is not None and arrived is not None:
        shapes.append(Line((_centre(setup, state.came_from), _centre(setup, arrived)), _LAST, 0.1))
    if state.removed is not None:
        shapes.append(Circle(*_centre(setup, state.removed), 0.18, fill=_REMOVED))
    if not ending:
        shapes += _ways_out(setup, state, position)
    for player, loc in enumerate(state.locs):
        if loc is not None:
            x, y = _centre(setup, loc)
            seat = state.seat(player)
            ring = _LAST if player == last_mover and arrived is not None else None
            shapes.append(Circle(x, y, 0.38, fill=seat_color(seat), stroke=ring))
            shapes.append(Text(x, y, str(seat), 0.5, _INK))
    return Scene(setup.width, setup.height, tuple(shapes), _caption(state, position, ending))


def _cell(setup: Setup, board: int, x: int, y: int) -> Rect:
    fill = _OPEN if board >> y * setup.pitch + x & 1 else _CLOSED
    return Rect(setup.width - 1 - x, setup.height - 1 - y, 1, 1, fill=fill, stroke=_GRID)


def _centre(setup: Setup, cell: int) -> tuple[float, float]:
    y, x = divmod(cell, setup.pitch)
    return setup.width - x - 0.5, setup.height - y - 0.5


def _ways_out(setup: Setup, state: State, position: Position) -> list[Shape]:
    mover = position.player()
    if position.locs[mover] is None:
        return []  # everywhere: dots would hide the board
    return [
        Circle(*_centre(setup, cell), 0.12, fill=seat_color(state.seat(mover)))
        for cell in position.liberties(position.locs[mover])
    ]


def _caption(state: State, position: Position, ending: str) -> tuple[str, ...]:
    free = ["not placed" if loc is None else f"{len(position.liberties(loc))} open" for loc in state.locs]
    rematch = "" if state.earlier is None else "rematch, "
    return (
        f"{rematch}ply {state.ply}"
        + ("" if ending else f", {seat_name(state.seat(position.player()))} to move"),
        "ways out: " + ", ".join(f"{seat_name(seat)} {free[state.player(seat)]}" for seat in (0, 1)),
        *((ending,) if ending else ()),
    )
