"""A database of commit 3601da6 is brought up to date on SQLite and on PostgreSQL; an older one is refused."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from botleague_storage import (
    Database,
    DatabaseLocked,
    DatabaseOutdated,
    DatabaseTooNew,
    DatabaseUnusable,
    StorageError,
    leagues,
    matches,
    problems,
)
from botleague_storage.connection import migrating
from botleague_storage.connection.database import HEAD
from botleague_storage.connection.restoring import restore
from botleague_storage.connection.upgrading import upgrade
from botleague_storage.schema.schema import metadata

WRITTEN = Path(__file__).parents[2] / "platform" / "league" / "verification" / "made_by_3601da6.zip"

SINCE = (
    "alter table season drop column links",
    "alter table season drop column ranked_spread",
    "alter table version drop column imports",
    "drop table login_address",
    "drop table server_note",
    "drop table announcement",
    "drop table extension",
    "alter table account drop column asked_at",
    "drop table runner",
    "drop index ix_event_fixture",
)
"""What makes the tables of that commit of those of today."""


def written() -> str:
    """Return what makes the database of that commit."""
    with zipfile.ZipFile(WRITTEN) as archive:
        return archive.read("old.sql").decode()


@pytest.fixture
def before(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.executescript(written())
        yield connection


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def old(request: pytest.FixtureRequest, tmp_path: Path, before: sqlite3.Connection) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "old.db")
    url: str = request.getfixturevalue("new_postgresql_url")()
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        metadata.create_all(connection)
        for statement in SINCE:
            connection.execute(sa.text(statement))
        migrating.stamp(connection, "0016")
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
    planned = dict(before.execute("select id, status from fixture"))
    with pytest.raises(DatabaseOutdated, match="db upgrade"):
        Database(old)
    done = upgrade(old)
    database = Database(old, create=False)
    assert done.is_changed
    assert (done.backup is not None) == database.is_sqlite
    assert not upgrade(old).is_changed
    with database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        rows = [
            match
            for league in leagues.leagues(connection)
            for season in leagues.seasons(connection, league.id)
            for match in matches.matches(connection, season.id)
        ]
    assert {match.fixture_id for match in rows} == set(planned)
    assert problems(database) == []
    database.close()


def restored(file: str) -> None:
    restore(Path(file), f"{file}-restored")


@pytest.mark.parametrize("open_it", [Database, upgrade, restored])
@pytest.mark.parametrize(
    ("revision", "error", "message"),
    [
        ("0003", DatabaseUnusable, r"is too old \(schema 0003\).* made by commit 3601da6"),
        ("0015", DatabaseUnusable, r"is too old \(schema 0015\).* made by commit 3601da6"),
        ("9999", DatabaseTooNew, r"made by a newer botleague \(schema 9999"),
    ],
)
def test_a_database_or_backup_of_an_unknown_schema_is_refused_and_left_alone(
    tmp_path: Path,
    before: sqlite3.Connection,
    open_it: Callable[[str], object],
    revision: str,
    error: type[StorageError],
    message: str,
) -> None:
    before.execute("update alembic_version set version_num = ?", (revision,))
    before.commit()
    unchanged = list(before.iterdump())
    with pytest.raises(error, match=message):
        open_it(str(tmp_path / "old.db"))
    assert list(before.iterdump()) == unchanged
    assert not (tmp_path / "old.db-restored").exists()


def test_the_backup_is_the_database_as_it_was(tmp_path: Path, before: sqlite3.Connection) -> None:
    unchanged = before.execute("select * from fixture order by id").fetchall()
    backup = upgrade(str(tmp_path / "old.db")).backup
    assert backup is not None
    with closing(sqlite3.connect(backup)) as copy:
        rows = "select * from fixture order by id"
        assert copy.execute(rows).fetchall() == unchanged
        assert copy.execute("select version_num from alembic_version").fetchone() == ("0016",)


def test_an_upgrade_that_fails_leaves_the_database_as_it_was(
    tmp_path: Path, before: sqlite3.Connection
) -> None:
    before.execute("create table server_note (mine text)")  # in the way of the last new table
    before.commit()
    unchanged = list(before.iterdump())
    with pytest.raises(StorageError, match="server_note already exists"):
        upgrade(str(tmp_path / "old.db"))
    assert list(before.iterdump()) == unchanged
    (backup,) = tmp_path.glob("old-*.db")
    with closing(sqlite3.connect(backup)) as copy:
        assert list(copy.iterdump()) == unchanged
    before.execute("drop table server_note")
    before.commit()
    backup.unlink()
    assert upgrade(str(tmp_path / "old.db")).is_changed


def test_no_database_is_upgraded_while_another_process_has_it_open(
    tmp_path: Path, before: sqlite3.Connection
) -> None:
    before.execute("pragma journal_mode=wal")
    program = "import sqlite3, sys; c = sqlite3.connect('old.db'); c.execute('select * from league'); print(); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as runner:
        assert runner.stdout is not None
        runner.stdout.readline()
        with pytest.raises(DatabaseLocked, match="is open in another process"):
            upgrade(str(tmp_path / "old.db"))
        runner.communicate("\n")
    assert list(tmp_path.glob("old-*.db")) == []
    assert upgrade(str(tmp_path / "old.db")).is_changed


def test_upgrade_of_a_read_only_file_names_it(
    tmp_path: Path, before: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    unchanged = list(before.iterdump())
    monkeypatch.setattr("os.access", lambda path, _: Path(path).name != "old.db")  # root may write anything
    with pytest.raises(DatabaseUnusable, match=r"cannot be upgraded: .*old.db is not writable by this user"):
        upgrade(str(tmp_path / "old.db"))
    assert list(before.iterdump()) == unchanged
    assert list(tmp_path.glob("old-*.db")) == []


def test_nothing_is_written_to_a_database_that_was_upgraded_since_it_was_opened(database: Database) -> None:
    with database.writing() as connection:
        connection.exec_driver_sql("update alembic_version set version_num = '9999'")
    try:
        with pytest.raises(DatabaseTooNew, match="schema 9999"), database.writing():
            pytest.fail("a transaction has begun")
    finally:
        with database.engine.begin() as connection:
            connection.exec_driver_sql(f"update alembic_version set version_num = '{HEAD}'")
    with database.writing():
        pass
