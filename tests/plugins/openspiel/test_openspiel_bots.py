"""Bots of OpenSpiel's games against random actions: how much stronger they are."""

from __future__ import annotations

import random
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace

import pytest

from botleague.rules import Move, Reply
from botleague_openspiel import botleague_bots
from botleague_openspiel.harness import OpenSpielHarness
from botleague_openspiel.variants import variants

VARIANTS = {variant.name: variant for variant in variants()}
BOTS = {(game, bot.name): Path(bot.path) for bot in botleague_bots() for game in bot.games}


class SteppingClock:
    """A clock that a look moves by a millisecond, so that bots search equally far on every machine."""

    limit_ms, bank_ms = 10_500.0, 10_000.0

    def __init__(self) -> None:
        self._looks = 0

    def elapsed_ms(self) -> float:
        self._looks += 1
        return float(self._looks)

    def propose(self, move: object) -> None:
        raise AssertionError("not used")


def seated(game: str, name: str, **constants: object) -> OpenSpielHarness:
    """Return the harness of a bundled bot, with some of its constants changed."""
    module = ModuleType(name)
    exec(compile(BOTS[game, name].read_text(), name, "exec"), vars(module))
    vars(module).update(constants)
    harness = OpenSpielHarness(2, VARIANTS[game].config)
    harness.loaded(SimpleNamespace(module=module))  # all that it reads
    return harness


def points(game: str, name: str, matches: int, **constants: object) -> float:
    """Return the points of a bot against random actions, on both seats in turn; a draw is half a point."""
    rules, total = VARIANTS[game].rules, 0.0
    random.seed(1)
    for number in range(matches):
        own, rng = number % 2, Random(number)
        harnesses = {own: seated(game, name, **constants), 1 - own: seated(game, "lots")}
        state = rules.start([None, None], rng)
        while acting := rules.acting(state):
            replies: dict[int, Reply] = {
                seat: Move(harnesses[seat].answer(rules.observe(state, seat), SteppingClock()))
                for seat in acting
            }
            state = rules.apply(state, replies, rng)
        outcome = rules.outcome(state)
        assert outcome is not None
        assert outcome.forfeits == ()
        mine, other = outcome.places[own], outcome.places[1 - own]
        total += 1.0 if mine < other else 0.5 if mine == other else 0.0
    return total


QUICK_TREE = {"SIMULATIONS": 50, "LIMIT_S": -1.0}


@pytest.mark.parametrize(
    ("game", "name", "matches", "least", "constants"),
    [
        ("chess", "material", 4, 3.5, {"BUDGET_MS": 60}),
        ("go", "liberties", 2, 2.0, {}),
        ("checkers", "material", 6, 5.5, {"BUDGET_MS": 100}),
        ("othello", "tree", 6, 5.5, {**QUICK_TREE, "SIMULATIONS": 100}),
        ("hex", "tree", 10, 10.0, QUICK_TREE),
        ("connect-four", "tree", 10, 9.0, QUICK_TREE),
        ("connect-four", "rollouts", 10, 9.0, {"MAX_PLAYOUTS": 50}),
        ("backgammon", "tree", 4, 3.0, {**QUICK_TREE, "SIMULATIONS": 30}),
    ],
)
def test_bot_of_a_drawn_game_beats_random_actions(
    game: str, name: str, matches: int, least: float, constants: dict[str, object]
) -> None:
    assert points(game, name, matches, **constants) >= least
