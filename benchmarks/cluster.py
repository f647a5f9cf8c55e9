"""Cost of a cluster: the same leagues with local processes and with a Dask cluster on the same processors.

Run ``python benchmarks/cluster.py [--runs 3]``; it takes about two minutes. Both executors have the same number of
places: a local cluster is one worker process with that many threads. Runs alternate. Times are of whole leagues, from
the first claim to the last recorded result; connecting is not part of them.
Ends with 1 if a match was not played, or if the fingerprints of a league differ.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from distributed import LocalCluster

from botleague.league import LeagueSettings, Runner, create_league, open_season, runner_name
from botleague.league.season.hash_chain import fingerprint
from botleague.plugins import PluginHost
from botleague.workers import HostSetup
from botleague_storage import Database, bots, matches

PLACES = 2
LEAGUES = {
    "short": ("isolation-5x5", 40, ("random", "greedy", "sample-random", "sample-greedy")),
    "long": ("pelita", 4, ("pelita-gatherer", "pelita-hunter", "pelita-mixed")),
}
"""Variant, rounds of a round robin and bundled bots by length of matches."""


def play_league(
    plugins: PluginHost, league: str, executor: str, options: dict[str, Any]
) -> tuple[float, int, str]:
    """Play a new league, and return its seconds, its number of matches and its fingerprint."""
    name, rounds, names = LEAGUES[league]
    variant = plugins.variant(name)
    settings = LeagueSettings(format_options={"rounds": rounds}, seed=5)
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Database(str(Path(folder) / "league.db"))) as database,
    ):
        with database.writing() as connection:
            entrants = []
            for bot in plugins.bots_for(variant):
                if bot.name in names:
                    source = bots.Source({"bot.py": Path(bot.path).read_bytes()}, "bot.py")
                    entrants.append(bots.submit(connection, variant.game, bot.name, "", source)[0].id)
            create_league(connection, plugins, league, variant, settings, entrants)
        setup = HostSetup(plugin_files=(), profile="strong")
        with closing(plugins.executors.make(executor, {"setup": setup, **options})) as places:
            started = time.perf_counter()
            Runner(database, plugins, places, runner_name()).run(league, lambda _: None)
            seconds = time.perf_counter() - started
        with database.reading() as connection:
            season = open_season(connection, plugins, league)
            return seconds, len(list(matches.played(connection, season.id))), str(fingerprint(season))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3, help="of each league with each executor (default: 3)")
    parser.add_argument("--only", choices=LEAGUES, help="play only this league")
    arguments = parser.parse_args()
    plugins = PluginHost.load([], {})
    cluster: Any = LocalCluster
    with cluster(
        n_workers=1, threads_per_worker=PLACES, processes=True, dashboard_address=None, silence_logs=50
    ) as started:
        executors = {"local": {"jobs": PLACES}, "dask": {"address": started.scheduler_address}}
        for league in [arguments.only] if arguments.only else LEAGUES:
            seconds: dict[str, list[float]] = {executor: [] for executor in executors}
            played = set()
            for _ in range(arguments.runs):
                for executor, options in executors.items():
                    taken, number, print_of_results = play_league(plugins, league, executor, options)
                    seconds[executor].append(taken)
                    played.add((number, print_of_results))
            if not any(number for number, _ in played):
                sys.exit(f"{league} matches: none was played")
            if len(played) != 1:
                sys.exit(f"{league} matches: the results differ between executors: {sorted(played)}")
            local, dask = (statistics.median(seconds[executor]) for executor in executors)
            print(
                f"{league} matches ({number} of {LEAGUES[league][0]}): local {local:.2f} s, "
                f"{number / local:.1f} matches/s; cluster {dask:.2f} s, {number / dask:.1f} matches/s; "
                f"cluster at {local / dask:.2f} of local"
            )


if __name__ == "__main__":
    main()
