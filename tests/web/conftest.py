"""Browser tests run in the distribution's Chromium. Whatever a page does, it says nothing and asks nobody else."""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from botleague.plugins import PluginHost
from botleague.referee import Player, Record, Recorder, conduct, read_record
from botleague.rules import Fault, Move, Reply, Variant

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

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
        variant: Variant, names: list[str], seed: int = 3, faults: dict[tuple[int, int], Fault] | None = None
    ) -> Record:
        players: Any = SamplingPlayers(variant, len(names), faults or {})
        recorder = Recorder(variant, seed, [Player(name, "0" * 64, {}, "") for name in names])
        for event in conduct(variant, seed, players):
            recorder.note(event)
            players.state = getattr(event, "state", None)
        return read_record(recorder.record().encode())

    return make
