"""Browser tests run in the distribution's Chromium. A page logs nothing and requests nothing from other hosts.

Pages are those of real leagues: a round robin with faults, a double knockout and a ladder, played once, in sandboxes.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

import pytest

from botleague.people import Passwords, digest
from botleague.plugins import PluginHost
from botleague.referee import Opening, Player, Record, Recorder, conduct, read_record
from botleague.rules import Fault, Move, Reply, Variant
from botleague_server.accounts.account_service import Person, granted, make_account
from botleague_storage import Database, accounts, bots, credentials, practice_matches, results, uploads
from botleague_storage import leagues as stored_leagues

from ..conftest import PATIENCE_S, MadeOnce

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Found = TypeVar("Found")

ROOT = Path(__file__).parents[2]

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def nasty() -> tuple[str, ...]:
    """Texts that strangers may choose, 64 characters each at most."""
    names: tuple[str, ...] = runpy.run_path(str(Path(__file__).with_name("nasty.py")))["NASTY_NAMES"]
    return names


@contextmanager
def silent_contexts(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Give a function that makes contexts whose pages must log nothing, and request nothing from another host."""
    contexts: list[BrowserContext] = []
    heard: list[str] = []

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(**options)
        context.set_default_timeout(1000 * PATIENCE_S)
        context.on("console", lambda message: heard.append(f"console: {message.text}"))
        context.on("weberror", lambda error: heard.append(f"error: {error.error}"))
        context.on(
            "request",
            lambda request: None if is_ours(request.url) else heard.append(f"request: {request.url}"),
        )
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()
    assert heard == []


@pytest.fixture
def new_context(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Makes contexts whose pages must log nothing, and request nothing from another host."""
    with silent_contexts(browser) as make:
        yield make


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """A tab without motion for many tests: a new one takes longer than most of them."""
    with silent_contexts(browser) as make:
        yield make(reduced_motion="reduce").new_page()


@pytest.fixture(scope="session")
def until() -> Callable[..., None]:
    """Waits until an expression of JavaScript, which may ask for ``given``, is true of a page.

    Playwright's own way compiles it anew for each look, which the pages' policy forbids.
    """

    def wait(page: Page, expression: str, given: object = None) -> None:
        page.evaluate(
            f"""given => new Promise((done, give_up) => {{
                const look = () => ({expression}) ? done() : requestAnimationFrame(look)
                look()
                setTimeout(() => give_up(new Error(document.body.innerText)), {1000 * PATIENCE_S})
            }})""",
            given,
        )

    return wait


def violations(page: Page, *, preload: bool = False) -> list[Any]:
    """Return what axe finds wrong with a page. ``preload`` needs a page whose policy is passed over."""
    from axe_playwright_python.sync_playwright import Axe

    # To list what is right, too, would be more than half of the work.
    options = {"preload": preload, "selectors": False, "resultTypes": ["violations"]}
    report: list[Any] = Axe().run(page, options=options).response["violations"]
    return report


def in_a_loop(
    scenario: Callable[[], Coroutine[Any, Any, Found]],
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> Found:
    """Run a scenario in a thread of its own: the browser of other tests keeps a loop in this one."""

    def run() -> Found:
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            return runner.run(scenario())

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def is_ours(url: str) -> bool:
    return url.startswith(("file://", "http://127.0.0.1:", "data:", "about:", "blob:"))


@pytest.fixture(scope="session")
def games() -> PluginHost:
    """The installed games."""
    return PluginHost.load()


class SamplingPlayers:
    """Players who do what the rules give as a sample, or fail as a test asks for. No sandboxes, no bots."""

    def __init__(self, variant: Variant, seats: int, faults: dict[tuple[int, int], Fault]) -> None:
        self.state: Any = None
        self._variant = variant
        self._faults = faults
        self._rng = Random(1)
        self._turn = -1
        samples = variant.sample_declarations or (None,)
        self._declarations = [samples[seat % len(samples)] for seat in range(seats)]

    def declare(self) -> list[object]:
        return list(self._declarations)

    def brief(self, briefs: object) -> dict[int, Fault]:
        return {}

    def ask(self, questions: dict[int, object]) -> dict[int, Reply]:
        self._turn += 1
        return {
            seat: self._faults.get((self._turn, seat))
            or Move(self._variant.rules.sample(self.state, seat, self._rng))
            for seat in questions
        }


@pytest.fixture(scope="session")
def sample_match() -> Callable[..., Record]:
    """Makes the record of a match of sample moves, with ``faults`` by turn and seat."""

    def make(
        variant: Variant,
        names: list[str],
        seed: int = 3,
        faults: dict[tuple[int, int], Fault] | None = None,
        opening: Opening = (),
    ) -> Record:
        players: Any = SamplingPlayers(variant, len(names), faults or {})
        recorder = Recorder(variant, seed, [Player(name, "0" * 64, {}, "") for name in names])
        for event in conduct(variant, seed, players, opening):
            recorder.note(event)
            players.state = getattr(event, "state", None)
        return read_record(recorder.record().encode())

    return make


@pytest.fixture(scope="session")
def command(tmp_path_factory: pytest.TempPathFactory, command_server: Any) -> Command:
    """Runs the command line in a folder. No command may ever end in a traceback."""
    home = str(tmp_path_factory.mktemp("home"))

    def run(folder: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "HOME": home, "NO_COLOR": "1"}
        result = command_server.run([arguments], folder, environment, alone=True)
        done = subprocess.CompletedProcess(arguments, *result)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def program() -> Sequence[str]:
    """The command line as a program."""
    return [sys.executable, "-c", "from botleague.cli import main; main()"]


def write_project(folder: Path) -> None:
    """Make a folder a project of the game "guessing", without a database."""
    plugin = ROOT / "tests" / "platform" / "plugin" / "guessing.py"
    (folder / "botleague.toml").write_text(f"database = 'league.db'\nplugins = ['{plugin}']\njobs = 1\n")


@pytest.fixture(scope="session")
def played(made_once: MadeOnce, command: Command) -> Path:
    """A project with leagues that were played. To look at only."""

    def make(folder: Path) -> None:
        folder.mkdir()
        write_project(folder)
        bots = ROOT / "tests" / "platform" / "plugin" / "guessing_bots"
        names = sorted(path.stem.replace("_", "-") for path in bots.glob("*.py"))
        command(folder, "run", "guessing", *names, "--league", "cup", "--seats", "2")
        knockout = ("--league", "ko", "--format", "double-knockout", "--seeded-by", "cup")
        command(folder, "run", "guessing", *knockout)
        command(
            folder,
            *("run", "guessing", "--league", "open ladder: ½ & <more>", "--format", "ladder"),
            *("--rating", "glicko-2", "--seeded-by", "cup", "--batches", "1"),
        )

    return made_once("played", make)


@pytest.fixture(scope="session")
def published(played: Path, made_once: MadeOnce, command: Command) -> Path:
    """The project again, with all its leagues in one published site, ``site``. To look at only."""

    def make(folder: Path) -> None:
        shutil.copytree(played, folder)
        for league in ("cup", "ko", "open ladder: ½ & <more>"):
            command(folder, "publish", league, "--out", "site", "--matches", "all")

    return made_once("published", make)


PASSWORD = "four plain words here"
FORM = "application/x-www-form-urlencoded"


class Open:
    """A server that people log in to, in a process of its own, and its database."""

    def __init__(self, folder: Path, *options: str, files: int = 0) -> None:
        self.log = folder / "server.log"
        self.secrets = [PASSWORD]
        limited = ("sh", "-c", f'ulimit -n {files}; exec "$@"', "sh") if files else ()
        self.process = subprocess.Popen(
            [*limited, *program(), "serve", "--open", "--port", "0", "--log", self.log.name, *options],
            cwd=folder,
            env={**os.environ, "HOME": str(folder), "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[1]
        self.port = int(self.url.rstrip("/").rsplit(":", 1)[1])
        self.database = Database(str(folder / "league.db"), create=False)

    def end(self, message: str = "") -> None:
        """End it as its organiser does, when it must have said this and nothing else."""
        self.database.close()
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=PATIENCE_S)
        assert (self.process.returncode, errors) == (130, message)

    def ask(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, str]:
        """Return status, headers and text; of a stream only its beginning."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        # As a proxy on this machine says it; each request from elsewhere, so that none counts for another.
        sent = {"X-Forwarded-For": f"10.{'.'.join(map(str, os.urandom(3)))}", **headers}
        connection.request(
            method, path, body, {name.replace("_", "-"): value for name, value in sent.items()}
        )
        answer = connection.getresponse()
        is_stream = answer.headers.get_content_type() == "text/event-stream"
        text = "" if is_stream else answer.read().decode(errors="replace")
        connection.close()
        return answer.status, answer.headers, text

    def fetch(self, path: str, **headers: str) -> bytes:
        """Return what an address answers, as bytes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request("GET", path, headers=headers)
        content = connection.getresponse().read()
        connection.close()
        return content

    def post(self, path: str, cookie: str = "", **fields: str) -> tuple[int, http.client.HTTPMessage, str]:
        """Send a form as a page of the site does."""
        sent = {"Cookie": f"botleague={cookie}"} if cookie else {}
        return self.ask(
            "POST", path, urlencode(fields), Sec_Fetch_Site="same-origin", Content_Type=FORM, **sent
        )

    def session(self, handle: str) -> str:
        """Return the secret of a new session."""
        secret = os.urandom(16).hex()
        self.secrets.append(secret)
        with self.database.writing() as connection:
            account, now = accounts.find(connection, handle), time.time()
            credentials.add_session(connection, account.id, digest(secret), "a test", now, now + 1000)
        return secret

    def token(self, handle: str, *scopes: str) -> str:
        """Return a new token."""
        secret = f"blt_{os.urandom(16).hex()}"
        self.secrets.append(secret)
        with self.database.writing() as connection:
            account, now = accounts.find(connection, handle), time.time()
            credentials.add_token(connection, account.id, digest(secret), "t", scopes, now, now + 1000)
        return secret


def make_inside(folder: Path, command: Command, nasty: Sequence[str]) -> None:
    """Play a league in which a bot fails, prints and draws what strangers may think of."""
    source = f"""
import botdraw

TEXTS = {nasty!r}


def move(observation):
    turn = observation["turn"]
    print(TEXTS[turn], TEXTS[-1 - turn])
    botdraw.text(0, 0, TEXTS[turn + 5])
    botdraw.tag(TEXTS[turn])
    if turn == 3:
        raise ValueError(TEXTS[0])
    return turn
"""
    database = Database(str(folder / "league.db"), create=False)
    with database.writing() as connection:
        for name, owner, text in (
            ("loud", "ann", source),
            ("loud", "ann", f"{source}# again\n"),
            ("calm", "ann", "def move(told): return 5\n"),
            ("copied", "otto", f"# mine\n{source}"),
        ):
            files = {"bot.py": text.encode(), nasty[0].replace("/", "_") + ".txt": nasty[1].encode()}
            bots.submit(connection, "guessing", name, owner, bots.Source(files, "bot.py"))
    database.close()
    command(folder, "run", "guessing", "loud", "calm", "lucky", "copied", "--league", "lab", "--seats", "2")


@pytest.fixture(scope="session")
def played_inside(played: Path, made_once: MadeOnce, command: Command, nasty: Sequence[str]) -> Path:
    """A copy of the project with one league more, of bots that fail, print and draw. To look at only."""

    def make(folder: Path) -> None:
        shutil.copytree(played, folder)
        make_inside(folder, command, nasty)

    return made_once("inside", make)


@pytest.fixture(scope="session")
def open_server() -> type[Open]:
    """Starts a server that people log in to, for a folder with a database."""
    return Open


@pytest.fixture(scope="module")
def open_site(played_inside: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """A server with an author of the league cup, one of another league, a helper and an organiser.

    The bot lucky of the cup, and loud and calm of the league lab, are ann's. Each module changes one of its own.
    """
    server = Open(Path(shutil.copytree(played_inside, tmp_path_factory.mktemp("open") / "project")))
    stored = Passwords(cost=2**4).stored(PASSWORD)
    with server.database.writing() as connection:
        for handle, role, league in (
            ("ann", "author", "cup"),
            ("otto", "author", "ko"),
            ("hal", "helper", "cup"),
            ("olga", "organiser", None),
            ("kai", "organiser", "ko"),
            ("vera", "spectator", None),
        ):
            account = make_account(connection, Person(handle), 0.0, role=role, league=league)  # type: ignore[arg-type]
            accounts.set_password(connection, account.id, stored)
        granted(connection, "ann", "author", "lab")
        bots.transfer(connection, bots.find(connection, "guessing", "lucky").id, "ann")
        owner = accounts.find(connection, "ann").id
        cup = stored_leagues.find(connection, "cup").id
        assert uploads.add(connection, cup, owner, "ann", "", "", [], 0.0) == 1
        uploads.finish(connection, 1, "refused", {})
        assert practice_matches.add(connection, cup, "ann", (1, 2), 0, 7, 0.0) == 1
        practice_matches.finish(connection, 1, results.find(connection, 1).content, b"", 0.0)
    yield server
    assert server.ask("GET", "/")[0] == 200  # the tests that this process was given may all be refused
    server.end()
    log = server.log.read_text()
    events = [json.loads(line) for line in log.splitlines()]
    assert {line["status"] for line in events if line["event"] == "request"} >= {200}
    assert [secret for secret in server.secrets if secret in log] == []
    assert re.findall(r"/(?:welcome|join)/(?!{code}/)[^/\s\"]+/", log) == [], "one-time links"


@pytest.fixture
def leagues(played: Path, tmp_path: Path) -> Path:
    """A copy of the project that a test may change."""
    return Path(shutil.copytree(played, tmp_path / "project"))
