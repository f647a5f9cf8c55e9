"""The picture of a match: the arena, robots with size, heading and damage, their scans, and shots in the air.

A robot bears the name that its bot declared, as other bots see it; who that is, says its title.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from botleague.rules import (
    Circle,
    Event,
    Line,
    Polygon,
    Rect,
    Scene,
    Shape,
    Text,
    Told,
    clipped,
    moved_into,
    seat_color,
    seat_name,
    shortened,
    wedge,
)
from botleague_pybots.match import Match
from botleague_pybots.robots import Robot
from botleague_pybots.round import Round

__all__ = ["draw", "draw_view"]

_SHORTEST_SCAN = 40.0
_SHOT_RADIUS = 1.2
_SEEN_RADIUS = 6.0
_NAME_HEIGHT = 6.0
_NAME_WIDTH = 90.0
_HURT = "#d03030"
_HEALTHY = "#2fa36b"
_INK = "#333333"
_STRANGER = "#8a8a8a"
_PALE = 0.82


def draw(state: Match, rounds: int) -> Scene:
    """Return the picture of ``state`` in a match of ``rounds`` rounds."""
    playing = state.round
    width, height = playing.arena.width, playing.arena.height
    shapes: list[Shape] = [_arena(width, height, is_sharp=playing.arena.wall_power > 0)]
    if playing.steps:
        reach = max(_SHORTEST_SCAN, min(width, height) / 3)
        shapes += [_scan(robot, reach, width, height) for robot in playing.robots]
    shapes += _shots(playing, len(state.results))
    hurt = {hit.victim for hit in playing.events.hits}
    for robot in playing.robots:
        shapes += _robot(robot, width, height, is_hurt=robot.body.seat in hurt)
    health = {robot.body.seat: robot.body.maxdamage - robot.damage for robot in playing.robots}
    return Scene(
        width,
        height,
        tuple(shapes),
        tuple(_caption(state, rounds)),
        scores=tuple(float(health.get(seat, 0)) for seat in range(len(state.entrants))),
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
    arena = _arena_told(told)
    width, height = arena["ARENA_W"], arena["ARENA_H"]
    shapes: list[Shape] = [_arena(width, height, is_sharp=arena["ARENA_WALL_DMG"] > 0)]
    if "act" not in latest:
        return Scene(width, height, tuple(shapes), ("before a round",))
    x, y, damage, robots = latest["act"]
    for name, (there_x, there_y), direction, speed in robots:
        ahead = (math.cos(direction) * 2 * _SEEN_RADIUS, math.sin(direction) * 2 * _SEEN_RADIUS)
        nose = _inside((there_x + ahead[0], there_y + ahead[1]), width, height)
        title = f"{name}, speed {speed:g}"
        shapes += [
            Line(((there_x, there_y), nose), _STRANGER, 1.0, key=f"nose of {name}"),
            _dot(there_x, there_y, _SEEN_RADIUS, _STRANGER, width, height, key=f"seen {name}", title=title),
            _name(there_x, there_y - _SEEN_RADIUS - _NAME_HEIGHT, name, width, height, key=f"name {name}"),
        ]
    shapes.append(Circle(x, y, size, seat_color(seat), _INK, key=f"robot {seat}", title="the robot itself"))
    shapes += _health(x, y, size, 1 - damage / maxdamage, seat, height)
    names = ", ".join(name for name, *_ in robots) or "nobody"
    return Scene(width, height, tuple(shapes), (f"damage {damage:g} of {maxdamage:g}", f"sees {names}"))


def _arena_told(told: Told) -> Mapping[str, Any]:
    """Return the arena that a seat was told last, with an observation or in its briefing."""
    observations: list[Any] = [told.briefing, *told.observations]
    arena: Mapping[str, Any] = next(what["arena"] for what in reversed(observations) if "arena" in what)
    return arena


def _arena(width: float, height: float, *, is_sharp: bool) -> Shape:
    title = "the arena; its walls hurt" if is_sharp else "the arena"
    return Rect(0, 0, width, height, fill="#ffffff", stroke=_HURT if is_sharp else _INK, title=title)


def _scan(robot: Robot, reach: float, width: float, height: float) -> Shape:
    """Return the wedge that a robot sees, cut; it continues to the wall, but would hide the arena if drawn so."""
    lo, hi = robot.scan if all(map(math.isfinite, robot.scan)) else (0, 0)
    color = _pale(seat_color(robot.body.seat))
    visible = clipped(wedge((robot.x, robot.y), robot.body.size + reach, lo, hi), width, height)
    return Polygon(visible, fill=color, stroke=color, key=f"scan {robot.body.seat}")


def _pale(color: str) -> str:
    """Return a colour as it looks through fog."""
    channels = (int(color[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(255 * _PALE + channel * (1 - _PALE)):02x}" for channel in channels)


def _robot(robot: Robot, width: float, height: float, *, is_hurt: bool) -> Iterator[Shape]:
    """Yield a robot with its heading, its name and its health, with a red heart if it was hit in the last step."""
    body, x, y = robot.body, robot.x, robot.y
    direction = robot.direction if math.isfinite(robot.direction) else 0.0
    nose = (x + math.cos(direction) * body.size, y + math.sin(direction) * body.size)
    yield Circle(
        *(x, y, body.size),
        fill=seat_color(body.seat),
        stroke=_INK,
        key=f"robot {body.seat}",
        title=f"{seat_name(body.seat)} as {body.name}, damage {robot.damage:g} of {body.maxdamage:g}",
    )
    if is_hurt:
        yield Circle(x, y, body.size / 2, fill=_HURT)
    yield Line(((x, y), nose), stroke="#ffffff", width=max(1.0, body.size / 6), key=f"nose {body.seat}")
    yield from _health(x, y, body.size, 1 - robot.damage / body.maxdamage, body.seat, height)
    away = body.size + 8 if _is_high(y, body.size) else -body.size - 8
    yield _name(x, y + away, body.name, width, height, key=f"name {body.seat}")


def _is_high(y: float, size: float) -> bool:
    """Whether there is no room for health and name above a robot."""
    return y - size - 8 - _NAME_HEIGHT / 2 < 0


def _health(x: float, y: float, size: float, share: float, seat: int, height: float) -> Iterator[Shape]:
    top = y + size + 2 if _is_high(y, size) else y - size - 4
    top = min(max(top, 0.0), height - 2)
    yield Rect(x - size, top, 2 * size, 2, fill=_HURT, key=f"bar {seat}")
    yield Rect(x - size, top, 2 * size * max(0.0, share), 2, fill=_HEALTHY, key=f"health {seat}")


def _name(x: float, y: float, name: str, width: float, height: float, *, key: str) -> Shape:
    label = shortened(name, _NAME_HEIGHT, min(_NAME_WIDTH, width))
    return moved_into(Text(x, y, label, _NAME_HEIGHT, _INK, key=key), width, height)


def _dot(
    x: float, y: float, radius: float, color: str, width: float, height: float, *, key: str, title: str = ""
) -> Shape:
    """Return a dot that does not reach over the wall."""
    x, y = min(max(x, radius), width - radius), min(max(y, radius), height - radius)
    return Circle(x, y, radius, fill=color, key=key, title=title)


def _inside(point: tuple[float, float], width: float, height: float) -> tuple[float, float]:
    x, y = point
    return (min(max(x, 0.0), width), min(max(y, 0.0), height)) if math.isfinite(x + y) else (0.0, 0.0)


def _shots(playing: Round, number: int) -> Iterator[Shape]:
    """Yield each shot of round ``number`` as a dot with a tail that points back to where it comes from."""
    width, height = playing.arena.width, playing.arena.height
    for shot, x, y, dx, dy in zip(*playing.volley, strict=True):
        color, name = seat_color(shot.owner), f"{number}.{shot.number}"
        yield Line(((x - dx / 2, y - dy / 2), (x, y)), stroke=color, width=0.6, key=f"tail {name}")
        radius = _SHOT_RADIUS * (0.5 + 0.2 * shot.power)
        title = f"shot of {seat_name(shot.owner)}, power {shot.power:g}"
        yield _dot(x, y, radius, color, width, height, key=f"shot {name}", title=title)


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
