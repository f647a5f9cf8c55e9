"""A cluster of Dask processes plays matches like any other executor, also when workers are killed."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from botleague.errors import UsageError
from botleague.league import LeagueSettings, Progress, Runner, create_league, open_season, runner_name
from botleague.plugins import PluginHost
from botleague.workers.worker_setup import HostSetup
from botleague_storage import Database, bots, matches, ratings
from botleague_storage.league_rows.leagues import LeagueRow

from ...conftest import PATIENCE_S

PLUGIN = Path(__file__).parents[2] / "platform" / "plugin" / "guessing.py"


class Cluster:
    """A Dask scheduler and workers of one thread each, as processes of this machine."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "scheduler.json"
        self._log = (folder / "log").open("wb")
        self.workers: list[subprocess.Popen[bytes]] = []
        self._scheduler = self._dask("scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard")

    @property
    def address(self) -> str:
        """The address of the scheduler, once it runs and knows the workers."""
        while True:
            assert self._scheduler.poll() is None, "the scheduler did not start"
            # The scheduler creates the file first and fills it afterwards.
            with suppress(FileNotFoundError, json.JSONDecodeError):
                address: str = json.loads(self._file.read_text())["address"]
                break
            os.sched_yield()
        with connect(address) as client:
            client.wait_for_workers(len(self.workers), timeout=PATIENCE_S)
        return address

    @property
    def log(self) -> str:
        return (self._file.parent / "log").read_text()

    def add_worker(self, threads: int = 1) -> None:
        self.workers.append(self._dask("worker", "--nthreads", str(threads), "--no-nanny", "--no-dashboard"))

    def kill_worker(self) -> None:
        worker = self.workers.pop(0)
        worker.kill()
        worker.wait()

    def close(self) -> None:
        for process in (*self.workers, self._scheduler):
            process.kill()
            process.wait()
        self._log.close()

    def _dask(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments, "--scheduler-file", str(self._file)]
        return subprocess.Popen(command, stdout=self._log, stderr=self._log, cwd=self._file.parent)


def connect(address: str) -> Any:
    """Return a client of the scheduler, for a with statement."""
    import distributed  # not in every process that collects tests: it is large

    client: Any = distributed.Client
    return client(address, set_as_default=False)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with closing(Cluster(tmp_path_factory.mktemp("dask"))) as cluster:
        cluster.add_worker()
        cluster.add_worker()
        yield cluster


@pytest.fixture(scope="module")
def plugins() -> Iterator[PluginHost]:
    path = list(sys.path)
    yield PluginHost.load([PLUGIN])
    sys.path[:] = path


@pytest.fixture
def open_league(tmp_path: Path, plugins: PluginHost) -> Iterator[Callable[..., tuple[Database, LeagueRow]]]:
    """Makes the same league in databases of different names."""
    opened = []

    def make(name: str, rounds: int = 2) -> tuple[Database, LeagueRow]:
        database = Database(str(tmp_path / f"{name}.db"))
        opened.append(database)
        settings = LeagueSettings(format_options={"rounds": rounds, "seats": 2}, seed=5)
        with database.writing() as connection:
            entrants = []
            for bot in plugins.bots_for(plugins.variant("guessing")):
                source = bots.Source({"bot.py": Path(bot.path).read_bytes()}, "bot.py")
                entrants.append(bots.submit(connection, "guessing", bot.name, "", source)[0].id)
            variant = plugins.variant("guessing")
            return database, create_league(connection, plugins, "cup", variant, settings, entrants).league

    yield make
    for database in opened:
        database.close()


def play_out(
    database: Database,
    league: LeagueRow,
    plugins: PluginHost,
    executor: str,
    watch: Callable[[Progress], None] = lambda _: None,
    **options: Any,
) -> Any:
    """Play a league to its end and return everything that may not depend on where its matches were held."""
    setup = HostSetup(plugin_files=(str(PLUGIN),))
    with closing(plugins.executors.make(executor, {"setup": setup, **options})) as places:
        Runner(database, plugins, places, runner_name()).run(league.name, watch)
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        return (
            [
                (row.ordinal, row.versions, row.places, row.scores)
                for row in matches.played(connection, season.id)
            ],
            ratings.ratings(connection, season.id),
            list(ratings.each_change(connection, season.id)),
        )


def test_standings_are_the_same_with_every_executor(
    cluster: Cluster, plugins: PluginHost, open_league: Callable[..., tuple[Database, LeagueRow]]
) -> None:
    here = play_out(*open_league("in-process"), plugins, "in-process")
    assert len(here[0]) == 12
    assert play_out(*open_league("local"), plugins, "local", jobs=2) == here
    assert play_out(*open_league("dask"), plugins, "dask", address=cluster.address) == here
    assert [_children(worker.pid) for worker in cluster.workers] == [[], []], "match hosts stayed"
    assert "Traceback" not in cluster.log


def test_worker_leaves_its_working_directory(
    cluster: Cluster, plugins: PluginHost, open_league: Callable[..., tuple[Database, LeagueRow]]
) -> None:
    play_out(*open_league("dask"), plugins, "dask", address=cluster.address)
    with connect(cluster.address) as client:
        locations = client.run(lambda: (os.getcwd(), sys.path))
    assert len(locations) == 2
    assert all(folder not in path and "" not in path for folder, path in locations.values())


RUNNER = """
import sys
from pathlib import Path
from botleague.executors import DaskCluster, MatchOrder
from botleague.workers import HostSetup
from botleague.plugins import PluginHost
from botleague.referee import Player, config_digest

address, plugin, lifeline_s = sys.argv[1:]
variant = PluginHost.load([Path(plugin)]).variant("guessing")
# Slow enough for the second match to begin before the first one ends.
bot = Player("bot", "0" * 64, {"bot.py": b"def move(seen):\\n    return sum(range(10**7)) and 5\\n"}, "bot.py")
cluster = DaskCluster(HostSetup(plugin_files=(plugin,)), address=address, lifeline_s=float(lifeline_s))
capacity = cluster.capacity
for number in range(capacity):
    cluster.submit(MatchOrder(number, 1, variant.name, config_digest(variant.config), 7, (bot, bot)))
played = []
while len(played) < capacity:
    played += cluster.wait(60)
assert all(outcome.report for outcome in played), played
print("played", flush=True)
sys.stdin.read()
"""
"""A runner whose matches are over, and which is busy with something else."""


def test_match_hosts_of_a_killed_runner_end_and_those_of_a_busy_one_stay(cluster: Cluster) -> None:
    hosts: list[set[int]] = []
    with ExitStack() as stack:
        # The one that is killed has the longer lifeline: when that is over, the other one's was over long ago.
        for lifeline_s in ("4", "6"):
            command = [sys.executable, "-c", RUNNER, cluster.address, str(PLUGIN), lifeline_s]
            runner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            stack.enter_context(runner)
            stack.callback(runner.kill)
            assert runner.stdout is not None
            assert runner.stdout.readline() == b"played\n"
            there = {host for worker in cluster.workers for host in _children(worker.pid)}
            hosts.append(there.difference(*hosts))
            assert len(hosts[-1]) == len(cluster.workers)
        busy, left = ([stack.enter_context(open_process(host)) for host in one] for one in hosts)
        runner.kill()
        for host in left:
            assert select.select([host], [], [], 60)[0], "a match host of a dead runner lives"
        assert not select.select(busy, [], [], 0)[0], "a match host of a living runner was ended"


def test_match_hosts_that_start_at_once_have_a_processor_each(tmp_path: Path) -> None:
    cores = len(os.sched_getaffinity(0))
    with closing(Cluster(tmp_path)) as cluster:
        cluster.add_worker(threads=2)
        command = [sys.executable, "-c", RUNNER, cluster.address, str(PLUGIN), "60"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as runner:
            assert runner.stdout is not None
            assert runner.stdout.readline() == b"played\n"
            hosts = _children(cluster.workers[0].pid)
            assert len(hosts) == 2
            assert len({frozenset(os.sched_getaffinity(host)) for host in hosts}) == min(2, cores)
            runner.kill()


@contextmanager
def open_process(process: int) -> Iterator[int]:
    """Give a descriptor that becomes readable when a process ends."""
    descriptor = os.pidfd_open(process)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def test_killed_worker_costs_no_bot_and_new_worker_helps(
    cluster: Cluster, plugins: PluginHost, open_league: Callable[..., tuple[Database, LeagueRow]]
) -> None:
    # Long enough for matches to be under way when the workers die.
    database, league = open_league("rough", 60)

    def disturb(progress: Progress) -> None:
        if progress.done >= 2:
            while kills:
                kills.pop()()

    kills = [cluster.add_worker, cluster.kill_worker, cluster.kill_worker]
    rough = play_out(database, league, plugins, "dask", disturb, address=cluster.address)
    assert kills == []
    assert rough == play_out(*open_league("calm", 60), plugins, "in-process")


def test_a_match_host_that_is_killed_in_a_worker_is_replaced(
    cluster: Cluster, plugins: PluginHost, open_league: Callable[..., tuple[Database, LeagueRow]]
) -> None:
    database, league = open_league("rough")
    done: list[int] = []

    def disturb(progress: Progress) -> None:
        if not done:
            for worker in cluster.workers:
                for host in _children(worker.pid):
                    os.kill(host, signal.SIGKILL)
                    done.append(host)

    rough = play_out(database, league, plugins, "dask", disturb, address=cluster.address)
    assert done
    assert rough == play_out(*open_league("calm"), plugins, "in-process")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://127.0.0.1:9", "No Dask scheduler answers"),
        ("nonsense://here", "not the address of a Dask scheduler"),
    ],
)
def test_address_without_a_scheduler_is_refused(
    plugins: PluginHost, address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botleague.executors.dask_cluster.CONNECT_S", 0.3)
    with pytest.raises(UsageError, match=message):
        plugins.executors.make("dask", {"setup": HostSetup(), "address": address})


def _children(process: int) -> list[int]:
    children = []
    for thread in Path(f"/proc/{process}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # The thread has ended.
            children += [int(child) for child in (thread / "children").read_text().split()]
    return children


def test_cluster_is_refused_without_its_package_before_a_league_is_made(
    folder: Path, environment: Mapping[str, str]
) -> None:
    code = "import sys; sys.modules['distributed'] = None; from botleague.cli import main; main()"
    words = ["run", "guessing", "five", "lucky", "--league", "cup", "--cluster", "tcp://127.0.0.1:1"]
    before = sorted(folder.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "pip install 'botleague[cluster]'" in done.stderr) == (2, True), done.stderr
    assert sorted(folder.iterdir()) == before
