"""Isolation: two tokens on a board, every visited cell closes, and a player who is stuck loses.

The rules are in :mod:`~botleague_isolation.rules`, the quick engine under them in
:mod:`~botleague_isolation.engine`, what a bot of the original meets in :mod:`~botleague_isolation.harness`.
"""

from __future__ import annotations

from pathlib import Path

from botleague.rules import BotSource, Variant, hookimpl

__all__ = ["botleague_bots", "botleague_variants"]

_BOTS = {
    "random": ("random_walk.py", "plays any action at random"),
    "greedy": ("greedy.py", "keeps the most ways out for itself and the fewest for the opponent"),
    "minimax": ("minimax.py", "looks three plies ahead"),
    "alphabeta": ("alphabeta.py", "looks ahead ever deeper until its time is up"),
    "mcts": ("mcts.py", "grows a tree of the actions that look best, and proves what it can"),
    "sample-random": ("sample_random.py", "the original's RandomPlayer"),
    "sample-greedy": ("sample_greedy.py", "the original's GreedyPlayer"),
    "sample-minimax": ("sample_minimax.py", "the original's MinimaxPlayer"),
}


@hookimpl
def botleague_variants() -> list[Variant]:
    from botleague_isolation.variants import variants  # kept out of every bot's zygote

    return variants()


@hookimpl
def botleague_bots() -> list[BotSource]:
    folder = Path(__file__).parent / "bots"
    return [
        BotSource(name, str(folder / file), "isolation", summary) for name, (file, summary) in _BOTS.items()
    ]
