"""Health and metrics of a server, and requests that it cannot store."""

from __future__ import annotations

import json
import resource
import shutil
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest

from botleague.people import Passwords
from botleague_server.accounts.account_service import Person, make_account
from botleague_storage import Database, accounts

from ...conftest import PATIENCE_S
from ..conftest import FORM, PASSWORD, Open


def test_health_is_public_and_metrics_are_for_operators(site: Open) -> None:
    assert json.loads(site.ask("GET", "/healthz")[2]) == {"status": "ok"}, "a stranger, through a proxy"
    health_report = json.loads(
        site.ask("GET", "/healthz", Authorization=f"Bearer {site.token('olga', 'organise')}")[2]
    )
    assert health_report["parts"] == {"database": "ok", "storing": "ok", "uploads": "ok"}
    assert json.loads(site.fetch("/healthz")) == health_report, "from this machine"
    assert "parts" not in json.loads(site.fetch("/healthz", Via="1.1 proxy"))
    assert site.ask("GET", "/metrics", Cookie=f"botleague={site.session('hal')}")[0] == 403
    assert site.ask("GET", "/metrics", Authorization=f"Bearer {site.token('olga', 'read-own')}")[0] == 403
    metrics = site.fetch("/metrics").decode()
    values = dict(line.rsplit(" ", 1) for line in metrics.splitlines() if not line.startswith("#"))
    assert values["botleague_uploads_waiting"] == "0"
    assert int(values['botleague_matches{league="cup",state="done"}']) > 0
    assert values['botleague_matches{league="open ladder: ½ & <more>",state="claimed"}'] == "0"
    assert int(values['botleague_faults_total{league="lab",kind="exception"}']) > 0
    assert values['botleague_void_total{league="cup"}'] == "0"
    health = 'botleague_request_seconds_{}{{route="/healthz",method="GET"{}}}'
    assert values[health.format("bucket", ',le="+Inf"')] == values[health.format("count", "")]
    assert int(values[health.format("count", "")]) >= 4
    names = {line.split()[2] for line in metrics.splitlines() if line.startswith("# TYPE")}
    assert {line.split("{")[0].split()[0] for line in values} <= names | {
        f"botleague_request_seconds_{part}" for part in ("bucket", "sum", "count")
    }


def test_full_disk_is_reported_to_each_sender(played: Path, tmp_path: Path, open_server: type[Open]) -> None:
    site = open_server(Path(shutil.copytree(played, tmp_path / "project")))
    with site.database.writing() as connection:
        account = make_account(connection, Person("ann"), 0.0, role="author")
        accounts.set_password(connection, account.id, Passwords().stored(PASSWORD))
    form = {"handle": "ann", "password": PASSWORD, "then": "/me/"}
    limits = resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    status, _, text = site.post("/login/", **form)
    assert (status, "Nothing was stored" in text) == (503, True)
    sent = {"Sec_Fetch_Site": "same-origin", "Content_Type": FORM, "Accept": "application/json"}
    status, _, text = site.ask("POST", "/login/", urlencode(form), **sent)
    assert (status, "not accepting writes" in json.loads(text)["error"]["message"]) == (503, True)
    assert site.ask("GET", "/leagues/cup/")[0] == 200
    resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, limits)
    assert site.post("/login/", **form)[0] == 303
    site.database.close()
    site.process.send_signal(signal.SIGINT)
    _, errors = site.process.communicate(timeout=PATIENCE_S)
    assert errors.count("/login/: Database") == 1, "not once per request"
    assert "disk is full or failing" in errors
    assert "Logging error" not in errors, "its log cannot be written either"


LOST_COMMIT = """
create function lose() returns trigger language plpgsql as $$
begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
create constraint trigger lost after insert on session deferrable initially deferred
for each row execute function lose();
"""


@pytest.mark.postgresql
def test_commit_without_an_answer_is_reported_as_uncertain(
    played: Path, tmp_path: Path, open_server: type[Open], new_postgresql_url: Callable[[], str]
) -> None:
    url = new_postgresql_url()
    with closing(Database(url)) as database:
        with database.writing() as connection:
            account = make_account(connection, Person("ann"), 0.0, role="author")
            accounts.set_password(connection, account.id, Passwords().stored(PASSWORD))
        with database.writing() as connection:
            connection.exec_driver_sql(LOST_COMMIT)
    site = open_server(Path(shutil.copytree(played, tmp_path / "project")), "--db", url)
    status, _, text = site.post("/login/", handle="ann", password=PASSWORD, then="/me/")
    assert (status, "may have been stored" in text, "Nothing was stored" in text) == (503, True, False)
    site.database.close()
    site.process.send_signal(signal.SIGINT)
    site.process.communicate(timeout=PATIENCE_S)


def test_first_request_without_a_readable_database_is_answered(
    played: Path, tmp_path: Path, open_server: type[Open]
) -> None:
    folder = Path(shutil.copytree(played, tmp_path / "project"))
    site = open_server(folder)
    (folder / "league.db").rename(folder / "elsewhere.db")
    status, _, text = site.ask("GET", "/")
    assert (status, "cannot read its database" in text) == (503, True)
    site.database.close()
    site.process.kill()
    _, errors = site.process.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in errors
