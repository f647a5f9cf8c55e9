"""A backup takes a database's place whole or not at all, and neither file is ever lost."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from botleague_storage import (
    Database,
    DatabaseLocked,
    DatabaseUnusable,
    backup,
    bots,
)
from botleague_storage.connection.restoring import restore

WRITER = """
import sys
from botleague_storage import Database, bots

database = Database(sys.argv[1])
for number in range(10_000):
    with database.writing() as connection:
        bots.submit(connection, "chess", f"late-{number}", "", bots.Source({"bot.py": bytes([number % 250])}, "bot.py"))
    print(number, flush=True)
"""

IDLE = """
import sys
from botleague_storage import Database, bots

database = Database(sys.argv[1], create=False, reads_only=sys.argv[2] == "reading")
with database.reading() if sys.argv[2] == "reading" else database.writing() as connection:
    assert bots.bots(connection)
print("idle", flush=True)
sys.stdin.read()
"""

KILLED_AT_EACH_STEP = """
import os, shutil, signal, sys
from pathlib import Path
from botleague_storage.connection.restoring import restore

backup, main, target = map(Path, sys.argv[1:])
step = steps = 0

def kill(event, arguments):
    global steps
    if event in ("os.rename", "os.remove", "os.chmod") or (event == "open" and str(target) in str(arguments[0])):
        steps += 1
        if steps == step:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(kill)
code = None
while code != 0:
    step, steps = step + 1, -1000
    place = shutil.copytree(main.parent, target / str(step)) / main.name
    steps = 0
    child = os.fork()
    if not child:
        restore(backup, str(place))
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL), code
"""


def names_in(path: Path) -> list[str]:
    with closing(Database(str(path), create=False)) as database, database.reading() as connection:
        return [row.name for row in bots.bots(connection)]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.is_file() and path.suffix != ".db-shm"
    }


def enter(database: Database, name: str) -> None:
    with database.writing() as connection:
        bots.submit(connection, "chess", name, "", bots.Source({"bot.py": name.encode()}, "bot.py"))


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A database with the bots ann and bob; its backup has ann only."""
    (tmp_path / "league").mkdir()
    path = tmp_path / "league" / "league.db"
    with closing(Database(str(path))) as database:
        enter(database, "ann")
        backup(database, tmp_path / "backup.db")
        enter(database, "bob")
    return path


@pytest.fixture
def saved(main: Path, tmp_path: Path) -> Path:
    return tmp_path / "backup.db"


@contextmanager
def process(program: str, *arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        yield started
        started.kill()


def test_restore_keeps_the_former_database(main: Path, saved: Path) -> None:
    main.chmod(0o640)
    done = restore(saved, str(main))
    assert done.former is not None
    assert not done.is_outdated
    assert (names_in(main), names_in(done.former), names_in(saved)) == (["ann"], ["ann", "bob"], ["ann"])
    assert stat.S_IMODE(main.stat().st_mode) == 0o640, "an existing database keeps its mode"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (saved, done.former)] == [0o600, 0o600]
    again = restore(done.former, str(main))
    assert again.former not in (None, done.former)
    assert names_in(main) == ["ann", "bob"]


def test_restore_after_a_kill_loses_neither_log_nor_backup(main: Path, saved: Path) -> None:
    with process(WRITER, main) as writer:
        assert writer.stdout is not None
        written = [int(writer.stdout.readline()) for _ in range(20)]
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    assert Path(f"{main}-wal").stat().st_size
    done = restore(saved, str(main))
    assert done.former is not None
    assert names_in(main) == ["ann"]
    with closing(sqlite3.connect(main)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
    assert stat.S_IMODE(Path(f"{done.former}-wal").stat().st_mode) == 0o600
    assert set(names_in(done.former)) >= {"ann", "bob", *(f"late-{number}" for number in written)}


def test_former_database_is_restored_with_its_log(main: Path, saved: Path) -> None:
    with process(WRITER, main) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    former = restore(saved, str(main)).former
    assert former is not None
    restore(former, str(main))
    assert "late-0" in names_in(main)


@pytest.mark.parametrize("kind", ["reading", "writing"])
def test_restore_is_refused_while_a_process_has_the_database_open(main: Path, saved: Path, kind: str) -> None:
    with process(IDLE, main, kind) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "idle\n"
        before = contents(main.parent)
        with pytest.raises(DatabaseLocked, match=r"open in another process.* Nothing was changed"):
            restore(saved, str(main))
        assert contents(main.parent) == before
    assert restore(saved, str(main)).former is not None


def test_unusable_backup_is_refused_and_nothing_is_changed(main: Path, saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    files = {
        "cut.db": content[: len(content) // 2],
        "flipped.db": content[:8192] + bytes(4096) + content[12288:],
        "text.db": b"hello " * 2000,
        "empty.db": b"",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with closing(sqlite3.connect(tmp_path / "foreign.db")) as connection, connection:
        connection.execute("create table chess (move)")
    (tmp_path / "lacking.db").write_bytes(content)
    with closing(sqlite3.connect(tmp_path / "lacking.db")) as connection, connection:
        connection.execute("drop table journal")
    os.mkfifo(tmp_path / "pipe")
    before = contents(main.parent)
    for name in (*files, "foreign.db", "lacking.db", "missing.db", "pipe", "league", "league/league.db"):
        with pytest.raises(DatabaseUnusable):
            restore(tmp_path / name, str(main))
        assert contents(main.parent) == before, name
    assert names_in(main) == ["ann", "bob"]


def test_backup_of_an_older_botleague_is_restored_and_reported(main: Path, saved: Path) -> None:
    with closing(sqlite3.connect(saved)) as connection, connection:
        connection.execute("update alembic_version set version_num = '0016'")
    assert restore(saved, str(main)).is_outdated


def test_restore_creates_a_missing_database(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    main = tmp_path / "new" / "league.db"
    Path(f"{main}-wal").write_bytes(b"the log of a lost database")
    done = restore(saved, str(main))
    assert names_in(main) == ["ann"]
    assert stat.S_IMODE(main.stat().st_mode) == 0o600
    assert done.former is not None
    assert done.former.read_bytes() == b"the log of a lost database"
    with pytest.raises(DatabaseUnusable, match="there is no folder"):
        restore(saved, str(tmp_path / "none" / "league.db"))


def test_database_of_a_server_is_not_restored(saved: Path) -> None:
    with pytest.raises(DatabaseUnusable, match="pg_restore"):
        restore(saved, "postgresql://league@db.example.org/league")


def test_restore_that_is_killed_loses_nothing(main: Path, saved: Path, tmp_path: Path) -> None:
    with process(WRITER, main) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    target = tmp_path / "killed"
    subprocess.run([sys.executable, "-c", KILLED_AT_EACH_STEP, saved, main, target], check=True)
    assert names_in(saved) == ["ann"]
    folders = list(target.iterdir())
    assert len(folders) > 8, "it is killed at each rename, removal and opening of a file"
    for folder in folders:
        killed = folder / "league.db"
        former = next(folder.glob("*-before-restore-*.db"), killed)
        if killed.exists() and former != killed:
            assert names_in(killed) == ["ann"]
        assert "late-0" in names_in(former)
        restore(saved, str(killed))
        assert names_in(killed) == ["ann"]
