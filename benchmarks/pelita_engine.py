"""Pelita's engine against the original's, side by side in one run. Matches: ``benchmarks/pelita_match.py``.

    python benchmarks/pelita_engine.py [REPEATS]

The original is measured where it can be imported (``pip install pelita``, extra ``peers``); without it only our own
figures are printed. Both engines play random legal steps of stub teams on the same generated mazes of 32x16, with
everything that a turn needs: observation, noise, food, the move.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import statistics
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

from botleague.rules import Move
from botleague_pelita.variants import pelita

TURNS = 1200


def our_engine(seed: int) -> float:
    """Return microseconds a turn, with everything that the referee asks of the rules."""
    rules: Any = pelita({}).rules
    rng, steps = Random(seed), Random(1)
    state = rules.start(["blue", "red"], rng)
    started = time.perf_counter()
    turns = 0
    while (acting := rules.acting(state)) and turns < TURNS:
        rules.observe(state, acting[0])
        step = rules.sample(state, acting[0], steps)
        assert rules.illegal(state, acting[0], step) is None
        state = rules.apply(state, {acting[0]: Move(step)}, rng)
        turns += 1
    return (time.perf_counter() - started) / turns * 1e6


def their_engine(seed: int) -> float:
    """Return the same of the original, whose teams are replaced by stubs that are told as much and answer as little."""
    game = importlib.import_module("pelita.game")
    generate_maze = importlib.import_module("pelita.maze_generator").generate_maze
    rng, steps = Random(seed), Random(1)

    class Stub:
        def get_move(self, told: dict[str, Any]) -> dict[str, Any]:
            here = state["bots"][state["turn"]]
            legal = game.get_legal_positions(state["walls"], state["shape"], here)
            return {"move": steps.choice(legal), "say": ""}

        def _exit(self, told: object) -> None:
            pass

    def nothing(bot: Any, memory: Any) -> Any:
        return bot.position

    with open(os.devnull, "w", encoding="utf-8") as sink:
        stdout, sys.stdout = sys.stdout, sink  # it prints the teams' names
        try:
            state = game.setup_game(
                [nothing, nothing], layout_dict=generate_maze(rng=rng), rng=rng, print_result=False
            )
        finally:
            sys.stdout = stdout
    state["teams"] = [Stub(), Stub()]
    started = time.perf_counter()
    turns = 0
    while not state["gameover"] and turns < TURNS:
        state = game.play_turn(state)
        turns += 1
    return (time.perf_counter() - started) / turns * 1e6


def compare(
    what: str, unit: str, ours: Callable[[int], float], theirs: Callable[[int], float] | None, n: int
) -> None:
    """Print medians of ``n`` alternating measurements, and their ratio."""
    pairs = [(ours(seed), theirs(seed) if theirs else 0.0) for seed in range(n)]
    mine = statistics.median(pair[0] for pair in pairs)
    line = f"{what:<28}{mine:10.3f} {unit}"
    if theirs:
        other = statistics.median(pair[1] for pair in pairs)
        line += f"   original {other:10.3f} {unit}   {other / mine:6.1f} times as fast"
    print(line)


def main() -> None:
    """Run all comparisons."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    peer = importlib.util.find_spec("pelita") is not None
    if not peer:
        print("The original is not installed here: our own figures only (pip install pelita to compare).")
    compare("engine, one turn", "us", our_engine, their_engine if peer else None, repeats)


if __name__ == "__main__":
    main()
