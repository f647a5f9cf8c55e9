"""Clock changes while leagues run: standings and fingerprints stay those of an undisturbed run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from botleague.league import open_season
from botleague.league.season.hash_chain import fingerprint
from botleague.plugins import PluginHost
from botleague_storage import Database, matches, problems, ratings

from ..conftest import GAME, make_project

RUN = """
import sys, time
from pathlib import Path

offset, real = Path(sys.argv.pop(1)), time.time
time.time = lambda: real() + float(offset.read_text())

from botleague.cli import main
main()
"""
"""The command line on a machine whose clock is wrong by as many seconds as a file says."""

TERMS = 'league = "cup"\nvariant = "guessing"\nbots = ["five", "lucky", "counter"]\nrounds = 20\nseed = 77\n'
MATCHES = 120
JUMPS_S = (7200.0, 0.0, -7200.0, 0.0)


def results(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.scalar(sa.text("select count(*) from result")) or 0)


def outcome(database: Database, plugins: PluginHost) -> list[Any]:
    """Everything that must not depend on clocks."""
    assert problems(database) == []
    with database.reading() as connection:
        season = open_season(connection, plugins, "cup")
        return [
            str(fingerprint(season)),
            [(row.ordinal, row.versions, row.places) for row in matches.played(connection, season.id)],
            ratings.ratings(connection, season.id),
            list(ratings.each_change(connection, season.id)),
        ]


@pytest.fixture(scope="module")
def plugins() -> Iterator[PluginHost]:
    path = list(sys.path)
    yield PluginHost.load([GAME])
    sys.path[:] = path


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory, command_server: Any, plugins: PluginHost) -> list[Any]:
    """The outcome of an undisturbed run."""
    folder = make_project(tmp_path_factory.mktemp("calm"))
    (folder / "cup.toml").write_text(TERMS)
    code, _, errors = command_server.run([["run", "cup.toml"]], folder, dict(os.environ), alone=True)
    assert code == 0, errors
    with closing(Database(str(folder / "league.db"), create=False)) as database:
        return outcome(database, plugins)


@pytest.mark.parametrize("runners", [1, 2])
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_clock_jumps_of_two_hours_lose_no_match_and_change_no_table(
    kind: str,
    runners: int,
    folder: Path,
    environment: Mapping[str, str],
    botleague: Callable[..., Any],
    wait_until: Callable[..., bool],
    plugins: PluginHost,
    calm: list[Any],
    request: pytest.FixtureRequest,
) -> None:
    """Of two runners the clock of one is set, so that they are two hours apart for half of the time."""
    url = "rough.db" if kind == "sqlite" else request.getfixturevalue("new_postgresql_url")()
    (folder / "cup.toml").write_text(TERMS)
    (folder / "right").write_text("0")
    (folder / "set").write_text("0")
    botleague("league", "new", "cup.toml", "--db", url)
    with ExitStack() as stack:
        where = str(folder / url) if kind == "sqlite" else url
        rough = stack.enter_context(closing(Database(where, create=False)))
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", RUN, folder / clock, "run", "cup.toml", "--jobs", "2", "--db", url],
                cwd=folder,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for clock in ("set", "right")[:runners]
        ]
        for process in processes:
            stack.enter_context(process)
            stack.callback(process.kill)
        for number, jump_s in enumerate(JUMPS_S, 1):
            due = number * MATCHES // (len(JUMPS_S) + 1)
            wait_until(processes[0], lambda due=due: results(rough) >= due)
            (folder / "next").write_text(str(jump_s))
            (folder / "next").replace(folder / "set")
        for process in processes:
            _, errors = process.communicate()
            assert process.returncode == 0, errors
        assert outcome(rough, plugins) == calm
        with rough.reading() as connection:
            claims = connection.scalar(sa.text("select sum(epoch) from fixture"))
        assert claims == MATCHES, "a match was claimed again"
