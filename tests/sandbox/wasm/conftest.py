"""Start of WebAssembly programs in the sandbox of all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from botleague_sandbox import Bot, Sandbox

from .guests import LOAD, StartGuest, briefing, program


@pytest.fixture
def start(sandbox: Sandbox) -> Iterator[StartGuest]:
    """Start a program from its module; it is closed after the test."""
    bots: list[Bot] = []

    def start(data: bytes, memory: str = "match", seed: int | None = 7) -> Bot:
        told = briefing("turn" if memory == "turn" else "match")
        bots.append(sandbox.run(program(data, seed=seed), told, load=LOAD))
        return bots[-1]

    yield start
    for bot in bots:
        bot.close()
