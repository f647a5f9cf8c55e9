"""Every variant keeps the contract, and nobody is told more than a team may know."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from botleague.rules import Move, Variant
from botleague.rules.testing import rules_conformance
from botleague_pelita.mazes.board import numbers
from botleague_pelita.play.engine import play
from botleague_pelita.rules import PelitaRules
from botleague_pelita.variants import pelita, variants


@pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant.name)
def test_every_variant_keeps_the_contract(variant: Variant) -> None:
    """On its own board and for a few rounds, which is where all of its settings are at work."""
    short = pelita({**variant.config, "max_rounds": 4}, name=variant.name)
    rules_conformance.check(short)


@pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant.name)
def test_every_variant_can_be_made_again_from_its_configuration(variant: Variant) -> None:
    again = variant.with_config(variant.config)
    assert (again.config, again.rules, again.time) == (variant.config, variant.rules, variant.time)


def test_a_match_does_not_depend_on_the_hash_seed() -> None:
    rules_conformance.check_across_processes("botleague_pelita", "pelita-quick")


def test_an_observation_does_not_change_with_what_is_hidden() -> None:
    rules = PelitaRules()
    state = rules.start(["Blue", "Red"], Random(3))
    assert all(state.noisy), "both enemies are far away at the start"
    elsewhere = next(n for n in numbers(state.board.halves[1]) if n not in state.bots)
    moved = replace(state, bots=(state.bots[0], elsewhere, state.bots[2], elsewhere), team_seeds=(1, 2))
    older = replace(moved, ages=(moved.ages[0], ((elsewhere, 7),)))
    assert rules.observe(older, 0) == rules.observe(state, 0)


def test_team_receives_its_own_seed_only() -> None:
    rules = PelitaRules()
    state = rules.start(["Blue", "Red"], Random(3))
    for seat in (0, 1):
        brief = rules.brief(state, seat)
        assert brief["seed"] == state.team_seeds[seat]
        assert state.team_seeds[1 - seat] not in brief.values()


@pytest.mark.parametrize(
    "value",
    [
        None,
        17,
        "ab",
        {},
        {"to": None},
        {"to": (1, 1, 1)},
        {"to": (-1, 500)},
        {"to": (1.0, 1)},
        {"to": (True, True)},
        {"to": [10**9, 2]},
    ],
)
def test_anything_that_is_no_legal_step_loses_and_raises_nothing(value: Any) -> None:
    rules = PelitaRules()
    rng = Random(3)
    state = rules.start(["Blue", "Red"], rng)
    assert rules.illegal(state, 0, value)
    after = rules.apply(state, {0: Move(value)}, rng)
    outcome = rules.outcome(after)
    assert outcome is not None
    assert (outcome.places, outcome.forfeits) == ((2, 1), (0,))


def test_exactly_the_legal_squares_are_accepted() -> None:
    rules = PelitaRules()
    state = rules.start(["Blue", "Red"], Random(8))
    board = state.board
    accepted = [square for square in board.squares if rules.illegal(state, 0, {"to": square}) is None]
    legal = sorted(board.squares[number] for number in board.legal[state.bots[0]])
    assert accepted == legal
    for square in accepted:
        after = play(rules.config, state, board.number(square), Random(0))
        assert board.squares[after.bots[0]] == square
