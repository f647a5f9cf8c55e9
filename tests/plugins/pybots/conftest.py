"""A table where bots from source text play in this process: the harness and the rules are real, the sandbox is not."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Mapping
from random import Random
from types import ModuleType
from typing import Any

import msgspec
import pytest

from botleague.rules import Fault, Move, Reply, Variant
from botleague_pybots.battle.geometry import UTIL
from botleague_pybots.battle.match import Match
from botleague_pybots.hardware import LIMITS
from botleague_pybots.harness import PybotsHarness, create
from botleague_sandbox.language import LoadedProgram

from ..still_clock import StillClock

Plain = Any


def loaded(name: str, source: str) -> LoadedProgram:
    """Return a bot's module as the sandbox hands it over."""
    module = ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), module.__dict__)
    return LoadedProgram(module, {name: module}, {f"{name}.py": source.encode()})


class Table:
    """One match between bots from source text."""

    def __init__(self, variant: Variant, bots: Mapping[str, str], seed: int = 1) -> None:
        self.variant, self.rules, self.rng = variant, variant.rules, Random(seed)
        self.harnesses: list[PybotsHarness] = []
        declarations: list[object] = []
        for seat, (name, source) in enumerate(bots.items()):
            harness = create(seat=seat, config=through_wire(dict(variant.config)))
            declared = msgspec.convert(
                through_wire(harness.loaded(loaded(name, source))), variant.declaration_type
            )
            declarations.append(self.rules.admit(seat, declared))
            self.harnesses.append(harness)
        self.state: Match = self.rules.start(declarations, self.rng)
        for seat, harness in enumerate(self.harnesses):
            harness.briefed(through_wire(self.rules.brief(self.state, seat)), StillClock())

    def turn(self) -> dict[int, Reply]:
        """Ask everybody, go on, and return the replies."""
        replies: dict[int, Reply] = {}
        for seat in self.rules.acting(self.state):
            question = through_wire(self.rules.observe(self.state, seat))
            try:
                answer = self.harnesses[seat].answer(question, StillClock())
            except Exception as error:
                replies[seat] = Fault("exception", type(error).__name__)
            else:
                replies[seat] = Move(msgspec.convert(through_wire(answer), self.variant.move_type))
        self.state = self.rules.apply(self.state, replies, self.rng)
        return replies

    def play(self) -> Match:
        """Play to the end and return the last state."""
        while self.rules.acting(self.state):
            self.turn()
        return self.state


def through_wire(value: Plain) -> Plain:
    """Return plain data as it arrives on the other side of a pipe."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value))


@pytest.fixture
def seat_bots(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Table]]:
    """Seat bots at a table: ``seat_bots(variant, {"name": "source", ...}, seed)``."""
    util, package = ModuleType("util"), ModuleType("pybots")
    util.__dict__.update(UTIL)
    package.__dict__["util"] = util
    for name, module in {"util": util, "pybots": package, "pybots.util": util}.items():
        monkeypatch.setitem(sys.modules, name, module)
    before = random.getstate()
    yield Table
    random.setstate(before)


@pytest.fixture
def bot_source() -> Callable[..., str]:
    """Return the source of a bot: ``bot_source("return (0, 0, 0, [])", size=9)``."""

    def source(act: str = "return (0, 0, 0, [])", extra: str = "", **chosen: object) -> str:
        hardware = dict(zip(LIMITS, (10, 1, 10, 2, 3, 4, 3), strict=True))
        lines = [f"    {name} = {value!r}" for name, value in {**hardware, **chosen}.items()]
        return "\n".join(["class bot:", *lines, "    def act(self, data):", f"        {act}", extra])

    return source
