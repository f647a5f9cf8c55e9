"""A database that cannot be used says so in one sentence, and keeps what it has."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.engine.interfaces import CacheStats

from botleague_storage import (
    ConnectionLost,
    Database,
    DatabaseUnusable,
    backup,
    bots,
    problems,
)
from botleague_storage.connection import migrating
from botleague_storage.connection.database import HEAD
from botleague_storage.connection.database_url import shown_url
from botleague_storage.schema.league_tables import bot
from botleague_storage.schema.storage_errors import explain

of_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@of_sqlite
def test_a_new_database_is_in_wal_mode_at_the_newest_revision(database: Database) -> None:
    with database.reading() as connection:
        assert connection.exec_driver_sql("pragma journal_mode").scalar() == "wal"
    assert database.revision() == HEAD == migrating.revisions()[0]


def test_statement_is_compiled_once_for_all_databases(tmp_path: Path) -> None:
    hits = []
    for name in ("one.db", "two.db"):
        with closing(Database(str(tmp_path / name))) as database, database.reading() as connection:
            result = connection.execute(sa.select(bot.c.name).where(bot.c.id == 77))
            hits.append(result.context.cache_hit)
    assert hits[1] is CacheStats.CACHE_HIT


def test_a_folder_a_text_file_and_a_foreign_database_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnusable, match="is a folder"):
        Database(str(tmp_path))
    text = tmp_path / "text.db"
    text.write_text("this is a long enough text that is no database at all\n" * 20)
    with pytest.raises(DatabaseUnusable, match="damaged or is not a botleague database"):
        Database(str(text))
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("create table cats (name text)")
    connection.close()
    with pytest.raises(DatabaseUnusable, match="another program"):
        Database(str(foreign))


@pytest.mark.parametrize(
    "url",
    [
        *("sqlite://", "nonsense://x/y", "postgresql+nosuchdriver://u@h/d", "://"),
        *("postgresql://ann:se@cret@host:5a/d", "postgresql://ann:secret@[::1/d"),
    ],
)
def test_an_unusable_url_is_refused(url: str) -> None:
    with pytest.raises(DatabaseUnusable) as refused:
        Database(url)
    assert "cret" not in str(refused.value)


def test_database_that_lost_its_version_is_damaged_and_not_empty(tmp_path: Path) -> None:
    Database(str(tmp_path / "league.db")).close()
    with closing(sqlite3.connect(tmp_path / "league.db")) as connection:
        connection.execute("delete from alembic_version")
        connection.commit()
    with pytest.raises(DatabaseUnusable, match="the row with its version is missing"):
        Database(str(tmp_path / "league.db"))


@pytest.mark.parametrize(
    ("url", "output"),
    [
        ("league.db", "league.db"),
        ("postgresql://ann:secret@host/d", "postgresql://ann:***@host/d"),
        ("postgresql://ann:secret@host:5a/d", "postgresql://***"),
    ],
)
def test_passwords_of_urls_are_not_shown(url: str, output: str) -> None:
    assert shown_url(url) == output


def test_path_means_the_file_of_exactly_that_name(tmp_path: Path) -> None:
    path = tmp_path / "what?mode=x" / "50%20off#1.db"
    path.parent.mkdir()
    Database(str(path)).close()
    assert (path.exists(), list(tmp_path.iterdir())) == (True, [path.parent])


def test_a_missing_database_is_not_made_when_only_reading(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnusable, match="There is no database"):
        Database(str(tmp_path / "none.db"), create=False)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(DatabaseUnusable, match="There is no database"):
        Database(str(tmp_path / "no" / "folder" / "none.db"), create=False)
    assert not (tmp_path / "no").exists()
    with pytest.raises(DatabaseUnusable, match="there is no folder"):
        Database(str(tmp_path / "no" / "folder" / "new.db"))
    assert not (tmp_path / "no").exists()


@of_sqlite
def test_a_read_only_database_can_be_read_but_says_so_when_written(
    tmp_path: Path, season: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    database = Database(f"sqlite:///file:{tmp_path / 'league.db'}?mode=ro&uri=true", create=True)
    with database.reading() as connection:
        assert [row.name for row in bots.bots(connection)] == ["ann", "bob"]
    with pytest.raises(DatabaseUnusable, match="read-only"), database.writing() as connection:
        bots.submit(connection, "chess", "eve", "", bots.Source({"bot.py": b""}, "bot.py"))
    database.close()
    assert set(tmp_path.iterdir()) == before, "a URI is no path"


@pytest.mark.parametrize("is_broken", [True, False])
def test_a_broken_connection_is_known_whatever_the_driver_says_of_it(is_broken: bool) -> None:
    driver_error = sqlite3.OperationalError("sending prepared query failed: Broken pipe")
    error = sa.exc.OperationalError("select 1", None, driver_error, connection_invalidated=is_broken)
    assert isinstance(explain("league", error), ConnectionLost) == is_broken


@of_sqlite
def test_a_locked_database_is_reported_after_the_timeout(tmp_path: Path, season: int) -> None:
    other = sqlite3.connect(tmp_path / "league.db", isolation_level=None)
    other.execute("begin immediate")
    database = Database(str(tmp_path / "league.db"), busy_timeout_s=0.01)
    with pytest.raises(DatabaseUnusable, match="another program is writing"), database.writing():
        pass
    other.execute("rollback")
    other.close()
    database.close()


@of_sqlite
def test_a_full_database_keeps_what_it_has(database: Database, season: int) -> None:
    def fill(connection: Connection) -> None:
        pages = connection.exec_driver_sql("pragma page_count").scalar_one()
        connection.exec_driver_sql(f"pragma max_page_count={pages}")
        for number in range(100):
            source = bots.Source({"bot.py": random.Random(number).randbytes(9999)}, "bot.py")
            bots.submit(connection, "chess", f"bot-{number}", "", source)

    with pytest.raises(DatabaseUnusable, match="disk is full"), database.writing() as connection:
        fill(connection)
    with database.reading() as connection:
        assert [row.name for row in bots.bots(connection)] == ["ann", "bob"]
    assert problems(database) == []


def test_database_whose_log_cannot_be_created_names_the_disk_too(tmp_path: Path) -> None:
    Database(str(tmp_path / "league.db")).close()
    (tmp_path / "league.db-wal").mkdir()
    with pytest.raises(DatabaseUnusable, match=r"cannot be opened.* its disk has room for new files"):
        Database(str(tmp_path / "league.db"))


@of_sqlite
def test_a_backup_is_a_whole_copy_and_never_overwrites(
    database: Database, season: int, tmp_path: Path
) -> None:
    target = tmp_path / "copy.db"
    backup(database, target)
    copy = Database(str(target), create=False)
    with copy.reading() as connection:
        assert [row.name for row in bots.bots(connection)] == ["ann", "bob"]
    copy.close()
    with pytest.raises(DatabaseUnusable, match="already exists"):
        backup(database, target)
    # Nobody may create files in /sys, not even root.
    for place in (tmp_path / "no" / "such" / "folder.db", Path("/sys/copy.db")):
        with pytest.raises(DatabaseUnusable, match=rf"The backup {place} cannot be written \("):
            backup(database, place)


KILLED_IN_A_CHECKPOINT = """
import os, signal, sys
from sqlalchemy import event
from botleague_storage import Database

database = Database(sys.argv[1])

@event.listens_for(database.engine, "before_cursor_execute")
def kill(connection, cursor, statement, *rest):
    if statement == "pragma user_version=0":
        os.kill(os.getpid(), signal.SIGKILL)

database.checkpoint()
"""


def test_merged_log_after_a_kill_is_not_reported_missing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "league.db"
    Database(str(path)).close()
    killed = subprocess.run([sys.executable, "-c", KILLED_IN_A_CHECKPOINT, str(path)])
    assert killed.returncode == -signal.SIGKILL
    assert Path(f"{path}-wal").exists()
    for _ in range(2):  # the first one closes as the last one does, so the log is merged and gone
        Database(str(path), create=False).close()
        assert not Path(f"{path}-wal").exists()
    assert not caplog.records


@of_sqlite
def test_damaged_pages_are_found(database: Database, season: int, tmp_path: Path) -> None:
    database.close()
    path = tmp_path / "league.db"
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 6] = b"\xff" * 4096 * 3
    path.write_bytes(content)
    for leftover in ("league.db-wal", "league.db-shm"):
        (tmp_path / leftover).unlink(missing_ok=True)
    damaged = Database(str(path))
    try:
        complaints = problems(damaged)
    except DatabaseUnusable as error:
        complaints = [str(error)]
    with pytest.raises(DatabaseUnusable, match=rf"Database {path}, copied to .*: the file is damaged"):
        backup(damaged, tmp_path / "copy.db")
    damaged.close()
    assert complaints
    assert "damaged" in complaints[0]
