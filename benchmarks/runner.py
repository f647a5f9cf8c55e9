"""What a match costs the runner: processor time of its process in real leagues of short matches, two at a time.

    python benchmarks/runner.py [--runs 3]

24 copies of a bundled bot play Isolation on a small board. The time is that of the runner's own process from planning
to the last result: claims, orders, outcomes, records, ratings and standings, but not the matches, which are played in
other processes. Ends with 1 if a match was not played.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from botleague.executors import LocalProcesses
from botleague.league import LeagueSettings, Runner, create_league, open_season, runner_name
from botleague.plugins import PluginHost
from botleague.workers import HostSetup
from botleague_storage import Database, bots, matches

BOTS = 24
LEAGUES = {
    "round robin, planned at once": ("round-robin", {"rounds": 4}, 4 * BOTS * (BOTS - 1)),
    "ladder, 30 rounds": ("ladder", {"rounds": 30}, 30 * BOTS // 2),
}
"""Format, its options and its number of matches."""


def play(plugins: PluginHost, form: str, options: dict[str, int]) -> tuple[int, float, float]:
    """Play a new league; return its matches, and the seconds of processor time and elapsed time of the runner."""
    variant = plugins.variant("isolation-5x5")
    (bundled,) = (bot for bot in plugins.bots_for(variant) if bot.name == "sample-random")
    source = Path(bundled.path).read_bytes()
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Database(str(Path(folder) / "league.db"))) as database,
    ):
        with database.writing() as connection:
            entrants = []
            for number in range(BOTS):
                copy = bots.Source({"bot.py": source + b"\n# %d\n" % number}, "bot.py")
                entrants.append(bots.submit(connection, variant.game, f"bot-{number}", "", copy)[0].id)
            settings = LeagueSettings(format=form, format_options=options, seed=5)
            create_league(connection, plugins, "cup", variant, settings, entrants)
        with closing(LocalProcesses(HostSetup(), jobs=2)) as executor:
            used, began = time.process_time(), time.perf_counter()
            Runner(database, plugins, executor, runner_name()).run("cup", lambda _: None)
            used, elapsed = time.process_time() - used, time.perf_counter() - began
        with database.reading() as connection:
            season = open_season(connection, plugins, "cup")
            return len(list(matches.played(connection, season.id))), used, elapsed


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    plugins = PluginHost.load()
    for league, (form, options, expected) in LEAGUES.items():
        used, rates = [], []
        for _ in range(runs):
            number, cpu_s, elapsed_s = play(plugins, form, options)
            if number != expected:
                sys.exit(f"{league}: {number} of {expected} matches were played")
            used.append(1000 * cpu_s / number)
            rates.append(number / elapsed_s)
        print(
            f"{league}, {expected} matches: {statistics.median(used):.2f} ms of CPU per match "
            f"({min(used):.2f} to {max(used):.2f}), {statistics.median(rates):.0f} matches/s",
            flush=True,
        )


if __name__ == "__main__":
    main()
