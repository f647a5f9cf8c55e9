"""The picture of a battle: board, ring of death, traps, units, and what the last action did.

Tiles measure one scene unit from centre to corner. The board keeps the size that the map gives it, so that the
ring is seen closing in. The layer ``grid`` holds the edges of tiles, ``plates`` the lines from plates to targets.
Everything in this game is public: the view of a seat is the battle as far as it was told, without who steers whom.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeAlias

from botleague.rules import (
    Circle,
    Event,
    Line,
    Polygon,
    Scene,
    Shape,
    Text,
    hexagon,
    moved_into,
    seat_color,
    seat_name,
)
from botleague_botroyale.hexagon import ORIGIN, Hexagon, tile
from botleague_botroyale.maps import GameMap
from botleague_botroyale.plates import Plate, PlateType
from botleague_botroyale.state import State

__all__ = ["draw"]

Point: TypeAlias = tuple[float, float]

_GROUND = "#e7e2d6"
_EDGE = "#cfc8b8"
_DOOMED = "#efc9c0"
_LOST = "#d9d5cc"
_PIT = "#1d1b22"
_WALL = "#8b8378"
_BODY = "#b0aaa0"
_RING = "#c0392b"
_NOBODY = "#777777"
_PLATES = {
    PlateType.DEATH_RADIUS_TRAP: ("#c0392b", "R", "closes the ring"),
    PlateType.PIT_TRAP: ("#5b3fa0", "P", "digs pits"),
    PlateType.WALL_TRAP: ("#6d6a2c", "W", "builds walls"),
    PlateType.ERASE_TRAP: ("#2b7a78", "E", "clears tiles"),
}
_EFFECTS = {"death": "#c0392b", "kill": "#c0392b", "illegal": "#d98c00", "pressure-pop": "#5b3fa0"}


def draw(
    state: State,
    game_map: GameMap,
    owners: Sequence[int | None],
    faults: Sequence[str | None],
    illegal: Sequence[int],
    seats: int = 0,
    since: int = 0,
) -> Scene:
    """Return the picture of ``state``.

    Args:
        state: the battle.
        game_map: the map it is played on, which gives the picture its size.
        owners: per unit, the seat in whose colour it is drawn, or None.
        faults: per unit, the kind of fault that killed it, or None.
        illegal: per unit, how many illegal actions it tried.
        seats: number of seats, 0 for a picture without scores.
        since: the battle's step of the last request to a bot.
    """
    reach = game_map.death_radius
    canvas = _Canvas(reach)
    shapes = (
        *_board(state, canvas, reach),
        *_features(state, canvas),
        *_ring(state, reach),
        *_units(state, canvas, owners),
        *_last_action(state, canvas),
    )
    alive = [owners[uid] for uid in state.living]
    return Scene(
        canvas.width,
        canvas.height,
        shapes,
        tuple(_caption(state, owners, faults, illegal)),
        scores=tuple(float(alive.count(seat)) for seat in range(seats)),
        events=tuple(_events(state, owners, since)),
    )


class _Canvas:
    """Positions of tiles in the picture."""

    def __init__(self, reach: int) -> None:
        self.reach = reach
        self.width = round(math.sqrt(3) * (2 * reach + 1) + 1, 2)
        self.height = 3 * reach + 3.0

    def at(self, hex: Hexagon) -> Point:
        x, y = hex.pixel_position(1)
        return (round(x + self.width / 2, 2), round(y + self.height / 2, 2))

    def holds(self, hex: Hexagon) -> bool:
        """Whether a tile is on the board; a map may have features beyond it."""
        return hex.get_distance(ORIGIN) <= self.reach

    def corners(self, hex: Hexagon) -> tuple[Point, ...]:
        return tuple((round(x, 2), round(y, 2)) for x, y in hexagon(*self.at(hex), 1))


def _board(state: State, canvas: _Canvas, reach: int) -> Iterator[Shape]:
    yield Polygon(_outline(reach, reach), _LOST, _EDGE)
    radius = state.death_radius
    if 0 < radius <= reach + 1:
        yield Polygon(_outline(reach, radius - 1), _DOOMED)
    # The outermost safe ring is the one that the next round takes.
    if 1 < radius <= reach + 2:
        yield Polygon(_outline(reach, radius - 2), _GROUND)
    yield from _grid(reach, min(reach, radius - 1))


@cache
def _grid(reach: int, inner: int) -> tuple[Line, ...]:
    """Return the edges of the tiles inside the ring; a line for each row is quicker to draw than many tiles."""
    canvas = _Canvas(reach)
    lines = []
    for r in range(-inner, inner + 1):
        points: list[Point] = []
        for q in range(max(-inner, -inner - r), min(inner, inner - r) + 1):
            top, upper_right, lower_right, _, _, upper_left = canvas.corners(tile(q, r))
            if not points:
                points.append(upper_left)
            points += (top, upper_right, lower_right, upper_right)
        lines.append(Line(tuple(points), _EDGE, 0.05, layer="grid"))
    return tuple(lines)


@cache
def _outline(reach: int, radius: int) -> tuple[Point, ...]:
    """Return the corners around all tiles up to ``radius`` from the centre."""
    canvas = _Canvas(reach)
    if radius == 0:
        return canvas.corners(ORIGIN)
    points = []
    for number, hex in enumerate(ORIGIN.ring(radius)):
        side, step = divmod(number, radius)
        corners = canvas.corners(hex)
        # Corners are numbered clockwise from the top, the ring runs the other way from its lower left tile.
        if step == 0:
            points.append(corners[(5 - side) % 6])
        points += (corners[(4 - side) % 6], corners[(3 - side) % 6])
    return tuple(points)


def _features(state: State, canvas: _Canvas) -> Iterator[Shape]:
    terrain = state.terrain
    for pit in sorted(filter(canvas.holds, terrain.pits), key=_order):
        yield Circle(*canvas.at(pit), 0.72, _PIT, title="pit")
    for wall in sorted(filter(canvas.holds, terrain.walls), key=_order):
        yield Polygon(canvas.corners(wall), _WALL, "#6f685e", title="wall")
    plates = sorted(filter(canvas.holds, terrain.plates.values()), key=_order)
    for plate in plates:
        color = _PLATES[plate.plate_type][0]
        for target in sorted(filter(canvas.holds, plate.targets), key=_order):
            yield Line((canvas.at(plate), canvas.at(target)), color, 0.08, layer="plates")
    for plate in plates:
        yield from _plate(plate, canvas)


def _plate(plate: Plate, canvas: _Canvas) -> Iterator[Shape]:
    color, letter, deed = _PLATES[plate.plate_type]
    x, y = canvas.at(plate)
    again, ever = ("*", " again and again") if plate.pressure_reset else ("", "")
    title = f"plate that {deed}{ever}, steps left: {-plate.pressure}"
    yield Polygon(hexagon(x, y, 0.7), "#ffffff", color, key=f"plate {plate.q} {plate.r}", title=title)
    text = Text(x, y, f"{letter}{-plate.pressure}{again}", 0.6, color)
    yield moved_into(text, canvas.width, canvas.height)


def _ring(state: State, reach: int) -> Iterator[Shape]:
    if 0 < state.death_radius <= reach + 1:
        outline = _outline(reach, state.death_radius - 1)
        yield Line((*outline, outline[0]), _RING, 0.15, title="the ring of death")


def _units(state: State, canvas: _Canvas, owners: Sequence[int | None]) -> Iterator[Shape]:
    points = state.action_points
    living = state.living
    in_turn = None if state.game_over else state.current_unit
    # The living cover bodies that share their tile.
    for uid in sorted(range(state.num_of_units), key=lambda uid: uid in living):
        x, y = canvas.at(state.positions[uid])
        owner = owners[uid]
        color = _NOBODY if owner is None else seat_color(owner)
        key, title = f"unit {uid}", _unit(uid, owners)
        if uid not in living:
            title += f", died at step {state.casualties[uid]}"
            yield Circle(x, y, 0.5, _BODY, color, key=key, title=title)
            yield Line(((x - 0.3, y - 0.3), (x + 0.3, y + 0.3)), color, 0.12)
            yield Line(((x - 0.3, y + 0.3), (x + 0.3, y - 0.3)), color, 0.12)
            continue
        if uid == in_turn:
            yield Circle(x, y, 0.88, None, "#222222")
        yield Circle(x, y, 0.72, color, "#ffffff", key=key, title=f"{title}, {points[uid]} action points")
        yield Text(x, y - 0.16, str(uid), 0.7, "#ffffff", key=f"number {uid}")
        yield Text(x, y + 0.38, str(points[uid]), 0.4, "#ffffff", key=f"points {uid}")


def _unit(uid: int, owners: Sequence[int | None]) -> str:
    owner = owners[uid]
    return f"unit {uid}" if owner is None else f"unit {uid} of {seat_name(owner)}"


def _last_action(state: State, canvas: _Canvas) -> Iterator[Shape]:
    for name, origin, target in state.effects:
        x, y = canvas.at(origin)
        color = _EFFECTS.get(name)
        if color is not None:
            yield Circle(x, y, 0.95, None, color)
            if name in ("illegal", "pressure-pop"):
                yield Text(x, y - 0.9, "?" if name == "illegal" else "!", 0.7, color)
        elif target is not None:
            yield Line((canvas.at(origin), canvas.at(target)), "#222222", 0.2 if name == "push" else 0.1)


def _caption(
    state: State, owners: Sequence[int | None], faults: Sequence[str | None], illegal: Sequence[int]
) -> Iterator[str]:
    yield f"round {state.round_count}, step {state.step_count}, ring at {state.death_radius}"
    living, points = state.living, state.action_points
    for uid in range(state.num_of_units):
        if uid in living:
            line = f"{_unit(uid, owners)}: {points[uid]} AP"
            if uid == state.current_unit and not state.game_over:
                line += ", in turn"
        else:
            line = f"{_unit(uid, owners)}: died at step {state.casualties[uid]}"
        if faults[uid] is not None:
            line += f", {faults[uid]}"
        if illegal[uid]:
            line += f", {illegal[uid]} illegal"
        yield line


def _events(state: State, owners: Sequence[int | None], since: int) -> Iterator[Event]:
    """Yield the deaths since the last request to a bot, and the events of the last transition."""
    for uid, step in enumerate(state.casualties):
        if uid not in state.living and step >= since:
            yield Event(f"{_unit(uid, owners)} dies", owners[uid], 3)
    acting = {state.positions[uid]: uid for uid in state.living}
    for name, origin, _ in state.effects:
        actor = acting.get(origin)
        if name == "pressure-pop":
            yield Event("a plate goes off", weight=2)
        elif name == "illegal" and actor is not None:
            yield Event(f"{_unit(actor, owners)} tries what it cannot do", owners[actor])
        elif name == "push" and actor is not None:
            yield Event(f"{_unit(actor, owners)} pushes", owners[actor])


def _order(hex: Hexagon) -> tuple[int, int]:
    return (hex.r, hex.q)
