"""Whole matches per second, sandboxes and referee included: one job on one core and on all, and two.

    python benchmarks/matches.py [VARIANT] [BOT ...] [--matches N]
    python benchmarks/matches.py pybots      # melees of eight through all 1000 steps: benchmarks/pybots_melee.py

Default: random against random in Isolation. Each figure is measured several times in turn; medians are printed.
The original Isolation runner plays about 8 random games a second on a quiet core (rules/isolation.md).
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pybots_melee  # type: ignore[import-not-found]  # a script beside this one

from botleague.executors import LocalProcesses, MatchOrder
from botleague.league.submission.bot_reader import read_bot
from botleague.plugins import PluginHost
from botleague.referee import config_digest
from botleague.workers.worker_setup import HostSetup

DEFAULTS = {"isolation": ["random", "random"]}
WARM_UP = 4


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("variant", nargs="?", default="isolation")
    parser.add_argument("bots", nargs="*")
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()

    if arguments.variant == "pybots" and not arguments.bots:
        # Robots that fight are dead long before the last step; the melee has its own, which are not.
        pybots_melee.main([])
        return

    plugins = PluginHost.load()
    variant = plugins.variant(arguments.variant)
    names = arguments.bots or DEFAULTS.get(variant.name, [])
    offered = {bot.name: bot for bot in plugins.bots_for(variant)}
    if not names:
        names = [sorted(offered)[seat % len(offered)] for seat in range(variant.seats.least)]
    players = [read_bot(Path(offered[name].path), variant.entries) for name in names]
    digest = config_digest(variant.config)

    def hold(executor: LocalProcesses, matches: int) -> int:
        """Hold matches, as many at a time as the executor takes; return how many turns they had."""
        turns = sent = done = 0
        while done < matches:
            while sent < matches and sent - done < executor.capacity:
                executor.submit(MatchOrder(sent, 1, variant.name, digest, sent, tuple(players)))
                sent += 1
            for outcome in executor.wait(60):
                if outcome.report is None:
                    sys.exit(outcome.failure)
                if outcome.report.outcome.forfeits:
                    sys.exit(f"a match was not played to its end: {outcome.report.outcome.reason}")
                done += 1
                turns += outcome.report.turns
        return turns

    def rate(jobs: int, matches: int) -> tuple[float, float]:
        """Return matches a second, and turns a second."""
        with closing(LocalProcesses(HostSetup(), jobs)) as executor:
            hold(executor, jobs * WARM_UP)
            started = time.perf_counter()
            turns = hold(executor, matches)
            seconds = time.perf_counter() - started
        return matches / seconds, turns / seconds

    print(f"{variant.name}: {' against '.join(names)}, {arguments.matches} matches a run")
    all_cores = os.sched_getaffinity(0)
    one_core = {min(all_cores)}
    medians = []
    for jobs, cores in ((1, one_core), (1, all_cores), (2, all_cores)):
        os.sched_setaffinity(0, cores)  # for all that is started from here
        runs = [rate(jobs, arguments.matches) for _ in range(arguments.repeat)]
        medians.append(statistics.median(run[0] for run in runs))
        turns = statistics.median(run[1] for run in runs)
        spread = f"{min(run[0] for run in runs):.1f} to {max(run[0] for run in runs):.1f}"
        where = f"{jobs} job(s), {len(cores)} core(s)"
        print(f"  {where}: {medians[-1]:7.1f} matches/s ({spread}), {turns:9.0f} turns/s")
    alone, both, two = medians
    print(
        f"  two jobs on all cores: {two / alone:.2f} times one on one core, {two / both:.2f} times one on all; "
        f"two bare loops: {bare_loops():.2f} times one"
    )


def bare_loops() -> float:
    """Return how many times as much as one process two do that only count."""
    count = "import time\nn = 0\nend = time.monotonic() + 1\nwhile time.monotonic() < end: n += 1\nprint(n)"

    def counted(loops: int) -> int:
        command = [sys.executable, "-c", count]
        started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(loops)]
        return sum(int(each.communicate()[0]) for each in started)

    return statistics.median(counted(2) / counted(1) for _ in range(3))


if __name__ == "__main__":
    main()
