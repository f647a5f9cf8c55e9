"""The contract with OpenSpiel: every variant passes the kit, and faults, chance and seats mean what the pages say."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botleague.rules import Fault, Move, Outcome, Seats, Variant
from botleague.rules.testing import rules_conformance
from botleague_openspiel.catalogue import GAMES
from botleague_openspiel.rules import OpenSpielRules
from botleague_openspiel.setup import Setup
from botleague_openspiel.state import State
from botleague_openspiel.variants import variants

VARIANTS = {variant.name: variant for variant in variants()}
WITH_ALL_FAULTS = ("connect-four", "kuhn-poker", "hearts", "goofspiel", "openspiel")


@pytest.mark.parametrize("name", VARIANTS)
def test_variant_keeps_the_contract(name: str) -> None:
    rules_conformance.check(VARIANTS[name], quick=name not in WITH_ALL_FAULTS)


def test_match_is_the_same_in_every_process() -> None:
    rules_conformance.check_across_processes("botleague_openspiel", "gin-rummy")


def rules_of(game: str) -> OpenSpielRules:
    return OpenSpielRules(Setup(game))


def after(rules: OpenSpielRules, seats: int, *turns: dict[int, Any], seed: int = 1) -> State:
    """Return the state after turns: replies by seat, where a number is a move."""
    rng = Random(seed)
    state = rules.start([None] * seats, rng)
    for turn in turns:
        replies = {
            seat: Move(reply) if isinstance(reply, int | str) else reply for seat, reply in turn.items()
        }
        state = rules.apply(state, replies, rng)
    return state


def ended(rules: OpenSpielRules, state: State) -> Outcome:
    outcome = rules.outcome(state)
    assert outcome is not None
    return outcome


@given(st.one_of(st.integers(), st.text(max_size=80), st.booleans(), st.floats(), st.none()))
def test_nothing_reaches_native_code_that_is_no_legal_action(value: object) -> None:
    # apply_action(10**9) would end this process
    rules = rules_of("connect_four")
    state = after(rules, 2)
    is_legal = type(value) is int and 0 <= value < 7
    assert (rules.illegal(state, 0, value) is None) == is_legal
    rules.describe(state, 0, value)
    assert (rules.outcome(rules.apply(state, {0: Move(value)}, Random(1))) is None) == is_legal


def test_other_seat_wins_after_a_fault() -> None:
    rules = rules_of("connect_four")
    outcome = ended(rules, after(rules, 2, {0: 3}, {1: Fault("timeout", "too late")}))
    assert (outcome.places, outcome.scores, outcome.forfeits) == ((1, 2), (1.0, 0.0), (1,))
    assert outcome.reason == "{seat 0} wins; {seat 1} is out: answered too late (too late)"


def test_draw_of_two_counts_half_a_point() -> None:
    rules = rules_of("tic_tac_toe")
    moves = (0, 1, 2, 4, 3, 5, 7, 6, 8)
    outcome = ended(rules, after(rules, 2, *({ply % 2: move} for ply, move in enumerate(moves))))
    assert (outcome.scores, outcome.places, outcome.reason) == ((0.5, 0.5), (1, 1), "a draw")


def test_several_seats_continue_after_a_fault() -> None:
    rules = rules_of("hearts")
    rng = Random(4)
    state = rules.start([None] * 4, rng)
    (loser,) = rules.acting(state)
    state = rules.apply(state, {loser: Fault("crash")}, rng)
    while acting := rules.acting(state):
        assert loser not in acting
        state = rules.apply(state, {seat: Move(rules.sample(state, seat, rng)) for seat in acting}, rng)
    outcome = ended(rules, state)
    assert outcome.places[loser] == 4
    assert outcome.forfeits == (loser,)
    assert sum(outcome.scores) == 26 * 4 - 26  # points of a whole game


def test_match_ends_when_one_seat_is_left() -> None:
    rules = rules_of("goofspiel")
    outcome = ended(rules, after(rules, 3, {0: Fault("crash"), 1: 4, 2: Fault("timeout")}))
    assert (outcome.places, outcome.forfeits) == ((2, 1, 2), (0, 2))


def test_seats_that_do_not_start_are_out() -> None:
    rules = rules_of("tic_tac_toe")
    outcome = ended(rules, rules.start([Fault("rejected", "no source"), Fault("crash")], Random(1)))
    assert (outcome.places, outcome.forfeits) == ((1, 1), (0, 1))


def test_simultaneous_turns_ask_all_seats() -> None:
    rules = rules_of("goofspiel(num_cards=4,points_order=descending)")
    state = after(rules, 3)
    assert rules.acting(state) == (0, 1, 2)
    state = after(rules, 3, {0: 3, 1: 2, 2: 1})
    assert state.history == (3, 2, 1)
    assert rules.observe(state, 1) == {"player": 1, "history": [3, 2, 1]}


def test_player_1_has_white_in_chess() -> None:
    rules = rules_of("chess")
    assert rules.acting(after(rules, 2)) == (1,)


@pytest.mark.parametrize("name", ["chess", "checkers", "backgammon", "shogi", "breakthrough"])
def test_keys_of_pieces_follow_them_and_depend_on_the_history_alone(name: str) -> None:
    rules, rng = rules_of(name), Random(5)
    state = rules.start([None] * 2, rng)
    moves = 0
    for _ in range(60):
        before = {shape.key: shape for shape in rules.scene(state).shapes if shape.key}
        for seat in rules.acting(state):
            state = rules.apply(state, {seat: Move(rules.sample(state, seat, rng))}, rng)
        drawn = rules.scene(state)
        keys = [shape.key for shape in drawn.shapes if shape.key]
        assert len(keys) == len(set(keys))
        for shape in drawn.shapes:
            if shape.key and shape.key in before and shape != before[shape.key]:
                moves += 1
                assert colors(shape) == colors(before[shape.key])
    assert moves > 20
    assert rules_of(name).scene(state) == drawn


def colors(shape: Any) -> tuple[str, str]:
    return shape.fill, shape.title.partition(",")[0]


def test_observation_has_texts_since_the_last_turn() -> None:
    rules = rules_of("phantom_go(board_size=5)")
    state = after(rules, 2, {0: 0}, {1: 6}, {0: 1})
    observation: Any = rules.observe(state, 1)
    assert "Previous move was valid" in observation["since"][-1]
    assert observation["since"][-1] == observation["observation"]
    assert len(observation["legal_actions"]) == len(observation["names"])
    hit: Any = rules.observe(rules.apply(state, {1: Move(0)}, Random(1)), 1)
    assert "observational" in hit["observation"]  # the stone of seat 0: try again


@pytest.mark.parametrize("name", [name for name, entry in GAMES.items() if "-" in entry.seats])
def test_games_for_several_numbers_of_seats_play_with_the_most(name: str) -> None:
    rules, most = rules_of(name), VARIANTS[name.replace("_", "-")].seats.most
    rng = Random(1)
    state = rules.start([None] * most, rng)
    for _ in range(40):
        acting = rules.acting(state)
        if not acting:
            break
        state = rules.apply(state, {seat: Move(rules.sample(state, seat, rng)) for seat in acting}, rng)
    assert len(state.seeds) == most
    assert state.position.num_players() == most


def test_a_project_makes_variants_of_every_game() -> None:
    base = VARIANTS["openspiel"]
    made: Variant = base.with_config({"game": "dots_and_boxes(num_rows=4,num_cols=4)"})
    assert (made.name, made.seats) == ("openspiel", Seats(2))
    assert VARIANTS["pig"].with_config({"game": "pig(players=3)"}).seats == Seats(3)
    with pytest.raises(ValueError, match=r"^config.game: must be hex with parameters; for other games"):
        VARIANTS["hex"].with_config({"game": "chess"})
    with pytest.raises(
        ValueError, match=r"^config.game: board_size must be a whole number from 3 to 19, not '99'"
    ):
        VARIANTS["hex"].with_config({"game": "hex(board_size=99)"})
