"""Kills at any moment leave the standings of an undisturbed run.

The kills at random moments are those of ``benchmarks/kill_soak.py``: a few here, as many as you like there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from botleague.executors import InProcess, LocalProcesses, MatchOrder, MatchOutcome
from botleague.executors.match_worker import MatchHost
from botleague.league import Runner
from botleague.plugins import PluginHost
from botleague.referee import Player, config_digest
from botleague.workers.worker_setup import HostSetup
from botleague_storage import Database, bots, events, fixtures, leagues, matches, problems, ratings

SOAK = Path(__file__).parents[3] / "benchmarks" / "kill_soak.py"
LEAGUE = ["run", "guessing", "five", "lucky", "counter"]
TERMS = ["--league", "cup", "--rounds", "4", "--seed", "77", "--jobs", "2"]
MATCHES = 24


@pytest.fixture
def game() -> Iterator[Path]:
    path = list(sys.path)
    yield Path(__file__).parents[2] / "platform" / "plugin" / "guessing.py"
    sys.path[:] = path


@pytest.fixture
def own_children() -> Callable[[], set[int]]:
    """Lists the processes that this one started and that still are."""

    def children() -> set[int]:
        threads = Path("/proc/self/task").iterdir()
        return {int(child) for thread in threads for child in (thread / "children").read_text().split()}

    return children


def tables(path: Path) -> dict[str, Any]:
    """Everything that must not depend on how the league was played."""
    database = Database(str(path), create=False)
    assert problems(database) == []
    with database.reading() as connection:
        season = leagues.current_season(connection, leagues.find(connection, "cup").id)
        content = {
            "results": [
                (row.ordinal, row.versions, row.places, row.scores)
                for row in matches.played(connection, season.id)
            ],
            "ratings": ratings.ratings(connection, season.id),
            "changes": list(ratings.each_change(connection, season.id)),
            "settled": season.settled,
        }
    database.close()
    return content


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--kills", "12"], id="sqlite"),
        pytest.param(["--kills", "6", "--db"], id="postgresql", marks=pytest.mark.postgresql),
    ],
)
def test_kills_at_random_moments_change_no_result(options: list[str], request: pytest.FixtureRequest) -> None:
    if options[-1] == "--db":
        make: Callable[[], str] = request.getfixturevalue("new_postgresql_url")
        options = [*options, make()]
    done = subprocess.run([sys.executable, str(SOAK), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_two_runs_of_one_league_share_the_work(
    folder: Path, environment: Mapping[str, str], command: list[str], run_twice: Callable[..., None]
) -> None:
    run_twice(*LEAGUE, *TERMS, "--db", "shared.db")
    alone = [*command, *LEAGUE, *TERMS, "--db", "alone.db"]
    assert (
        subprocess.run(alone, cwd=folder, env=environment, capture_output=True, check=False).returncode == 0
    )
    assert tables(folder / "shared.db") == tables(folder / "alone.db")


def test_version_submitted_during_a_kill_gives_the_same_season(
    folder: Path,
    environment: Mapping[str, str],
    game: Path,
    command: list[str],
    wait_until: Callable[..., bool],
) -> None:
    """The event says from which match on the version plays; a calm run that is given it there has the same tables."""
    (folder / "ann.py").write_text("def move(observation):\n    return 3\n")
    make = (
        "from botleague import League; League('cup', 'guessing', ['ann.py', 'lucky', 'counter', 'five'],"
        " database='rough.db', format='ladder', format_options={'share': 1.0}, seed=7)"
    )
    subprocess.run([sys.executable, "-c", make], cwd=folder, env=environment, check=True)
    rough, calm = folder / "rough.db", folder / "calm.db"
    shutil.copy(rough, calm)

    def run() -> subprocess.Popen[str]:
        arguments = [
            "run",
            "guessing",
            "--league",
            "cup",
            "--batches",
            "6",
            "--jobs",
            "2",
            "--db",
            "rough.db",
        ]
        return subprocess.Popen(
            [*command, *arguments], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True
        )

    runner = run()
    wait_until(runner, lambda: _has_results(rough))
    runner.kill()
    runner.communicate()
    hand_in(rough)
    runner = run()
    wait_until(runner, lambda: bool(updates(rough)))
    runner.kill()
    runner.communicate()
    runner = run()
    _, errors = runner.communicate()
    assert runner.returncode == 0, errors
    ((entry, last),) = updates(rough)

    database = Database(str(calm))
    # It claims one match at a time, so none that the new version is to play.
    with closing(InProcess(HostSetup(plugin_files=(str(game),)))) as executor:
        runs = Runner(database, PluginHost.load([game]), executor, "calm")

        def is_reached() -> bool:
            with database.reading() as connection:
                # The killed runner may have planned another round, with the first version.
                return (
                    fixtures.counts(connection, 1)[1] >= entry and matches.last_round(connection, 1) >= last
                )

        runs.run("cup", lambda _: None, rounds=6, is_over=is_reached)
        hand_in(calm)
        runs.run("cup", lambda _: None, rounds=6)
    database.close()
    assert updates(calm) == [(entry, last)]
    assert tables(calm) == tables(rough)
    assert tables(rough)["settled"] == 24


def hand_in(path: Path) -> None:
    """Store the second version of ann."""
    database = Database(str(path), create=False)
    with database.writing() as connection:
        source = bots.Source({"ann.py": b"def move(observation):\n    return 8\n"}, "ann.py")
        owner = bots.find_version(connection, "guessing", "ann").owner
        version, _ = bots.submit(connection, "guessing", "ann", owner, source)
        assert version.number == 2
    database.close()


def updates(path: Path) -> list[tuple[int, int]]:
    """From which ordinal number on versions replaced others, and the last round that was planned before."""
    database = Database(str(path), create=False)
    with database.reading() as connection:
        log = events.events(connection, 1, ["updated"])
    database.close()
    return [(event.content["ordinal"], event.content["round"]) for event in log]


def test_ctrl_c_stops_and_the_same_command_resumes(
    folder: Path, environment: Mapping[str, str], command: list[str], wait_until: Callable[..., bool]
) -> None:
    run = [*command, *LEAGUE, *TERMS, "--db", "stopped.db"]
    process = subprocess.Popen(
        run,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    database = folder / "stopped.db"
    wait_until(process, lambda: _has_results(database))
    # It may have come to its end in this very moment.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate()
    assert "Traceback" not in errors
    if tables(database)["settled"] < MATCHES:
        assert process.returncode == 130
        assert "run the same command again to resume" in errors
    assert subprocess.run(run, cwd=folder, env=environment, capture_output=True, check=False).returncode == 0
    assert tables(database)["settled"] == MATCHES


def _has_results(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        database = Database(str(path), create=False)
        with database.reading() as connection:
            season = leagues.current_season(connection, leagues.find(connection, "cup").id)
            return any(matches.played(connection, season.id))
    except Exception:  # the other process is just making it
        return False
    finally:
        if "database" in locals():
            database.close()


def test_match_host_recovers_from_killed_sandboxes(game: Path, own_children: Callable[[], set[int]]) -> None:
    setup = HostSetup(plugin_files=(str(game),))
    before = own_children()
    with closing(MatchHost(setup)) as host:
        variant = PluginHost.load([game]).variant("guessing")
        player = Player("five", "0" * 64, {"bot.py": b"def move(seen):\n    return 5\n"}, "bot.py")
        order = MatchOrder(1, 1, "guessing", config_digest(variant.config), 7, (player, player))
        first = host.hold(order).report
        assert first is not None
        for process in own_children() - before:
            os.kill(process, signal.SIGKILL)
        # The next match may be lost with them; it is nobody's loss, and the one after it is played.
        host.hold(order)
        again = host.hold(order).report
        assert again is not None
        assert again.record == first.record


def test_ctrl_c_at_the_terminal_never_reaches_a_match_host(own_children: Callable[[], set[int]]) -> None:
    before = own_children()
    with closing(LocalProcesses(HostSetup(), jobs=2)):
        started = own_children() - before
        assert len(started) == 2
        assert os.getpgrp() not in {os.getpgid(process) for process in started}


def test_orders_of_a_dead_host_are_played_by_the_next(
    own_children: Callable[[], set[int]],
) -> None:
    """One is in its pipe, one is too long for that, and the last must not overtake it."""
    variant = PluginHost.load().variant("isolation")
    code = b"def get_action(): pass\n"
    short, long = (Player("x", "0" * 64, {"bot.py": code + b"#" * size}, "bot.py") for size in (10, 40_000))
    before = own_children()
    with closing(LocalProcesses(HostSetup(), jobs=1)) as executor:

        def order(number: int, player: Player) -> None:
            digest = config_digest(variant.config)
            executor.submit(MatchOrder(number, 1, variant.name, digest, 7, (player, player)))

        order(0, short)
        while not executor.wait(60):
            pass
        executor._usual_s = 0.01  # the first one waited for its zygote
        (host,) = own_children() - before
        os.kill(host, signal.SIGSTOP)
        for number, player in enumerate((short, short, long, short, short, short), 1):
            order(number, player)
        assert [order.fixture for order in executor._hosts[0].orders] == [1, 2]
        os.kill(host, signal.SIGKILL)
        outcomes: list[MatchOutcome] = []
        while len(outcomes) < 6:
            outcomes += executor.wait(60)
    assert [outcome.fixture for outcome in outcomes] == [1, 2, 3, 4, 5, 6]
    assert [bool(outcome.failure) for outcome in outcomes] == [True] + 5 * [False]
