"""The picture of a battle: board, ring of death, traps, units with their trails, and what the last action did.

Tiles measure one scene unit from centre to corner. The board keeps the size that the map gives it; the part
that is shown gets smaller in a few steps, so that the ring is seen closing in, and late fights are large. The
layer ``grid`` holds gaps between tiles and hatching, ``plates`` the lines from plates to targets.
Everything in this game is public: the view of a seat is the battle as far as it was told, without who steers whom.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal

from botleague.rules import (
    Emblem,
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
from botleague.rules.scene import Point
from botleague_botroyale.battle.maps import GameMap
from botleague_botroyale.battle.options import RuleOptions
from botleague_botroyale.battle.state import State
from botleague_botroyale.battle.trails import Trails
from botleague_botroyale.board.hexagon import DIRECTIONS, ORIGIN, Hexagon, tile
from botleague_botroyale.board.plates import Plate, PlateType
from botleague_botroyale.match import Match

SCORE_WORDS = ("units", "had more units left")

_GROUND, _SAFE, _DOOMED, _LOST, _RING = "#eeebe3", "#fdfcfa", "#f3c9c0", "#d2cdc0", "#c2321c"
_PIT, _PIT_RIM, _WALL, _WALL_TOP = "#24211c", "#5b5344", "#6d7280", "#8b90a0"
_CARD, _INK, _SOFT, _DEAD, _PUSH = "#fffffe", "#15181d", "#59616c", "#817d75", "#d98c00"
_PITS, _WALLS, _CLEARING = "#5b3fa0", "#6d6a2c", "#2b7a78"

_PLATES = {
    PlateType.DEATH_RADIUS_TRAP: (_RING, "R", "closes the ring"),
    PlateType.PIT_TRAP: (_PITS, "P", "digs pits"),
    PlateType.WALL_TRAP: (_WALLS, "W", "builds walls"),
    PlateType.ERASE_TRAP: (_CLEARING, "E", "clears tiles"),
}

DARK = {
    _GROUND: "#161b22",
    _SAFE: "#2a323e",
    _DOOMED: "#60403f",
    _LOST: "#0d1015",
    _RING: "#ff7b68",
    _PIT: "#000000",
    _PIT_RIM: "#11151b",
    _WALL: "#4a5262",
    _WALL_TOP: "#667082",
    _CARD: "#0e1116",
    _INK: "#eef1f5",
    _SOFT: "#9ba6b4",
    _DEAD: "#66717f",
    _PUSH: "#ffd257",
    _PITS: "#b79cff",
    _WALLS: "#cfc85e",
    _CLEARING: "#5fcfc9",
}

_NAME_WIDTH = 7.0
"""Maximum width of a name, in parts of its height."""

_MIN_PART = 4
"""Radius of the smallest part of the board that is shown alone, in tiles."""

_UNIT, _RING_OF_POINTS, _FRAME = 0.84, 0.76, 0.96
"""Radius of a unit, of its ring of action points, and of the frame around the unit in turn; neighbours touch at 1."""


def draw(match: Match, game_map: GameMap, options: RuleOptions) -> Scene:
    """Return the picture of ``match``, or of what a seat knows of it: without seats it has no scores.

    Args:
        game_map: the map it is played on, which gives the picture its size.
        options: the rules it is played by.
    """
    state, owners = match.battle, match.owners
    canvas = _Canvas(game_map.death_radius, _part(state, game_map.death_radius))
    shapes = (
        *_board(state, canvas, options.ring_step),
        *_features(state, canvas),
        *_ring(state, canvas),
        *_dead(state, canvas, owners),
        *_trails(state, canvas, owners, match.trails),
        *_pushes(state, canvas),
        *_living(state, canvas, owners, options.max_ap),
        *_names(state, canvas, owners),
        *_marks(state, canvas),
    )
    alive = [owners[uid] for uid in state.living]
    return Scene(
        canvas.width,
        canvas.height,
        shapes,
        tuple(_caption(match)),
        _GROUND,
        scores=tuple(float(alive.count(seat)) for seat in range(len(match.told))),
        events=tuple(_events(match)),
        focus=canvas.focus,
    )


def _part(state: State, reach: int) -> int:
    """Return the radius of the part of the board that is shown: with the ring, the living, and a tile around them."""
    living = (state.positions[uid].get_distance(ORIGIN) + 1 for uid in state.living)
    needed = max(_MIN_PART, state.death_radius + 1, *living, 0)
    return min(reach, *(part for part in _parts(reach) if part >= needed), reach)


@cache
def _parts(reach: int) -> tuple[int, ...]:
    """Return the radii of the parts of a board, each about two thirds of the previous one."""
    return tuple(max(_MIN_PART, round(reach * (2 / 3) ** step)) for step in range(8))


class _Canvas:
    """Positions of tiles in the picture; ``letters`` is the height of small text, ``focus`` the part that is shown."""

    def __init__(self, reach: int, part: int = 0) -> None:
        self.reach = reach
        self.width = round(math.sqrt(3) * (2 * reach + 1) + 1, 2)
        self.height = 3 * reach + 3.0
        share = (part + 1) / (reach + 1) if 0 < part < reach else 1
        wide, high = round(share * self.width, 2), round(share * self.height, 2)
        self.letters = round(max(0.5, 0.024 * wide), 2)
        left, top = round((self.width - wide) / 2, 2), round((self.height - high) / 2, 2)
        self.focus = (left, top, wide, high) if share < 1 else None

    def at(self, hex: Hexagon) -> Point:
        x, y = hex.pixel_position(1)
        return (round(x + self.width / 2, 2), round(y + self.height / 2, 2))

    def holds(self, hex: Hexagon) -> bool:
        """Whether a tile is on the board; a map may have features beyond it."""
        return hex.get_distance(ORIGIN) <= self.reach

    def corners(self, hex: Hexagon, radius: float = 1) -> tuple[Point, ...]:
        return tuple((round(x, 2), round(y, 2)) for x, y in hexagon(*self.at(hex), radius))

    def shows(self, text: Text) -> bool:
        """Whether a text is inside the part that is shown."""
        left, top, width, height = self.focus or (0, 0, self.width, self.height)
        return (
            left < text.x - text.width / 3
            and text.x + text.width / 3 < left + width
            and top < text.y < top + height
        )

    def written(self, text: Text) -> Text:
        """Return a text moved into the picture."""
        return moved_into(text, self.width, self.height)


def _board(state: State, canvas: _Canvas, ring_step: int) -> Iterator[Shape]:
    reach, radius = canvas.reach, min(state.death_radius, canvas.reach + 1)
    yield Polygon(_outline(reach, reach), _LOST)
    # The outermost safe rings are those that the next round takes.
    safe = max(radius - ring_step, 0)
    if radius > 0:
        yield Polygon(_outline(reach, radius - 1), _DOOMED)
    if safe > 0:
        yield Polygon(_outline(reach, safe - 1), _SAFE)
    yield from _grid(reach)
    for distance in range(safe, radius):
        yield from _hatching(reach, distance)


@cache
def _grid(reach: int) -> tuple[Line, ...]:
    """Return the gaps between tiles; a line for each row is quicker to draw than many tiles."""
    canvas = _Canvas(reach)
    lines = []
    for r in range(-reach, reach + 1):
        points: list[Point] = []
        for q in range(max(-reach, -reach - r), min(reach, reach - r) + 1):
            top, upper_right, lower_right, _, _, upper_left = canvas.corners(tile(q, r))
            if not points:
                points.append(upper_left)
            points += (top, upper_right, lower_right, upper_right)
        lines.append(Line(tuple(points), _GROUND, 0.1, layer="grid"))
    return tuple(lines)


@cache
def _hatching(reach: int, distance: int) -> tuple[Line, ...]:
    """Return a stroke on each tile at this distance from the centre."""
    places = map(_Canvas(reach).at, ORIGIN.ring(distance))
    return tuple(
        Line(((x - 0.3, y + 0.34), (x + 0.3, y - 0.34)), _RING + "90", 0.12, layer="grid") for x, y in places
    )


@cache
def _outline(reach: int, radius: int) -> tuple[Point, ...]:
    """Return the corners around all tiles up to ``radius`` from the centre."""
    canvas = _Canvas(reach)
    if radius == 0:
        return canvas.corners(ORIGIN)
    points = []
    # Not ORIGIN.ring(): rings of radius 1 start at another corner than all others.
    q, r = -radius, radius
    for side, direction in enumerate(DIRECTIONS):
        for step in range(radius):
            corners = canvas.corners(tile(q, r))
            # Corners are numbered clockwise from the top, the ring runs the other way from its lower left tile.
            if step == 0:
                points.append(corners[(5 - side) % 6])
            points += (corners[(4 - side) % 6], corners[(3 - side) % 6])
            q, r = q + direction.q, r + direction.r
    return tuple(points)


def _features(state: State, canvas: _Canvas) -> Iterator[Shape]:
    terrain = state.terrain
    for pit in sorted(filter(canvas.holds, terrain.pits), key=_order):
        yield from _tile(canvas.reach, pit, "pit")
    for wall in sorted(filter(canvas.holds, terrain.walls), key=_order):
        yield from _tile(canvas.reach, wall, "wall")
    plates = sorted(filter(canvas.holds, terrain.plates.values()), key=_order)
    for plate in plates:
        color = _PLATES[plate.plate_type][0]
        for target in sorted(filter(canvas.holds, plate.targets), key=_order):
            yield Line((canvas.at(plate), canvas.at(target)), color, 0.08, layer="plates")
    for plate in plates:
        yield from _plate(plate, canvas)


@lru_cache(4096)
def _tile(reach: int, hex: Hexagon, thing: Literal["pit", "wall"]) -> tuple[Polygon, Polygon]:
    """Return the picture of a tile; a map has hundreds of them, and they seldom change."""
    canvas = _Canvas(reach)
    outer, inner, rim, middle = (
        (0.84, 0.6, _PIT_RIM, _PIT) if thing == "pit" else (0.92, 0.62, _WALL, _WALL_TOP)
    )
    return Polygon(canvas.corners(hex, outer), rim, title=thing), Polygon(canvas.corners(hex, inner), middle)


def _plate(plate: Plate, canvas: _Canvas) -> Iterator[Shape]:
    color, letter, deed = _PLATES[plate.plate_type]
    x, y = canvas.at(plate)
    again, ever = ("*", " again and again") if plate.pressure_reset else ("", "")
    title = f"plate that {deed}{ever}, steps left: {-plate.pressure}"
    yield Polygon(hexagon(x, y, 0.78), color, key=f"plate {plate.q} {plate.r}", title=title)
    yield Polygon(hexagon(x, y, 0.66), _CARD)
    yield canvas.written(Text(x, y, f"{letter}{-plate.pressure}{again}", 0.6, color))


def _ring(state: State, canvas: _Canvas) -> Iterator[Shape]:
    if 0 < state.death_radius <= canvas.reach + 1:
        outline = _outline(canvas.reach, state.death_radius - 1)
        yield Line((*outline, outline[0]), _RING, 0.22, title="the ring of death")


def _dead(state: State, canvas: _Canvas, owners: Sequence[int | None]) -> Iterator[Shape]:
    """Yield the dead, in order of their death."""
    for uid in state.death_order:
        x, y = canvas.at(state.positions[uid])
        owner, step = owners[uid], state.casualties[uid]
        title = f"{unit_name(uid, owners)}, died at step {step}"
        yield Polygon(_placed(_DASHES, x, y), _DEAD, key=f"unit {uid}", title=title)
        if owner is None:
            yield Text(x, y, str(uid), 0.7, _DEAD)
        else:
            yield Emblem(x, y, 0.8, owner, _DEAD)


_DASHES: tuple[Point, ...] = tuple(
    (round(radius * math.sin(math.radians(angle)), 2), round(-radius * math.cos(math.radians(angle)), 2))
    for side in range(0, 360, 60)
    for radius, angle in (
        *((0, 0), (0.7, side + 10), (0.8, side + 10)),
        *((0.75, side + 46), (0.65, side + 46), (0.7, side + 10)),
    )
)
"""A dashed hexagon in one outline: its dashes are joined by edges to the centre that are passed twice."""


def _trails(state: State, canvas: _Canvas, owners: Sequence[int | None], trails: Trails) -> Iterator[Shape]:
    for uid in state.living:
        color = _color(owners[uid]) + "80"
        for start, end in pairwise((*trails[uid], state.positions[uid])):
            yield Line((canvas.at(start), canvas.at(end)), color, 0.18)


def _living(state: State, canvas: _Canvas, owners: Sequence[int | None], max_ap: int) -> Iterator[Shape]:
    """Yield the living units with their rings of action points."""
    points = state.action_points
    seats = {owner for owner in owners if owner is not None}
    is_numbered = len(seats) < len(owners)
    in_turn = None if state.game_over else state.current_unit
    for uid in state.living:
        x, y = canvas.at(state.positions[uid])
        owner, color = owners[uid], _color(owners[uid])
        title = f"{unit_name(uid, owners)}, {points[uid]} action points"
        yield Polygon(hexagon(x, y, _UNIT), _CARD, key=f"unit {uid}", title=title)
        yield Polygon(hexagon(x, y, 0.6), color, key=f"body {uid}")
        if points[uid] > 0:
            ring = _placed(_part_of_ring(round(min(points[uid] / max_ap, 1), 2)), x, y)
            yield Line(ring, color, 0.13, key=f"points {uid}")
        if uid == in_turn:
            yield Line(_placed(_part_of_ring(1, _FRAME), x, y), _INK, 0.1, key="in turn")
        if owner is None:
            yield Text(x, y, str(uid), 0.62, _CARD, key=f"number {uid}")
        else:
            yield Emblem(x, y, 0.78, owner, _CARD, key=f"emblem {uid}")
            if is_numbered:
                number = Text(x + 0.62, y - 0.62, str(uid), 0.55, _INK, key=f"number {uid}", halo=_CARD)
                yield canvas.written(number)


def _names(state: State, canvas: _Canvas, owners: Sequence[int | None]) -> Iterator[Shape]:
    """Yield the names of living and dead bots below their units, or above, where they cover no unit or name."""
    size, width = canvas.letters, round(_NAME_WIDTH * canvas.letters, 2)
    units = [canvas.at(position) for position in state.positions]
    taken: list[Point] = []
    for uid in (*sorted(state.living), *reversed(state.death_order)):
        owner, is_alive = owners[uid], uid in state.living
        if owner is None:
            continue
        x, y = canvas.at(state.positions[uid])
        fill = _INK if is_alive else _SOFT
        for below in (0.9 + 0.55 * size, -0.9 - 0.55 * size):
            text = canvas.written(
                Text(
                    x,
                    round(y + below, 2),
                    seat_name(owner),
                    size,
                    fill,
                    key=f"name {uid}",
                    halo=_GROUND,
                    width=width,
                )
            )
            covers = (
                *(
                    abs(text.x - x) < 0.7 + 0.35 * width and abs(text.y - y) < 0.8 + 0.4 * size
                    for x, y in units
                ),
                *(abs(text.x - x) < 0.8 * width and abs(text.y - y) < size for x, y in taken),
            )
            if not any(covers) and canvas.shows(text):
                taken.append((text.x, text.y))
                yield text
                break


@cache
def _part_of_ring(share: float, radius: float = _RING_OF_POINTS) -> tuple[Point, ...]:
    """Return the first part of a hexagon around the origin, clockwise from its top."""
    corners = hexagon(0, 0, radius)
    sides, rest = divmod(6 * share, 1)
    (x, y), (to_x, to_y) = corners[int(sides) % 6], corners[(int(sides) + 1) % 6]
    points = [*corners[: int(sides) + 1], (x + (to_x - x) * rest, y + (to_y - y) * rest)]
    return tuple((round(x, 2), round(y, 2)) for x, y in points)


def _placed(points: Iterable[Point], x: float, y: float) -> tuple[Point, ...]:
    return tuple((x + dx, y + dy) for dx, dy in points)


def _color(owner: int | None) -> str:
    return _SOFT if owner is None else seat_color(owner)


def unit_name(uid: int, owners: Sequence[int | None]) -> str:
    """Return a unit in words, with its seat if a seat steers it."""
    owner = owners[uid]
    return f"unit {uid}" if owner is None else f"unit {uid} of {seat_name(owner)}"


def _pushes(state: State, canvas: _Canvas) -> Iterator[Shape]:
    for name, origin, target in state.effects:
        if name == "push" and target is not None:
            yield Line((canvas.at(origin), canvas.at(target)), _PUSH, 0.24)


def _marks(state: State, canvas: _Canvas) -> Iterator[Shape]:
    """Yield marks on the tiles where the last action killed, failed or set off a plate."""
    for name, origin, _ in state.effects:
        x, y = canvas.at(origin)
        if name in ("death", "kill"):
            yield Line(_placed(_part_of_ring(1, _FRAME), x, y), _RING, 0.1)
        elif name in ("illegal", "pressure-pop"):
            mark = Text(x, y - 0.95, "?" if name == "illegal" else "!", 0.9, _RING, halo=_CARD)
            yield canvas.written(mark)


def _caption(match: Match) -> Iterator[str]:
    state, owners = match.battle, match.owners
    yield f"round {state.round_count}, step {state.step_count}, ring at {state.death_radius}"
    living, points = state.living, state.action_points
    for uid in range(state.num_of_units):
        if uid in living:
            line = f"{unit_name(uid, owners)}: {points[uid]} AP"
            if uid == state.current_unit and not state.game_over:
                line += ", in turn"
        else:
            line = f"{unit_name(uid, owners)}: died at step {state.casualties[uid]}"
        if fault := match.faults[uid]:
            line += f", {fault.kind}"
        if match.illegal[uid]:
            line += f", {match.illegal[uid]} illegal"
        yield line


def _events(match: Match) -> Iterator[Event]:
    """Yield the deaths since the last request to a bot, and the events of the last transition."""
    state, owners = match.battle, match.owners
    for uid, step in enumerate(state.casualties):
        if uid not in state.living and step >= match.since:
            yield Event(f"{unit_name(uid, owners)} dies", owners[uid], 3)
    acting = {state.positions[uid]: uid for uid in state.living}
    for name, origin, _ in state.effects:
        actor = acting.get(origin)
        if name == "pressure-pop":
            yield Event("a plate goes off", weight=2)
        elif name == "illegal" and actor is not None:
            yield Event(f"{unit_name(actor, owners)} tries what it cannot do", owners[actor])
        elif name == "push" and actor is not None:
            yield Event(f"{unit_name(actor, owners)} pushes", owners[actor])


def _order(hex: Hexagon) -> tuple[int, int]:
    return (hex.r, hex.q)
