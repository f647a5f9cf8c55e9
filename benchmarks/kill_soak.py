"""Kills what a league runs on, at random moments and again and again, and compares its tables with a calm run's.

Run ``python benchmarks/kill_soak.py [--kills 50] [--db URL] [--executor local|dask] [--only KIND] [--seed N]``.
Killed are the runner itself, its match hosts, the zygotes that fork their bots, the scheduler and the workers of a
cluster, and connections to a PostgreSQL server; not the processes of bots, for a bot that dies has lost. A runner that
ended is started again; a league that came to its end makes room for the next. Prints every kill, and ends with 1 if any
table, record or rating differs from those of the calm run, or if more processes than before are left a minute after
the last kill.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from botleague_storage import Database, NotFound, fixtures, leagues, matches, problems, ratings
from botleague_storage.schema.league_tables import fixture, record

GAME = Path(__file__).parents[1] / "tests" / "platform" / "plugin" / "guessing.py"
TERMS = ["run", "guessing", "five", "lucky", "counter", "--rounds", "12", "--seed", "77"]
JOBS = 2
KINDS = ("runner", "match host", "zygote", "cluster worker", "scheduler", "connection")

LEFT_S = 60.0
"""Seconds after which nothing of a killed runner is left."""


class Cluster:
    """A Dask scheduler and its workers, as processes of this machine."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self._port}"
        self._folder = folder
        self.scheduler = self._start_scheduler()
        self.workers = [self._start_worker() for _ in range(JOBS)]

    def restart_ended(self) -> None:
        """Restart processes that have ended: workers end with their scheduler."""
        if self.scheduler.poll() is not None:
            self.scheduler = self._start_scheduler()
        for place, worker in enumerate(self.workers):
            if worker.poll() is not None:
                self.workers[place] = self._start_worker()

    def close(self) -> None:
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start_scheduler(self) -> subprocess.Popen[bytes]:
        return self._dask("scheduler", "--host", "127.0.0.1", "--port", str(self._port))

    def _start_worker(self) -> subprocess.Popen[bytes]:
        return self._dask("worker", self.address, "--nthreads", "1", "--no-nanny")

    def _dask(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
            cwd=self._folder,
            env={**os.environ, "PYTHONSAFEPATH": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


class Soak:
    """One database, in which a calm league and one rough league after another are played."""

    def __init__(self, folder: Path, url: str, cluster: Cluster | None, seed: int, only: str | None) -> None:
        self.folder = folder
        self.url = url
        self.cluster = cluster
        self.rng = random.Random(seed)
        self.only = only
        self.wrong: list[str] = []
        self.kills: Counter[str] = Counter()
        (folder / "botleague.toml").write_text(f"plugins = ['{GAME}']\n")

    def start(self, league: str) -> subprocess.Popen[str]:
        """Begin or continue a league as a user does."""
        if self.cluster:
            self.cluster.restart_ended()
        command = [sys.executable, "-c", "from botleague.cli import main; main()"]
        where = ["--cluster", self.cluster.address] if self.cluster else ["--jobs", str(JOBS)]
        return subprocess.Popen(
            [*command, *TERMS, "--league", league, "--db", self.url, *where],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, process: subprocess.Popen[str]) -> int:
        """Wait for a runner and return its exit code. It may fail, but then its last words are one clear message."""
        _, errors = process.communicate()
        code = process.returncode
        if code in (0, -signal.SIGKILL):
            return code
        last = ["", *errors.strip().splitlines()][-1]
        if code not in (1, 2) or not last.startswith("Error: "):
            sys.exit(f"a runner ended with code {code}:\n{errors}")
        print(f"      the runner stopped: {last[:150]}")
        return code

    def play(self, league: str) -> float:
        """Play a league without disturbance and return how long that took, in seconds."""
        started = time.monotonic()
        for _ in range(6 if self.cluster else 3):
            # A few times it may stop at what the last kill left behind, with advice to run it again.
            if self.finish(self.start(league)) == 0:
                return time.monotonic() - started
        sys.exit(f"league {league} does not come to its end")

    def disturb(self, kills: int, usual_s: float) -> list[str]:
        """Kill ``kills`` times and return the names of the leagues that were played meanwhile."""
        before = descendants(os.getpid())
        names = ["rough-1"]
        process, started, is_whole = self.start(names[0]), time.monotonic(), True
        # Of few kills none may meet a kind that is there for a moment only; then there are a few more.
        while self.kills.total() < kills or (self.missing() and self.kills.total() < 10 * kills):
            # A moment of chance is the point; a runner that ends wakes us earlier.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self.rng.uniform(0.2, 0.9) * usual_s)
            if self.cluster:
                self.cluster.restart_ended()
            if process.poll() is None and (targets := self.targets(process)):
                self.kill(process, targets, names[-1])
            elif process.returncode == 0 and is_whole:
                # The calm run may have met a busy machine, and then every moment would come too late.
                usual_s = min(usual_s, time.monotonic() - started)
            if process.poll() is not None or self.rng.random() < 0.2:
                is_whole = self.end(process) == 0
                if is_whole:
                    names.append(f"rough-{len(names) + 1}")
                process, started = self.start(names[-1]), time.monotonic()
        self.end(process)
        self.count_left(before)
        for name in names:
            self.play(name)
        return names

    def count_left(self, before: int) -> None:
        """Wait until there are as few processes as before, for a minute at most."""
        ended = time.monotonic()
        while (left := descendants(os.getpid())) > before and time.monotonic() < ended + LEFT_S:
            time.sleep(0.5)
        print(
            f"{before} processes before the first kill, {left} {time.monotonic() - ended:.0f} s after the last"
        )
        if left != before:
            self.wrong.append(f"{left} processes are left, and {before} were there before")

    def kill(self, runner: subprocess.Popen[str], targets: dict[str, list[int]], league: str) -> None:
        """Kill one of the targets."""
        # The kinds take turns, so that few kills meet every kind.
        kind = min(sorted(targets), key=lambda kind: self.kills[kind])
        victim = self.rng.choice(targets[kind])
        try:
            if kind != "connection":
                os.kill(victim, signal.SIGKILL)
            elif not self.cut(victim):
                return
        except ProcessLookupError:
            return  # it had just ended: no kill
        if victim == runner.pid:
            runner.wait()
        self.kills[kind] += 1
        print(f"{self.kills.total():>4}  {kind} killed, {league} at {self.progress(league)}", flush=True)

    def targets(self, runner: subprocess.Popen[str]) -> dict[str, list[int]]:
        """Return the processes, and backends of the server, that can be killed, by kind."""
        hosts = children(runner.pid)
        found = {"runner": [runner.pid]}
        if self.cluster:
            workers = [worker.pid for worker in self.cluster.workers]
            found["cluster worker"], found["scheduler"] = workers, [self.cluster.scheduler.pid]
            hosts = [host for worker in workers for host in children(worker)]
        found["match host"] = hosts
        found["zygote"] = [zygote for host in hosts for zygote in children(host)]
        if self.url.startswith("postgresql"):
            found["connection"] = self.backends()
        return {kind: victims for kind, victims in found.items() if victims and self.only in (None, kind)}

    def missing(self) -> set[str]:
        """Return the kinds of processes and connections that must be killed, and were not."""
        if self.only:
            return {self.only} - set(self.kills)
        kinds = {"runner", "match host", "zygote"}
        if self.cluster:
            kinds |= {"cluster worker", "scheduler"}
        if self.url.startswith("postgresql"):
            kinds.add("connection")
        return kinds - set(self.kills)

    def end(self, runner: subprocess.Popen[str]) -> int:
        if runner.poll() is None:
            runner.kill()
        return self.finish(runner)

    def backends(self) -> list[int]:
        others = (
            "datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'"
        )
        with self.reading() as connection:
            return list(connection.scalars(sa.text(f"select pid from pg_stat_activity where {others}")))

    def cut(self, backend: int) -> bool:
        with self.reading() as connection:
            return bool(connection.scalar(sa.select(sa.func.pg_terminate_backend(backend))))

    def progress(self, league: str) -> str:
        try:
            with self.reading() as connection:
                season = leagues.current_season(connection, leagues.find(connection, league).id)
                planned, done = fixtures.counts(connection, season.id)
        except NotFound:
            return "its beginning"
        return f"{done} of {planned}"

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Look into the database. No connection stays, it would be among the victims."""
        database = Database(self.url)
        with contextlib.closing(database), database.reading() as connection:
            yield connection

    def problems(self) -> list[str]:
        """Check the database as `botleague db check` does."""
        with contextlib.closing(Database(self.url)) as database:
            return problems(database)

    def tables(self, league: str) -> dict[str, Any]:
        """Return everything that must not depend on what was killed."""
        with self.reading() as connection:
            season = leagues.current_season(connection, leagues.find(connection, league).id)
            digests = sa.select(fixture.c.ordinal, record.c.digest).join(record)
            digests = digests.where(fixture.c.season_id == season.id).order_by(fixture.c.ordinal)
            return {
                "records": connection.execute(digests).all(),
                "results": [
                    (row.ordinal, row.versions, row.places, row.scores, row.faults)
                    for row in matches.played(connection, season.id)
                ],
                "ratings": ratings.ratings(connection, season.id),
                "changes": list(ratings.each_change(connection, season.id)),
                "settled": season.settled,
            }


def descendants(process: int) -> int:
    """Return how many processes ``process`` and those that it started have started."""
    return sum(1 + descendants(child) for child in children(process))


def children(process: int) -> list[int]:
    """Return the processes that any thread of ``process`` started."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def main() -> None:
    """Parse, play, compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--db", help="URL of an empty PostgreSQL database; default: an SQLite file")
    parser.add_argument("--executor", choices=["local", "dask"], default="local")
    parser.add_argument(
        "--seed", type=int, default=1, help="of the moments and victims, as far as they can be chosen"
    )
    parser.add_argument("--only", choices=KINDS, help="kill nothing else")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory())
        cluster = Cluster(Path(name)) if options.executor == "dask" else None
        if cluster:
            stack.callback(cluster.close)
        soak = Soak(
            Path(name), options.db or str(Path(name) / "league.db"), cluster, options.seed, options.only
        )
        usual_s = soak.play("calm")
        names = soak.disturb(options.kills, usual_s)
        calm = soak.tables("calm")
        wrong = soak.wrong + soak.problems()
        if not calm["settled"]:
            wrong.append("the calm run has no matches")
        wrong += [f"no {kind} was killed: use more --kills" for kind in soak.missing()]
        for league in names:
            rough = soak.tables(league)
            wrong += [
                f"{league}: other {part} than the calm run" for part in calm if rough[part] != calm[part]
            ]
        with soak.reading() as connection:
            void = connection.scalar(sa.text("select count(*) from void"))
    counted = ", ".join(f"{number} {kind}" for kind, number in soak.kills.most_common())
    print(
        f"{soak.kills.total()} kills ({counted}) in {len(names)} leagues of {calm['settled']} matches; {void} void"
    )
    sys.exit("\n".join(wrong) or print("every table, record and rating is that of the calm run"))


if __name__ == "__main__":
    main()
