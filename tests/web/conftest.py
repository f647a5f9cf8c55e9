"""Browser tests run in the distribution's Chromium. Whatever a page does, it says nothing and asks nobody else.

Pages are those of real leagues: a round robin with faults, a double knockout and a ladder, played once, in sandboxes.
"""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from botleague.plugins import PluginHost
from botleague.referee import Opening, Player, Record, Recorder, conduct, read_record
from botleague.rules import Fault, Move, Reply, Variant

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

ROOT = Path(__file__).parents[2]

Command = Callable[..., subprocess.CompletedProcess[str]]

FLAGS = [
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]


@pytest.fixture(scope="session")
def nasty() -> tuple[str, ...]:
    """Texts that strangers may choose, 64 characters each at most."""
    names: tuple[str, ...] = runpy.run_path(str(Path(__file__).with_name("nasty.py")))["NASTY_NAMES"]
    return names


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The distribution's Chromium; tests that use it are marked ``chromium``."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def new_context(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Makes contexts whose pages must not say anything, and must not ask another host for anything."""
    contexts: list[BrowserContext] = []
    heard: list[str] = []

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(**options)
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
def command(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Runs the command line in a folder. No command may ever end in a traceback."""
    home = str(tmp_path_factory.mktemp("home"))

    def run(folder: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*program(), *arguments],
            cwd=folder,
            env={**os.environ, "HOME": home, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def program() -> Sequence[str]:
    """The command line as a program."""
    return [sys.executable, "-c", "from botleague.cli import main; main()"]


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory, command: Command) -> Path:
    """A project with leagues that were played."""
    folder = tmp_path_factory.mktemp("leagues")
    plugin = ROOT / "tests" / "platform" / "plugin" / "guessing.py"
    (folder / "botleague.toml").write_text(f"database = 'league.db'\nplugins = ['{plugin}']\njobs = 1\n")
    bots = ROOT / "tests" / "platform" / "plugin" / "guessing_bots"
    names = sorted(path.stem.replace("_", "-") for path in bots.glob("*.py"))
    command(folder, "run", "guessing", *names, "--league", "cup", "--seats", "2")
    command(folder, "run", "guessing", "--league", "ko", "--format", "double-knockout", "--seeded-by", "cup")
    command(
        folder,
        *("run", "guessing", "--league", "open ladder: ½ & <more>", "--format", "ladder"),
        *("--rating", "glicko-2", "--seeded-by", "cup", "--batches", "1"),
    )
    return folder


@pytest.fixture(scope="session")
def published(played: Path, tmp_path_factory: pytest.TempPathFactory, command: Command) -> Path:
    """The project again, with all its leagues in one published site, ``site``. To look at only."""
    folder = Path(shutil.copytree(played, tmp_path_factory.mktemp("published") / "project"))
    for league in ("cup", "ko", "open ladder: ½ & <more>"):
        command(folder, "publish", league, "--out", "site", "--matches", "all")
    return folder


@pytest.fixture
def leagues(played: Path, tmp_path: Path) -> Path:
    """A copy of the project that a test may change."""
    return Path(shutil.copytree(played, tmp_path / "project"))
