"""A course of thirty: a week of handing in by page and token, with a server that is killed nine times.

The week passes in half days, each with a server of its own whose clock was put forward; whatever is under way when it
is killed is the next one's. The game is quick, the rest is as a course has it. docs/operate.md tells the same story.
"""

from __future__ import annotations

import http.client
import io
import json
import re
import signal
import sqlite3
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.storage.connection import test_upgrade
from typer.testing import CliRunner

from botleague.cli.kit.command_tree import make_app

from ...conftest import PATIENCE_S

HALF_DAY_S = 43_200.0
PASSWORD = "four plain words here"
CLOCK = """
import os, time

ahead, real = float(os.environ.get("HOW_FAR_AHEAD", 0)), time.time
time.time = lambda: real() + ahead
"""
TEAMS = [f"team-{number}" for number in range(1, 10)]
GOOD = "# {name} {turn}\ndef move(observation):\n    return {turn}\n"
SECRET = "only-the-author-wrote-this"


class Course:
    """The folder of a course, its commands, and its servers."""

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        command: list[str],
        wait_until: Callable[..., bool],
    ) -> None:
        self.folder = folder
        self.begun = time.time()
        self.port = 0
        self.server: subprocess.Popen[str] | None = None
        self._wait_until = wait_until
        self._command = command
        self._environment = {**environment, "PYTHONPATH": str(folder / "clock")}
        (folder / "clock").mkdir()
        (folder / "clock" / "sitecustomize.py").write_text(CLOCK)

    def run(self, *arguments: str) -> list[Any]:
        """Run a command in this process, and return what it printed as objects."""
        done = CliRunner().invoke(make_app(arguments[0]), [*arguments, "--json"])
        assert done.exit_code == 0, (arguments, done.output, done.exception)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def run_later(self, half_day: int, *arguments: str) -> None:
        """Run a command in a process of its own, at a time of the week."""
        ahead = {"HOW_FAR_AHEAD": str(half_day * HALF_DAY_S)}
        environment = {**self._environment, **ahead}
        subprocess.run(
            [*self._command, *arguments], cwd=self.folder, env=environment, check=True, capture_output=True
        )

    def at(self, half_days: float) -> str:
        """Return a time of the week as a calendar has it."""
        return f"{datetime.fromtimestamp(self.begun + half_days * HALF_DAY_S, UTC):%Y-%m-%d %H:%M:%S}"

    @contextmanager
    def serving(self, half_day: int) -> Iterator[subprocess.Popen[str]]:
        """Serve and play at a time of the week; killed at the end, if it runs still."""
        ahead = {"HOW_FAR_AHEAD": str(half_day * HALF_DAY_S)}
        process = subprocess.Popen(
            [*self._command, "serve", "--open", "--play", "--port", "0", "--league", "course"],
            cwd=self.folder,
            env={**self._environment, **ahead},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.server = process
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("Serving "), process.communicate()
            self.port = int(line.split()[1].rstrip("/").rsplit(":", 1)[1])
            yield process
        finally:
            process.kill()
            process.communicate()

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Ask as a browser on a page of the site does."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, {"Sec-Fetch-Site": "same-origin", **named})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def let_in(self, path: str, **fields: str) -> str:
        """Send a form of the login pages, and return the session that it opens."""
        form = "application/x-www-form-urlencoded"
        status, headers, content = self.ask("POST", path, urlencode(fields).encode(), Content_Type=form)
        assert status == 303, content
        return headers["Set-Cookie"].split(";")[0]

    def hand_in(self, name: str, content: bytes, **headers: str) -> int:
        """Hand a file in, and return the number that was acknowledged."""
        body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\n' % name.encode()
        body += content + b"\r\n--x--\r\n"
        kind = {"Content_Type": "multipart/form-data; boundary=x", "Accept": "application/json"}
        status, _, reply = self.ask("POST", "/leagues/course/hand-in/", body, **kind, **headers)
        assert status == 202, reply
        return int(json.loads(reply)["upload"])

    def wait_until(self, is_so: Callable[[sqlite3.Connection], bool]) -> None:
        """Wait until something holds in the database, as long as the server runs."""
        assert self.server is not None
        with closing(sqlite3.connect(self.folder / "league.db")) as database:
            assert self._wait_until(self.server, lambda: is_so(database))
        assert self.server.poll() is None


def is_at_rest(database: sqlite3.Connection) -> bool:
    """Whether every upload has a verdict, every bot that joined its matches, and every match a result."""
    season = "season_id = (select max(id) from season)"
    played = "fixture_seat join fixture on fixture.id = fixture_id join version on version.id = version_id"
    counts = (
        "select count(*) from upload where state = 'waiting'",
        f"select count(*) from fixture where status <> 'done' and {season}",
        f"select count(*) from event join version on version.id = version_id where kind = 'joined' and {season} "
        f"and bot_id not in (select bot_id from {played} where {season})",
    )
    return all(database.execute(one).fetchone() == (0,) for one in counts)


def zipped(**files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return content.getvalue()


@pytest.fixture
def course(
    folder: Path,
    environment: Mapping[str, str],
    command: list[str],
    monkeypatch: pytest.MonkeyPatch,
    wait_until: Callable[..., bool],
) -> Course:
    """A course whose database an older botleague has made, for another term."""
    monkeypatch.chdir(folder)
    with closing(sqlite3.connect(folder / "league.db")) as database:
        database.executescript(test_upgrade.written())
    made = Course(folder, environment, command, wait_until)
    result = CliRunner().invoke(make_app("account"), ["account", "list"])
    assert "was made by an older botleague" in str(result.exception)
    assert CliRunner().invoke(make_app("db"), ["db", "upgrade"]).exit_code == 0
    assert len(list(folder.glob("league-*.db"))) == 1, "a backup"
    return made


def test_week_of_a_course_ends_with_verified_numbers(course: Course, folder: Path) -> None:
    run = course.run
    (folder / "cup.toml").write_text(
        'league = "course"\nvariant = "guessing"\nbots = ["five", "lucky", "counter"]\nformat = "gauntlet"\n'
        'staff = ["five", "lucky"]\nseats = 2\nrounds = 1\nseed = 3\nnew_versions = "replace"\n'
    )
    run("league", "new", "cup.toml")
    run("organise", "calendar", "course", "--freeze", course.at(4.5), "--deadline", course.at(6.5))
    run("organise", "calendar", "course", "--reveal", course.at(8.5))
    run("organise", "limits", "course", "--gap", "0")
    people = [(f"{team}-{who}", team) for team in TEAMS for who in ("ada", "ben", "cyd")]
    people = [*people[:26], ("zacharias", "")]
    (folder / "class.csv").write_text("handle,team\n" + "".join(f"{one},{team}\n" for one, team in people))
    codes = {one["handle"]: one["code"] for one in run("invite", "sheet", "class.csv", "--league", "course")}
    (invite,) = run("invite", "new", "--league", "course", "--count", "3", "--team", TEAMS[8])
    cookies: dict[str, str] = {}
    handed_in: dict[int, str] = {}
    frozen: dict[str, Any] = {}

    def login(handle: str, team: str) -> None:
        cookies[team] = course.let_in(f"/welcome/{codes[handle]}/", password=PASSWORD)

    def by_page(team: str, name: str, content: str | bytes) -> int:
        data = content.encode() if isinstance(content, str) else content
        number = course.hand_in(name, data, Cookie=cookies[team])
        handed_in[number] = team
        return number

    def verdict(number: int) -> dict[str, Any]:
        body = course.ask("GET", f"/uploads/{number}/index.json", Cookie=cookies[handed_in[number]])[2]
        return dict(json.loads(body))

    def public_view(alias: str = "zacharias") -> dict[str, Any]:
        """Return the public pages of the season, with the first alias in place of a later one."""
        season = "/leagues/course/seasons/1/"
        pages = {
            path: course.ask("GET", path)[2]
            for path in (f"{season}index.json", f"{season}matches/index.json")
        }
        objects = {
            path: json.loads(page.replace(alias.encode(), b"zacharias")) for path, page in pages.items()
        }
        for name in ("gained", "since"):  # within a day, and days go by
            del objects[f"{season}index.json"][name]
        return objects

    # Monday: who has a code chooses a password, who has an invite makes an account, and the first hand in.
    with course.serving(0):
        for number, handle in enumerate(("ada", "xena", "yann")):
            code = f"/join/{invite['code']}/"
            joined = course.let_in(code, handle=f"{handle}-{number}", password=PASSWORD)
        cookies[TEAMS[8]] = joined
        class_ = [one for one in run("account", "list") if one["roles"]]
        assert (len(class_), len({one["team"] for one in class_})) == (30, 10), "authors and teams"
        for team in TEAMS[:3]:
            login(f"{team}-ada", team)
            by_page(team, f"{team}.py", GOOD.format(name=team, turn=5))
    # By token, from the command line; the one before was killed with all of it under way.
    with course.serving(1):
        form = {"Content_Type": "application/x-www-form-urlencoded", "Cookie": cookies[TEAMS[1]]}
        page = course.ask("POST", "/me/tokens/", b"name=laptop&submit=yes&read-own=yes", **form)[2]
        (token,) = re.findall(r"blt_[\w-]{43}", page.decode())
        bearer = {"Authorization": f"Bearer {token}"}
        handed_in[course.hand_in(f"{TEAMS[1]}.py", GOOD.format(name=TEAMS[1], turn=6).encode(), **bearer)] = (
            TEAMS[1]
        )
        login("zacharias", "zacharias")
        by_page("zacharias", "alone.py", f"# {SECRET}\n" + GOOD.format(name="alone", turn=4))
    # Broken and hostile ones.
    with course.serving(2):
        login(f"{TEAMS[3]}-ada", TEAMS[3])
        refused = {
            by_page(TEAMS[3], "broken.py", "def move(observation)\n    return 1\n"): "line 1",
            by_page(TEAMS[3], "thief.py", "import os\ndef move(o): return os.getpid()\n"): "os",
            by_page(TEAMS[3], "way.zip", zipped(**{"..__..__etc__bot.py": "x"})): "",
            by_page(TEAMS[3], "bomb.zip", zipped(**{"bot.py": "#" * 30_000_000})): "",
            by_page(TEAMS[3], "dead.py", "raise SystemExit\n"): "",
        }
        course.wait_until(is_at_rest)
        for number, text in refused.items():
            upload = verdict(number)
            assert (upload["state"], len(upload["result"]["problems"]) > 0) == ("refused", True), upload
            assert text in json.dumps(upload["result"]["problems"])
    # One that is accepted and then stumbles, and newer versions.
    with course.serving(3):
        by_page(
            TEAMS[3],
            "late-riser.py",
            "def move(observation):\n    return 1 if observation['turn'] < 2 else 3\n",
        )
        by_page(TEAMS[0], f"{TEAMS[0]}.py", GOOD.format(name=TEAMS[0], turn=3))
    with course.serving(4):
        course.wait_until(is_at_rest)
    # The freeze: they hand in on, and nobody sees what comes of it.
    with course.serving(5):
        frozen.update(public_view())
        for team in TEAMS[4:8]:
            login(f"{team}-ada", team)
            by_page(team, f"{team}.py", GOOD.format(name=team, turn=5))
    with course.serving(6):
        course.wait_until(is_at_rest)
        assert public_view() == frozen
    # The deadline: who comes late is told so.
    with course.serving(7):
        late = by_page(TEAMS[8], "newcomer.py", GOOD.format(name="newcomer", turn=5))
        too_late = by_page(TEAMS[1], f"{TEAMS[1]}.py", GOOD.format(name=TEAMS[1], turn=7))
        course.wait_until(is_at_rest)
        assert "waits for the next season. The deadline" in str(verdict(late)["result"]["notes"])
        assert "It is too late for course" in str(verdict(too_late)["result"]["notes"])
        status, _, archive = course.ask("GET", "/me/export.zip", Cookie=cookies["zacharias"])
        assert (
            status,
            SECRET.encode() in zipfile.ZipFile(io.BytesIO(archive)).read("sources/guessing/alone@1/alone.py"),
        ) == (200, True)
        (gone,) = run("account", "erase", "zacharias", "--yes")
        assert (gone["sources"], gone["is_out_of_file"]) == (1, True)
        assert course.ask("GET", "/me/", Cookie=cookies["zacharias"])[0] == 303, "logged out"
    with course.serving(8):
        assert public_view(gone["alias"]) == frozen
    # Nine were killed. The reveal, and an orderly end.
    with course.serving(9) as server:
        course.wait_until(is_at_rest)
        assert public_view(gone["alias"]) != frozen
        (alone,) = [number for number, team in handed_in.items() if team == "zacharias"]
        handed_in.pop(alone)
        states = {number: verdict(number)["state"] for number in handed_in}
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=PATIENCE_S)
        assert (server.returncode, errors) == (0, "")
    # Every upload that was acknowledged was checked, once; every bot that came in time has played.
    assert [number for number in handed_in if states[number] == "refused"] == list(refused)
    assert {states[number] for number in handed_in if number not in refused} == {"accepted"}
    table = run("standings", "course")
    assert {row["bot"] for row in table} == {
        "five",
        "lucky",
        "counter",
        "alone",
        "late-riser",
        *TEAMS[:3],
        *TEAMS[4:8],
    }
    assert all(row["matches"] >= 4 for row in table if row["bot"] != "alone")
    assert next(row["owner"] for row in table if row["bot"] == "alone") == gone["alias"]
    (proved,) = run("verify", "course")
    assert (proved["problems"], proved["erased"]) == ([], ["alone"])
    assert run("db", "check")[0]["problems"] == []
    course.run_later(9, "publish", "course", "--out", "site", "--matches", "none")
    site = folder / "site" / "leagues" / "course" / "seasons" / "1"
    index = json.loads((site / "index.json").read_text())
    assert [(row["bot"], row["rating"]) for row in index["rows"]] == [
        (row["bot"], row["rating"]) for row in table
    ]
    assert run("verify", "--from-export", str(site / "verify"))[0]["problems"] == []
    for file in (*folder.glob("league.db*"), *(folder / "site").rglob("*.*")):
        assert b"zacharias" not in file.read_bytes(), file
