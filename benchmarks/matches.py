"""Whole matches per second, sandboxes and referee included, at one job and at two.

    python benchmarks/matches.py [VARIANT] [BOT ...] [--matches N]
    python benchmarks/matches.py pybots      # melees of eight through all 1000 steps: benchmarks/pybots_melee.py

Default: random against random in Isolation. Each figure is measured several times in turn; medians are printed.
The original Isolation runner plays about 8 random games a second on a quiet core (rules/isolation.md).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import pybots_melee  # type: ignore[import-not-found]  # a script beside this one

from botleague.executors import HostSetup, LocalProcesses, MatchOrder
from botleague.league.submission import read_bot
from botleague.plugins import PluginHost
from botleague.referee import config_digest

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
                done += 1
                turns += outcome.report.turns
        return turns

    def rate(jobs: int, matches: int) -> tuple[float, float]:
        """Return matches a second, and turns a second."""
        with LocalProcesses(HostSetup(), jobs) as executor:
            hold(executor, jobs * WARM_UP)
            started = time.perf_counter()
            turns = hold(executor, matches)
            seconds = time.perf_counter() - started
        return matches / seconds, turns / seconds

    print(f"{variant.name}: {' against '.join(names)}, {arguments.matches} matches a run")
    for jobs in (1, 2):
        runs = [rate(jobs, arguments.matches) for _ in range(arguments.repeat)]
        per_second = statistics.median(run[0] for run in runs)
        turns = statistics.median(run[1] for run in runs)
        spread = f"{min(run[0] for run in runs):.1f} to {max(run[0] for run in runs):.1f}"
        print(f"  {jobs} job(s): {per_second:7.1f} matches/s ({spread}), {turns:9.0f} turns/s")


if __name__ == "__main__":
    main()
