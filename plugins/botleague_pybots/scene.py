"""The picture of a match: the arena, robots with size, heading and damage, their scans, and shots in the air."""

from __future__ import annotations

import math

from botleague.rules import Circle, Line, Polygon, Rect, Scene, Shape, Text, seat_color, wedge
from botleague_pybots.match import Match
from botleague_pybots.robots import Robot
from botleague_pybots.round import Round

__all__ = ["draw"]

_SHORTEST_SCAN = 40.0
_SHOT_RADIUS = 1.2
_HURT = "#d03030"
_INK = "#333333"


def draw(state: Match, rounds: int) -> Scene:
    """Return the picture of ``state`` in a match of so many rounds."""
    playing = state.round
    arena = playing.arena
    shapes: list[Shape] = [
        Rect(0, 0, arena.width, arena.height, fill="#ffffff", stroke=_HURT if arena.wall_power else _INK)
    ]
    reach = max(_SHORTEST_SCAN, min(arena.width, arena.height) / 3)
    shapes += [_scan(robot, reach) for robot in playing.robots if playing.steps]
    for robot in playing.robots:
        shapes += _robot(robot)
    shapes += _shots(playing)
    shapes += _hits(playing)
    return Scene(arena.width, arena.height, tuple(shapes), tuple(_caption(state, rounds)))


def _scan(robot: Robot, reach: float) -> Shape:
    """Return the wedge that a robot sees; it goes on to the wall, but would hide the arena if drawn so."""
    lo, hi = robot.scan if all(map(math.isfinite, robot.scan)) else (0, 0)
    return Polygon(
        wedge((robot.x, robot.y), robot.body.size + reach, lo, hi),
        stroke=seat_color(robot.body.seat),
        layer="scan",
    )


def _robot(robot: Robot) -> list[Shape]:
    body, x, y = robot.body, robot.x, robot.y
    color = seat_color(body.seat)
    direction = robot.direction if math.isfinite(robot.direction) else 0.0
    nose = (x + math.cos(direction) * body.size, y + math.sin(direction) * body.size)
    health = max(0.0, 1 - robot.damage / body.maxdamage)
    bar_y = y - body.size - 3
    return [
        Circle(x, y, body.size, fill=color, stroke=_INK),
        Line(((x, y), nose), stroke="#ffffff", width=max(1.0, body.size / 6)),
        Rect(x - body.size, bar_y, 2 * body.size, 2, fill=_HURT),
        Rect(x - body.size, bar_y, 2 * body.size * health, 2, fill="#2fa36b"),
        Text(x, bar_y - 4, body.name, size=6, fill=_INK, layer="names"),
    ]


def _shots(playing: Round) -> list[Shape]:
    """Return each shot as a dot with a tail that shows where it was one step before."""
    shapes: list[Shape] = []
    for shot, x, y, dx, dy in zip(*playing.volley, strict=True):
        color = seat_color(shot.owner)
        shapes.append(Line(((x - dx, y - dy), (x, y)), stroke=color, width=0.6, layer="trails"))
        shapes.append(Circle(x, y, _SHOT_RADIUS * (0.5 + 0.2 * shot.power), fill=color))
    return shapes


def _hits(playing: Round) -> list[Shape]:
    """Return a ring around every robot that was hurt in the last step."""
    hurt = {hit.victim for hit in playing.events.hits}
    return [
        Circle(robot.x, robot.y, robot.body.size + 2, stroke=_HURT)
        for robot in playing.robots
        if robot.body.seat in hurt
    ]


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
            lines.append(f"seat {seat} does not take part")
        elif robot := living.get(seat):
            lines.append(f"{entrant.name}: damage {robot.damage:g} of {robot.body.maxdamage:g}{wins}")
        elif seat in died:
            lines.append(f"{entrant.name}: out since step {died[seat]}{wins}")
        else:
            lines.append(f"{entrant.name}: {entrant.refusal or 'waiting'}{wins}")
    names = {seat: entrant.name for seat, entrant in enumerate(state.entrants) if entrant is not None}
    lines += [f"{names[seat]} failed: {reason}" for seat, reason in playing.events.failures]
    return lines
