"""Reports of runners: since when they play, how fast, and what failed last."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botleague.errors import MachineryError
from botleague.executors import MatchOutcome
from botleague.league import Runner
from botleague.league.running.runner_report import HOUR_S, MIN_MEASURED_S, RunnerReport
from botleague.plugins import PluginHost
from botleague_storage import Database, runners
from botleague_storage.league_rows.runners import KEPT_S, RunnerRow

from ..scripted_league import MakeLeague, ignore
from .scripted_executor import ScriptedExecutor


class Clock:
    """Moved by hand."""

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


def stored(database: Database, report: RunnerReport) -> list[RunnerRow]:
    with database.writing() as connection:
        report.write(connection)
        return runners.runners(connection, 1e9)


def test_a_report_has_the_rate_of_the_last_hour_and_the_last_failure(tmp_path: Path) -> None:
    clock = Clock()
    report = RunnerReport("desk/1/2", clock, clock)
    with closing(Database(str(tmp_path / "league.db"))) as database:
        report.finished(3)
        clock.now += MIN_MEASURED_S / 2
        (row,) = stored(database, report)
        assert row == RunnerRow("desk/1/2", 1e9, clock.now)
        clock.now = 1e9 + HOUR_S / 2
        report.failed("cup", "e" * 10_000)
        failed_at = clock.now
        (row,) = stored(database, report)
        assert (row.hourly, row.error_league, row.error_at, len(row.error)) == (6.0, "cup", failed_at, 500)
        clock.now += HOUR_S
        report.finished(4)
        (row,) = stored(database, report)
        assert (row.hourly, row.error_at, row.started_at) == (4.0, failed_at, 1e9)
        clock.now += KEPT_S + 1
        (row,) = stored(database, RunnerReport("other/1/2", clock, clock))
        assert row.name == "other/1/2", "the former one is forgotten"


@given(st.lists(st.tuples(st.floats(0, 2000), st.integers(0, 50)), max_size=60))
def test_rate_counts_each_match_of_the_last_hour_once(steps: list[tuple[float, int]]) -> None:
    clock = Clock()
    report = RunnerReport("desk/1/2", clock, clock)
    finished = []
    for seconds, matches in steps:
        clock.now += seconds
        report.finished(matches)
        finished.append((clock.now, matches))
    elapsed = clock.now - 1e9
    recent = sum(matches for at, matches in finished if at >= clock.now - HOUR_S)
    expected = None if elapsed < MIN_MEASURED_S else recent * HOUR_S / min(HOUR_S, elapsed)
    assert report.hourly == expected


def test_a_runner_is_listed_until_it_ends_and_with_its_failure_afterwards(
    database: Database, plugins: PluginHost, open_league: MakeLeague
) -> None:
    league = open_league()

    def listed() -> list[tuple[str, str]]:
        with database.reading() as connection:
            return [(row.name, row.error) for row in runners.runners(connection, time.time())]

    lost = MatchOutcome(0, 0, failure="no sandbox")
    hosts = ScriptedExecutor(failures=[lost] * 3)
    with pytest.raises(MachineryError), Runner(database, plugins, hosts, "broken") as runner:
        runner.run(league.name, ignore)
    ((name, error),) = listed()
    assert (name, "no sandbox" in error) == ("broken", True)
    with Runner(database, plugins, ScriptedExecutor(), "sound") as runner:
        runner.run(league.name, ignore)
        assert {name for name, _ in listed()} == {"broken", "sound"}
    assert [name for name, _ in listed()] == ["broken"]
