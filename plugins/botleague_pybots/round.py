"""One round: robots and shots in an arena, and the seven phases of a step.

A :class:`Round` is a value; :func:`step` returns the next one. The order of the phases, of the hits and of the
float operations is part of the rules: two engines agree to the last bit or they play different games.

Contacts are found with a sweep along x instead of comparing everything with everything. The sweep only chooses
which pairs are measured; the measurement itself is the specified one. What a robot sees is computed when it
is asked (:func:`sight`), since it follows from the positions.

Source: rules/pybots.md, sections 4 to 7.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from botleague.rules import Fault
from botleague_pybots.geometry import distance, get_direction
from botleague_pybots.hardware import Hardware
from botleague_pybots.options import Arena, Options
from botleague_pybots.orders import SLOWEST_SHOT, Number, Orders, clamp

__all__ = ["Body", "Ending", "Events", "Hit", "Robot", "Round", "Seen", "Shot", "begin", "sight", "step"]

Ending: TypeAlias = Literal["", "none", "last", "time", "unplaced"]
"""Empty while a round goes on; nobody is left; the last one won; time is up; the robots found no place."""

HitKind: TypeAlias = Literal["exc", "wall", "shot", "ram"]

Seen: TypeAlias = tuple[str, tuple[float, float], float, float]
"""Name, position, commanded direction in radians, commanded speed."""

_Hitter: TypeAlias = Callable[[HitKind, int | None, int, float], None]
"""Deal a hit: kind, source, index of the victim, power."""

SCAN_DEGREES = 10
"""Half width of the scan for each point of ``scanradius``."""

_MARGIN = 1e-6
"""By how much the quick tests are wider than the exact ones. Coordinates are below 1e5, where the rounding of a
double is below 1e-11."""


class Body(NamedTuple):
    """What does not change about a robot during a round."""

    seat: int
    name: str
    size: float
    armour: float
    maxdamage: float
    maxspeed: float
    shotpower: float
    shotspeed: float
    scanradius: float

    @classmethod
    def of(cls, seat: int, name: str, hardware: Hardware) -> Body:
        """Return the body of ``seat`` with this hardware."""
        return cls(seat, name, *hardware)


class Robot(NamedTuple):
    """A living robot. ``direction`` is in radians, ``scan`` is the interval of bearings in degrees."""

    body: Body
    x: float
    y: float
    direction: float = 0.0
    speed: float = 0
    damage: float = 0
    scan: tuple[float, float] = (0, 0)


class Shot(NamedTuple):
    """What does not change about a shot: its number in the round, its owner's seat, its power and its move."""

    number: int
    owner: int
    direction: float
    speed: float
    power: float
    dx: float
    dy: float


class Hit(NamedTuple):
    """One hit: ``source`` is the number of a shot or the seat of the robot whose armour rammed."""

    kind: HitKind
    source: int | None
    victim: int
    power: float
    damage: float


class Events(NamedTuple):
    """What happened in one step, in order; robots are named by their seats, shots by their numbers.

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


class Round(NamedTuple):
    """The state of one round.

    Attributes:
        arena, options: what is played.
        robots: the living ones, in seat order.
        shots: those in the air, in order of creation; ``shot_x`` and ``shot_y`` are their places.
        steps: steps played.
        created: shots created so far.
        ending: see :data:`Ending`.
        deaths: (seat, step) of those removed, in order.
        events: what happened in the last step.
    """

    arena: Arena
    options: Options
    robots: tuple[Robot, ...]
    shots: tuple[Shot, ...] = ()
    shot_x: tuple[float, ...] = ()
    shot_y: tuple[float, ...] = ()
    steps: int = 0
    created: int = 0
    ending: Ending = ""
    deaths: tuple[tuple[int, int], ...] = ()
    events: Events = NOTHING

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won, ascending; empty while the round goes on or when nobody did."""
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
    arena, options = before.arena, before.options
    robots = before.robots
    damages = [robot.damage for robot in robots]
    hits: list[Hit] = []
    dead: list[int] = []

    def hit(kind: HitKind, source: int | None, victim: int, power: float) -> None:
        body = robots[victim].body
        damage = power - body.armour
        damages[victim] += max(damage, 0)
        hits.append(Hit(kind, source, body.seat, power, damages[victim]))
        if damages[victim] >= body.maxdamage and victim not in dead:
            dead.append(victim)

    # (1) act
    commands: list[_Command] = []
    fired: list[Shot] = []
    shot_x, shot_y = list(before.shot_x), list(before.shot_y)
    failures: list[tuple[int, str]] = []
    for index, robot in enumerate(robots):
        command = _obey(robot, replies[robot.body.seat], options)
        commands.append(command)
        if command.shots:
            for direction, speed, power in command.shots[: _room(before, robot.body.seat)]:
                number = before.created + len(fired)
                dx, dy = math.cos(direction) * speed, math.sin(direction) * speed
                fired.append(Shot(number, robot.body.seat, direction, speed, power, dx, dy))
                shot_x.append(robot.x)
                shot_y.append(robot.y)
        if command.failure is not None:
            failures.append((robot.body.seat, command.failure))
            hit("exc", None, index, command.penalty)

    # (2) move shots
    shots = before.shots + tuple(fired) if fired else before.shots
    gone: set[int] = set()
    if shots:
        shot_x = [x + shot[5] for x, shot in zip(shot_x, shots, strict=True)]
        shot_y = [y + shot[6] for y, shot in zip(shot_y, shots, strict=True)]
        width, height = arena.width, arena.height
        gone = {
            index
            for index, (x, y) in enumerate(zip(shot_x, shot_y, strict=True))
            if not (0 <= x <= width and 0 <= y <= height)
        }

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
            hit("wall", None, index, arena.wall_power)

    # (4) contacts: shots, then robots
    if robots and (shots or len(robots) > 1):
        # A place that is not a number touches nothing; it would only disturb the order.
        order = sorted((index for index, x in enumerate(xs) if x == x), key=xs.__getitem__)
        largest = max(robot.body.size for robot in robots)
        if shots:
            gone.update(_shots_hit(shots, shot_x, shot_y, robots, xs, ys, order, largest, hit))
        for first, second in _touching(robots, xs, ys, order, largest):
            back.add(first)
            hit("ram", robots[first].body.seat, second, robots[first].body.armour)

    # (5) reactions
    after = tuple(
        [
            Robot(
                robot.body,
                robot.x if index in back else xs[index],
                robot.y if index in back else ys[index],
                command.direction,
                command.speed,
                damages[index],
                command.scan,
            )
            for index, (robot, command) in enumerate(zip(robots, commands, strict=True))
            if index not in dead
        ]
        if back or dead
        else [
            Robot(robot[0], x, y, command[0], command[1], damage, command[2])
            for robot, command, x, y, damage in zip(robots, commands, xs, ys, damages, strict=True)
        ]
    )
    gone_numbers: tuple[int, ...] = ()
    if gone:
        gone_numbers = tuple(shots[index].number for index in sorted(gone))
        kept = [index for index in range(len(shots)) if index not in gone]
        shots = tuple([shots[index] for index in kept])
        shot_x = [shot_x[index] for index in kept]
        shot_y = [shot_y[index] for index in kept]

    # (7) clock and end; (6), the scan, is computed when a robot is asked
    steps = before.steps + 1
    ending: Ending = ""
    if not after:
        ending = "none"
    elif len(after) == 1 and all(shot.owner == after[0].body.seat for shot in shots):
        ending = "last"
    elif steps >= options.round_duration:
        ending = "time"
    dead_seats = tuple([robots[index].body.seat for index in dead])
    events = NOTHING
    if hits or fired or back or gone or failures:
        back_seats = tuple([robots[index].body.seat for index in sorted(back)])
        events = Events(tuple(fired), tuple(hits), back_seats, dead_seats, gone_numbers, tuple(failures))
    return Round(
        arena,
        options,
        after,
        shots,
        tuple(shot_x),
        tuple(shot_y),
        steps,
        before.created + len(fired),
        ending,
        before.deaths + tuple([(seat, steps) for seat in dead_seats]) if dead else before.deaths,
        events,
    )


def sight(state: Round, robot: Robot) -> list[Seen]:
    """Return what a robot sees now, nearest first, equal distances by name; empty before the first step."""
    if state.steps == 0:
        return []
    lo, hi = robot.scan
    own_x, own_y = robot.x, robot.y
    center = math.radians((lo + hi) / 2)
    ux, uy = math.cos(center), math.sin(center)
    # Only robots with at least this share of their distance along the scan can be within the interval.
    least = math.cos(math.radians((hi - lo) / 2)) - _MARGIN
    seen: list[tuple[float, str, Seen]] = []
    for other in state.robots:
        body, x, y, direction, speed, _, _ = other
        dx, dy = x - own_x, y - own_y
        if dx * ux + dy * uy < least * math.sqrt(dx * dx + dy * dy) or other is robot:
            continue
        if _within(lo, hi, get_direction((own_x, own_y), (x, y)), state.options):
            seen.append((distance((own_x, own_y), (x, y)), body.name, (body.name, (x, y), direction, speed)))
    seen.sort(key=lambda entry: entry[:2])
    return [entry for _, _, entry in seen]


def _within(lo: float, hi: float, bearing: float, options: Options) -> bool:
    return lo <= bearing <= hi or (
        options.scan_wrap and (lo <= bearing - 360 <= hi or lo <= bearing + 360 <= hi)
    )


class _Command(NamedTuple):
    """Orders as they were applied. ``failure`` is None if all of them were; shots have radians."""

    direction: float
    speed: float
    scan: tuple[float, float]
    shots: Sequence[tuple[float, float, float]] = ()
    failure: str | None = None
    penalty: float = 0


class _Unusable(Exception):
    """A value in orders that no honest harness sends under these options."""


def _obey(robot: Robot, reply: Orders | Fault, options: Options) -> _Command:
    """Return what becomes of one reply: each value checked and clamped once more, in the order of the rules."""
    body = robot.body
    direction, speed, scan = robot.direction, robot.speed, robot.scan
    if isinstance(reply, Fault):
        timeout = reply.kind == "timeout" and options.timeout_cost is not None
        penalty = options.timeout_cost if timeout else options.exception_cost
        return _Command(direction, speed, scan, (), f"{reply.kind}: {reply.detail}", penalty or 0)
    wanted_direction, wanted_speed, wanted_scan, wanted_shots, failure, _ = reply
    shots: list[tuple[float, float, float]] = []
    try:
        direction = _degrees(wanted_direction, options) / 180.0 * math.pi
        speed = _bounded(wanted_speed, 0, body.maxspeed, options)
        center = _degrees(wanted_scan, options)
        scan = (center - SCAN_DEGREES * body.scanradius, center + SCAN_DEGREES * body.scanradius)
        if wanted_shots:
            total: float = 0
            for shot_direction, shot_speed, shot_power in wanted_shots[: options.shots_per_step]:
                power = _bounded(shot_power, 0, body.shotpower, options)
                if power != power:
                    raise _Unusable("a power that is not a number")
                # With refunds any powers can be reached, so there is nothing to check here.
                if options.negative_power == "zero" and total + power > body.shotpower:
                    power = body.shotpower - total
                radians = _degrees(shot_direction, options) / 180.0 * math.pi
                shots.append((radians, _bounded(shot_speed, SLOWEST_SHOT, body.shotspeed, options), power))
                total += power
                if options.negative_power == "zero" and total >= body.shotpower:
                    break
    except _Unusable as unusable:
        failure = failure or f"orders: {unusable}"
    if failure:
        return _Command(direction, speed, scan, shots, failure, options.exception_cost)
    return _Command(direction, speed, scan, shots)


def _degrees(value: Number | None, options: Options) -> float:
    """Return a direction within [0, 360]; honest orders hold nothing else."""
    if value is None:
        raise _Unusable("a value is missing")
    if 0 <= value <= 360:
        return value
    if not math.isfinite(value) and options.nonfinite == "error":
        raise _Unusable("a direction that is not finite")
    return value % 360


def _bounded(value: Number | None, least: float, most: float, options: Options) -> float:
    """Return a number within a range; one that is not a number stays what it is, where options allow it."""
    if value is None:
        raise _Unusable("a value is missing")
    if least <= value <= most:
        return value
    if value != value and options.nonfinite == "error":
        raise _Unusable("a value that is not a number")
    return clamp(value, least, most)


def _room(state: Round, seat: int) -> int:
    """Return how many shots this robot may still add to those in the air."""
    limit = state.options.live_shots
    if len(state.shots) < limit - state.options.shots_per_step:
        return state.options.shots_per_step
    return max(0, limit - Counter(shot.owner for shot in state.shots)[seat])


def _shots_hit(
    shots: Sequence[Shot],
    shot_x: Sequence[float],
    shot_y: Sequence[float],
    robots: Sequence[Robot],
    xs: Sequence[float],
    ys: Sequence[float],
    order: Sequence[int],
    largest: float,
    hit: _Hitter,
) -> list[int]:
    """Deal the hits of all shots, shot by shot, and return the indices of those that hit something."""
    sorted_x = [xs[index] for index in order]
    reach = largest + _MARGIN
    used: list[int] = []
    for number, (x, y) in enumerate(zip(shot_x, shot_y, strict=True)):
        start = bisect_left(sorted_x, x - reach)
        stop = bisect_left(sorted_x, x + reach, start)
        if start == stop:
            continue
        shot = shots[number]
        struck = [
            index
            for index in order[start:stop]
            if -reach < ys[index] - y < reach
            and robots[index].body.seat != shot.owner
            and math.sqrt((xs[index] - x) ** 2 + (ys[index] - y) ** 2) < robots[index].body.size
        ]
        if struck:
            used.append(number)
            for index in sorted(struck):
                hit("shot", shot.number, index, shot.power)
    return used


def _touching(
    robots: Sequence[Robot], xs: Sequence[float], ys: Sequence[float], order: Sequence[int], largest: float
) -> list[tuple[int, int]]:
    """Return all ordered pairs of robots in contact, by the indices of the first and then the second."""
    reach = 2 * largest + _MARGIN
    pairs: list[tuple[int, int]] = []
    for position, first in enumerate(order, 1):
        x, y = xs[first], ys[first]
        end = x + reach
        for second in order[position:]:
            if xs[second] > end:
                break
            if -reach < ys[second] - y < reach and (
                math.sqrt((xs[second] - x) ** 2 + (ys[second] - y) ** 2)
                < robots[first].body.size + robots[second].body.size
            ):
                pairs += ((first, second), (second, first))
    pairs.sort()
    return pairs
