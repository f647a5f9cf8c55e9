"""A league on a real database: what is recorded, and in which order it counts."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.errors import UsageError
from botleague.executors import MatchOrder
from botleague.league import LeagueSettings, Runner, count_in, create_league, runner_name
from botleague.league.running.match_runner import match_row
from botleague.plugins import PluginHost
from botleague.referee import Player
from botleague.rules import Variant
from botleague_storage import Database, bots, fixtures, leagues, problems, ratings, results

from ..scripted_league import MakeLeague, entered
from .scripted_executor import ScriptedExecutor, table_of


def test_a_league_is_played_to_its_end_and_rated(
    database: Database, plugins: PluginHost, open_league: MakeLeague
) -> None:
    league = open_league()
    reports: list[Any] = []
    Runner(database, plugins, ScriptedExecutor(), runner_name()).run(league.name, reports.append)
    table = table_of(league)[0]
    assert [row.bot for row in table] == ["a", "b", "c", "d"]
    assert [(row.wins, row.losses) for row in table] == [(6, 0), (4, 2), (2, 4), (0, 6)]
    assert (reports[-1].done, reports[-1].planned) == (12, 12)
    assert problems(database) == []


def test_a_season_of_an_ended_transaction_needs_no_garbage_collection(open_league: MakeLeague) -> None:
    league = open_league()
    with league.writing() as season:
        assert count_in(season) == []
        assert season.roster.members, "they are read"
    gone = weakref.ref(season)
    gc.disable()
    try:
        del season
        assert gone() is None
    finally:
        gc.enable()


def test_ratings_do_not_depend_on_which_match_finished_first(tmp_path: Path, opened: MakeLeague) -> None:
    tables = []
    for seed in range(4):
        database = Database(str(tmp_path / f"{seed}.db"))
        league = opened(database, "abcde", format_options={"rounds": 2, "seats": 2})
        league.play(ScriptedExecutor(capacity=1 + 2 * seed, seed=seed))
        tables.append(table_of(league))
        database.close()
    assert tables[0] == tables[1] == tables[2] == tables[3]


def test_a_rebuild_gives_the_same_bits(open_league: MakeLeague) -> None:
    league = open_league(rounds=3)
    league.play(ScriptedExecutor(capacity=4, seed=1))
    before = table_of(league)
    with league.writing() as season:
        season.connection.exec_driver_sql("update rating set value = value + 1")
        # A whole history would not fit into memory.
        season.connection.exec_driver_sql("update season set settled = 0")
        assert count_in(season, recompute=True) == []
    assert table_of(league) == before


@pytest.mark.parametrize("name", ["", "x" * 65, "two\nlines", "nul\0"])
def test_a_name_that_not_every_database_can_keep_is_refused(
    database: Database, plugins: PluginHost, guessing: Variant, name: str
) -> None:
    with database.writing() as connection, pytest.raises(UsageError, match="cannot be a league's name"):
        create_league(connection, plugins, name, guessing, LeagueSettings(), [])


def test_ratings_of_another_fold_version_are_recomputed_first(
    database: Database, open_league: MakeLeague
) -> None:
    league = open_league()
    league.play(ScriptedExecutor())
    before = table_of(league)
    with database.writing() as connection:
        connection.exec_driver_sql("update rating set value = value + 1")
        connection.exec_driver_sql("update season set fold_version = fold_version - 1")
    league.play(ScriptedExecutor())
    assert table_of(league) == before


def test_a_league_of_one_bot_is_refused_and_not_made(database: Database, open_league: MakeLeague) -> None:
    with pytest.raises(UsageError, match="only 1 entered"):
        open_league("a")
    with database.reading() as connection:
        assert leagues.leagues(connection) == []


@given(order=st.permutations(range(12)))
@settings(max_examples=12, deadline=None)
def test_whatever_the_order_of_arrival_the_ratings_cover_the_longest_prefix(
    tmp_path_factory: pytest.TempPathFactory, plugins: PluginHost, guessing: Variant, order: list[int]
) -> None:
    database = Database(str(tmp_path_factory.mktemp("prefix") / "league.db"))
    with database.writing() as connection:
        ids = [entered(connection, name) for name in "abcd"]
        terms = LeagueSettings(format_options={"rounds": 1, "seats": 2}, seed=5)
        season = create_league(connection, plugins, "cup", guessing, terms, ids)
        claims = fixtures.claim(connection, season.id, "r", 10, 12)
        done: set[int] = set()
        for ordinal in order:
            executor = ScriptedExecutor()
            claim = claims[ordinal]
            names = [bots.versions(connection, [version])[version].bot for version in claim.versions]
            executor.submit(MatchOrder(1, 1, "", "", claim.seed, tuple(map(_player, names))))
            (outcome,) = executor.wait(0)
            assert outcome.report is not None
            assert results.add_all(
                connection, [(claim.fixture_id, claim.epoch, match_row(claim, outcome.report))]
            )
            count_in(season)
            done.add(ordinal)
            prefix = next(number for number in range(13) if number not in done)
            assert ratings.coverage(connection, season.id)[0] == prefix
            assert {change.ordinal for change in ratings.each_change(connection, season.id)} == set(
                range(prefix)
            )
    database.close()


def _player(name: str) -> Player:
    return Player(name, "", {}, "")
