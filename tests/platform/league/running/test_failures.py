"""What failures of the machine, of rules and of plugins do to a league: they are told, and nothing is lost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from types import new_class
from typing import Any

import pytest

from botleague.errors import MachineryError, PluginError, UsageError
from botleague.executors import MatchOutcome
from botleague.formats import RoundRobin
from botleague.league import Runner, open_season
from botleague.league.scheduling import has_rounds_left
from botleague.league.scheduling.planning import expected_matches, season_entrants
from botleague.plugins import PluginHost
from botleague.ratings import Elo
from botleague.rules import hookimpl
from botleague.rules.formats import Pairing, Plan
from botleague_storage import Database, DatabaseUnusable, fixtures, matches, problems, results, table_queries

from ..scripted_league import MakeLeague, ignore
from .scripted_executor import ScriptedExecutor, table_of


def test_a_failure_of_the_machinery_is_nobodys_loss(open_league: MakeLeague) -> None:
    league = open_league()
    undisturbed = ScriptedExecutor()
    lost = MatchOutcome(0, 0, failure="The worker process died (SIGKILL).")
    league.play(ScriptedExecutor(failures=[lost, lost, None, lost]))
    table = table_of(league)[0]
    assert [(row.wins, row.losses, row.faults) for row in table] == [
        (6, 0, {}),
        (4, 2, {}),
        (2, 4, {}),
        (0, 6, {}),
    ]
    with league.reading() as season:
        assert len(results.voids(season.connection, season.id)) == 3
    assert undisturbed.held == []


def test_a_match_that_never_can_be_held_stops_the_run_and_loses_nothing(
    database: Database, plugins: PluginHost, open_league: MakeLeague
) -> None:
    league = open_league()
    lost = MatchOutcome(0, 0, failure="no sandbox")
    with pytest.raises(MachineryError, match="3 attempts: no sandbox"):
        league.play(ScriptedExecutor(failures=[None, None, *[lost] * 3]))
    with league.reading() as season:
        assert fixtures.counts(season.connection, season.id) == (12, 2)
        assert fixtures.claimants(season.connection, season.id) == set()
    # The cause was mended, but this machine still fails now and then.
    Runner(database, plugins, ScriptedExecutor(failures=[lost, lost]), "r").run(league.name, ignore, rounds=1)
    assert [row.wins for row in table_of(league)[0]] == [6, 4, 2, 0]


class FailingRules(ScriptedExecutor):
    """The rules raise in some matches, or for None in all, until somebody mends them."""

    def __init__(self, matches: Sequence[int] | None, capacity: int = 1) -> None:
        super().__init__(capacity)
        self._matches = matches

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        (outcome,) = super().wait(timeout_s)
        if self._matches is None or outcome.fixture in self._matches:
            return [MatchOutcome(outcome.fixture, outcome.epoch, None, "IndexError (game.py, line 7)", True)]
        return [outcome]


@pytest.mark.parametrize(
    ("broken", "message"), [([3], "Match .*/3 could"), ([3, 5, 6, 7], "4 matches, the first")]
)
@pytest.mark.parametrize("capacity", [1, 4])
def test_rules_that_fail_in_some_matches_leave_everything_else_played(
    database: Database,
    open_league: MakeLeague,
    broken: list[int],
    message: str,
    capacity: int,
) -> None:
    league = open_league()
    with pytest.raises(
        PluginError, match=rf"{message}.* 3 attempts each: IndexError \(game.py, line 7\) All other matches"
    ):
        league.play(FailingRules(broken, capacity))
    with database.reading() as connection:
        season = league.open(connection)
        assert fixtures.counts(connection, season.id) == (12, 12 - len(broken))
        assert len(results.voids(connection, season.id)) == 3 * len(broken)
        assert fixtures.claimants(connection, season.id) == set()
    league.play(ScriptedExecutor())
    assert [row.wins for row in table_of(league)[0]] == [6, 4, 2, 0]


def test_rules_that_fail_in_every_match_end_the_run_after_three(open_league: MakeLeague) -> None:
    league = open_league()
    executor = FailingRules(None)
    with pytest.raises(PluginError, match=r"3 matches, the first of them .* Nothing else was tried"):
        league.play(executor)
    assert len(executor.held) == 9
    league.play(ScriptedExecutor())
    assert [row.wins for row in table_of(league)[0]] == [6, 4, 2, 0]


def broken(base: type[Any], **methods: Any) -> type[Any]:
    """A format or rating system that fails where it is told to; everything else is that of ``base``."""
    return new_class("Broken", (base,), {"frozen": True}, lambda space: space.update(methods))


def fails(*_: object) -> Any:
    raise LookupError("no such luck")


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (fails, "format round-robin failed: LookupError: no such luck"),
        (lambda *_: None, "plan returned None, which is not a Plan"),
        (lambda _, entrants, *__: entrants.append(entrants[0]), "has no attribute 'append'"),
        (lambda *_: Plan((Pairing((0, 99), 1, 1, ""),), True), r"a match of entrants \(0, 99\), of 4"),
        (lambda *_: Plan((Pairing((), 1, 1, ""),), True), r"a match of entrants \(\)"),
        (lambda *_: Plan((Pairing((0, 1), 1, 1, "", 7),), True), "where draws_seeds is False"),
        (
            lambda *_: Plan((Pairing((1, 1), 1, 1, ""),), True),
            r"a match of entrants \(1, 1\): each has one seat",
        ),
        (lambda *_: Plan((Pairing((0, 1), 10**30, 1, ""),), True), "which no record can hold"),
        (
            lambda *_: Plan((Pairing((0, 1), 1, 2**31, ""),), True),
            "round 1 and group 2147483648; both are from 1",
        ),
        (lambda *_: Plan((Pairing((0, 1), 1, 1, 5),), True), "which no record can hold"),  # type: ignore[arg-type]
        (lambda *_: Plan((Pairing((0, 1), 1, 1, "\ud800"),), True), "which no record can hold"),
    ],
)
def test_a_format_that_breaks_its_contract_is_named(
    plugin_file: Path, open_league: MakeLeague, plan: Any, message: str
) -> None:
    host = PluginHost.load([plugin_file])
    host.formats.add({"round-robin": broken(RoundRobin, plan=plan)})
    with pytest.raises((PluginError, UsageError), match=message):
        open_league(host=host)


def test_season_whose_bracket_has_not_begun_has_rounds_left(
    plugin_file: Path, database: Database, open_league: MakeLeague
) -> None:
    host = PluginHost.load([plugin_file])
    host.formats.add({"round-robin": broken(RoundRobin, has_bracket=True)})
    league = open_league(host=host)
    league.play(ScriptedExecutor())
    for plugins, is_expected in ((host, True), (PluginHost.load([plugin_file]), False)):
        with database.reading() as connection:
            assert has_rounds_left(open_season(connection, plugins, league.name)) == is_expected


def test_format_whose_counts_are_no_numbers_or_that_fails_with_its_options_is_named(
    plugin_file: Path, database: Database, open_league: MakeLeague
) -> None:
    host = PluginHost.load([plugin_file])
    host.formats.add({"round-robin": broken(RoundRobin, match_count=lambda *_: "many")})
    league = open_league(host=host)
    with database.reading() as connection, pytest.raises(PluginError, match="match_count returned"):
        expected_matches(open_season(connection, host, league.name))
    host.formats.add({"round-robin": broken(RoundRobin, __post_init__=fails)})
    with pytest.raises(PluginError, match="format round-robin failed: LookupError: no such luck"):
        host.formats.make("round-robin", {})


@pytest.mark.parametrize("method", ["step", "display", "dump"])
def test_a_rating_system_that_breaks_its_contract_is_named_and_nothing_is_lost(
    database: Database,
    plugin_file: Path,
    open_league: MakeLeague,
    method: str,
) -> None:
    league = open_league()
    host = PluginHost.load([plugin_file])
    host.ratings.add({"elo": broken(Elo, **{method: fails})})
    with pytest.raises(PluginError, match=r"rating system elo failed: LookupError: .*test_failures.py, line"):
        Runner(database, host, ScriptedExecutor(), "r").run(league.name, ignore)
    league.play(ScriptedExecutor())
    assert [row.wins for row in table_of(league)[0]] == [6, 4, 2, 0]


def test_rating_that_is_no_number_is_blamed_on_its_system(
    database: Database, plugin_file: Path, open_league: MakeLeague
) -> None:
    league = open_league()
    host = PluginHost.load([plugin_file])
    host.ratings.add({"elo": broken(Elo, shown_value=lambda self, state: math.nan)})
    with pytest.raises(PluginError, match="rating system elo failed: ValueError: a rating of nan"):
        Runner(database, host, ScriptedExecutor(), "r").run(league.name, ignore)


def test_error_of_the_database_is_not_reported_as_one_of_the_rating_system(open_league: MakeLeague) -> None:
    league = open_league()

    def plan_without_ratings() -> None:
        with league.writing() as season:
            assert len(season_entrants(season, "online")) == 4
            season.connection.exec_driver_sql("drop table rating")
            season_entrants(season, "online")

    with pytest.raises(DatabaseUnusable, match="no such table: rating"):
        plan_without_ratings()
    with league.reading() as season:
        assert len(season_entrants(season, "online")) == 4


def test_failing_observer_is_reported_once_and_changes_nothing(
    database: Database,
    plugins: PluginHost,
    open_league: MakeLeague,
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Observer:
        @hookimpl
        def botleague_match_finished(self, league: str) -> None:
            raise LookupError("no such luck")

        @hookimpl
        def botleague_rating_changed(self, bot: str) -> None:
            observed.append(bot)

    observed: list[str] = []
    observer = Observer()
    plugins.manager.register(observer)
    try:
        Runner(database, plugins, ScriptedExecutor(), "r").run(open_league().name, ignore)
    finally:
        plugins.manager.unregister(observer)
    assert [record.getMessage() for record in caplog.records] == [
        "A plugin that observes botleague_match_finished failed: LookupError: no such luck"
    ]
    assert len(observed) == 24


def test_a_damaged_row_is_explained_and_found(database: Database, open_league: MakeLeague) -> None:
    league = open_league()
    league.play(ScriptedExecutor())
    with database.writing() as connection:
        connection.exec_driver_sql('update rating set state = \'{"rating": "much"}\' where version_id = 1')
    with pytest.raises(UsageError, match="Cannot read a stored rating"):
        table_of(league)
    with database.writing() as connection:
        connection.exec_driver_sql("update standing set faults = '{' where version_id = 1")
        connection.exec_driver_sql("update season set settings = '{'")
    with pytest.raises(UsageError, match="settings in the database cannot be read"):
        table_of(league)
    with pytest.raises(DatabaseUnusable, match="a row that cannot be read"), database.reading() as connection:
        table_queries.totals(connection, 1)
    complaints = problems(database)
    assert len(complaints) == 2
    assert complaints[0].startswith("The settings of table season at id 1 cannot be read")
    assert complaints[1].startswith(
        "The faults of table standing at season_id 1, version_id 1 cannot be read"
    )


def test_a_match_that_lost_a_seat_is_explained_and_found(database: Database, open_league: MakeLeague) -> None:
    league = open_league()
    league.play(ScriptedExecutor())
    with database.writing() as connection:
        connection.exec_driver_sql("delete from seat where fixture_id = 3 and seat = 1")
    with database.reading() as connection, pytest.raises(DatabaseUnusable, match="for 2 seats, but not all"):
        list(matches.matches(connection, 1))
    assert "Match 3 was planned for 2 seats, but 1 is stored." in problems(database)
