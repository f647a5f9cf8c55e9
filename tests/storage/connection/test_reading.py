"""Reading where nothing may be written: other processes, without rights or on a read-only file system."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from botleague_storage import Database, DatabaseLocked, DatabaseUnusable, bots
from botleague_storage.connection.readonly_file import reader_of
from botleague_storage.league_rows.bots import Source

READ = """
import sys
from botleague_storage import Database, bots
database = Database(sys.argv[1], create=False, reads_only=True)
with database.reading() as connection:
    print(*[row.name for row in bots.bots(connection)], end=" ")
print("copied" if database.as_of else database._reader.query or "locked")
database.close()
"""


def add(database: Database, name: str) -> None:
    with database.writing() as connection:
        bots.submit(connection, "chess", name, "", Source({"bot.py": name.encode()}, "bot.py"))


@pytest.fixture(params=["", "log", "log and index"])
def left(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A database whose newest bot is in the log, if there is one; and which files are beside it."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    database = Database(str(tmp_path / "live.db"))
    add(database, "ann")
    database.checkpoint()
    if not request.param:
        database.close()
    else:
        add(database, "bob")
    for end in ("", "-wal", "-shm")[: 1 + len(request.param.split(" and ")) * bool(request.param)]:
        shutil.copyfile(tmp_path / f"live.db{end}", folder / f"archive.db{end}")
    database.close()
    return folder, request.param


@pytest.mark.parametrize(
    "right", ["all", "folder is read-only", "all is read-only", "file system is read-only"]
)
def test_whatever_lies_there_is_read_whole_and_left_as_it_is(
    left: tuple[Path, str],
    right: str,
    tmp_path: Path,
    as_a_guest: Callable[[], None],
    with_read_only: Callable[[Path], Callable[[], None]],
) -> None:
    folder, files = left
    if right == "all is read-only":
        for path in folder.iterdir():
            path.chmod(0o444)
    if right in ("all is read-only", "folder is read-only"):
        folder.chmod(0o555)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", READ, folder / "archive.db"],
        preexec_fn=with_read_only(folder) if right.startswith("file system") else as_a_guest,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )
    folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    *names, way = done.stdout.split()
    assert names == (["ann", "bob"] if files else ["ann"])
    ways = {
        "": {"all": "locked", "folder is read-only": "copied"}.get(right, "immutable=1"),
        "log": "copied",
        "log and index": "mode=ro",
    }
    assert way == ways[files]
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {name: after[name] for name in before if not name.endswith("-shm")} == {
        name: before[name] for name in before if not name.endswith("-shm")
    }
    assert after.keys() == before.keys()
    assert not any(temporary.iterdir())


def test_a_reader_writes_nothing_and_waits_for_nobody_who_does(tmp_path: Path) -> None:
    path = str(tmp_path / "league.db")
    with closing(Database(path)) as database:
        add(database, "ann")
        with closing(Database(path, create=False, reads_only=True)) as reader:
            with database.writing() as writing:
                bots.submit(writing, "chess", "bob", "", Source({"bot.py": b"bob"}, "bot.py"))
                with reader.reading() as connection:
                    assert [row.name for row in bots.bots(connection)] == ["ann"]
            with pytest.raises(DatabaseUnusable, match="read-only"):
                add(reader, "eve")


def test_copy_overtaken_by_the_log_starts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is emptied and begins anew between the copies of the two files: half of each is not the database."""
    path = tmp_path / "league.db"
    copyfile = shutil.copyfile
    overtaken: list[Path] = []
    with closing(Database(str(path))) as database:
        add(database, "ann")

        def slowly(source: Path, target: Path) -> None:
            copyfile(source, target)
            if source == path and len(overtaken) < 2:
                overtaken.append(source)
                with closing(sqlite3.connect(path)) as connection:
                    assert connection.execute("pragma wal_checkpoint(truncate)").fetchone()[0] == 0
                add(database, f"bob-{len(overtaken)}")

        monkeypatch.setattr(shutil, "copyfile", slowly)
        monkeypatch.setattr(
            Path, "exists", lambda file: not file.name.endswith("-shm") and os.path.exists(file)
        )
        reader = reader_of(path)
    monkeypatch.undo()
    with closing(Database(str(reader.file), create=False)) as copy, copy.reading() as connection:
        assert [row.name for row in bots.bots(connection)] == ["ann", "bob-1", "bob-2"]
    reader.close()
    assert not reader.file.exists()


def test_a_file_that_was_changed_though_nobody_may_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "league.db"
    with closing(Database(str(path))) as database:
        add(database, "ann")
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root always may
    database = Database(str(path), create=False, reads_only=True)
    path.chmod(0o644)
    tmp_path.chmod(0o755)
    with closing(database), pytest.raises(DatabaseLocked, match="was changed while"), database.reading():
        os.truncate(path, 2 * path.stat().st_size)
