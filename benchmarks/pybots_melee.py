"""Melees of eight sandboxed bots over the full 1000 steps, in rounds a minute, at one job and at two.

    python benchmarks/pybots_melee.py [--rounds N] [--repeat N]

The bots drive, scan, aim and shoot in every step, but are so thickly armoured that nobody ever dies: that is the most
a round can cost. All eight are asked at the same time in every step. Medians of several runs, measured in turn.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import closing

from botleague.executors import LocalProcesses, MatchOrder
from botleague.plugins import PluginHost
from botleague.referee import Player, config_digest
from botleague.workers.worker_setup import HostSetup

VARIANT = "pybots-melee"
SEATS, STEPS = 8, 1000

ROVER = """
import random
import util

class bot:
    size, armour, maxdamage, maxspeed, shotpower, shotspeed, scanradius = 10, 3, 15, 3, 1, 3, 4

    def __init__(self):
        self.scan = 0
        self.heading = 0

    def set_arena_data(self, data):
        self.middle = (data["ARENA_W"] / 2, data["ARENA_H"] / 2)
        self.room = min(self.middle) - 30

    def act(self, data):
        name, pos, damage, seen = data
        shots = []
        self.scan = (self.scan + 70) % 360
        if seen:
            other, place, direction, speed = seen[0]
            aim = util.get_direction(pos, util.newpos(place, direction, speed))
            self.scan = aim
            shots = [(aim, self.shotspeed, self.shotpower)]
        if util.distance(pos, self.middle) > self.room:
            self.heading = util.get_direction(pos, self.middle)
        elif random.random() < 0.1:
            self.heading = random.randrange(360)
        return (self.heading, self.maxspeed, self.scan, shots)
"""


def hold(executor: LocalProcesses, rounds: int, config: str) -> None:
    """Hold so many melees, as many at a time as the executor takes.

    Raises:
        SystemExit: a match failed, or was over before its last step.
    """
    files = {"rover.py": ROVER.encode()}
    players = tuple(Player("rover", "0" * 64, files, "rover.py") for _ in range(SEATS))
    sent = done = 0
    while done < rounds:
        while sent < rounds and sent - done < executor.capacity:
            executor.submit(MatchOrder(sent, 1, VARIANT, config, sent, players))
            sent += 1
        for outcome in executor.wait(60):
            if outcome.report is None:
                sys.exit(str(outcome.failure))
            if outcome.report.turns != STEPS:
                sys.exit(
                    f"a melee was over after {outcome.report.turns} steps: {outcome.report.outcome.reason}"
                )
            done += 1


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args(given)
    config = config_digest(PluginHost.load().variant(VARIANT).config)
    runs: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(arguments.repeat):
        for jobs, figures in runs.items():
            with closing(LocalProcesses(HostSetup(), jobs)) as executor:
                hold(executor, jobs, config)
                started = time.perf_counter()
                hold(executor, arguments.rounds, config)
                figures.append(arguments.rounds / (time.perf_counter() - started) * 60)
    print(f"{VARIANT}: {SEATS} bots, {STEPS} steps, {arguments.rounds} rounds a run")
    for jobs, figures in runs.items():
        print(
            f"  {jobs} job(s): {statistics.median(figures):6.1f} rounds a minute"
            f" ({min(figures):.1f} to {max(figures):.1f})"
        )


if __name__ == "__main__":
    main()
