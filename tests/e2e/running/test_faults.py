"""Faults of disks, programs, servers and clocks: they are reported, and no match counts twice.

Kills at random moments are in ``test_kill.py``, a full disk in ``test_refusals.py``.
"""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest

from botleague_storage import Database
from botleague_storage.connection.database import WRITE_LOCK

from ...conftest import PATIENCE_S

LEAGUE = ["run", "guessing", "five", "lucky", "counter", "--league", "cup", "--seed", "8", "--json"]
SHORT = [*LEAGUE, "--rounds", "2"]
LONG = [*LEAGUE, "--rounds", "8"]
ENDLESS = [*LEAGUE, "--rounds", "200"]  # nobody waits for its end

Start = Callable[..., subprocess.Popen[str]]
AwaitResults = Callable[..., None]
WaitUntil = Callable[[subprocess.Popen[Any], Callable[[], object]], bool]


@pytest.fixture
def start(folder: Path, environment: Mapping[str, str], command: list[str]) -> Iterator[Start]:
    """Starts a command in the user's folder; what still runs at the end of the test is killed."""
    started = []

    def begin(*arguments: str, program: list[str] = command) -> subprocess.Popen[str]:
        started.append(
            subprocess.Popen(
                [*program, *arguments],
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                # Where the tests themselves were begun with nohup, commands would not hear of a hangup either.
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
            )
        )
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def recorded(path: Path) -> int:
    """Return how many results a database has; 0 while it is being made."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as look,
    ):
        return int(look.execute("select count(*) from result").fetchone()[0])
    return 0


@pytest.fixture
def await_results(wait_until: WaitUntil, folder: Path) -> Callable[..., None]:
    """Waits until so many results are recorded, while the process goes on."""

    def wait(process: subprocess.Popen[str], number: int = 1) -> None:
        assert wait_until(process, lambda: recorded(folder / "league.db") >= number), process.communicate()
        assert process.poll() is None, process.communicate()

    return wait


def await_words(process: subprocess.Popen[str], words: str) -> None:
    """Wait until ``words`` stand on standard error, on however many lines."""
    assert process.stderr is not None
    text = ""
    for line in process.stderr:
        text += f"{line.strip()} "
        if words in text:
            return
    raise AssertionError(f"the process ended without a word of {words!r}: {text}")


def without_times(table: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in table.splitlines()]
    return [{key: value for key, value in row.items() if key != "cpu_ms"} for row in rows]


def remove(path: Path) -> None:
    path.unlink()


def replace(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").rename(path)


@pytest.mark.parametrize(
    ("harm", "name", "message"),
    [
        (remove, "league.db", "league.db was deleted or replaced while it was in use"),
        (replace, "league.db", "league.db was deleted or replaced while it was in use"),
        (remove, "league.db-wal", "league.db-wal was deleted or replaced while it was in use"),
    ],
)
def test_a_file_that_is_deleted_or_replaced_ends_the_run_at_once(
    harm: Callable[[Path], None],
    name: str,
    message: str,
    start: Start,
    folder: Path,
    await_results: AwaitResults,
) -> None:
    process = start(*ENDLESS)
    await_results(process)
    harm(folder / name)
    out, errors = process.communicate()
    assert (process.returncode, json.loads(out)["error"]["code"]) == (2, "database"), errors
    assert message in " ".join(errors.split())
    assert "Traceback" not in errors


def test_main_file_without_its_log_reports_missing_matches(
    start: Start, botleague: Callable[..., Any], folder: Path, await_results: AwaitResults
) -> None:
    process = start(*LONG)
    await_results(process, 4)
    process.kill()
    process.communicate()
    (folder / "league.db-wal").unlink()
    first = botleague("standings", "cup")
    assert "league.db-wal is missing" in " ".join(first.err.split())
    again = botleague(*LONG)
    assert "planned" not in again.err, "no new league"
    assert without_times(again.out) == without_times(botleague(*LONG, "--db", "calm.db").out)
    assert "missing" not in botleague("standings", "cup").err, "the file is whole again"
    assert "is undamaged" in botleague("db", "check").out


def test_log_without_its_main_file_is_preserved(
    start: Start, botleague: Callable[..., Any], folder: Path, await_results: AwaitResults
) -> None:
    process = start(*ENDLESS)
    await_results(process)
    process.kill()
    process.communicate()
    (folder / "league.db").rename(folder / "moved.db")
    for arguments in (SHORT, ["standings"]):
        assert "is missing, but its write-ahead log" in " ".join(botleague(*arguments, code=2).err.split())
    (folder / "moved.db").rename(folder / "league.db")
    assert recorded(folder / "league.db") >= 1


@contextlib.contextmanager
def locked(database: Path) -> Iterator[None]:
    """Keep others from writing to a database until the end of the block."""
    with contextlib.closing(sqlite3.connect(database, isolation_level=None, timeout=PATIENCE_S)) as other:
        other.execute("begin immediate")
        yield


def test_long_lock_is_waited_for(
    start: Start, botleague: Callable[..., Any], folder: Path, await_results: AwaitResults
) -> None:
    process = start(*LONG)
    await_results(process)
    with locked(folder / "league.db"):
        await_words(process, "another program is writing to it")
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    assert "another program" not in errors, "it is said once"
    assert without_times(out) == without_times(botleague(*LONG, "--db", "calm.db").out)


HELD = """
import logging, botleague
logging.basicConfig(format="%(message)s")
botleague.League("held", "guessing", ["five", "lucky"]).run()
"""


def test_comparisons_and_python_wait_for_a_lock_at_the_start(
    start: Start, botleague: Callable[..., Any], folder: Path, await_results: AwaitResults
) -> None:
    Database(str(folder / "league.db")).close()
    with locked(folder / "league.db"):
        waiting = [
            start("compare", "five", "lucky", "--variant", "guessing", "--quick", "2"),
            start(program=[sys.executable, "-c", HELD]),
        ]
        for process in waiting:
            await_words(process, "another program is writing to it")
    for process in waiting:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert '"done":4,' in botleague("leagues", "--json").out.replace(" ", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopped_run_reports_that_it_stopped(
    number: signal.Signals, start: Start, folder: Path, await_results: AwaitResults
) -> None:
    process = start(*ENDLESS)
    await_results(process)
    process.send_signal(number)
    out, errors = process.communicate()
    assert (process.returncode, json.loads(out)["error"]["code"]) == (130, "interrupted"), errors
    assert "Stopped. Finished matches are saved" in errors


def test_run_stopped_at_a_locked_database_reports_it(
    start: Start, folder: Path, await_results: AwaitResults
) -> None:
    process = start(*ENDLESS)
    await_results(process)
    with locked(folder / "league.db"):
        await_words(process, "another program is writing to it")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "Stopped. " in errors
    assert "Finished matches are saved" not in errors


def test_a_clock_that_jumps_changes_no_table(start: Start, botleague: Callable[..., Any]) -> None:
    jumpy = (
        "import itertools, time\n"
        "real, jumps = time.time, itertools.cycle([0, 3600, -3600])\n"
        "time.time = lambda: real() + next(jumps)\n"
        "from botleague.cli import main; main()"
    )
    process = start(*SHORT, program=[sys.executable, "-c", jumpy])
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    assert without_times(out) == without_times(botleague(*SHORT, "--db", "calm.db").out)
    assert "is undamaged" in botleague("db", "check").out


def test_changed_bytes_of_the_database_are_reported(botleague: Callable[..., Any], folder: Path) -> None:
    botleague(*SHORT)
    whole = (folder / "league.db").read_bytes()
    rng = random.Random(5)
    for pages in (range(1, len(whole) // 4096), range(2, 9)):
        harmed = bytearray(whole)
        for page in pages:
            harmed[page * 4096 : page * 4096 + 200] = rng.randbytes(200)
        (folder / "league.db").write_bytes(harmed)
        for arguments in (["standings", "cup"], ["db", "check"], SHORT):
            assert "Error: " in botleague(*arguments, code=2).err


def test_invalid_database_address_is_refused_first(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "new.db").touch()
    assert "holds nothing yet" in botleague("standings", "--db", "new.db", code=2).err
    for name in ("n" * 300 + ".db", "n" * 250 + ".db"):
        assert "File name too long" in " ".join(botleague(*SHORT, "--db", name, code=2).err.split())
    assert "there is no folder" in " ".join(botleague(*SHORT, "--db", "none/x.db", code=2).err.split())
    assert not (folder / "none").exists()


@pytest.fixture
def url(new_postgresql_url: Callable[[], str]) -> str:
    return new_postgresql_url()


@contextlib.contextmanager
def unreachable(server: str) -> Iterator[None]:
    """Take a server's socket away: nobody can connect meanwhile."""
    socket = Path(server.partition("host=")[2]) / ".s.PGSQL.5432"
    away = socket.with_name("away")
    socket.rename(away)
    try:
        yield
    finally:
        away.rename(socket)


@pytest.mark.postgresql
def test_unavailable_server_and_locks_are_waited_for(
    start: Start, botleague: Callable[..., Any], url: str
) -> None:
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("select pg_advisory_lock(%s)", [WRITE_LOCK])
        with unreachable(url):
            process = start(*SHORT, "--db", url)
            await_words(process, "does not answer")
        await_words(process, "another program is writing to it")
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    assert without_times(out) == without_times(botleague(*SHORT, "--db", "calm.db").out)


@pytest.mark.postgresql
def test_run_stopped_without_a_database_server_reports_it(start: Start, url: str) -> None:
    with unreachable(url):
        process = start(*SHORT, "--db", url)
        await_words(process, "does not answer")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "Stopped. " in errors
