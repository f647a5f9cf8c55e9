"""How several runners add up: results per second of one runner, and of three, that share a PostgreSQL database.

    python benchmarks/runners.py --db postgresql://USER:PASSWORD@HOST/EMPTY-DATABASE [--runners 3] [--seconds 12]

Results are drawn, as in ``benchmarks/league.py``: once with a pause, as if matches took their time, so that each runner
could record more than it gets; and once without, so that a single runner already keeps the database busy.
Ends with 1 if a runner ended early, if too little was recorded, or if the runners with a pause give less than two
thirds of their number times one.
"""

from __future__ import annotations

import argparse
import runpy
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from botleague.executors import MatchOutcome
from botleague.league import LeagueSettings, Runner, create_league, runner_name
from botleague.plugins import PluginHost
from botleague_storage import Database, StorageError, bots, fixtures, leagues

LEAGUE = runpy.run_path(str(Path(__file__).with_name("league.py")))
BOTS, ROUNDS = 200, 8
PAUSE_S = 0.4
"""Seconds in which a runner gets the results of :data:`CAPACITY` matches."""

CAPACITY = 200
BEGUN = 500
"""Results after which the measurement begins: all runners are at work then."""


def record(url: str, league: str, pause_s: float) -> None:
    """Record drawn results until the process is ended."""

    executor = LEAGUE["Drawn"](CAPACITY)
    draw = executor.wait

    def wait(timeout_s: float) -> Sequence[MatchOutcome]:
        time.sleep(pause_s)
        outcomes: Sequence[MatchOutcome] = draw(timeout_s)
        return outcomes

    executor.wait = wait
    with closing(Database(url)) as database:
        Runner(database, PluginHost.load(), executor, runner_name()).run(league, lambda _: None)


def measure(url: str, runners: int, pause_s: float, seconds: float) -> float:
    """Return the results per second that some runners record in a new league."""
    plugins, league = PluginHost.load(), f"league-{runners}-{pause_s:g}".replace(".", "-")
    with closing(Database(url)) as database:
        with database.writing() as connection:
            ids = []
            for one in range(BOTS):
                source = bots.Source({"bot.py": b"%d" % one}, "bot.py")
                name = f"bot-{one}_{1200 + 3 * one}"
                ids.append(bots.submit(connection, "isolation", name, f"owner {one}", source)[0].id)
            settings = LeagueSettings(format="round-robin", format_options={"rounds": ROUNDS}, seed=1)
            create_league(connection, plugins, league, plugins.variant("isolation"), settings, ids)

        def recorded() -> int:
            with database.reading() as connection:
                season = leagues.current_season(connection, leagues.find(connection, league).id)
                return fixtures.counts(connection, season.id)[1]

        command = [sys.executable, __file__, "--db", url, "--league", league, "--pause", str(pause_s)]
        processes = [subprocess.Popen(command) for _ in range(runners)]
        try:
            while (first := recorded()) < BEGUN and all(process.poll() is None for process in processes):
                time.sleep(0.05)
            began = time.monotonic()
            time.sleep(seconds)
            rate = (recorded() - first) / (time.monotonic() - began)
            if not rate or any(process.poll() is not None for process in processes):
                sys.exit(f"{runners} runners: one of them ended, or nothing was recorded")
        finally:
            for process in processes:
                process.kill()
                process.wait()
    return rate


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--db", required=True, help="URL of an empty PostgreSQL database")
    parser.add_argument("--runners", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=12.0)
    parser.add_argument("--league", default="", help=argparse.SUPPRESS)
    parser.add_argument("--pause", type=float, default=PAUSE_S, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.league:
        record(asked.db, asked.league, asked.pause)
        return
    ratios = []
    for pause_s in (PAUSE_S, 0.0):
        try:
            one, several = (
                measure(asked.db, runners, pause_s, asked.seconds) for runners in (1, asked.runners)
            )
        except StorageError as error:
            sys.exit(f"nothing was measured: {error}")
        ratios.append(several / one)
        print(
            f"pause of {pause_s} s for {CAPACITY} results: one runner {one:.0f} results/s, "
            f"{asked.runners} runners {several:.0f}: {ratios[-1]:.2f} times",
            flush=True,
        )
    if ratios[0] < asked.runners * 2 / 3:
        sys.exit(f"WRONG: {ratios[0]:.2f} times one runner")


if __name__ == "__main__":
    main()
