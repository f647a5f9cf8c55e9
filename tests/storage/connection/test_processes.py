"""Transactions of programs that run at the same time, or are killed in the middle of one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from botleague_storage import Database, fixtures, problems, results
from botleague_storage.league_rows.results import MatchRow

MakeMatch = Callable[[tuple[int, int]], MatchRow]

RUNNER = """
import sys
from botleague_storage import Database, fixtures, results

path, season, runner, ends = sys.argv[1:]
database = Database(path, create=False)

def play(versions):
    seats = [results.SeatRow(version, version, 0.0, False, {}, 1.0, 1.0, 1) for version in versions]
    return results.MatchRow(runner, (), 1, 1.0, tuple(seats), b"record")

while True:
    with database.writing() as connection:
        found = fixtures.claim(connection, int(season), runner, 60.0, 2)
    if not found:
        break
    with database.writing() as connection:
        results.add_all(connection, [(claim.fixture_id, claim.epoch, play(claim.versions)) for claim in found])
        if ends == "never":
            print("recorded", flush=True)
            sys.stdin.read()
"""


def start(database: Database, season: int, runner: str, ends: str) -> subprocess.Popen[bytes]:
    arguments = [database.url.render_as_string(hide_password=False), str(season), runner, ends]
    return subprocess.Popen(
        [sys.executable, "-c", RUNNER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def test_runners_of_two_processes_record_every_match_once(database: Database, season: int) -> None:
    with database.writing() as connection:
        fixtures.plan(connection, season, [fixtures.Planned(9, 9, number, (1, 2)) for number in range(40)])
    runners = [start(database, season, name, "when done") for name in ("a", "b")]
    for runner in runners:
        runner.communicate()
        assert runner.returncode == 0
    with database.reading() as connection:
        rows = list(results.finished(connection, season))
        assert [match.ordinal for match, _ in rows] == list(range(44))
        assert {(match.epoch, row.reason in ("a", "b")) for match, row in rows} == {(1, True)}
    assert problems(database) == []


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_uncommitted_data_of_a_killed_process_is_gone(
    database: Database, season: int, a_match: MakeMatch
) -> None:
    with start(database, season, "a", "never") as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline() == b"recorded\n"
        runner.kill()
    with database.writing() as connection:
        assert list(results.finished(connection, season)) == []
        assert fixtures.claimants(connection, season) == {"a"}
        fixtures.release(connection, ["a"])
        late = fixtures.claim(connection, season, "b", 121.0, 9)
        assert [(match.ordinal, match.epoch) for match in late] == [(0, 2), (1, 2), (2, 1), (3, 1)]
        assert results.add_all(connection, [(late[0].fixture_id, 2, a_match((1, 2)))])
    assert problems(database) == []
