"""Everything here plays ``guessing``, a small game in a one-file plugin, where the game itself is not the subject."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from botleague.plugins import PluginHost
from botleague.referee import Player
from botleague.rules import Fault, Reply, Variant
from botleague_sandbox import Sandbox

PLUGIN = Path(__file__).parent / "plugin" / "guessing.py"


class ScriptedPlayers:
    """Players who say what a test wrote down, turn by turn, and notice when not all of it was asked for."""

    def __init__(
        self,
        declarations: Sequence[object | Fault],
        turns: Sequence[Mapping[int, Reply]],
        stumbling: Mapping[int, Fault] | None = None,
    ) -> None:
        self.questions: list[Mapping[int, object]] = []
        self.briefs: Mapping[int, object] = {}
        self._declarations = declarations
        self._turns = list(turns)
        self._stumbling = dict(stumbling or {})

    def declare(self) -> Sequence[object | Fault]:
        return self._declarations

    def brief(self, briefs: Mapping[int, object]) -> Mapping[int, Fault]:
        self.briefs = briefs
        return self._stumbling

    def ask(self, questions: Mapping[int, object]) -> Mapping[int, Reply]:
        self.questions.append(questions)
        return self._turns.pop(0)

    def assert_used_up(self) -> None:
        assert self._turns == [], "the script has turns that were never asked for"


@pytest.fixture
def scripted() -> type[ScriptedPlayers]:
    return ScriptedPlayers


@pytest.fixture(scope="session")
def plugin_file() -> Path:
    return PLUGIN


@pytest.fixture(scope="session")
def plugins() -> Iterator[PluginHost]:
    path = list(sys.path)
    yield PluginHost.load([PLUGIN])
    sys.path[:] = path


@pytest.fixture(scope="session")
def guessing(plugins: PluginHost) -> Variant:
    return plugins.variant("guessing")


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def bot() -> Callable[[str], Player]:
    """Makes a player from source text."""

    def make(source: str, name: str = "bot") -> Player:
        return Player(name, "0" * 64, {"bot.py": source.encode()}, "bot.py")

    return make
