"""The picture of a match: the arena, robots with size, heading and damage, their scans, and shots in the air."""

from __future__ import annotations

import math

from botleague.rules import Circle, Line, Polygon, Rect, Scene, Shape, Text, seat_color, seat_name, wedge
from botleague_pybots.match import Match
from botleague_pybots.robots import Robot
from botleague_pybots.round import Round

__all__ = ["draw"]

_SHORTEST_SCAN = 40.0
_SHOT_RADIUS = 1.2
_HURT = "#d03030"
_HEALTHY = "#2fa36b"
_INK = "#333333"
_PALE = 0.82


def draw(state: Match, rounds: int) -> Scene:
    """Return the picture of ``state`` in a match of so many rounds."""
    playing = state.round
    arena = playing.arena
    shapes: list[Shape] = [
        Rect(0, 0, arena.width, arena.height, fill="#ffffff", stroke=_HURT if arena.wall_power else _INK)
    ]
    reach = max(_SHORTEST_SCAN, min(arena.width, arena.height) / 3)
    shapes += [_scan(robot, reach) for robot in playing.robots if playing.steps]
    shapes += _shots(playing)
    hurt = {hit.victim for hit in playing.events.hits}
    for robot in playing.robots:
        shapes += _robot(robot, is_hurt=robot.body.seat in hurt)
    return Scene(arena.width, arena.height, tuple(shapes), tuple(_caption(state, rounds)))


def _scan(robot: Robot, reach: float) -> Shape:
    """Return the wedge that a robot sees; it goes on to the wall, but would hide the arena if drawn so."""
    lo, hi = robot.scan if all(map(math.isfinite, robot.scan)) else (0, 0)
    color = _pale(seat_color(robot.body.seat))
    return Polygon(wedge((robot.x, robot.y), robot.body.size + reach, lo, hi), fill=color, stroke=color)


def _pale(color: str) -> str:
    """Return a colour as it looks through fog."""
    channels = (int(color[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(255 * _PALE + channel * (1 - _PALE)):02x}" for channel in channels)


def _robot(robot: Robot, *, is_hurt: bool) -> list[Shape]:
    """Return a robot with its heading, its name and its health, on a red ring if it was hit in the last step."""
    body, x, y = robot.body, robot.x, robot.y
    direction = robot.direction if math.isfinite(robot.direction) else 0.0
    nose = (x + math.cos(direction) * body.size, y + math.sin(direction) * body.size)
    health = max(0.0, 1 - robot.damage / body.maxdamage)
    bar_y = y - body.size - 4
    ring: list[Shape] = [Circle(x, y, body.size + 3, fill=_HURT)] if is_hurt else []
    return [
        *ring,
        Circle(x, y, body.size, fill=seat_color(body.seat), stroke=_INK),
        Line(((x, y), nose), stroke="#ffffff", width=max(1.0, body.size / 6)),
        Rect(x - body.size, bar_y, 2 * body.size, 2, fill=_HURT),
        Rect(x - body.size, bar_y, 2 * body.size * health, 2, fill=_HEALTHY),
        Text(x, bar_y - 4, body.name, size=6, fill=_INK),
    ]


def _shots(playing: Round) -> list[Shape]:
    """Return each shot as a dot with a tail that points back to where it comes from."""
    shapes: list[Shape] = []
    for shot, x, y, dx, dy in zip(*playing.volley, strict=True):
        color = seat_color(shot.owner)
        shapes.append(Line(((x - dx / 2, y - dy / 2), (x, y)), stroke=color, width=0.6))
        shapes.append(Circle(x, y, _SHOT_RADIUS * (0.5 + 0.2 * shot.power), fill=color))
    return shapes


def _caption(state: Match, rounds: int) -> list[str]:
    playing = state.round
    lines = []
    if rounds > 1:
        lines.append(f"round {min(len(state.results) + 1, rounds)} of {rounds}")
    lines.append(
        f"step {playing.steps} of {playing.options.round_duration}, {len(playing.volley.shots)} shots"
    )
    living = {robot.body.seat: robot for robot in playing.robots}
    died = dict(playing.deaths)
    for seat, entrant in enumerate(state.entrants):
        won = sum(seat in result.winners for result in state.results)
        wins = f", {won} won" if rounds > 1 else ""
        if entrant is None:
            lines.append(f"{seat_name(seat)} does not take part")
        elif robot := living.get(seat):
            lines.append(f"{entrant.name}: damage {robot.damage:g} of {robot.body.maxdamage:g}{wins}")
        elif seat in died:
            lines.append(f"{entrant.name}: out since step {died[seat]}{wins}")
        else:
            lines.append(f"{entrant.name}: {entrant.refusal or 'waiting'}{wins}")
    names = {seat: entrant.name for seat, entrant in enumerate(state.entrants) if entrant is not None}
    if rounds > 1 and state.results:
        winners = ", ".join(names[seat] for seat in state.results[-1].winners) or "nobody"
        lines.insert(1, f"round {len(state.results)} was won by {winners}")
    lines += [f"{names[seat]} failed: {reason}" for seat, reason in playing.events.failures]
    return lines
