"""Traces that steps leave in the arena, for the picture only: tracks of robots, wrecks, and sparks of hits."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from botleague_pybots.battle.geometry import Point, newpos
from botleague_pybots.battle.robots import Body
from botleague_pybots.battle.round import Round

MAX_TRACKS = 8
"""Tracks per robot."""

TRACK_SPACING = 0.7
"""Distance of two tracks, in parts of the robot's size."""


class Track(NamedTuple):
    """A print of a robot's treads; ``direction`` is in radians."""

    x: float
    y: float
    direction: float


class Wreck(NamedTuple):
    """A robot that was removed, and in which step."""

    body: Body
    x: float
    y: float
    step: int


class Traces(NamedTuple):
    """Traces of a round so far.

    Attributes:
        tracks: newest tracks by seat, oldest first.
        wrecks: all wrecks, in order of removal.
        sparks: places of the hits of the last step.
    """

    tracks: tuple[tuple[int, tuple[Track, ...]], ...] = ()
    wrecks: tuple[Wreck, ...] = ()
    sparks: tuple[Point, ...] = ()


NO_TRACES = Traces()


def traces_after(traces: Traces, before: Round, after: Round) -> Traces:
    """Return the traces after the step from ``before`` to ``after``."""
    tracks = dict(traces.tracks)
    for robot in after.robots:
        old = tracks.get(robot.body.seat, ())
        spacing = TRACK_SPACING * robot.body.size
        if not old or max(abs(robot.x - old[-1].x), abs(robot.y - old[-1].y)) > spacing:
            new = Track(robot.x, robot.y, robot.direction)
            tracks[robot.body.seat] = (*old[1 - MAX_TRACKS :], new)
    wrecks = traces.wrecks
    if after.events.dead:
        wrecks += tuple(
            Wreck(robot.body, robot.x, robot.y, after.steps)
            for robot in before.robots
            if robot.body.seat in after.events.dead
        )
    sparks = tuple(_sparks(before, after)) if after.events.hits else ()
    return Traces(tuple(tracks.items()), wrecks, sparks)


def _sparks(before: Round, after: Round) -> Iterator[Point]:
    robots = {robot.body.seat: robot for robot in before.robots}
    fired = {shot.number: shot for shot in after.events.fired}
    volley = before.volley
    for hit in after.events.hits:
        victim = robots[hit.victim]
        if hit.kind == "shot" and hit.source in fired:
            shot = fired[hit.source]
            owner = robots[shot.owner]
            yield newpos((owner.x, owner.y), shot.direction, shot.speed)
        elif hit.kind == "shot" and hit.source is not None:
            index = bisect_left(volley.shots, hit.source, key=lambda shot: shot.number)
            yield float(volley.x[index] + volley.dx[index]), float(volley.y[index] + volley.dy[index])
        elif hit.kind == "ram" and hit.source is not None:
            source = robots[hit.source]
            yield (source.x + victim.x) / 2, (source.y + victim.y) / 2
        elif hit.kind == "wall":
            yield _nearest_wall(victim.x, victim.y, before.arena.width, before.arena.height)


def _nearest_wall(x: float, y: float, width: float, height: float) -> Point:
    walls: tuple[Point, ...] = ((0, y), (width, y), (x, 0), (x, height))
    return min(walls, key=lambda wall: math.dist(wall, (x, y)))
