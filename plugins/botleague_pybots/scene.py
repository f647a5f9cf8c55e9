"""The picture of a match: tanks with treads and gun, their scans and tracks, shots in the air, hits and wrecks.

Scene units are those of the arena, in which bots draw too. A robot bears the name that its bot declared, as other
bots see it; its title and its emblem show the bot. Directions are drawn in steps of a few degrees, and places in
tenths of a unit, because replays store equal shapes once. The layer ``grid`` holds the grid on the floor.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

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
    Told,
    clipped,
    seat_color,
    seat_name,
    shortened,
    text_width,
    wedge,
)
from botleague.rules.scene import Point
from botleague_pybots.battle.match import Match
from botleague_pybots.battle.robots import Robot
from botleague_pybots.battle.round import Round
from botleague_pybots.battle.traces import Traces, Wreck
from botleague_pybots.tournament import count_wins

_FLOOR, _GRID, _WALL, _SHARP = "#f6f3ec", "#e8e4da", "#6b707b", "#b3341f"
_TREAD, _TRACK, _WRECK, _SPARK = "#4a4d55", "#cfc9bb", "#8f8b83", "#e07b00"
_ON_HULL, _CARD, _INK, _SOFT, _STRANGER = "#fffffe", "#ffffff", "#15181d", "#59616c", "#7d8088"

DARK = {
    _FLOOR: "#1a2028",
    _GRID: "#252c36",
    _WALL: "#3f4858",
    _SHARP: "#a8443a",
    _TREAD: "#7d8794",
    _TRACK: "#39424f",
    _WRECK: "#5d6673",
    _SPARK: "#ffd257",
    _ON_HULL: "#0e1116",
    _CARD: "#0e1116",
    _INK: "#eef1f5",
    _SOFT: "#9ba6b4",
    _STRANGER: "#8b95a3",
}

_LETTERS = 0.024
"""Height of names, in parts of the longer side of the arena."""

_SHORTEST_SCAN = 40.0
_SCAN_STEP, _HEADING_STEP, _SHOT_STEP = 2, 5, 3
"""Degrees between directions that are drawn differently."""

_PALE_TRACKS = 3
"""The oldest tracks of a robot, which are paler than the others."""

_SMALLEST = 0.013
"""Minimum size at which a robot is drawn, in parts of the longer side of the arena."""

_SEEN_SIZE = 6.0
"""Size of the other robots in a view: a scan does not show it."""

_CENTRE: Point = (0, 0)

# Outlines of robots of size 1 that head to the right. Parts are joined by edges that are passed twice.
_TREADS: tuple[Point, ...] = (
    *((-0.84, -0.8), (0.84, -0.8), (0.84, -0.46), (-0.84, -0.46), (-0.84, -0.8)),
    *((-0.84, 0.46), (0.84, 0.46), (0.84, 0.8), (-0.84, 0.8), (-0.84, 0.46)),
)
_HULL: tuple[Point, ...] = ((-0.74, -0.6), (0.46, -0.6), (0.92, 0), (0.46, 0.6), (-0.74, 0.6))
_PRINTS: tuple[Point, ...] = tuple(
    point
    for x in (-0.18, 0.18)
    for y in (-0.63, 0.63)
    for point in (
        _CENTRE,
        *((x - 0.09, y - 0.17), (x + 0.09, y - 0.17), (x + 0.09, y + 0.17), (x - 0.09, y + 0.17)),
        (x - 0.09, y - 0.17),
    )
)
_SPLINTERS: tuple[Point, ...] = tuple(
    (radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle)))
    for splinter in range(0, 360, 60)
    for radius, angle in (
        (0, 0),
        (0.72, splinter),
        (1, splinter + 10),
        (0.85, splinter + 30),
        (0.72, splinter),
    )
)
_TAIL: tuple[Point, ...] = ((-0.6, 0),)
"""End of a shot of speed 1."""

_STAR: tuple[Point, ...] = tuple(
    (radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle)))
    for angle, radius in zip(range(0, 360, 30), (1, 0.4) * 6, strict=True)
)


class _Arena(NamedTuple):
    """The size of the arena in its own units, and what is drawn in proportion to it."""

    width: float
    height: float

    @property
    def letters(self) -> float:
        """Height of a name."""
        return max(self.width, self.height) * _LETTERS

    def drawn_size(self, size: float) -> float:
        """Return the size at which a robot is drawn; in a large arena it would be a dot."""
        return max(size, max(self.width, self.height) * _SMALLEST)

    def hold(self, x: float, y: float, size: float) -> Point:
        """Return a place in tenths of a unit, with a robot of this size within the walls."""
        return (
            min(max(round(x, 1), size), self.width - size),
            min(max(round(y, 1), size), self.height - size),
        )

    def inside(self, points: Iterable[Point]) -> tuple[Point, ...]:
        """Return points moved within the walls."""
        return tuple([(min(max(x, 0), self.width), min(max(y, 0), self.height)) for x, y in points])

    def place(
        self, outline: tuple[Point, ...], size: float, direction: float, x: float, y: float
    ) -> tuple[Point, ...]:
        """Return an outline at its place, in the size of a robot."""
        turned = _turned(outline, size, _degrees(direction, _HEADING_STEP))
        placed = [(x + dx, y + dy) for dx, dy in turned]
        reach = 1.2 * size
        is_free = reach <= x <= self.width - reach and reach <= y <= self.height - reach
        return tuple(placed) if is_free else self.inside(placed)


def score_words(rounds: int) -> tuple[str, str]:
    """Return the words for the scores of pictures in a match of ``rounds`` rounds."""
    return ("health", "had more health") if rounds == 1 else ("rounds", "had won more rounds")


def draw(state: Match, rounds: int) -> Scene:
    """Return the picture of ``state`` in a match of ``rounds`` rounds."""
    playing, traces = state.round, state.traces
    arena = _Arena(playing.arena.width, playing.arena.height)
    shapes: list[Shape] = [*_ground(arena, is_sharp=playing.arena.wall_power > 0)]
    shapes += _tracks(traces, playing.robots, arena)
    for wreck in traces.wrecks:
        shapes += _wreck(wreck, arena)
    if playing.steps:
        reach = max(_SHORTEST_SCAN, min(arena.width, arena.height) / 3)
        shapes += [_scan(robot, reach, arena) for robot in playing.robots]
    shapes += _shots(playing, len(state.results), arena)
    for robot in playing.robots:
        shapes += _robot(robot, arena)
    shapes += [_spark(x, y, arena) for x, y in traces.sparks]
    shapes += _epitaphs(traces.wrecks, arena)
    shapes += _cards([_Bearer.of(robot) for robot in playing.robots], arena)
    scores: Mapping[int, float] = count_wins(result.winners for result in state.results)
    if rounds == 1:
        scores = {robot.body.seat: robot.body.maxdamage - robot.damage for robot in playing.robots}
    return Scene(
        arena.width,
        arena.height,
        tuple(shapes),
        tuple(_caption(state, rounds)),
        _FLOOR,
        scores=tuple(float(scores.get(seat, 0)) for seat in range(len(state.entrants))),
        events=tuple(_events(state)),
    )


def draw_view(told: Told, seat: int, maxdamage: float, size: float) -> Scene:
    """Return the picture of what one seat knows: itself, and whom its last scan saw.

    Args:
        told: what it was told.
        seat: whose robot it is.
        maxdamage, size: of its robot.
    """
    latest: Any = told.observations[-1]
    briefing: Any = told.briefing
    data = _arena_told(told)
    arena = _Arena(data["ARENA_W"], data["ARENA_H"])
    shapes: list[Shape] = [*_ground(arena, is_sharp=data["ARENA_WALL_DMG"] > 0)]
    if "act" not in latest:
        return Scene(arena.width, arena.height, tuple(shapes), ("before a round",), _FLOOR)
    x, y, damage, robots = latest["act"]
    bearers = []
    for name, seen_at, direction, speed in robots:
        place = arena.hold(seen_at[0], seen_at[1], _SEEN_SIZE)
        title = f"{name}, speed {speed:g}"
        shapes += _tank(place, _SEEN_SIZE, direction, _STRANGER, arena, key=f"seen {name}", title=title)
        bearers.append(_Bearer(f"of {name}", *place, _SEEN_SIZE, name))
    place, color = arena.hold(x, y, size), seat_color(seat)
    shapes += _tank(
        place,
        size,
        _last_heading(told.observations),
        color,
        arena,
        key=f"robot {seat}",
        title="the robot itself",
    )
    shapes.append(Emblem(*place, arena.drawn_size(size), seat, _ON_HULL, key=f"emblem {seat}"))
    bearers.append(_Bearer(str(seat), *place, size, briefing["name"], seat, 1 - damage / maxdamage))
    shapes += _cards(bearers, arena)
    names = ", ".join(name for name, *_ in robots) or "nobody"
    caption = (f"damage {damage:g} of {maxdamage:g}", f"sees {names}")
    return Scene(arena.width, arena.height, tuple(shapes), caption, _FLOOR)


def _arena_told(told: Told) -> Mapping[str, Any]:
    """Return the arena that a seat was told last, with an observation or in its briefing."""
    observations: list[Any] = [told.briefing, *told.observations]
    arena: Mapping[str, Any] = next(what["arena"] for what in reversed(observations) if "arena" in what)
    return arena


def _last_heading(observations: Sequence[Any]) -> float:
    """Return the direction of a seat's last move, 0 if it stood still."""
    places = [observation["act"][:2] for observation in observations[-2:] if "act" in observation]
    (old_x, old_y), (x, y) = places[0], places[-1]
    return math.atan2(y - old_y, x - old_x)


def _ground(arena: _Arena, *, is_sharp: bool) -> Iterator[Shape]:
    """Yield the grid on the floor, and the wall, which has teeth if it hurts."""
    width, height, depth = arena.width, arena.height, 0.4 * arena.letters
    for part in range(1, 8):
        x = round(width * part / 8, 1)
        yield Line(((x, 0), (x, height)), _GRID, depth / 8, layer="grid")
    for part in range(1, 6):
        y = round(height * part / 6, 1)
        yield Line(((0, y), (width, y)), _GRID, depth / 8, layer="grid")
    edge = ((0, 0), (width, 0), (width, height), (0, height), (0, 0))
    if is_sharp:
        yield Polygon((*edge, *_teeth(width, height, depth)), _SHARP, title="the wall, which hurts")
    else:
        # Only the inner half of the line is visible.
        yield Line(edge, _WALL, 2 * depth, title="the wall")


def _teeth(width: float, height: float, depth: float) -> Iterator[Point]:
    """Yield the inner edge of a wall with teeth, around the arena in the other direction than the outer edge."""
    corners = ((0, 0), (0, height), (width, height), (width, 0), (0, 0))
    inward = ((depth, 0), (0, -depth), (-depth, 0), (0, depth))
    for (x, y), (to_x, to_y), (dx, dy) in zip(corners, corners[1:], inward, strict=False):
        points = 2 * round((abs(to_x - x) + abs(to_y - y)) / (1.6 * depth))
        for number in range(points):
            share, out = number / points, 0.4 + 0.8 * (number % 2)
            yield x + (to_x - x) * share + dx * out, y + (to_y - y) * share + dy * out


def _tracks(traces: Traces, robots: Iterable[Robot], arena: _Arena) -> Iterator[Shape]:
    tracks = dict(traces.tracks)
    for robot in robots:
        size = arena.drawn_size(robot.body.size)
        # The newest one is below the robot.
        prints = tracks.get(robot.body.seat, ())[:-1]
        for age, (x, y, direction) in enumerate(reversed(prints), 1):
            color = _TRACK + "80" if age > len(prints) - _PALE_TRACKS else _TRACK
            yield Polygon(arena.place(_PRINTS, size, direction, x, y), color)


def _wreck(wreck: Wreck, arena: _Arena) -> Iterator[Shape]:
    seat, name, *_ = wreck.body
    size = arena.drawn_size(wreck.body.size)
    title = f"{seat_name(seat)} as {name}, out since step {wreck.step}"
    yield Circle(wreck.x, wreck.y, wreck.body.size, _WRECK + "38", title=title)
    yield Polygon(arena.place(_SPLINTERS, size, 0.0, wreck.x, wreck.y), _WRECK)
    yield Emblem(wreck.x, wreck.y, 1.1 * wreck.body.size, seat, _WRECK)


def _epitaphs(wrecks: Sequence[Wreck], arena: _Arena) -> Iterator[Shape]:
    """Yield a line for each wreck, below it or above, or further away where it would cover another line."""
    letters, lines = arena.letters, list[_Box]()
    size = 0.8 * letters
    for wreck in wrecks:
        text = f"{shortened(wreck.body.name, letters, 0.2 * arena.width)}, out at {wreck.step}"
        away, width = arena.drawn_size(wreck.body.size) + 0.6 * letters, text_width(text, size)
        x = min(max(wreck.x, width / 2 + letters), arena.width - width / 2 - letters)
        places = (wreck.y + sign * (away + line * 1.2 * size) for line in range(4) for sign in (1, -1))
        boxes = [
            _Box(x - width / 2, y - 0.6 * size, width, 1.2 * size)
            for y in places
            if letters <= y <= arena.height - letters
        ]
        # Of equally free places min() takes the first one.
        box = min(boxes, key=lambda box: any(map(box.overlaps, lines)))
        lines.append(box)
        yield Text(x, box.top + 0.6 * size, text, size, _SOFT, halo=_FLOOR)


def _scan(robot: Robot, reach: float, arena: _Arena) -> Shape:
    """Return the wedge that a robot sees, cut; it continues to the wall, but would hide the arena if drawn so."""
    lo, hi = robot.scan if all(map(math.isfinite, robot.scan)) else (0, 0)
    start = round(lo / _SCAN_STEP) * _SCAN_STEP % 360
    x, y = arena.hold(robot.x, robot.y, robot.body.size)
    corners = wedge((0, 0), robot.body.size + reach, start, start + hi - lo)
    visible = clipped([(x + round(dx), y + round(dy)) for dx, dy in corners], arena.width, arena.height)
    return Polygon(visible, seat_color(robot.body.seat) + "2b", key=f"scan {robot.body.seat}")


def _robot(robot: Robot, arena: _Arena) -> Iterator[Shape]:
    """Yield a robot, with its gun in the middle of its scan."""
    seat, name, true_size, *_ = robot.body
    color, place, size = (
        seat_color(seat),
        arena.hold(robot.x, robot.y, true_size),
        arena.drawn_size(true_size),
    )
    title = f"{seat_name(seat)} as {name}, damage {robot.damage:g} of {robot.body.maxdamage:g}"
    yield from _tank(place, true_size, robot.direction, color, arena, key=f"robot {seat}", title=title)
    gun = arena.place(((0, 0), (1.1, 0)), size, math.radians(sum(robot.scan) / 2), *place)
    yield Line(gun, _ON_HULL, 0.36 * size, key=f"muzzle {seat}")
    yield Line(gun, color, 0.2 * size, key=f"gun {seat}")
    yield Circle(*place, 0.48 * size, _ON_HULL, key=f"turret {seat}")
    yield Emblem(*place, 0.78 * size, seat, key=f"emblem {seat}")


def _tank(
    place: Point, size: float, direction: float, color: str, arena: _Arena, *, key: str, title: str
) -> Iterator[Shape]:
    """Yield the circle that can be hit, and treads and hull."""
    drawn = arena.drawn_size(size)
    yield Circle(*place, size, color + "30", key=key, title=title)
    yield Polygon(arena.place(_TREADS, drawn, direction, *place), _TREAD, key=f"treads of {key}")
    yield Polygon(arena.place(_HULL, drawn, direction, *place), color, key=f"hull of {key}")


class _Bearer(NamedTuple):
    """A robot as far as its card shows it; ``seat`` and ``health``, a share of 1, are None if unknown."""

    key: str
    x: float
    y: float
    size: float
    name: str
    seat: int | None = None
    health: float | None = None

    @classmethod
    def of(cls, robot: Robot) -> _Bearer:
        body = robot.body
        health = 1 - robot.damage / body.maxdamage
        return cls(
            str(body.seat), round(robot.x, 1), round(robot.y, 1), body.size, body.name, body.seat, health
        )


def _cards(bearers: Sequence[_Bearer], arena: _Arena) -> Iterator[Shape]:
    """Yield cards with name and health above robots, or below where they would cover another card or robot."""
    letters = arena.letters
    height = round(1.7 * letters, 1)
    sizes = [arena.drawn_size(bearer.size) for bearer in bearers]
    robots = [
        _Box(bearer.x - size, bearer.y - size, 2 * size, 2 * size)
        for bearer, size in zip(bearers, sizes, strict=True)
    ]
    cards: list[_Box] = []
    for (key, x, y, _, name, seat, health), size in zip(bearers, sizes, strict=True):
        label = shortened(name, letters, 0.2 * arena.width)
        emblem = 0.0 if seat is None else 1.4 * letters
        width = min(round(1.15 * text_width(label, letters) + emblem + letters, 1), arena.width)
        left = round(min(max(x - width / 2, letters / 2), arena.width - width - letters / 2), 1)
        above, below = y - 1.2 * size - height, y + 1.2 * size
        tops = (round(top, 1) for top in (above, below, below + height, above - height))
        boxes = [_Box(left, top, width, height) for top in tops if 0 <= top <= arena.height - height]
        # Of equally free places min() takes the first one.
        box = min(
            boxes or [_Box(left, 0, width, height)],
            key=lambda box: (any(map(box.overlaps, cards)), sum(map(box.overlaps, robots))),
        )
        cards.append(box)
        top, middle = box.top, box.top + 0.46 * height
        yield Rect(*box, _CARD + "d8", key=f"card {key}", radius=0.35 * letters)
        if seat is not None:
            yield Emblem(left + 1.05 * letters, middle, 1.15 * letters, seat, key=f"face {key}")
        yield Text(left + (width + emblem) / 2, middle, label, letters, _INK, key=f"name {key}")
        if seat is not None and health is not None:
            room = width - 0.7 * letters
            at = (left + 0.35 * letters, top + height - 0.3 * letters)
            share = min(max(health, 0), 1)
            yield Rect(*at, room, 0.22 * letters, _SOFT + "40", key=f"bar {key}")
            yield Rect(*at, round(share * room, 1), 0.22 * letters, seat_color(seat), key=f"health {key}")


class _Box(NamedTuple):
    left: float
    top: float
    width: float
    height: float

    def overlaps(self, other: _Box) -> bool:
        return (
            self.left < other.left + other.width
            and other.left < self.left + self.width
            and self.top < other.top + other.height
            and other.top < self.top + self.height
        )


def _spark(x: float, y: float, arena: _Arena) -> Shape:
    size = 0.8 * arena.letters
    return Polygon(arena.inside((x + dx * size, y + dy * size) for dx, dy in _STAR), _SPARK, title="hit")


def _shots(playing: Round, number: int, arena: _Arena) -> Iterator[Shape]:
    """Yield each shot of round ``number`` with a tail that points back to where it comes from."""
    for shot, x, y in zip(playing.volley.shots, playing.volley.x, playing.volley.y, strict=True):
        title = f"shot of {seat_name(shot.owner)}, power {shot.power:g}"
        ((dx, dy),) = _turned(_TAIL, shot.speed, _degrees(shot.direction, _SHOT_STEP))
        yield Line(
            ((x, y), *arena.inside(((x + dx, y + dy),))),
            seat_color(shot.owner),
            width=(0.08 + 0.03 * shot.power) * arena.letters,
            key=f"shot {number}.{shot.number}",
            title=title,
        )


@lru_cache(2048)
def _turned(outline: tuple[Point, ...], size: float, degrees: int) -> tuple[Point, ...]:
    """Return an outline in the size of a robot that heads into a direction."""
    cos, sin = size * math.cos(math.radians(degrees)), size * math.sin(math.radians(degrees))
    return tuple((round(x * cos - y * sin, 1), round(x * sin + y * cos, 1)) for x, y in outline)


def _degrees(direction: float, step: int) -> int:
    """Return a direction in radians as the nearest one that is drawn, in degrees."""
    return round(math.degrees(direction) / step) * step % 360 if math.isfinite(direction) else 0


def _caption(state: Match, rounds: int) -> Iterator[str]:
    playing = state.round
    if rounds > 1:
        yield f"round {min(len(state.results) + 1, rounds)} of {rounds}"
        if state.results:
            yield f"round {len(state.results)} was won by {_listed(state.results[-1].winners)}"
    yield f"step {playing.steps} of {playing.options.round_duration}, {len(playing.volley.shots)} shots"
    living = {robot.body.seat: robot for robot in playing.robots}
    died = dict(playing.deaths)
    for seat, entrant in enumerate(state.entrants):
        won = sum(seat in result.winners for result in state.results)
        wins = f", {won} won" if rounds > 1 else ""
        if entrant is None:
            how = "does not take part"
        elif robot := living.get(seat):
            how = f"damage {robot.damage:g} of {robot.body.maxdamage:g}"
        elif seat in died:
            how = f"out since step {died[seat]}"
        else:
            how = entrant.refusal or "waiting"
        yield f"{seat_name(seat)}: {how}{wins}"
    for seat, reason in playing.events.failures:
        yield f"{seat_name(seat)} failed: {reason}"


def _events(state: Match) -> Iterator[Event]:
    playing = state.round
    if state.results and (playing.ending or not playing.steps):
        result = state.results[-1]
        for seat in (seat for seat, step in result.deaths if step == result.steps):
            yield Event(f"{seat_name(seat)} is out", seat, 3)
        yield Event(f"the round is won by {_listed(result.winners)}", weight=4)
    for seat in () if playing.ending else playing.events.dead:
        yield Event(f"{seat_name(seat)} is out", seat, 3)
    for seat, _ in playing.events.failures:
        yield Event(f"{seat_name(seat)} fails", seat, 2)
    struck = Counter(hit.victim for hit in playing.events.hits if hit.kind == "shot" and hit.power > 0)
    for seat, hits in sorted(struck.items()):
        yield Event(f"{seat_name(seat)} is hit" + f" {hits} times" * (hits > 1), seat)
    for hit in playing.events.hits:
        if hit.kind == "ram" and hit.source is not None:
            yield Event(f"{seat_name(hit.source)} rams {seat_name(hit.victim)}", hit.source)


def _listed(seats: Sequence[int]) -> str:
    return ", ".join(map(seat_name, seats)) or "nobody"
