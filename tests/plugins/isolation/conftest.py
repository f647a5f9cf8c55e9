"""Isolation's bots as players, and the sandbox they run in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from botleague.referee import Player
from botleague.rules import Variant
from botleague_isolation import botleague_bots, botleague_variants
from botleague_sandbox import Sandbox

MakePlayer = Callable[..., Player]
ENTRY = "my_custom_player.py"


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def offered() -> dict[str, Variant]:
    return {variant.name: variant for variant in botleague_variants()}


@pytest.fixture(scope="session")
def bundled() -> dict[str, Player]:
    players = {}
    for source in botleague_bots():
        path = Path(source.path)
        players[source.name] = Player(source.name, "0" * 64, {path.name: path.read_bytes()}, path.name)
    return players


@pytest.fixture(scope="session")
def player() -> MakePlayer:
    """Make a player of source text and more files."""

    def make(source: str, files: dict[str, bytes] | None = None, name: str = "tested") -> Player:
        return Player(name, "0" * 64, {ENTRY: source.encode(), **(files or {})}, ENTRY)

    return make
