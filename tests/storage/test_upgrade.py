"""A database of the first published schema opens and is brought up to date, on either kind of database.

``main_0003.sql`` was written by the code of that time: a season in which somebody was suspended, retired and anchored
and a match was voided, its half played successor with carried ratings, a league of single seats, and a ladder of which
a runner that is gone has claimed a match.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from botleague_storage import (
    Database,
    DatabaseOutdated,
    StorageError,
    fixtures,
    journals,
    leagues,
    matches,
    problems,
    results,
)
from botleague_storage.connection import migrating
from botleague_storage.connection.upgrading import upgrade
from botleague_storage.schema.schema import metadata

DUMP = Path(__file__).with_name("main_0003.sql")


@pytest.fixture
def before(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.executescript(DUMP.read_text())
        yield connection


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def old(request: pytest.FixtureRequest, tmp_path: Path, before: sqlite3.Connection) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "old.db")
    url: str = request.getfixturevalue("new_postgresql_url")()
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        migrating.run(connection, "0003")
        tables = sa.MetaData()
        tables.reflect(connection)
        for table in tables.sorted_tables:
            if table.name == "alembic_version":
                continue
            rows = before.execute(f'select * from "{table.name}"')
            names = [column[0] for column in rows.description]
            values = [dict(zip(names, row, strict=True)) for row in rows]
            if values:
                connection.execute(table.insert(), values)
    engine.dispose()
    return url


def test_it_is_refused_until_it_is_upgraded_and_keeps_every_match(
    old: str, before: sqlite3.Connection
) -> None:
    planned = {
        number: tuple(json.loads(versions))
        for number, versions in before.execute("select id, versions from fixture")
    }
    sizes = dict(
        before.execute(
            'select id, (select count(*) from fixture o where o.season_id = f.season_id and o."group" = f."group") '
            "from fixture f"
        )
    )
    with pytest.raises(DatabaseOutdated, match="db upgrade"):
        Database(old)
    kept = upgrade(old)
    database = Database(old, create=False)
    assert (kept is not None) == database.is_sqlite
    assert upgrade(old) is None
    with database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        found = [
            match
            for league in leagues.leagues(connection)
            for season in leagues.seasons(connection, league.id)
            for match in matches.matches(connection, season.id)
        ]
    assert {match.fixture_id: match.versions for match in found} == planned
    assert {match.fixture_id: match.set_size for match in found} == sizes
    assert set(sizes.values()) == {1, 2, 3}
    assert problems(database) == []
    with database.writing() as connection:
        season = leagues.current_season(connection, leagues.find(connection, "ladder").id)
        fixtures.release(connection, sorted(fixtures.claimants(connection, season.id)))
        (late,) = fixtures.claim(connection, season.id, "here", 70.0, 9)
    assert (late.label, late.epoch, late.versions) == ("left open", 2, (1, 2))
    database.close()


def test_the_backup_is_the_database_as_it_was(tmp_path: Path, before: sqlite3.Connection) -> None:
    unchanged = before.execute("select * from fixture order by id").fetchall()
    kept = upgrade(str(tmp_path / "old.db"))
    assert kept is not None
    with closing(sqlite3.connect(kept)) as copy:
        rows = "select * from fixture order by id"
        assert copy.execute(rows).fetchall() == unchanged
        assert copy.execute("select version_num from alembic_version").fetchone() == ("0003",)


def test_an_upgrade_that_fails_leaves_the_database_as_it_was(
    tmp_path: Path, before: sqlite3.Connection
) -> None:
    before.execute("create table fixture_seat (mine text)")  # in the way of the first new table
    before.commit()
    unchanged = list(before.iterdump())
    with pytest.raises(StorageError, match="fixture_seat already exists"):
        upgrade(str(tmp_path / "old.db"))
    assert list(before.iterdump()) == unchanged
    (kept,) = tmp_path.glob("old-*.db")
    with closing(sqlite3.connect(kept)) as copy:
        assert list(copy.iterdump()) == unchanged
    before.execute("drop table fixture_seat")
    before.commit()
    kept.unlink()
    assert upgrade(str(tmp_path / "old.db")) is not None


def test_what_bots_printed_becomes_their_journals(tmp_path: Path, before: sqlite3.Connection) -> None:
    texts = {1: "hello\n", 2: "é" * 100_000}
    for fixture, text in texts.items():
        before.execute("update seat set output = ? where fixture_id = ? and seat = 0", (text, fixture))
    before.commit()
    upgrade(str(tmp_path / "old.db"))
    database = Database(str(tmp_path / "old.db"))
    with database.reading() as connection:
        kept = {number: journals.find(connection, number) for number in (1, 2, 3)}
    assert problems(database) == []
    database.close()
    assert {number: list(found) for number, found in kept.items()} == {1: [0], 2: [0], 3: []}
    for number, text in texts.items():
        journal = msgspec.msgpack.decode(zlib.decompress(kept[number][0]))
        assert journal == {"format": 1, "printed": {-1: text}}


def test_a_result_that_was_set_aside_can_still_be_put_back(
    tmp_path: Path, before: sqlite3.Connection
) -> None:
    """Its seats were noted when they had another column."""
    url = str(tmp_path / "old.db")
    engine = sa.create_engine(f"sqlite:///{url}")
    with engine.begin() as connection:
        migrating.run(connection, "0007")
        seat = sa.Table("seat", sa.MetaData(), autoload_with=connection)
        result = sa.Table("result", sa.MetaData(), autoload_with=connection)
        noted = {
            "result": dict(
                connection.execute(sa.select(result).where(result.c.fixture_id == 1)).one()._mapping
            ),
            "seats": [
                dict(row._mapping)
                for row in connection.execute(sa.select(seat).where(seat.c.fixture_id == 1))
            ],
        }
        values = {"noted": json.dumps(noted)}
        connection.execute(
            sa.text(
                "insert into replaced select fixture_id, 1, :noted, digest, content from record where fixture_id = 1"
            ),
            values,
        )
        for table in ("record", "seat", "result"):
            connection.execute(sa.text(f"delete from {table} where fixture_id = 1"))
    engine.dispose()
    upgrade(url)
    database = Database(url)
    with database.writing() as connection:
        results.put_back(connection, 1, 1)
        assert len(results.find(connection, 1).seats) == len(noted["seats"])
    database.close()
