"""One round: robots and shots in an arena, and the seven phases of a step.

A :class:`Round` is a value; :func:`step` returns the next one. The order of the phases, of the hits and of the
float operations is part of the rules: two engines agree to the last bit or they play different games.

Source: rules/pybots.md, sections 4 to 7.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from botleague.rules import Fault
from botleague_pybots.battle.contacts import struck, touching
from botleague_pybots.battle.robots import Body, Command, Robot, obey
from botleague_pybots.battle.sight import Seen, look
from botleague_pybots.battle.volley import NO_SHOTS, Shot, Volley
from botleague_pybots.options import Arena, Options
from botleague_pybots.orders import Orders

Ending: TypeAlias = Literal["", "none", "last", "time", "unplaced"]
"""Empty during a round; no robot is left; the last robot won; time is up; the robots did not fit."""

HitKind: TypeAlias = Literal["exc", "wall", "shot", "ram"]


class Hit(NamedTuple):
    """One hit: ``source`` is the number of a shot or the seat of the robot whose armour rammed."""

    kind: HitKind
    source: int | None
    victim: int
    power: float
    damage: float


class Events(NamedTuple):
    """Events of one step, in order; robots are named by their seats, shots by their numbers.

    Attributes:
        fired: shots created.
        hits: hits in the order in which they counted.
        back: robots pushed back to where they came from.
        dead: robots removed, in the order in which they were first marked.
        gone: shots removed.
        failures: why answers were not applied to their end: (seat, reason).
    """

    fired: tuple[Shot, ...] = ()
    hits: tuple[Hit, ...] = ()
    back: tuple[int, ...] = ()
    dead: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()
    failures: tuple[tuple[int, str], ...] = ()


NOTHING = Events()

MANY = 256
"""Minimum number of shots for the use of numpy, because loading it takes as long as thousands of steps of a
duel."""


class Round(NamedTuple):
    """The state of one round.

    Attributes:
        arena, options: what is played.
        robots: the living ones, in seat order.
        volley: the shots in the air.
        steps: steps played.
        created: shots created so far.
        ending: see :data:`Ending`.
        deaths: (seat, step) of those removed, in order.
        events: what happened in the last step.
    """

    arena: Arena
    options: Options
    robots: tuple[Robot, ...]
    volley: Volley = NO_SHOTS
    steps: int = 0
    created: int = 0
    ending: Ending = ""
    deaths: tuple[tuple[int, int], ...] = ()
    events: Events = NOTHING

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won, ascending; empty during the round or without a winner."""
        return tuple(robot.body.seat for robot in self.robots) if self.ending else ()


def begin(
    arena: Arena, options: Options, bodies: Sequence[Body], places: Sequence[tuple[float, float]]
) -> Round:
    """Return a round before its first step, with a robot for each body, in this order."""
    robots = tuple(Robot(body, x, y) for body, (x, y) in zip(bodies, places, strict=True))
    return Round(arena, options, robots)


def step(before: Round, replies: Mapping[int, Orders | Fault]) -> Round:
    """Return the round after one step.

    Args:
        before: the round so far.
        replies: orders, or what went wrong, by the seat of each living robot.
    """
    arena, options, robots = before.arena, before.options, before.robots
    blows = _Blows(robots)

    # (1) act
    commands = [obey(robot, replies[robot.body.seat], options) for robot in robots]
    fired, places = _fired(before, commands)
    failures: list[tuple[int, str]] = []
    for index, command in enumerate(commands):
        if command.failure is not None:
            failures.append((robots[index].body.seat, command.failure))
            blows.hit("exc", None, index, command.penalty)

    # (2) move shots
    volley = joined(before.volley, fired, places) if fired else before.volley
    gone: set[int] = set()
    if volley.shots:
        volley = volley.moved()
        gone = volley.outside(arena)

    # (3) move robots
    xs: list[float] = []
    ys: list[float] = []
    back: set[int] = set()
    for index, (robot, command) in enumerate(zip(robots, commands, strict=True)):
        x = robot.x + math.cos(command.direction) * command.speed
        y = robot.y + math.sin(command.direction) * command.speed
        xs.append(x)
        ys.append(y)
        size = robot.body.size
        if not (size <= x <= arena.width - size and size <= y <= arena.height - size):
            back.add(index)
            blows.hit("wall", None, index, arena.wall_power)

    # (4) contacts: shots, then robots
    if volley.shots:
        for number, index in struck(volley, robots, xs, ys):
            gone.add(number)
            blows.hit("shot", volley.shots[number].number, index, volley.shots[number].power)
    for first, second in touching(robots, xs, ys):
        back.add(first)
        blows.hit("ram", robots[first].body.seat, second, robots[first].body.armour)

    # (5) reactions
    for index in back:
        xs[index], ys[index] = robots[index].x, robots[index].y
    after = tuple(
        [
            Robot(robot.body, x, y, command.direction, command.speed, damage, command.scan)
            for robot, x, y, command, damage in zip(robots, xs, ys, commands, blows.damages, strict=True)
            if damage < robot.body.maxdamage
        ]
    )
    steps = before.steps + 1
    dead = tuple([robots[index].body.seat for index in blows.dead])
    events = NOTHING
    if blows.hits or fired or back or gone or failures:
        events = Events(
            tuple(fired),
            tuple(blows.hits),
            tuple([robots[index].body.seat for index in sorted(back)]),
            dead,
            tuple([volley.shots[index].number for index in sorted(gone)]),
            tuple(failures),
        )
    if gone:
        volley = volley.without(gone)

    # (6), the scan, is computed when a robot is asked; (7) clock and end
    return Round(
        arena,
        options,
        after,
        volley,
        steps,
        before.created + len(fired),
        _ending(after, volley, steps, options),
        before.deaths + tuple([(seat, steps) for seat in dead]) if dead else before.deaths,
        events,
    )


def sight(state: Round, robot: Robot) -> list[Seen]:
    """Return what a robot sees now, see :func:`~botleague_pybots.battle.sight.look`; nothing before the first step."""
    return look(robot, state.robots, wrap=state.options.scan_wrap) if state.steps else []


def joined(volley: Volley, fired: Sequence[Shot], places: Sequence[tuple[float, float]]) -> Volley:
    """Return a volley with new shots at these places, as a barrage once there are :data:`MANY`."""
    after = volley.joined_by(fired, places)
    if len(after.shots) < MANY:
        return after
    from botleague_pybots.battle.barrage import Barrage

    return after if isinstance(after, Barrage) else Barrage.of(after)


class _Blows:
    """The hits of one step, as they add up."""

    __slots__ = ("_robots", "damages", "dead", "hits")

    def __init__(self, robots: Sequence[Robot]) -> None:
        self._robots = robots
        self.damages = [robot.damage for robot in robots]
        self.hits: list[Hit] = []
        self.dead: list[int] = []

    def hit(self, kind: HitKind, source: int | None, victim: int, power: float) -> None:
        """Deal a hit to the robot of index ``victim``."""
        body = self._robots[victim].body
        self.damages[victim] += max(power - body.armour, 0)
        self.hits.append(Hit(kind, source, body.seat, power, self.damages[victim]))
        if self.damages[victim] >= body.maxdamage and victim not in self.dead:
            self.dead.append(victim)


def _fired(before: Round, commands: Sequence[Command]) -> tuple[list[Shot], list[tuple[float, float]]]:
    """Return the new shots of a step and where they start: at their owner's place before its move."""
    fired: list[Shot] = []
    places: list[tuple[float, float]] = []
    options = before.options
    is_crowded = len(before.volley.shots) + options.shots_per_step >= options.live_shots
    for robot, command in zip(before.robots, commands, strict=True):
        if command.shots:
            shots = command.shots[: _room(before, robot.body.seat)] if is_crowded else command.shots
            for direction, speed, power in shots:
                number = before.created + len(fired)
                fired.append(Shot(number, robot.body.seat, direction, speed, power))
                places.append((robot.x, robot.y))
    return fired, places


def _room(state: Round, seat: int) -> int:
    """Return how many shots this robot may still add to those in the air."""
    return max(0, state.options.live_shots - Counter([shot.owner for shot in state.volley.shots])[seat])


def _ending(robots: Sequence[Robot], volley: Volley, steps: int, options: Options) -> Ending:
    if not robots:
        return "none"
    if len(robots) == 1 and all(shot.owner == robots[0].body.seat for shot in volley.shots):
        return "last"
    return "time" if steps >= options.round_duration else ""
