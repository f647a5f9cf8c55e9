"""A hall where teams from source text play in this process: rules and harness are real, the sandbox is not."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import msgspec
import pytest

from botleague.rules import Fault, Move, Reply, Variant
from botleague_careerfair.harness import TeamHarness
from botleague_careerfair.rules import CareerFair, Match
from botleague_careerfair.simulation.board import Board, parse_board
from botleague_sandbox.language import LoadedProgram

from ..still_clock import StillClock

Seat = Callable[["Hall"], str]


def loaded(source: str) -> LoadedProgram:
    """Return a bot's module as the sandbox hands it over."""
    module = ModuleType("team")
    exec(compile(source, "team.py", "exec"), module.__dict__)
    return LoadedProgram(module, {"team": module}, {})


class Hall:
    """One match between teams from source text; every message goes over the wire format."""

    def __init__(self, variant: Variant, sources: Sequence[str], seed: int) -> None:
        rules = variant.rules
        assert isinstance(rules, CareerFair)
        self.rules: CareerFair = rules
        self.rng = Random(seed)
        self.replies: list[Mapping[int, Reply]] = []
        self.teams = [self._load(variant, seat, source) for seat, source in enumerate(sources)]
        self.state: Match = rules.start([None] * len(self.teams), self.rng)
        for seat, team in enumerate(self.teams):
            team.briefed(over_the_wire(rules.brief(self.state, seat)), StillClock())

    @staticmethod
    def _load(variant: Variant, seat: int, source: str) -> TeamHarness:
        harness = TeamHarness(seat=seat, config=over_the_wire(dict(variant.config)))
        harness.loaded(loaded(source))
        return harness

    def ask(self, seat: int) -> Reply:
        """Ask one team; what it raises is its fault."""
        observation = over_the_wire(self.rules.observe(self.state, seat))
        try:
            return Move(self.teams[seat].answer(observation, StillClock()))
        except Exception as error:
            return Fault("exception", f"{type(error).__name__}: {error}")

    def play(self, turns: int | None = None) -> Match:
        """Play so many turns, or to the end, and return the state then."""
        while acting := self.rules.acting(self.state):
            if turns == 0:
                break
            replies = {seat: self.ask(seat) for seat in acting}
            self.replies.append(replies)
            self.state = self.rules.apply(self.state, replies, self.rng)
            turns = None if turns is None else turns - 1
        return self.state


def over_the_wire(value: Any) -> Any:
    """Return ``value`` as it arrives on the other side."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value), strict=False)


@pytest.fixture
def hall(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Hall]:
    """Open a hall: ``hall(variant, *sources, seed=1)``."""

    def opened(variant: Variant, *sources: str, seed: int = 1) -> Hall:
        offered = TeamHarness(seat=0, config=over_the_wire(dict(variant.config))).modules()
        for name, content in offered.items():
            if not name.startswith("__"):
                module = ModuleType(name)
                module.__dict__.update(content)
                monkeypatch.setitem(sys.modules, name, module)
        return Hall(variant, sources, seed)

    return opened


@pytest.fixture(scope="session")
def documented_boards() -> dict[str, tuple[dict[str, Any], Board]]:
    """The original's boards by name: as they are documented, and as our reader reads their text."""
    entries = json.loads((Path(__file__).parent / "boards.json").read_text("utf-8"))
    return {entry["name"]: (entry, parse_board(_text_of(entry))) for entry in entries}


def _text_of(entry: Mapping[str, Any]) -> str:
    grid = [["F"] * entry["cols"] for _ in range(entry["rows"])]
    for number, company in enumerate(entry["companies"]):
        for row, col in company["booth"]:
            grid[row][col] = f"{company['size']}{number}"
        for row, col in company["line"]:
            grid[row][col] = str(number)
        row, col = company["line"][-1]
        grid[row][col] = f"E{number}"
    row, col = entry["start"]
    grid[row][col] = "B"
    head = f"{entry['rows']} {entry['cols']} {len(entry['companies'])} {entry['crowd']} {entry['view']}"
    return "\n".join([head, *(" ".join(words) for words in grid)])
