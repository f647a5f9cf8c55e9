"""A server that is killed or cannot write reports it and loses no upload, and no team misses a deadline."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from botleague.site import urls
from botleague_server.accounts.account_service import Person, make_account
from botleague_server.monitoring import heartbeat
from botleague_server.monitoring.availability import Outage, counts_at, last_outage, note_alive, note_start
from botleague_server.monitoring.heartbeat import Heartbeat
from botleague_storage import Database, bots, leagues, server_notes, uploads
from botleague_storage.people_rows.uploads import Limits, UploadRow

from ...conftest import PATIENCE_S
from ..conftest import Command, Open

BOT = (Path(__file__).parents[2] / "platform" / "plugin" / "guessing_bots" / "five.py").read_text()
FORM = '--xyz\r\nContent-Disposition: form-data; name="{}"{}\r\n\r\n{}\r\n'
LADDER = "open ladder: ½ & <more>"
PAGE = f"/leagues/{urls.slug(LADDER)}/hand-in/"

WaitUntil = Callable[..., bool]


@pytest.fixture
def project(played: Path, tmp_path: Path) -> Path:
    """A copy of the leagues with an author who may hand in at once."""
    folder = Path(shutil.copytree(played, tmp_path / "project"))
    database = Database(str(folder / "league.db"))
    with database.writing() as connection:
        make_account(connection, Person("ann"), 0.0)
        uploads.set_limits(connection, leagues.find(connection, LADDER).id, Limits(gap_s=0.0))
    database.close()
    return folder


@pytest.fixture
def start(project: Path, open_server: type[Open]) -> Iterator[Callable[[], Open]]:
    """Starts a server for the project; what still runs afterwards is killed."""
    with ExitStack() as stack:

        def begin() -> Open:
            site = open_server(project)
            stack.callback(site.process.communicate)
            stack.callback(site.process.kill)
            stack.callback(site.database.close)
            return site

        yield begin


def hand_in(site: Open, token: str, bot: str) -> tuple[int, dict[str, object]]:
    """Send a bot; return status and object."""
    body = (
        FORM.format("bot", "", bot)
        + FORM.format("file", '; filename="five.py"', f"{BOT}# {bot}")
        + "--xyz--\r\n"
    )
    status, _, text = site.ask(
        "POST",
        PAGE,
        body,
        Authorization=f"Bearer {token}",
        Content_Type="multipart/form-data; boundary=xyz",
    )
    return status, json.loads(text)


def decided(site: Open, wait_until: WaitUntil, number: int) -> UploadRow:
    """Wait until an upload is decided."""

    def row() -> UploadRow:
        with site.database.reading() as connection:
            return uploads.find(connection, number)

    assert wait_until(site.process, lambda: not row().is_open)
    return row()


def test_full_disk_is_unhealthy_and_loses_nothing(start: Callable[[], Open], wait_until: WaitUntil) -> None:
    site = start()
    token = site.token("ann", "submit")
    status, first = hand_in(site, token, "before")
    assert (status, site.ask("GET", "/healthz")[0]) == (202, 200)
    limits = resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    assert wait_until(site.process, lambda: site.ask("GET", "/healthz")[0] == 503)
    assert json.loads(site.fetch("/healthz"))["parts"]["storing"] == "not ok"
    for _ in range(3):
        status, said = hand_in(site, token, "meanwhile")
        assert (status, list(said)) == (503, ["error", "findings"])
        assert "not accepting writes" in str(said["error"])
    assert site.ask("GET", "/leagues/cup/")[0] == 200
    resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, limits)
    assert wait_until(site.process, lambda: site.ask("GET", "/healthz")[0] == 200)
    status, second = hand_in(site, token, "after")
    assert status == 202
    for one, bot in ((first, "before"), (second, "after")):
        row = decided(site, wait_until, int(str(one["upload"])))
        assert (row.state, row.report["bot"]) == ("accepted", bot)
    site.process.send_signal(signal.SIGTERM)
    _, errors = site.process.communicate(timeout=PATIENCE_S)
    assert errors.count("The server cannot store data now.") == 1
    assert "Traceback" not in errors


def test_a_deadline_during_a_restart_is_not_missed(
    project: Path, start: Callable[[], Open], wait_until: WaitUntil, command: Command
) -> None:
    site = start()
    token = site.token("ann", "submit")
    site.process.kill()
    site.process.wait()
    now = datetime.now(UTC)
    command(project, "organise", "calendar", LADDER, "--deadline", f"{now:%Y-%m-%d %H:%M:%S}")
    again = start()
    assert "Deadline: " in again.ask("GET", PAGE, Cookie=f"botleague={again.session('ann')}")[2]
    status, answer = hand_in(again, token, "late")
    assert status == 202
    row = decided(again, wait_until, int(str(answer["upload"])))
    assert (row.state, row.report["notes"]) == ("accepted", []), row.report
    assert row.received_at < now.timestamp()
    with again.database.writing() as connection:
        assert bots.find_version(connection, "guessing", "late", number=1).submitted_at == row.received_at
        last = last_outage(connection)
        assert last is not None
        # A quarter of an hour later it is too late, whatever happened to the server.
        server_notes.store(connection, "away", f"{last.since - 1000} {last.until - 1000}")
        ladder = leagues.find(connection, LADDER).id
        assert counts_at(connection, ladder, "ann", time.time()) > row.received_at


@pytest.mark.parametrize(
    ("since", "until", "late_until"),
    [
        (900, 950, 1070),  # back a moment before
        (990, 1010, 1130),
        (1000, 1030, 1150),
        (1055, 1065, 1185),  # while an upload was on its way that had begun in time
        (990, 5000, 1900),  # a quarter of an hour at most
        (700, 870, 1000),  # there was time enough
        (1061, 1070, 1000),  # whoever had begun was done
    ],
)
def test_absence_extends_a_deadline_that_it_touches(since: float, until: float, late_until: float) -> None:
    assert Outage(since, until).late_until(1000.0) == late_until


def test_two_absences_close_together_are_one(tmp_path: Path) -> None:
    with closing(Database(str(tmp_path / "league.db"))) as database, database.writing() as connection:
        assert last_outage(connection) is None
        note_start(connection, 100.0)
        assert last_outage(connection) is None, "it was never there before"
        note_alive(connection, 150.0)
        note_start(connection, 170.0)
        note_alive(connection, 200.0)
        note_start(connection, 210.0)
        assert last_outage(connection) == Outage(150.0, 210.0)
        note_alive(connection, 500.0)
        note_start(connection, 510.0)
        assert last_outage(connection) == Outage(500.0, 510.0)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for a database."""
    if request.param == "sqlite":
        return str(tmp_path / "league.db")
    address: str = request.getfixturevalue("new_postgresql_url")()
    return address


def test_unwritable_database_is_noticed(url: str, caplog: pytest.LogCaptureFixture) -> None:
    database = Database(url)
    heard: list[str] = []
    heart = Heartbeat(database, heard.append)
    assert heart.can_write(at_once=True)
    with database.engine.connect() as connection:
        reads_only = (
            "pragma query_only = 1" if database.is_sqlite else "set default_transaction_read_only = on"
        )
        connection.exec_driver_sql(reads_only)
        connection.commit()
    assert [heart.can_write(at_once=True) for _ in range(3)] == [False] * 3
    with database.engine.connect() as connection:
        connection.exec_driver_sql(
            "pragma query_only = 0" if database.is_sqlite else "set default_transaction_read_only = off"
        )
        connection.commit()
    with database.writing() as connection:
        server_notes.store(connection, "erased-at", "7.0")
    assert [heart.can_write(at_once=True) for _ in range(3)] == [True] * 3
    assert caplog.messages.count("The server cannot store data now.") == 1
    assert heard == ["", "7.0"]
    database.close()


def test_proof_that_took_long_is_valid_from_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(str(tmp_path / "league.db"))
    writes: list[object] = []
    sa.event.listen(database.engine, "begin", writes.append)
    a_minute_each = SimpleNamespace(time=time.time, monotonic=lambda: 60.0 * len(writes))
    monkeypatch.setattr(heartbeat, "time", a_minute_each)
    heart = Heartbeat(database, lambda _: None)
    assert [heart.can_write() for _ in range(3)] == [True] * 3
    assert len(writes) == 1, "requests that waited for the proof do not repeat it"
    database.close()


def test_database_of_another_version_is_reported_to_the_log_alone(
    start: Callable[[], Open], project: Path
) -> None:
    site = start()
    assert site.ask("GET", "/leagues/cup/")[0] == 200
    with closing(sqlite3.connect(project / "league.db")) as other:
        other.execute("alter table bot rename column name to title")
        for revision, reason in (("9999", "newer botleague"), ("0022", "botleague db upgrade")):
            other.execute("update alembic_version set version_num = ?", (revision,))
            other.commit()
            for path in ("/", "/variants/", "/live/"):
                status, headers, text = site.ask("GET", path)
                assert (status, headers["Content-Type"]) == (503, "text/html; charset=utf-8")
                assert "Try again in a few minutes" in text
                assert "league.db" not in text
                assert "schema" not in text
            assert reason in site.log.read_text()
