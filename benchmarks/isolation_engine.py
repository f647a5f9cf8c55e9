"""How many random playouts a second bots get out of Isolation's engine, against a plain one, side by side.

A playout is a game from the empty board in which every action is drawn by ``random.choice(state.actions())``, until
``state.terminal_test()``: what a Monte Carlo bot does all day. The reference is the documented way written down
straightforwardly (a named tuple; every question answered by looping over the eight steps), since the original is
not on PyPI. Then what it costs to put an opening book of 100,000 entries back before each turn.

Usage: python benchmarks/isolation_engine.py
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from enum import IntEnum
from types import ModuleType
from typing import Any, NamedTuple

from botleague_isolation.board import Setup
from botleague_isolation.engine import engine
from botleague_isolation.memory import Memory

ROUNDS, PLAYOUTS = 7, 300
BOOK_ENTRIES, RESTORES = 100_000, 20


class Step(IntEnum):
    NNE, ENE, ESE, SSE, SSW, WSW, WNW, NNW = 25, 11, -15, -27, -25, -11, 15, 27


STEPS = frozenset(Step)
SIZE = 115
BLANK = sum(1 << 13 * y + x for y in range(9) for x in range(11))


class ReferenceState(NamedTuple):
    """Isolation as rules/isolation.md, sections 3 to 5, reads: no table, no shortcut."""

    board: int = BLANK
    ply_count: int = 0
    locs: tuple[int | None, int | None] = (None, None)

    def player(self) -> int:
        return self.ply_count % 2

    def is_open(self, cell: int) -> bool:
        return cell >= 0 and self.board >> cell & 1 == 1

    def liberties(self, loc: int | None) -> list[int]:
        cells = range(SIZE) if loc is None else [loc + step for step in Step]
        return [cell for cell in cells if self.is_open(cell)]

    def actions(self) -> list[int]:
        loc = self.locs[self.player()]
        return self.liberties(None) if loc is None else [step for step in Step if self.is_open(loc + step)]

    def result(self, action: int) -> ReferenceState:
        loc = self.locs[self.player()]
        if loc is not None and action not in STEPS:
            raise AssertionError(action)
        target = action + (loc or 0)
        if not self.is_open(target):
            raise RuntimeError(target)
        locs = (target, self.locs[1]) if self.player() == 0 else (self.locs[0], target)
        return ReferenceState(self.board ^ 1 << target, self.ply_count + 1, locs)

    def terminal_test(self) -> bool:
        return not all(self.liberties(loc) for loc in self.locs)


def playouts_per_second(start: Any) -> float:
    choice = random.choice
    before = time.perf_counter()
    for _ in range(PLAYOUTS):
        state = start
        while not state.terminal_test():
            state = state.result(choice(state.actions()))
    return PLAYOUTS / (time.perf_counter() - before)


def side_by_side(first: Any, second: Any) -> tuple[list[float], list[float]]:
    """Return playouts per second of both, measured in turns so that a busy moment hits both."""
    rates: tuple[list[float], list[float]] = [], []
    for _ in range(ROUNDS):
        for start, rate in zip((first, second), rates, strict=True):
            rate.append(playouts_per_second(start))
    return rates


def milliseconds(call: Callable[[], object]) -> float:
    times = []
    for _ in range(RESTORES):
        before = time.perf_counter()
        call()
        times.append((time.perf_counter() - before) * 1000)
    return statistics.median(times)


def book_of(game: Any) -> ModuleType:
    """Return a bot's module with an opening book: state -> action."""
    module = ModuleType("my_custom_player")
    rng = random.Random(1)
    states = [game.Isolation(rng.getrandbits(115), 2, (57, cell % 57)) for cell in range(BOOK_ENTRIES)]
    vars(module)["BOOK"] = {state: game.Action(25) for state in states}
    return module


def main() -> None:
    game = engine(Setup())
    ours, reference = side_by_side(game.start, ReferenceState())
    ratios = [fast / slow for fast, slow in zip(ours, reference, strict=True)]
    print(f"random playouts a second, medians of {ROUNDS} rounds of {PLAYOUTS} in turns:")
    print(f"  engine     {statistics.median(ours):9,.0f}")
    print(f"  reference  {statistics.median(reference):9,.0f}")
    print(f"  ratio      {statistics.median(ratios):9.1f}   (wanted: at least 4)")
    memory = Memory([book_of(game)], [], (game.Isolation, game.Action))
    print(f"memory of a bot with a book of {BOOK_ENTRIES:,} entries:")
    print(f"  restore    {milliseconds(memory.restore):9.2f} ms a turn when nothing changed")


if __name__ == "__main__":
    main()
