"""Checks of uploads in the process of a server: their time limit, and their state on pages."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import Connection

from botleague.application import Workspace
from botleague_server.accounts.account_service import Person, make_account
from botleague_server.uploads.upload_service import LEASE_S, UploadChecks, receive
from botleague_storage import Database, accounts, uploads

from ...conftest import PATIENCE_S

Command = Callable[..., subprocess.CompletedProcess[str]]

# Twice as long as the time that is left for everything but the bot, in each of five seats.
SLOW_WITHIN_ITS_LIMITS = b"""
import time
end = time.process_time() + 0.3
while time.process_time() < end: pass
def prepare(brief):
    end = time.process_time() + 0.3
    while time.process_time() < end: pass
def move(observation): return 5
"""


@pytest.fixture
def database(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """The database of a folder with leagues, which is the working directory."""
    folder = Path(shutil.copytree(played, tmp_path / "project"))
    monkeypatch.chdir(folder)
    database = Database(str(folder / "league.db"), create=False)
    yield database
    database.close()


def ann(connection: Connection) -> int:
    """Create the account of an author."""
    make_account(connection, Person("ann", "gold"), 0.0)
    return accounts.find(connection, "ann").id


def open_league(connection: Connection) -> str:
    return str(connection.exec_driver_sql("select name from league where name like 'open%'").scalar())


def test_slow_bot_within_its_limits_is_checked_once_and_accepted(database: Database) -> None:
    with database.writing() as connection:
        account, league = ann(connection), open_league(connection)
        number = receive(
            connection, league, account, "gold", [("slow.py", SLOW_WITHIN_ITS_LIMITS)], time.time()
        )
    decided = threading.Event()

    def look() -> None:
        with database.reading() as connection:
            if not uploads.find(connection, number).is_open:
                decided.set()

    checks = UploadChecks(Workspace(), database, look, longest_s={"language": 30.0, "games": 0.0})
    checks.start()
    try:
        assert decided.wait(PATIENCE_S)
    finally:
        checks.close()
    with database.reading() as connection:
        row = uploads.find(connection, number)
    assert (row.state, row.report["problems"], row.tries) == ("accepted", [], 1)


def test_new_bot_joins_the_lowest_division(database: Database, command: Command) -> None:
    divisions = ("--division", "upper=five,lucky", "--division", "lower=counter,again.py")
    Path("again.py").write_text("def move(observation): return 4\n")
    command(
        Path.cwd(), "run", "guessing", "--league", "split", "--format", "ladder", "--batches", "1", *divisions
    )
    with database.writing() as connection:
        number = receive(
            connection,
            "split",
            ann(connection),
            "gold",
            [("new.py", b"def move(o): return 3\n")],
            time.time(),
        )
    decided = threading.Event()

    def look() -> None:
        with database.reading() as connection:
            if not uploads.find(connection, number).is_open:
                decided.set()

    checks = UploadChecks(Workspace(), database, look)
    checks.start()
    try:
        assert decided.wait(PATIENCE_S)
    finally:
        checks.close()
    rows = map(json.loads, command(Path.cwd(), "standings", "split", "--json").stdout.splitlines())
    assert {row["bot"]: row["division"] for row in rows} == {
        **dict.fromkeys(("five", "lucky"), "upper"),
        **dict.fromkeys(("counter", "again", "new"), "lower"),
    }


def upload_hosts() -> list[int]:
    """Return the processes of this one that check uploads."""
    tasks = Path("/proc/self/task").iterdir()
    children = {int(child) for task in tasks for child in (task / "children").read_text().split()}
    return [pid for pid in children if b"upload_worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_hanging_check_is_ended_and_repeated_by_another_process(database: Database) -> None:
    with database.writing() as connection:
        account, league = ann(connection), open_league(connection)
    changed = threading.Semaphore(0)
    checks = UploadChecks(Workspace(), database, changed.release, longest_s={"language": 5.0, "games": 90.0})
    hosts: list[int] = []
    rows: list[uploads.UploadRow] = []
    checks.start()
    try:
        for now in (1000.0, 2000.0):  # the language refuses both, so that only one queue needs a process
            with database.writing() as connection:
                files = [("thief.py", b"import socket\n")]
                number = receive(connection, league, account, "gold", files, now)
            is_open = True
            while is_open and changed.acquire(timeout=PATIENCE_S):
                with database.reading() as connection:
                    row = uploads.find(connection, number)
                is_open = row.is_open
            rows.append(row)
            hosts += upload_hosts()
            if now == 1000.0:
                os.kill(hosts[0], signal.SIGSTOP)
    finally:
        checks.close()
    assert [(row.state, row.tries) for row in rows] == [("refused", 1), ("refused", 2)]
    assert all("socket" in str(row.report["problems"]) for row in rows)
    assert len(set(hosts)) == len(hosts) == 2, "the process that hung was ended"


def test_upload_that_is_being_checked_cannot_be_claimed_when_its_lease_is_renewed(database: Database) -> None:
    with database.writing() as connection:
        account, league = ann(connection), open_league(connection)
        number = receive(connection, league, account, "gold", [("slow.py", b"x = 1\n")], 1000.0)
        assert uploads.claim(connection, "language", "one", 1000.0, LEASE_S) is not None
        uploads.renew(connection, [number], 1050.0 + LEASE_S)
        assert uploads.claim(connection, "language", "other", 1001.0 + LEASE_S, LEASE_S) is None
        assert uploads.claim(connection, "language", "other", 1050.0 + LEASE_S, LEASE_S) is not None


def test_checks_begin_once_the_database_can_be_written(database: Database) -> None:
    gone = f"{socket.gethostname()}/1/ended"
    with database.writing() as connection:
        account, league = ann(connection), open_league(connection)
        number = receive(connection, league, account, "gold", [("thief.py", b"import socket\n")], 1000.0)
        assert uploads.claim(connection, "language", gone, time.time(), LEASE_S) is not None
    complaints, decided = threading.Semaphore(0), threading.Event()

    def look() -> None:
        with database.reading() as connection:
            if not uploads.find(connection, number).is_open:
                decided.set()

    def hear(record: logging.LogRecord) -> bool:
        assert "another program is writing to it" in record.getMessage()
        complaints.release()
        return False

    impatient = Database(database.place or "", create=False, busy_timeout_s=0.0)
    checks = UploadChecks(Workspace(), impatient, look, longest_s={"language": 30.0, "games": 90.0})
    logger = logging.getLogger("botleague_server.uploads.upload_service")
    logger.addFilter(hear)
    try:
        with database.writing():
            checks.start()
            assert all(complaints.acquire(timeout=PATIENCE_S) for _ in range(2))
        assert decided.wait(PATIENCE_S), "what a process held that has ended is released"
    finally:
        logger.removeFilter(hear)
        checks.close()
        impatient.close()


def test_upload_to_a_league_without_its_variant_blocks_no_other(database: Database) -> None:
    with database.writing() as connection:
        account, league = ann(connection), open_league(connection)
        gone = str(connection.exec_driver_sql("select name from league where name <> ?", (league,)).scalar())
        connection.exec_driver_sql("insert into variant values (99, 'gone', 'guessing', 'x', '{}')")
        connection.exec_driver_sql("update league set variant_id = 99 where name = ?", (gone,))
        files = [("thief.py", b"import socket\n")]
        numbers = [receive(connection, name, account, "gold", files, 1000.0) for name in (gone, league)]
    changed = threading.Semaphore(0)
    checks = UploadChecks(Workspace(), database, changed.release, longest_s={"language": 30.0, "games": 90.0})
    checks.start()
    try:
        while True:
            assert changed.acquire(timeout=PATIENCE_S)
            with database.reading() as connection:
                if not uploads.find(connection, numbers[1]).is_open:
                    break
    finally:
        checks.close()
    with database.reading() as connection:
        assert "socket" in str(uploads.find(connection, numbers[1]).report["problems"])
