"""Uploads over the web: accepted ones play, refused ones get one message and are not stored."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from botleague.errors import UsageError
from botleague.people import digest
from botleague_server.accounts.account_service import Person, make_account
from botleague_server.organiser.decision_forms import FORMS
from botleague_storage import Database, accounts, credentials, leagues, uploads
from botleague_storage.people_rows.uploads import Limits

from ...conftest import PATIENCE_S
from ...sandbox.wasm.guests import guest
from ..conftest import violations

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

PROGRAM = [sys.executable, "-c", "from botleague.cli import main; main()"]
BOTS = Path(__file__).parents[2] / "platform" / "plugin" / "guessing_bots"
LADDER = "open-ladder-more-"

Sent = tuple[int, dict[str, Any]]


class Site:
    """A server in a process of its own, the database, and an author of each of two teams."""

    def __init__(self, folder: Path, wait_until: Callable[..., bool]) -> None:
        self.folder = folder
        self._wait_until = wait_until
        self.database = Database(str(folder / "league.db"), create=False)
        with self.database.reading() as connection:
            self.ladder = next(row for row in leagues.leagues(connection) if row.name.startswith("open"))
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, "serve", "--open", "--port", "0"],
            cwd=self.folder,
            env={**os.environ, "HOME": str(self.folder), "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[1]
        self.port = urlsplit(self.url).port or 0

    def token(self, handle: str) -> str:
        secret = f"blt_{os.urandom(8).hex()}"
        with self.database.writing() as connection:
            account = accounts.find(connection, handle).id
            credentials.add_token(
                connection, account, digest(secret), "t", ("submit", "read-own"), 0.0, time.time() + 1000
            )
        return secret

    def limit(self, limits: Limits) -> None:
        with self.database.writing() as connection:
            uploads.set_limits(connection, self.ladder.id, limits)

    def ask(self, path: str, token: str, method: str = "GET", body: bytes = b"", **headers: str) -> Sent:
        """Return status and object."""
        lines = {"Authorization": f"Bearer {token}", "Content-Length": str(len(body)), **headers}
        text = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
        return self.raw(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n{text}\r\n".encode() + body
        )

    def raw(self, sent: bytes, *, closes: bool = False) -> Sent:
        """Send bytes as they are, and return status and object."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as connection:
            connection.sendall(sent)
            if closes:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            with suppress(ConnectionResetError):  # what was never a request is cut off
                while piece := connection.recv(1 << 16):
                    answer += piece
        head, _, content = answer.partition(b"\r\n\r\n")
        assert b"Traceback" not in content
        return int(head.split()[1]) if head else 0, json.loads(content or b"{}") if b"json" in head else {}

    def send(self, token: str, *files: tuple[str, bytes], league: str = "", **fields: str) -> Sent:
        body = form(files, fields)
        return self.ask(
            f"/leagues/{league or self.slug}/hand-in/",
            token,
            "POST",
            body,
            Content_Type="multipart/form-data; boundary=xyz",
        )

    @property
    def slug(self) -> str:
        from botleague.site import urls

        return urls.slug(self.ladder.name)

    def outcome(self, token: str, number: int) -> dict[str, Any]:
        """Wait for what becomes of an upload."""

        def is_decided() -> bool:
            with self.database.reading() as connection:
                return not uploads.find(connection, number).is_open

        assert self._wait_until(self.process, is_decided), "the server has ended"
        status, upload = self.ask(f"/uploads/{number}/index.json", token)
        assert status == 200
        return upload

    def verdict(self, token: str, *files: tuple[str, bytes], **fields: str) -> dict[str, Any]:
        """Submit a bot, and wait for what becomes of it."""
        return self.outcome(token, self.send(token, *files, **fields)[1]["upload"])


def form(files: Any, fields: dict[str, str]) -> bytes:
    parts = [
        f'--xyz\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    for name, content in files:
        head = f'--xyz\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        parts.append(head.encode("utf-8", "surrogateescape") + content + b"\r\n")
    return b"".join(parts) + b"--xyz--\r\n"


@pytest.fixture(scope="module")
def site(
    played: Path, tmp_path_factory: pytest.TempPathFactory, wait_until: Callable[..., bool]
) -> Iterator[Site]:
    folder = Path(shutil.copytree(played, tmp_path_factory.mktemp("open") / "project"))
    site = Site(folder, wait_until)
    with site.database.writing() as connection:
        for person in (Person("ann", "gold"), Person("bob", "gold"), Person("cleo"), Person("dan")):
            make_account(connection, person, 0.0)
    site.limit(Limits(a_day=10_000, gap_s=0.0, size=1_000_000, bots=50))
    yield site
    site.database.close()
    site.process.send_signal(signal.SIGTERM)
    _, errors = site.process.communicate(timeout=PATIENCE_S)
    assert (site.process.returncode, errors) == (0, "")


def source(name: str = "five") -> bytes:
    return (BOTS / f"{name}.py").read_bytes()


def zipped(*files: tuple[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files:
            archive.writestr(name, text)
    return content.getvalue()


def zipped_flat(*files: tuple[str, bytes]) -> bytes:
    """A zip whose members are not compressed."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files:
            archive.writestr(name, text)
    return content.getvalue()


def test_upload_becomes_a_version_and_joins_the_league(site: Site) -> None:
    ann, bob, cleo = (site.token(handle) for handle in ("ann", "bob", "cleo"))
    status, answer = site.send(ann, ("five.py", source()), bot="glow")
    assert (status, answer["url"]) == (202, f"/uploads/{answer['upload']}/")
    upload = site.outcome(ann, answer["upload"])
    assert upload["state"] == "accepted", upload
    assert [game["against"] for game in upload["games"]] == ["glow", "counter"], "itself, and a bundled one"
    assert (upload["result"]["owner"], upload["result"]["version"]) == ("gold", 1)
    # A member of the team adds the next one, as several files or a zip; whoever else may not.
    more = source() + b"# more\n"
    for files, outcome, version in (
        ([("five.py", more), ("data.txt", b"x")], "accepted", 2),
        ([("it.zip", zipped(("five.py", more), ("data.txt", b"x")))], "unchanged", 2),
    ):
        upload = site.verdict(bob, *files, bot="glow")
        assert (upload["state"], upload["result"].get("version")) == (outcome, version), upload
    answer = site.send(cleo, ("five.py", source()), bot="glow")[1]
    upload = site.outcome(cleo, answer["upload"])
    assert upload["result"]["problems"] == ["This name is taken: glow. Give your bot another name."]
    assert site.ask(f"/uploads/{answer['upload']}/index.json", ann)[0] == 404, "another team's"
    with site.database.reading() as connection:
        assert uploads.bots_in(connection, site.ladder.id, "gold") == {"glow"}
        entered = connection.exec_driver_sql(
            "select count(*) from entrant join version on version.id = version_id join bot on bot.id = bot_id "
            "where bot.name = 'glow'"
        ).scalar()
        assert entered == 1, "it has joined; its second version follows by the league's terms"
        assert uploads.content(connection, answer["upload"]) == []


def test_webassembly_module_is_accepted_or_refused_with_reason(site: Site) -> None:
    cleo = site.token("cleo")
    five = "(call $say (i32.const 512) (i32.const 2))"
    module = guest(five, parts=r'(data (i32.const 512) "5\0a")', declares='"guest"')
    upload = site.verdict(cleo, ("bot.wasm", module), ("bot.c", b"int main() {}"), bot="clang")
    assert upload["state"] == "accepted", upload
    assert not any(game["faults"] for game in upload["games"])
    upload = site.verdict(cleo, ("bot.wasm", b"(module)"), bot="text")
    assert upload["state"] == "refused"
    assert "bot.wasm: it is text" in upload["result"]["problems"][0]


def test_the_verdict_names_the_line_with_a_caret(site: Site) -> None:
    cleo = site.token("cleo")
    upload = site.verdict(cleo, ("bad.py", b"import os\n" + source()))
    assert upload["state"] == "refused"
    assert "bad.py, line 1" in upload["result"]["problems"][0]
    assert "       ^" in upload["result"]["problems"][0]


def test_limits_are_shown_with_the_remaining_quota(site: Site) -> None:
    dan = site.token("dan")
    site.limit(Limits(a_day=2, gap_s=0.0, size=1_000, bots=1))
    try:
        limits = site.ask(f"/leagues/{site.slug}/hand-in/index.json", dan)[1]
        assert (limits["left_today"], limits["limits"]["size"]) == (2, 1_000)
        status, answer = site.send(dan, ("large.py", b"#" * 2_000))
        assert (status, "at most 1 kB" in answer["error"]["message"]) == (422, True)
        assert site.send(dan, ("five.py", source()), bot="../up")[0] == 422
        assert site.send(dan)[0] == 422
        numbers = []
        for name in ("one", "two"):
            status, answer = site.send(dan, ("five.py", source()), bot=name)
            numbers.append(answer["upload"])
        status, answer = site.send(dan, ("five.py", source()), bot="three")
        assert (status, answer["error"]["code"]) == (429, "limit")
        assert "2 of 2 times" in answer["error"]["message"]
        assert " 24 h" in answer["error"]["message"]
        assert [site.outcome(dan, number)["state"] for number in numbers] == ["accepted", "refused"]
        assert "1 bot in this league, the maximum" in site.outcome(dan, numbers[1])["result"]["problems"][0]
    finally:
        site.limit(Limits(a_day=10_000, gap_s=0.0, size=1_000_000, bots=50))


def test_page_shows_the_sizes_that_are_enforced(site: Site) -> None:
    ann = site.token("ann")
    site.limit(Limits(a_day=10_000, gap_s=0.0, size=50_000_000, bots=50))
    try:
        limits = site.ask(f"/leagues/{site.slug}/hand-in/index.json", ann)[1]["limits"]
        assert (limits["size"], limits["module"], limits["unpacked"]) == (5_000_000, 200_000, 5_000_000)
        status, answer = site.send(ann, ("large.zip", bytes(limits["size"] + 1)))
        assert (status, "at most 5000 kB" in answer["error"]["message"]) == (422, True)
        status, answer = site.send(ann, ("large.zip", bytes(limits["size"] + 100_000)))
        assert (status, "5000 kB" in answer["error"]["message"]) == (413, True)
        for size, outcome in ((limits["module"], "accepted"), (limits["module"] + 1, "refused")):
            padded = source() + b"#" * (size - len(source()) - 1) + b"\n"
            upload = site.verdict(ann, ("five.py", padded), bot="padded")
            assert upload["state"] == outcome, upload
        assert "at most 200 kB" in upload["result"]["problems"][0]
        with pytest.raises(UsageError, match="1 to 5000 kB"):
            FORMS["limits"].read({"size": "20000"}, site.ladder.name)
    finally:
        site.limit(Limits(a_day=10_000, gap_s=0.0, size=1_000_000, bots=50))


@pytest.mark.parametrize("name", ["\x1b[31mred.py", "\x1b]0;x\x07.zip", "c1\x9b.txt", "\u202egpj.py"])
def test_verdict_repeats_no_control_character_of_a_file_name(site: Site, name: str) -> None:
    dan = site.token("dan")
    upload = site.verdict(dan, (name, source()), bot="controlled")
    assert upload["state"] == "refused"
    for text in (upload["result"]["path"], *upload["result"]["problems"]):
        assert text.replace("\n", "").isprintable(), text


def test_team_requests_unrated_matches_within_a_limit(site: Site) -> None:
    ann, cleo = site.token("ann"), site.token("cleo")
    assert site.verdict(ann, ("five.py", source()), bot="sparring")["state"] == "accepted"
    site.limit(Limits(a_day=10_000, gap_s=0.0, size=1_000_000, bots=50, matches=2))

    def ask(token: str, bot: str, opponent: str) -> Sent:
        body = f"bot={bot}&opponent={opponent}".encode()
        kind = "application/x-www-form-urlencoded"
        return site.ask(f"/leagues/{site.slug}/practice/", token, "POST", body, Content_Type=kind)

    for token, bot, opponent, message in (
        (cleo, "sparring", "counter", "cleo has no bot called 'sparring'"),
        (ann, "nobody", "counter", "gold has no bot called 'nobody', and you can only start unrated matches"),
        (ann, "sparring", "county", "No bot called 'county' plays in"),
    ):
        status, answer = ask(token, bot, opponent)
        assert (status, message in answer["error"]["message"]) == (422, True), answer
    answers = [ask(ann, "sparring", "counter") for _ in range(3)]
    assert [status for status, _ in answers] == [202, 202, 429]
    assert "2 unrated matches per team and hour" in answers[2][1]["error"]["message"]
    pages = [site.ask(f"{answer['url']}index.json", ann)[1] for _, answer in answers[:2]]
    states = [(page["state"], page["seat"], page["before"], page["opponent"]) for page in pages]
    assert states == [("waiting", 0, 0, "counter"), ("waiting", 1, 1, "counter")]
    assert site.ask(answers[0][1]["url"], cleo)[0] == 404, "another team's"
    assert site.ask(f"{answers[0][1]['url']}record", ann)[0] == 404, "not played yet"
    site.limit(Limits(a_day=10_000, gap_s=0.0, size=1_000_000, bots=50, matches=0))
    assert "An organiser can change this limit" in ask(ann, "sparring", "counter")[1]["error"]["message"]
    inside = site.ask(f"/leagues/{site.slug}/inside/sparring/", site.token("bob"))
    assert inside[0] == 200
    site.limit(Limits(a_day=10_000, gap_s=0.0, size=1_000_000, bots=50))


def nested(depth: int) -> bytes:
    content = source()
    for level in range(depth):
        content = zipped((f"{level}.zip" if level else "bot.py", content))
    return content


def hostile() -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of which none is a bot."""
    rng = random.Random(4)
    good = zipped(("five.py", source()), ("data.txt", b"x" * 1000))
    yield "bomb.zip", zipped(*((f"{n}.txt", bytes(2_000_000)) for n in range(40)))
    yield "bomb.zip", zipped(("five.py", bytes(100_000_000)))
    yield "deep.zip", nested(8)
    yield "many.zip", zipped(*((f"{n}.py", b"") for n in range(3_000)))
    for path in ("../up.py", "/etc/up.py", "a/../../up.py", "C:\\..\\up.py", "..\\up.py", "a/..", "//up.py"):
        yield "paths.zip", zipped((path, source()))
        yield "paths.zip", zipped(("five.py", source()), (path, b"x"))
    for name in ("a\nb.py", "\u202egpj.py", "\x1b[2J.py", "a\u2028.py", "\ue000.py"):
        yield "names.zip", zipped((name, source()))
        yield "names.zip", zipped(("five.py", source()), (f"a{name}.txt", b"x"))
    for name in ("up.PY.exe", "bot", "bot.tar.gz"):
        yield name, source()
    yield "empty.py", b" "
    yield "nothing.zip", b"PK\x05\x06" + bytes(18)
    yield "nesting.py", b"(" * 900_000
    yield "nesting.py", b"x = " + b"-" * 150_000 + b"1"
    yield "nul.py", b"\0" * 1000
    yield "latin.py", b"# coding: latin-1\nx = '\xff'\n\xff"
    yield "polyglot.zip", source()
    yield "lies.zip", good.replace(b"PK\x01\x02", b"PK\x01\x03")
    for kind in (
        0o120777,
        0o020666,
        0o060666,
        0o010666,
        0o140777,
        0o104755,
    ):  # links, devices, pipes, sockets, setuid
        link = zipfile.ZipInfo("five.py")
        link.external_attr = kind << 16
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr(link, "/etc/passwd")
        yield "link.zip", content.getvalue()
    stored = zipped_flat(("five.py", source()))
    for place, value in (
        (6, b"\1"),
        (6, b"\x40"),
        (8, b"\x0c"),
        (8, b"\x0e"),
        (8, b"\x63"),
        (14, b"\0\0\0\0"),
    ):
        # encrypted, other compressions, a sum that is wrong: in the member and in the directory
        spoilt = bytearray(stored)
        spoilt[place : place + len(value)] = value
        directory = stored.index(b"PK\x01\x02") + place + 2
        spoilt[directory : directory + len(value)] = value
        yield "lies.zip", bytes(spoilt)
    for opened in ("[", "{", "(", "lambda:", "not ", "-", "await ", "f(", "a.b[", "if x:\n "):
        yield "nesting.py", b"x = " + opened.encode() * (190_000 // len(opened))
    for magic in (
        b"\x7fELF",
        b"MZ",
        b"\x89PNG",
        b"%PDF-",
        b"GIF89a",
        b"\x1f\x8b",
        b"BZh",
        b"#!/bin/sh\n(",
        b"<html>",
        b"{{7*7}}}",
    ):
        yield "polyglot.py", magic + stored
        yield "polyglot.zip", magic
    for _ in range(8):  # hundreds more are read in tests of submissions
        yield "cut.zip", good[: rng.randrange(1, len(good) - 22)]
    for _ in range(8):  # hundreds more are read in tests of submissions
        spoilt = bytearray(good)
        for _ in range(40):
            spoilt[rng.randrange(len(spoilt))] = rng.randrange(256)
        spoilt[30] ^= 1  # the first member's name, or it might be as good as before
        yield "spoilt.zip", bytes(spoilt)


def test_hostile_upload_gets_one_message_and_is_not_stored(site: Site) -> None:
    before = in_folder(site.folder)
    dan, sent = site.token("dan"), []
    for name, content in hostile():
        status, answer = site.send(dan, (name.replace("\n", "%0A"), content), bot="hostile")
        assert status in (202, 413, 422), name
        if status == 202:
            sent.append((name, answer["upload"]))
    assert len(sent) > 90
    for name, number in sent:
        upload = site.outcome(dan, number)
        assert upload["state"] == "refused", (name, upload)
        assert len(upload["result"]["problems"]) >= 1, name
        assert "Traceback" not in upload["result"]["problems"][0]
    with site.database.reading() as connection:
        size = connection.exec_driver_sql("select sum(length(content)) from upload").scalar()
        named = connection.exec_driver_sql("select count(*) from bot where name = 'hostile'").scalar()
    assert (size, named) == (0, 0)
    assert in_folder(site.folder) == before
    process = Path(f"/proc/{site.process.pid}/status").read_text()
    assert int(process.partition("VmHWM:")[2].split()[0]) < 400_000, "kB that the server ever had"


def in_folder(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*") if ".cache" not in path.parts}


def test_misbehaving_client_gets_one_answer_and_stores_nothing(site: Site) -> None:
    token = site.token("dan")
    with site.database.reading() as connection:
        before = connection.exec_driver_sql("select count(*) from upload").scalar()
    path = f"/leagues/{site.slug}/hand-in/"

    def head(*lines: str) -> bytes:
        headers = (f"Authorization: Bearer {token}", "Host: 127.0.0.1", "Connection: close", *lines)
        return "\r\n".join((f"POST {path} HTTP/1.1", *headers, "", "")).encode()

    kind = "Content-Type: multipart/form-data; boundary=xyz"
    whole = form([("five.py", source())], {})
    large = b"x" * 1_100_000
    for sent, closes, status in (
        (head(kind, "Content-Length: 99999") + whole, True, (0, 400)),
        (head(kind, f"Content-Length: {len(whole) - 30}") + whole[:-30], False, (400, 422)),
        (head(kind, "Content-Length: -5") + whole, False, (400,)),
        (head(kind, "Content-Length: 5", "Content-Length: 6") + whole, False, (400,)),
        (head(kind, "Content-Length: 99999999999999") + large, True, (0, 413)),
        (head(kind, f"Content-Length: {len(large)}") + large, False, (413,)),
        (head(kind, "Transfer-Encoding: chunked") + b"%x\r\n" % len(large) + large, True, (0, 413, 400)),
        (head(kind, "Transfer-Encoding: chunked") + b"zz\r\n", False, (400,)),
        (head("Content-Type: text/plain", "Content-Length: 1") + b"x", False, (415,)),
        (head(kind.replace("xyz", ""), "Content-Length: 1") + b"x", False, (400,)),
        (head("Content-Type: multipart/form-data", "Content-Length: 1") + b"x", False, (400,)),
        (b"POST " + b"/" * 70_000 + b" HTTP/1.1\r\n\r\n", False, (0, 400)),
        (head(*(f"X-{n}: {'y' * 100}" for n in range(4_000))), False, (0, 400)),
    ):
        assert site.raw(sent, closes=closes)[0] in status, sent[:300]
    with site.database.reading() as connection:
        after = connection.exec_driver_sql("select count(*) from upload").scalar()
    assert after == before
    assert site.send(token, ("five.py", source()), bot="still")[0] == 202


def test_acknowledged_upload_is_checked_after_a_kill(site: Site) -> None:
    cleo = site.token("cleo")
    numbers: list[int] = []

    def send(count: int) -> None:
        for _ in range(count):
            text = source() + b"# %d\n" % len(numbers)
            numbers.append(site.send(cleo, ("five.py", text), bot="phoenix")[1]["upload"])

    send(2)
    for host in children(site.process.pid):  # of both queues
        os.kill(host, signal.SIGKILL)
    send(2)
    for _ in range(2):
        site.process.kill()
        site.process.communicate()
        site.start()
    send(1)
    # Before its first check the server tests the sandbox: killed processes would look like a broken one.
    site.outcome(cleo, numbers[-1])
    send(1)
    for host in children(site.process.pid):
        for launcher in children(host):
            with suppress(ProcessLookupError):
                os.kill(launcher, signal.SIGKILL)
    states = [site.outcome(cleo, number) for number in numbers]
    results = [(one["state"], one["result"]["version"]) for one in states]
    assert results == [("accepted", number) for number in range(1, 7)]


def children(process: int) -> list[int]:
    threads = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


@pytest.mark.chromium
def test_author_submits_without_scripts(
    site: Site, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    secret = os.urandom(8).hex()
    with site.database.writing() as connection:
        account = accounts.find(connection, "cleo").id
        credentials.add_session(connection, account, digest(secret), "a test", 0.0, time.time() + 1000)
    (tmp_path / "comet.py").write_bytes(source() + b"# comet\n")
    context = new_context(java_script_enabled=False, viewport={"width": 360, "height": 740})
    context.add_cookies([{"name": "botleague", "value": secret, "url": site.url}])
    page = context.new_page()
    page.goto(f"{site.url}me/")
    page.locator(f"a[href$='{site.slug}/hand-in/']").click()
    page.get_by_label("A .py or .wasm file").set_input_files(tmp_path / "comet.py")
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("Accepted as version 1").wait_for()
    page.get_by_role("link", name="Submit another bot").click()
    assert "comet" in page.get_by_role("region", name="Uploads").inner_text()
    page.close()
    scripted = new_context()
    scripted.add_cookies([{"name": "botleague", "value": secret, "url": site.url}])
    page = scripted.new_page()
    for part in ("hand-in/", "inside/comet/"):
        page.goto(f"{site.url}leagues/{site.slug}/{part}")
        assert [f"{one['id']} at {one['nodes'][0]['html'][:120]}" for one in violations(page)] == [], part


def test_refused_form_is_shown_again_with_what_was_typed(open_site: Any) -> None:
    body = form((), {"bot": 'my "bot', "entry": "team.py:<b>"}).decode()
    status, _, page = open_site.ask(
        "POST",
        "/leagues/cup/hand-in/",
        body,
        Cookie=f"botleague={open_site.session('ann')}",
        Sec_Fetch_Site="same-origin",
        Content_Type="multipart/form-data; boundary=xyz",
    )
    assert status == 422
    assert 'value="my &#34;bot"' in page
    assert 'value="team.py:&lt;b&gt;"' in page
