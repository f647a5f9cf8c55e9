"""How long one step of Pybots takes, from 2 to 64 moving robots.

Run ``python benchmarks/pybots_engine.py``. A step is ``step`` and what every robot sees then. All figures come out of
one run, fields of every size in turn, and are medians of slices in CPU time; beside the microseconds stands the ratio
to a neutral unit of plain Python work that is measured in between, so that runs on busy or other machines compare.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from functools import partial
from random import Random

from botleague_pybots.battle.geometry import distance, get_direction
from botleague_pybots.battle.placement import place
from botleague_pybots.battle.robots import Body
from botleague_pybots.battle.round import Round, begin, sight, step
from botleague_pybots.hardware import Hardware
from botleague_pybots.options import Arena, Options
from botleague_pybots.orders import Orders

ROBOTS = (2, 4, 8, 16, 32, 64)
SLICES, STEPS = 30, 40
ARENA = Arena(1200, 900)
TOUGH = Hardware(10, 3, 15, 3, 3, 5, 4)
"""Armour 3 makes robots and weak shots harmless, so that all stay to the end."""
UNIT_TURNS = 1000


def orders(robots: int, rng: Random, *, shooting: bool) -> dict[int, Orders]:
    """Return moves in all directions, and a shot now and then."""
    return {
        seat: Orders(
            rng.uniform(0, 360),
            3,
            rng.uniform(0, 360),
            ((rng.uniform(0, 360), 5, 1),) if shooting and rng.random() < 0.3 else (),
        )
        for seat in range(robots)
    }


def set_up(robots: int, rng: Random) -> Round:
    options = Options(round_duration=10**9)
    bodies = [Body.of(seat, f"bot{seat}", TOUGH) for seat in range(robots)]
    places = place(ARENA, [body.size for body in bodies], rng, options.placement)
    return begin(ARENA, options, bodies, places)


def unit() -> None:
    """Do the neutral work: one unit is a thousand turns of a loop with a root and a sum."""
    total = 0.0
    for number in range(UNIT_TURNS):
        total += math.sqrt(number)


def compare_everything(state: Round) -> None:
    """Measure contacts and bearings of all pairs, as a plain engine does in every step."""
    robots = state.robots
    for robot in robots:
        place = (robot.x, robot.y)
        for other in robots:
            if other is not robot and distance(place, (other.x, other.y)) >= robot.body.size:
                get_direction(place, (other.x, other.y))


def microseconds(work: Callable[[], object]) -> float:
    started = time.thread_time()
    work()
    return (time.thread_time() - started) * 1e6


def run(*, shooting: bool) -> None:
    rng = Random(1)
    states = {robots: set_up(robots, rng) for robots in ROBOTS}
    plain: dict[int, list[float]] = {robots: [] for robots in ROBOTS}
    steps: dict[int, list[float]] = {robots: [] for robots in ROBOTS}
    units: list[float] = []
    for _ in range(SLICES):
        units.append(microseconds(unit))
        for robots in ROBOTS:
            slice_us = 0.0
            for _ in range(STEPS):
                wanted = orders(robots, rng, shooting=shooting)
                started = time.thread_time()
                state = states[robots] = step(states[robots], wanted)
                for robot in state.robots:
                    sight(state, robot)
                slice_us += (time.thread_time() - started) * 1e6
            assert len(state.robots) == robots
            steps[robots].append(slice_us / STEPS)
            plain[robots].append(microseconds(partial(compare_everything, state)))
    one = statistics.median(units)
    print(f"\n{'with' if shooting else 'without'} shots; neutral unit {one:.1f} us")
    print("robots   us/step   units   growth of n**   all pairs us   shots")
    before: tuple[int, float] | None = None
    for robots in ROBOTS:
        median = statistics.median(steps[robots])
        growth = "" if before is None else f"{math.log(median / before[1], robots / before[0]):.2f}"
        pairs = statistics.median(plain[robots])
        shots = len(states[robots].volley.shots)
        print(f"{robots:6} {median:9.1f} {median / one:7.2f} {growth:>15} {pairs:14.1f} {shots:7}")
        before = robots, median
    whole = math.log(statistics.median(steps[64]) / statistics.median(steps[8]), 8)
    print(f"from 8 to 64 robots a step grows with n**{whole:.2f}")


if __name__ == "__main__":
    run(shooting=False)
    run(shooting=True)
