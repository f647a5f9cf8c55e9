"""Runs and checks small programs under the language policy, in this process: none of them is hostile to it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import pytest

from botleague_sandbox.language import Language, LoadedProgram, check
from botleague_sandbox.wire.program import Finding, Program, Tier
from botleague_sandbox.zygote.preloading import preload

HarnessModules = Mapping[str, Mapping[str, object]]


def program_of(source: str | Mapping[str, str | bytes], tier: Tier = "scientific") -> Program:
    files = {"bot.py": source} if isinstance(source, str) else source
    return Program(
        "bot",
        {path: text.encode() if isinstance(text, str) else text for path, text in files.items()},
        next(iter(files)),
        "",
        tier,
    )


@dataclass
class Run:
    """A loaded program, what it printed, and how often it asked whether it is still in time."""

    program: Program
    printed: list[str] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    interrupted: BaseException | None = None
    loaded: LoadedProgram | None = None

    def load(self, modules: HarnessModules) -> Run:
        language = Language(
            self.program.tier, modules, write=self.printed.append, still_in_time=self.still_in_time
        )
        self.loaded = language.load(self.program)
        return self

    def still_in_time(self) -> None:
        self.asked.append(1)
        if self.interrupted is not None:
            raise self.interrupted

    def __getitem__(self, name: str) -> object:
        assert self.loaded is not None
        return self.loaded.module.__dict__[name]

    def call(self, name: str = "move", *arguments: object) -> object:
        function = self[name]
        assert callable(function)
        return function(*arguments)


@pytest.fixture(scope="session")
def refused() -> list[str]:
    """Preload as a zygote does; return the packages that are refused from then on."""
    preload("scientific")
    names = [name for name, module in sys.modules.items() if module is None]
    for name in names:
        del sys.modules[name]
    return names


@pytest.fixture(autouse=True)
def _forget_modules(refused: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in refused:  # only here: other tests of this process import them
        monkeypatch.setitem(sys.modules, name, None)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if sys.modules[name].__spec__ is None:  # a program's, not one that a library imported meanwhile
            del sys.modules[name]


@pytest.fixture
def run() -> Callable[..., Run]:
    """Load a program: its source, or its files with the entry first; then the harness's modules."""

    def load(source: str | Mapping[str, str | bytes], modules: HarnessModules | None = None) -> Run:
        return Run(program_of(source)).load(modules or {})

    return load


@pytest.fixture
def findings() -> Callable[..., tuple[Finding, ...]]:
    """Check a program and return what the policy has against it."""

    def of(
        source: str | Mapping[str, str | bytes],
        modules: HarnessModules | None = None,
        tier: Tier = "scientific",
    ) -> tuple[Finding, ...]:
        return check(program_of(source, tier), modules or {})

    return of
