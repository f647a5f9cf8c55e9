"""A league that an older botleague began goes on after `db upgrade`, with the tables that it had."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from botleague.league import open_season
from botleague.league.decisions.season_decisions import close
from botleague.league.decisions.season_start import new_season
from botleague.league.results.suspension import count_in
from botleague.league.season.hash_chain import check_chain, fingerprint, why_unproved
from botleague.league.season.league_settings import LeagueSettings
from botleague.league.tables.standings import read_standings
from botleague.league.verification.season_verification import check_fold, check_sums
from botleague.plugins import PluginHost
from botleague_storage import Database, problems
from botleague_storage.connection.upgrading import upgrade

DUMP = Path(__file__).parents[1] / "storage" / "main_0003.sql"

TABLES = {
    "cup": [
        ("b", 1534.4433326047208, 2, 0, 0),
        ("a", 1512.342065670375, 0, 0, 1),
        ("c", 1480.4225200196297, 1, 0, 2),
    ],
    "ladder": [
        ("a", 10.184981173150174, 4, 0, 0),
        ("b", 7.596355763338302, 2, 2, 0),
        ("c", 7.596355763338302, 2, 2, 0),
        ("e", -1.7162392137140117, 0, 2, 2),
        ("f", -1.7162392137140117, 0, 2, 2),
        ("d", -4.787516978087432, 0, 0, 4),
    ],
    "solo": [("a", 1538.2787560469087, 0, 0, 0), ("b", 1500.0, 0, 0, 0), ("c", 1461.7212439530913, 0, 0, 0)],
}
"""As the code that made the database printed them."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DUMP.read_text())
    upgrade(str(path))
    database = Database(str(path))
    yield database
    database.close()


@pytest.mark.parametrize("league", sorted(TABLES))
def test_its_tables_are_the_same(database: Database, plugins: PluginHost, league: str) -> None:
    with database.reading() as connection:
        table = read_standings(open_season(connection, plugins, league))
    assert [(row.bot, row.rating, row.wins, row.draws, row.losses) for row in table] == TABLES[league]


@pytest.mark.parametrize("league", sorted(TABLES))
def test_it_goes_on_with_ratings_that_are_folded_anew(
    database: Database, plugins: PluginHost, league: str
) -> None:
    with database.reading() as connection:
        (problem,) = check_fold(open_season(connection, plugins, league))
    assert "another version of botleague" in problem
    with database.writing() as connection:
        count_in(open_season(connection, plugins, league))
    with database.reading() as connection:
        season = open_season(connection, plugins, league)
        assert list(check_fold(season)) == list(check_sums(season)) == []
    assert problems(database) == []


@pytest.mark.parametrize("league", sorted(TABLES))
def test_its_seasons_are_not_chained_and_never_become_so(
    database: Database, plugins: PluginHost, league: str
) -> None:
    with database.writing() as connection:
        season = open_season(connection, plugins, league)
        count_in(season, anew=True)
        assert connection.exec_driver_sql("select count(*) from chain").scalar_one() == 0
        assert fingerprint(season) is None
        assert f"{season.title} is not chained" in why_unproved(season)
        assert list(check_chain(season)) == []


def test_season_that_was_chained_before_the_links_were_counted_stays_chained(
    database: Database, plugins: PluginHost, tmp_path: Path
) -> None:
    with database.writing() as connection:
        before = open_season(connection, plugins, "cup")
        close(before)
        season = new_season(before, LeagueSettings(), before.roster.versions)
        known = fingerprint(season)
        connection.exec_driver_sql("alter table season drop column links")
        connection.exec_driver_sql("alter table season drop column ranked_spread")
        connection.exec_driver_sql("drop table login_address")
        connection.exec_driver_sql("drop table server_note")
        connection.exec_driver_sql("update alembic_version set version_num = '0016'")
    database.close()
    upgrade(str(tmp_path / "old.db"))
    again = Database(str(tmp_path / "old.db"))
    with again.reading() as connection:
        assert fingerprint(before.within(connection)) is None
        season = open_season(connection, plugins, "cup")
        assert known == fingerprint(season)
        assert list(check_chain(season)) == []
    again.close()
