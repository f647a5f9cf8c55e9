"""One sandbox for all tests of this folder, and short ways to make programs for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import dedent
from typing import Any

import pytest

from botleague_sandbox import Bot, Program, Sandbox
from botleague_sandbox.testing.sandbox_conformance import HARNESS

MakeProgram = Callable[..., Program]


def make_program(source: str, **parts: Any) -> Program:
    """Return a program whose entry module has ``source``; it plays by the harness of the conformance suite."""
    files = {"bot.py": dedent(source).encode(), **parts.pop("files", {})}
    return Program("tested", files, "bot.py", HARNESS, **parts)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


@pytest.fixture(scope="session")
def program() -> MakeProgram:
    return make_program


@pytest.fixture
def start(sandbox: Sandbox) -> Iterator[Callable[..., Bot]]:
    """Start a bot from its source; it is closed after the test."""
    bots: list[Bot] = []

    def start(source: str, **parts: Any) -> Bot:
        bots.append(sandbox.run(make_program(source, **parts)))
        return bots[-1]

    yield start
    for bot in bots:
        bot.close()


@pytest.fixture(scope="session")
def unrestricted() -> Iterator[Sandbox]:
    """A sandbox without the language layer: what a bot can do after a complete escape from it."""
    from botleague_sandbox.wire.protection_layers import Recipe

    with Sandbox() as opened:
        opened._recipe = Recipe(language="unrestricted")
        yield opened
