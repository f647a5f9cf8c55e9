"""Submissions to a server from the command line: the same commands as locally; no answer of a server is trusted."""

from __future__ import annotations

import http.server
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from botleague.application.client import saved_logins
from botleague.application.client.saved_logins import KnownServer
from botleague.application.client.server_client import (
    LeagueThere,
    Server,
    UnknownToken,
    is_readable,
    server_url,
)
from botleague.application.client.upload_request import choose_league
from botleague.cli.kit.command_tree import make_app
from botleague.errors import UsageError
from botleague.people import Passwords
from botleague_server.accounts.account_service import Person, make_account
from botleague_storage import Database, accounts, leagues, uploads
from botleague_storage.people_rows.uploads import Limits

from ...conftest import PATIENCE_S

PROGRAM = [sys.executable, "-c", "from botleague.cli import main; main()"]
PLUGIN = Path(__file__).parents[2] / "platform" / "plugin" / "guessing.py"
PASSWORD = "four plain words here"
SEVEN = "def move(observation):\n    return 7\n"


@dataclass(frozen=True)
class Said:
    """What a command printed, and what it refused."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Said]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command of an author, in a folder and with a configuration of their own."""
    (tmp_path / "botleague.toml").write_text(f"plugins = ['{PLUGIN}']\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("BOTLEAGUE_DB", raising=False)

    def called(*arguments: str, typed: str = "") -> Said:
        done = CliRunner().invoke(make_app(arguments[0]), list(arguments), input=typed)
        if isinstance(done.exception, UsageError):
            return Said(2, done.stdout, f"{done.stderr}{done.exception}")
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return Said(done.exit_code, done.stdout, done.stderr)

    return called


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, run_all: Callable[..., list[Any]]) -> Iterator[str]:
    """The address of a server with the league cup, in which ann is an author."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "botleague.toml").write_text(f"database = 'league.db'\nplugins = ['{PLUGIN}']\njobs = 1\n")
    environment = {**os.environ, "HOME": str(folder), "NO_COLOR": "1"}
    league = ["run", "guessing", "counter", "five", "--league", "cup", "--seats", "2"]
    ((code, _, errors),) = run_all([[*league, "--format", "ladder", "--batches", "1"]], folder, environment)
    assert code == 0, errors
    database = Database(str(folder / "league.db"), create=False)
    with database.writing() as connection:
        account = make_account(connection, Person("ann"), 0.0, role="author", league="cup")
        accounts.set_password(connection, account.id, Passwords().stored(PASSWORD))
        uploads.set_limits(connection, leagues.find(connection, "cup").id, Limits(gap_s=0.0))
    database.close()
    server = subprocess.Popen(
        [*PROGRAM, "serve", "--open", "--port", "0"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    yield server.stdout.readline().split()[1].rstrip("/")
    server.send_signal(signal.SIGINT)
    _, errors = server.communicate(timeout=PATIENCE_S)
    assert (server.returncode, errors) == (130, "")


def test_author_submits_from_login_to_logout(site: str, run: Run, tmp_path: Path) -> None:
    wrong = run("login", site, "--handle", "ann", typed="not my password\n")
    assert (wrong.code, "Wrong handle or password" in wrong.err) == (2, True)
    assert not saved_logins.file().exists()
    assert run("login", site, typed=f"ann\n{PASSWORD}\n").out.startswith(f"Logged in to {site} as ann.")
    logins = saved_logins.file()
    assert logins.stat().st_mode & 0o777 == 0o600
    assert PASSWORD not in logins.read_text()
    token = saved_logins.latest().token
    assert "as ann" in run("login", site).out, "who is logged in is asked nothing"
    assert saved_logins.latest().token == token

    # One of a name that says nothing: it is called like its folder, here as there.
    (tmp_path / "seven").mkdir()
    bot = tmp_path / "seven" / "bot.py"
    bot.write_text(SEVEN)
    submit = ("submit", str(bot), "-v", "guessing", "--server", "--json")
    (first,) = run(*submit).objects
    assert (first["outcome"], first["bot"], first["owner"], first["version"]) == (
        "accepted",
        "seven",
        "ann",
        1,
    )
    assert (first["path"], first["files"]) == (str(bot), ["bot.py"])
    (again,) = run(*submit, "--league", "cup").objects
    assert (again["outcome"], again["digest"]) == ("unchanged", first["digest"])
    (here,) = run(*submit[:4], "--json", "--name", "seven", "--owner", "ann", "--db", "own.db").objects
    assert here == first, "the very object that is printed at home"

    bot.write_text(f"import socket\n{SEVEN}")
    refused = run("submit", str(bot), "-v", "guessing", "--server")
    assert refused.code == 2
    assert "seven is not accepted for cup" in refused.err
    assert "socket" in refused.err
    listed = run("uploads", "--json").objects
    assert [one["state"] for one in listed] == ["refused", "unchanged", "accepted"]
    assert "socket" in run("uploads").out
    (upload,) = run("uploads", str(listed[-1]["upload"]), "--json").objects
    assert upload == {**first, "path": "seven.zip"}
    assert run("uploads", str(listed[0]["upload"])).code == 2

    rows = run("standings", "--server", "--json").objects
    assert {row["bot"] for row in rows} >= {"counter", "five"}
    assert "counter" in run("standings", "cup", "--server").out
    matches = run("history", "counter", "--server", "--json").objects
    assert {row["league"] for row in matches} == {"cup"}
    assert matches[0]["match"] in run("history", "counter", "--server", "--limit", "1").out
    shown = run("replay", matches[0]["match"], "--server", "--json").objects
    assert shown[-1]["event"] == "finished"
    for command, message in {
        "logs cup/1 --server": "no bot in match 1",
        "logs 1 --server": "'1' is not the number of a match",
        "replay cup --server": "'cup' is not the number of a match",
        "replay 1 --server --journal": "`botleague logs MATCH --server`",
        "history counter --server --league cap": "Did you mean 'cup'?",
        "history counter --league cup": "--league needs --server",
        "submit seven -v guessing --server --league cap": "no league 'cap'. Did you mean 'cup'?",
        "submit seven -v isolation --server --league cup": "plays guessing, not isolation",
        "submit seven -v isolation --server": "no league of isolation. It has: cup (guessing)",
        "submit seven seven -v guessing --server": "one at a time",
        "submit seven -v guessing --server --owner bob": "--owner cannot be combined with --server",
        "submit seven -v guessing --league cup": "--league needs --server",
        "uploads 999": "another team",
        "standings --server --batch": "only the standings",
        f"login {site} --handle bob": "logged in to",
        "logout league.example.org": "not logged in to https://league.example.org",
    }.items():
        done = run(*command.split())
        assert (done.code, message in done.err) == (2, True), (command, done)

    assert "Logged out" in run("logout", site).out
    assert token not in logins.read_text()
    assert "login URL" in run("uploads").err
    with pytest.raises(UnknownToken):
        Server(site, token).handle()


class Stranger(http.server.ThreadingHTTPServer):
    """A server that answers whatever a test says."""

    answer: tuple[int, dict[str, str], bytes] = (200, {}, b"")

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.seen = threading.Semaphore(0)
        super().__init__(("127.0.0.1", 0), _Says)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Says(http.server.BaseHTTPRequestHandler):
    server: Stranger

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        status, headers, content = self.server.answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.server.seen.release()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def stranger(run: Run) -> Iterator[Stranger]:
    """A server that somebody is logged in to, and that says what it likes."""
    with Stranger() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        saved_logins.remember(KnownServer(server.url, "ann", "blt_secret"))
        yield server
        server.shutdown()
        thread.join()


UPLOAD = {"upload": 7, "league": "cup", "received_at": 0.0, "before": 2}
EVIL = "\x1b]0;owned\x07\x9b2J\u202e"
REFUSED = json.dumps({"error": {"code": EVIL, "message": f"{EVIL}Later.\nStored x"}}).encode()


@pytest.mark.parametrize(
    ("status", "headers", "content", "message"),
    [
        (200, {}, b"<html>", "does not look like a botleague server"),
        (200, {}, b"[" * 100_000, "does not look like a botleague server"),
        (200, {}, b'"' + b"x" * 17_000_000 + b'"', "does not look like a botleague server"),
        (200, {}, b'{"upload": "7"}', "does not look like a botleague server"),
        (200, {}, json.dumps({**UPLOAD, "state": "accepted"}).encode(), "does not look like a botleague server"),
        (302, {"Location": "/elsewhere/"}, b"", "redirects to '/elsewhere/'"),
        (401, {}, b"{}", "botleague login http://127.0.0.1"),
        (429, {}, REFUSED, "refused the request: ]0;owned2JLater. Stored x"),
        (500, {}, b"\xff\xfe", "status 500, without a readable reason"),
    ],
)  # fmt: skip
def test_invalid_answer_of_a_server_is_reported_in_one_message(
    status: int, headers: dict[str, str], content: bytes, message: str, stranger: Stranger, run: Run
) -> None:
    stranger.answer = (status, headers, content)
    done = run("uploads", "7")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert len(done.err) < 1000
    assert stranger.asked == ["/uploads/7/index.json"], "no token goes elsewhere"


@pytest.mark.parametrize("how", [(), ("--json",)])
def test_texts_of_a_server_do_nothing_to_a_terminal(
    stranger: Stranger, run: Run, how: tuple[str, ...]
) -> None:
    result = {"path": EVIL, "bot": f"a{EVIL}\nb", "owner": EVIL, "outcome": "accepted", "version": 1}
    upload = {**UPLOAD, "state": "accepted", "result": {**result, "warnings": [f"{EVIL}\nStored b"]}}
    stranger.answer = (200, {}, json.dumps(upload).encode())
    done = run("uploads", "7", *how)
    assert done.code == 0
    assert not set("\x1b\x07\x9b\u202e") & set(done.out + done.err)
    assert not any(line.startswith(("b", "Stored b")) for line in (done.out + done.err).splitlines())


def test_unavailable_server_is_reported_and_allows_logout(run: Run) -> None:
    with Stranger() as gone:
        url = gone.url
    saved_logins.remember(KnownServer(url, "ann", "blt_secret"))
    for command in (("uploads",), ("login", url), ("logout", url)):
        done = run(*command)
        assert done.code == 2
        assert f"{url} cannot be reached: Connection refused." in done.err
    assert saved_logins.known() == []


def test_ctrl_c_leaves_the_upload_and_shows_the_next_command(stranger: Stranger, tmp_path: Path) -> None:
    stranger.answer = (200, {}, json.dumps({**UPLOAD, "state": "waiting"}).encode())
    waiting = subprocess.Popen(
        [*PROGRAM, "uploads", "7"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for _ in range(2):
        assert stranger.seen.acquire(timeout=PATIENCE_S)
    waiting.send_signal(signal.SIGINT)
    _, errors = waiting.communicate(timeout=PATIENCE_S)
    assert waiting.returncode == 130
    assert "`botleague uploads 7` shows its verdict" in errors


def test_plain_http_is_reported_before_the_password_prompt(run: Run) -> None:
    done = run("login", "http://league.example.org", "--handle", "ann")
    assert done.code == 2
    assert done.err.index("plain http") < done.err.index("Password is missing")
    assert [
        is_readable(url) for url in ("https://a", "http://[::1]", "http://localhost:1", "http://10.0.0.1")
    ] == [
        *(False, False, False),
        True,
    ]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("league.example.org", "https://league.example.org"),
        ("HTTPS://League.example.org:443/", "https://league.example.org"),
        ("127.0.0.1:8300", "http://127.0.0.1:8300"),
        ("[::1]:8300", "http://[::1]:8300"),
        *(
            (bad, "")
            for bad in ("", "ftp://a", "https://a/login/", "https://u:p@a", "https://a:b", "a b", "https://")
        ),
    ],
)
def test_an_address_is_made_plain_or_refused(text: str, url: str) -> None:
    if url:
        assert server_url(text) == url
        return
    with pytest.raises(UsageError, match="not the address of a server"):
        server_url(text)


def test_league_is_chosen_by_variant_or_name() -> None:
    there = [LeagueThere(name, 1, variant, 2) for name, variant in (("cup", "x"), ("ko", "x"), ("ai", "y"))]
    assert choose_league(there, None, "y").league == "ai"
    assert choose_league(there, "ko", "x").league == "ko"
    with pytest.raises(UsageError, match="Choose one by name: cup, ko"):
        choose_league(there, None, "x")


def test_damaged_file_of_servers_is_reported_with_a_fix(run: Run) -> None:
    saved_logins.remember(KnownServer("https://a", "ann", "blt_secret"))
    saved_logins.file().write_text("{")
    assert "Delete it, and log in again" in run("uploads").err
