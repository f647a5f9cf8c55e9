"""How a league grows: recording, tables, a rebuild of all ratings and memory, from nothing to a million matches.

Run ``python benchmarks/league.py [--bots 10000] [--matches 1000000] [--db URL]``; a tenth of both takes a minute.
Matches are not played but drawn from known strengths; everything else is the real thing: the ladder plans, the
runner claims, each batch that comes back is recorded with its records, ratings and sums in one transaction.
Ends with 1 if a match was not recorded, if nothing could be measured, or if a rebuild comes to other ratings.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as every command does

from botleague.executors import MatchOrder, MatchOutcome
from botleague.league import (
    LeagueSettings,
    Progress,
    Runner,
    count_in,
    create_league,
    open_season,
    runner_name,
)
from botleague.league.tables import Part, read_standings
from botleague.plugins import PluginHost
from botleague.ratings import expected_score
from botleague.referee import MatchReport, SeatReport
from botleague.referee.journals.journal import JournalWriter
from botleague.rules import Outcome
from botleague.rules.formats import TableKind
from botleague_storage import Database, bots, fixtures, ratings

CAPACITY = 200
"""Matches under way at a time: a cluster of so many workers."""

LADDER = {"share": 0.5, "window": 5}
PAGE = 50
RECORD_BYTES = 600


@dataclass
class Spent:
    """Time that is no part of what is measured, on both clocks."""

    wall_s: float = 0.0
    cpu_s: float = 0.0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Add the time that the block takes."""
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        yield
        self.wall_s += time.perf_counter() - wall_s
        self.cpu_s += time.process_time() - cpu_s


@dataclass
class Drawn:
    """An executor that draws results by strength, which is in the names, instead of having matches played.

    Attributes:
        journal: of every seat; empty where nothing is kept.
        spent: on drawing.
    """

    capacity: int = CAPACITY
    journal: bytes = b""
    spent: Spent = field(default_factory=Spent)
    _orders: list[MatchOrder] = field(default_factory=list)

    def __enter__(self) -> Drawn:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def submit(self, order: MatchOrder) -> None:
        self._orders.append(order)

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        with self.spent.counted():
            orders, self._orders = self._orders, []
            return [self._outcome(order) for order in orders]

    def close(self) -> None:
        self._orders = []

    def _outcome(self, order: MatchOrder) -> MatchOutcome:
        one, other = (float(player.name.split("_")[1]) for player in order.players)
        rng = random.Random(f"{order.seed}/{order.players[0].name}")
        won = rng.random() < expected_score(one, other)
        outcome = Outcome((1, 2) if won else (2, 1), (float(won), float(not won)), "drawn by strength")
        faults = {"timeout": 1} if rng.random() < 0.01 else {}
        seat = SeatReport(faults, rng.uniform(10, 50), 60.0, 30 << 20, self.journal)
        record = rng.randbytes(RECORD_BYTES // 2) * 2
        report = MatchReport(record, outcome, (seat, seat), ("seccomp",), 40, 120.0)
        return MatchOutcome(order.fixture, order.epoch, report)


def median_ms(function: Callable[[], object], repeat: int = 9) -> float:
    """Return the median time of a call."""
    taken = []
    for _ in range(repeat):
        started = time.perf_counter()
        function()
        taken.append(time.perf_counter() - started)
    return 1000 * statistics.median(taken)


def memory_mib() -> float:
    """Return the most memory this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def silent_journal() -> bytes:
    """Return the journal of a bot that answered 20 questions and said nothing: what nearly every match stores."""
    rng, writer = random.Random(1), JournalWriter()
    for turn in range(0, 40, 2):
        cpu_ms = rng.uniform(0.1, 9)
        writer.asked(turn, cpu_ms, cpu_ms + rng.uniform(0.02, 0.2), 0)
    return writer.encode()


def measure(url: str, entrants: int, matches: int, journal: bytes, table: TableKind = "batch") -> None:
    """Fill the database at ``url`` and print what that took; ``journal`` is that of every seat."""
    plugins = PluginHost.load()
    database = Database(url)
    rng = random.Random(1)
    batch = 2 * round(LADDER["share"] * entrants / 2)
    rounds = matches // batch
    settings = LeagueSettings(
        format="ladder", format_options={"rounds": rounds, **LADDER}, table=table, seed=1
    )
    started = time.perf_counter()
    with database.writing() as connection:
        ids = []
        for number in range(entrants):
            source = bots.Source({"bot.py": rng.randbytes(1000)}, "bot.py")
            name = f"bot-{number}_{rng.gauss(1500, 200):.0f}"
            ids.append(bots.submit(connection, "isolation", name, f"owner {number}", source)[0].id)
        league = create_league(
            connection, plugins, "ladder", plugins.variant("isolation"), settings, ids
        ).league
    print(f"{entrants} bots stored in {time.perf_counter() - started:.1f} s", flush=True)

    def page(first: int = 0) -> object:
        with database.reading() as connection:
            return read_standings(open_season(connection, plugins, league.name), Part(first, PAGE))

    executor = Drawn(journal=journal)
    print(f"\n{'matches':>9} {'results/s':>9} {'page ms':>8} {'middle ms':>9} {'peak MiB':>8}")
    step = rounds * batch // 10
    last = (0, time.perf_counter(), 0.0)

    def show(progress: Progress) -> None:
        nonlocal last
        if progress.done < last[0] + step:
            return
        taken = time.perf_counter() - last[1] - (executor.spent.wall_s - last[2])
        rate = (progress.done - last[0]) / taken
        with executor.spent.counted():
            first, middle = median_ms(page), median_ms(lambda: page(entrants // 2))
        print(
            f"{progress.done:>9} {rate:>9.0f} {first:>8.1f} {middle:>9.1f} {memory_mib():>8.0f}", flush=True
        )
        last = (progress.done, time.perf_counter(), executor.spent.wall_s)

    started, cpu = time.perf_counter(), time.process_time()
    Runner(database, plugins, executor, runner_name()).run(league.name, show)
    taken = time.perf_counter() - started - executor.spent.wall_s
    cpu = time.process_time() - cpu - executor.spent.cpu_s
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        planned, done = fixtures.counts(connection, season.id)
        is_counted = season.row.settled == done and len(list(read_standings(season))) == entrants
    if not (planned == done == rounds * batch and is_counted and last[0] and min(taken, cpu) > 0):
        sys.exit(
            f"nothing was measured: {done} results, {planned} matches planned, {rounds * batch} wanted, "
            f"{taken:.1f} s, {cpu:.1f} s of CPU"
        )
    print(
        f"\n{done} results planned, claimed and recorded at {done / taken:.0f} a second, "
        f"{done / cpu:.0f} a second of CPU (without the time of drawing them and of pages)"
    )

    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        before = ratings.digest(connection, season.id)
        started, cpu = time.perf_counter(), time.process_time()
        count_in(season, recompute=True)
        taken, cpu = time.perf_counter() - started, time.process_time() - cpu
        same = ratings.digest(connection, season.id) == before
    print(
        f"ratings rebuilt in {taken:.1f} s ({cpu:.1f} s of CPU): {'the same bits' if same else 'OTHER NUMBERS'}"
    )
    print(f"most memory ever: {memory_mib():.0f} MiB")
    if database.is_sqlite:
        size = Path(database.url.database or "").stat().st_size
        print(f"database file: {size / 2**20:.0f} MiB, {size / done:.0f} bytes a match")
    database.close()
    if not same:
        sys.exit(1)


def main() -> None:
    """Parse, measure in a folder that is removed again."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bots", type=int, default=10_000)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--db", help="an empty database; default: an SQLite file that is removed again")
    parser.add_argument("--no-journals", action="store_true", help="store none, to compare")
    options = parser.parse_args()
    if not 20 <= options.bots <= options.matches / 10:
        parser.error("20 bots or more, and ten matches for each: a step is a tenth of them")
    gc.set_threshold(100_000)  # as the command line does
    journal = b"" if options.no_journals else silent_journal()
    with tempfile.TemporaryDirectory() as folder:
        measure(options.db or str(Path(folder) / "league.db"), options.bots, options.matches, journal)


if __name__ == "__main__":
    main()
