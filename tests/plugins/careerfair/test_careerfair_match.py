from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.platform.emblems.test_emblems import contrast

from botleague.rules import (
    FAULT_KINDS,
    Circle,
    Fault,
    Move,
    Rect,
    Reply,
    Text,
    Told,
    Variant,
    bounds,
    read_config,
)
from botleague.rules.testing import rules_conformance
from botleague_careerfair import botleague_variants
from botleague_careerfair.config import Config
from botleague_careerfair.legacy.report import replay_log, report
from botleague_careerfair.rules import CareerFair, Match
from botleague_careerfair.scene import DARK
from botleague_careerfair.variants import career_fair
from botleague_careerfair.view import free_and_queued, queued_on, view_of

WORKED = "4 7 1 0 2\nS0 S0 F  F  F F F\nF  0  0  E0 F F F\nF  F  F  B  F F F\nF  F  F  F  F F F\n"
"""The board of the worked examples, rules/careerfair.md, section 15."""

STILL = Move("NNNN")


def solo(**options: Any) -> CareerFair:
    usual: dict[str, Any] = {"board": WORKED, "teams": 1, "idle_steps": 0, "companies": "Acme S 25\n"}
    return CareerFair(read_config(Config, {**usual, **options}))


def duel(**options: Any) -> CareerFair:
    return solo(**{"teams": 2, **options})


def played(rules: CareerFair, *answers: str | Fault) -> Match:
    """Return the state after each team gave each of ``answers`` in turn; one team's word for both."""
    state = rules.start([None] * rules.config.teams, Random(1))
    for answer in answers:
        reply: Reply = Move(answer) if isinstance(answer, str) else answer
        state = rules.apply(state, dict.fromkeys(rules.acting(state), reply), Random(0))
    return state


def test_the_main_bot_is_served_one_step_after_it_entered_an_empty_line() -> None:
    rules = solo()
    queued = played(rules, "LNNN", "LNNN", "UNNN", "ENNN")
    assert report(rules.fair, queued.hall, 0).line_place == 0
    served = played(rules, "LNNN", "LNNN", "UNNN", "ENNN", "NNNN")
    assert served.hall.scores == (25,)
    assert served.hall.rewards == (((12, 6),),)
    assert played(rules, "LNNN", "LNNN", "UNNN", "ENNN", "NNNN", "ENNN").hall.scores == (37,)


@pytest.mark.parametrize("kind", FAULT_KINDS)
def test_a_fault_stands_still_for_a_step_and_counts_one_strike(kind: Any) -> None:
    rules = duel()
    state = rules.start([None, None], Random(1))
    after = rules.apply(state, {0: Fault(kind), 1: Move("LLLL")}, Random(0))
    assert after.strikes == (1, 0)
    assert after.hall.places[:4] == state.hall.places[:4]
    assert after.hall.places[4:] != state.hall.places[4:]


@pytest.mark.parametrize("value", ["NNN", "NNNNN", "", "nnnn", "NN?N", 4, None])
def test_an_answer_that_is_not_four_requests_is_refused_and_counts_as_a_fault(value: Any) -> None:
    rules = solo()
    state = rules.start([None], Random(1))
    assert rules.illegal(state, 0, value)
    assert rules.apply(state, {0: Move(value)}, Random(0)).strikes == (1,)


def test_an_impossible_direction_is_a_wasted_request_and_no_fault() -> None:
    rules = solo()
    state = played(rules, "DDDD", "DDDD", "DDDD")
    assert (state.strikes, state.hall.places) == ((0,), (24,) * 4)


def test_a_short_answer_repeats_the_last_requests_by_the_original_profile() -> None:
    rules = solo(profile="original")
    assert rules.illegal(played(rules), 0, "L") is None
    state = played(rules, "NLLL", "D")
    assert state.hall.places == (24, 15, 15, 15)


def test_faults_up_to_the_limit_lose_the_match() -> None:
    rules = duel(strike_limit=3)
    state = rules.start([None, None], Random(1))
    for _ in range(3):
        assert rules.outcome(state) is None
        state = rules.apply(state, {0: STILL, 1: Fault("timeout")}, Random(0))
    outcome = rules.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.forfeits, rules.acting(state)) == ((1, 2), (1,), ())


def test_a_team_that_is_out_may_also_stand_still_for_the_rest() -> None:
    rules = duel(strike_limit=1, after_strikes="idle", moves=5)
    state = rules.start([None, None], Random(1))
    state = rules.apply(state, {0: STILL, 1: Fault("crash")}, Random(0))
    requests = 1
    while acting := rules.acting(state):
        assert acting == (0,)
        state = rules.apply(state, {0: STILL}, Random(0))
        requests += 1
    outcome = rules.outcome(state)
    assert requests == 5
    assert outcome is not None
    assert (outcome.places, outcome.forfeits) == ((1, 1), ())


def test_match_without_active_teams_ends() -> None:
    rules = duel(strike_limit=1, after_strikes="idle")
    assert rules.outcome(played(rules, Fault("crash"))) is not None


def test_no_limit_of_strikes_means_that_a_team_is_asked_to_the_end() -> None:
    rules = solo(strike_limit=0, moves=20)
    state = played(rules, *[Fault("timeout")] * 20)
    assert (state.strikes, state.ending) == ((20,), "all 20 moves were made")


def test_a_team_that_never_came_has_lost_before_the_first_step() -> None:
    rules = duel()
    state = rules.start([Fault("rejected"), None], Random(1))
    outcome = rules.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.forfeits, state.hall.step) == ((2, 1), (0,), 0)


def test_the_crowd_spreads_in_the_idle_steps_before_the_first_question() -> None:
    rules = CareerFair(Config(board="atrium"))
    state = rules.start([None, None], Random(1))
    assert state.hall.step == 10
    assert len(set(state.hall.places[:8])) == 1
    assert len(set(state.hall.places[8:])) > 10


def test_a_solo_match_is_rated_by_its_points_or_by_the_moves_left_at_the_threshold() -> None:
    served = ("LNNN", "LNNN", "UNNN", "ENNN", "NNNN")
    reached = solo(score_threshold=20, moves=50)
    outcome = reached.outcome(played(reached, *served))
    assert outcome is not None
    assert (outcome.places, outcome.scores) == ((1,), (20.0 + 45,))
    assert outcome.reason == "20 points were reached in 5 moves"
    missed = solo(score_threshold=30, moves=5)
    outcome = missed.outcome(played(missed, *served))
    assert outcome is not None
    assert outcome.scores == (25.0,)


def test_the_higher_score_wins_a_duel_and_equal_scores_are_a_draw() -> None:
    rules = duel(moves=5)
    state = rules.start([None, None], Random(1))
    for answer in ("LNNN", "LNNN", "UNNN", "ENNN", "NNNN"):
        state = rules.apply(state, {0: STILL, 1: Move(answer)}, Random(0))
    outcome = rules.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.scores) == ((2, 1), (0.0, 25.0))
    drawn = rules.outcome(played(rules, *["NNNN"] * 5))
    assert drawn is not None
    assert drawn.places == (1, 1)


def test_equal_seeds_give_equal_companies_and_crowds() -> None:
    rules = CareerFair(Config(board="atrium"))
    first, second = (rules.start([None, None], Random(7)) for _ in range(2))
    assert first == second
    assert first.companies != rules.start([None, None], Random(8)).companies


def test_fixed_seeds_of_companies_and_crowd_hold_whatever_the_seed_of_the_match() -> None:
    rules = CareerFair(Config(board="atrium", company_seed=1, crowd_seed=2))
    assert rules.start([None, None], Random(1)) == rules.start([None, None], Random(2))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["counts", "full"]))
def test_changes_added_up_are_the_view_also_after_lost_turns(seed: int, people: Any) -> None:
    rules = CareerFair(Config(board="atrium", people=people, strike_limit=0, moves=25))
    rng, chooser = Random(seed), Random(seed + 1)
    state = rules.start([None, None], rng)
    held: list[dict[int, Any]] = [{}, {}]
    while acting := rules.acting(state):
        replies: dict[int, Reply] = {}
        queued = queued_on(rules.fair, state.hall)
        for seat in acting:
            observation: Any = rules.observe(state, seat)
            lost = chooser.random() < 0.2
            if not lost:
                if observation["fresh"]:
                    held[seat] = {}
                held[seat].update(zip(observation["tiles"][::2], observation["tiles"][1::2], strict=True))
                view = view_of(rules.fair, state.hall, seat, queued)
                assert {tile: content for tile, content in held[seat].items() if content} == {
                    tile: content for tile, content in enumerate(view) if content
                }
            replies[seat] = Fault("timeout") if lost else Move(rules.sample(state, seat, chooser))
        state = rules.apply(state, replies, rng)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["wiki", "original"]))
def test_nobody_is_lost_or_doubled_in_any_step(seed: int, profile: Literal["wiki", "original"]) -> None:
    rules = CareerFair(Config(board="atrium", profile=profile, moves=40))
    rng, chooser = Random(seed), Random(seed + 1)
    state = rules.start([None, None], rng)
    while acting := rules.acting(state):
        state = rules.apply(state, {s: Move(rules.sample(state, s, chooser)) for s in acting}, rng)
        hall, board = state.hall, rules.fair.board
        counted = [0] * board.tiles
        for place in hall.places:
            counted[place] += 1
        assert tuple(counted) == hall.counts
        in_lines = [bot for queue in hall.queues for bot in queue]
        assert sorted(in_lines) == [bot for bot, line in enumerate(hall.queued) if line >= 0]
        for company, queue in enumerate(hall.queues):
            zone = board.zones[company]
            standing = [hall.places[bot] for bot in queue]
            assert standing == [zone[min(place // 3, len(zone) - 1)] for place in range(len(queue))]
            value = state.companies[company].value
            for offers in hall.rewards:
                assert 0 <= offers[company][0] <= value


def test_view_distinguishes_free_and_queued_people() -> None:
    rules = solo()
    state = played(rules, "LLNN", "LLNN", "UUNN", "ENNN")
    view = view_of(rules.fair, state.hall, 0, queued_on(rules.fair, state.hall))
    front = rules.fair.board.zones[0][0]
    assert free_and_queued(view[front]) == (1, 1)


def test_the_replay_log_has_the_form_of_the_original() -> None:
    rules = solo()
    state = rules.start([None], Random(1))
    halls = [state.hall]
    for answer in ("LNNN", "LNNN", "UNNN", "ENNN", "NNNN", "NNNN"):
        state = rules.apply(state, {0: Move(answer)}, Random(0))
        halls.append(state.hall)
    log = replay_log(rules.fair, halls, [company.name for company in state.companies]).splitlines()
    assert log[:5] == ["4 0 0", "Acme", "", "0 0 0", "0 0 2 3 none 0 1 -1"]
    assert [line for line in log if line.startswith("6 ")] == ["6 25 0"]
    assert log[3 + 4 * 5 + 1] == "0 0 1 1 inline 0 1 0"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"teams": 3}, "config.teams: must be 1 or 2, not 3"),
        ({"moves": 0}, "config.moves: must be a whole number from 1 to 100000, not 0"),
        ({"crowd": -10}, "config.crowd: must be a whole number from 0"),
        ({"kinds": ("jittery", "sleepy")}, "config.kinds: no kind of crowd is called 'sleepy'"),
        ({"profile": "mine"}, "config.profile: must be original or wiki, not 'mine'"),
        ({"options": {"leave": 1}}, "config.options.leave: unknown; known: enter_while"),
        ({"board": "attic"}, "config.board: no board is called 'attic'"),
        ({"board": "arena", "companies": "A S 1\n"}, "config.companies: .* needs size L"),
        ({"after_strikes": "shout"}, "config.after_strikes: must be forfeit or idle"),
    ],
)
def test_a_configuration_that_cannot_be_played_says_why(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        botleague_variants()[0].with_config(options)


SHORT: dict[str, Callable[[], Variant]] = {
    "duel": lambda: career_fair(
        "careerfair-short", "", Config(board="atrium", moves=6, idle_steps=3, strike_limit=2)
    ),
    "solo": lambda: career_fair(
        "careerfair-short", "", Config(board="atrium", moves=8, teams=1, score_threshold=1)
    ),
    "original": lambda: career_fair(
        "careerfair-short", "", Config(board="atrium", moves=6, crowd=30, profile="original", people="full")
    ),
    "idle": lambda: career_fair(
        "careerfair-short",
        "",
        Config(board="atrium", moves=6, crowd=10, after_strikes="idle", strike_limit=3),
    ),
    "kinds": lambda: career_fair(
        "careerfair-short", "", Config(board="atrium", moves=6, kinds=("follower", "realistic", "extrovert"))
    ),
}


@pytest.mark.parametrize("kind", SHORT)
def test_every_sort_of_variant_keeps_the_contract(kind: str) -> None:
    rules_conformance.check(SHORT[kind](), seeds=(1,))


def test_every_offered_variant_starts_and_is_drawn() -> None:
    for variant in botleague_variants():
        rules = variant.rules
        assert isinstance(rules, CareerFair)
        state = rules.start([None] * variant.seats.least, Random(3))
        assert rules.acting(state) == tuple(range(variant.seats.least)), variant.name
        scene = rules.scene(state)
        assert (scene.width, scene.height) == (rules.fair.board.cols, rules.fair.board.rows)


def test_view_shows_the_observed_changes() -> None:
    rules: Any = SHORT["original"]().rules
    rng = Random(4)
    state = rules.start([None, None], rng)
    observations: list[object] = []
    for number in range(6):
        observations.append(rules.observe(state, 0))
        view = rules.view(Told(None, rules.brief(state, 0), tuple(observations)), 0)
        spectators = {shape.title for shape in rules.scene(state).shapes}
        visible = {shape.title for shape in view.shapes if shape.title.endswith(("here", "in line"))}
        assert visible
        assert visible <= spectators
        assert {shape.key for shape in view.shapes if shape.key.startswith("bot")} == {
            f"bot 0 {number}" for number in range(4)
        }
        # After a fault the harness forgets, and is told everything again.
        replies = {0: Fault("timeout") if number == 2 else Move("RRRR"), 1: Move("NNNN")}
        state = rules.apply(state, replies, rng)


def test_requests_and_talks_are_in_words() -> None:
    rules: Any = SHORT["original"]().rules
    state = rules.start([None, None], Random(4))
    assert rules.describe(state, 0, "LEXN") == "main left, bot 1 joins, bot 2 swaps"
    assert rules.describe(state, 0, "NNNN") == "all stay"
    assert rules.describe(state, 0, "N") == "main stays", "the others repeat their last requests"
    after = rules.apply(state, {0: Fault("crash"), 1: Move("NNNN")}, Random(4))
    assert [event.text for event in rules.scene(after).events] == ["{seat 0} stands still: crash"]
    served = replace(after, hall=replace(after.hall, served=((2, 1, 0), (3, -1, 9))))
    talk = rules.scene(served).events[-1]
    assert (talk.text, talk.seat) == (f"main of {{seat 1}} talks to {state.companies[2].name}", 1)


def test_companies_of_any_name_stay_on_their_booths() -> None:
    lines = "\n".join(
        f"{'宽' * 64}{size}{number} {size} {10**number}" for size in "SML" for number in range(20)
    )
    rules: Any = career_fair("careerfair-wide", "", Config(companies=lines, crowd=10)).rules
    scene = rules.scene(rules.start([None, None], Random(1)))
    for left, top, right, bottom in map(bounds, scene.shapes):
        assert min(left, top) >= -1e-6
        assert right <= scene.width + 1e-6
        assert bottom <= scene.height + 1e-6


def test_names_of_companies_of_the_package_are_complete_on_their_booths() -> None:
    for variant in botleague_variants():
        rules: Any = variant.rules
        for seed in range(5):
            state = rules.start([None] * variant.seats.least, Random(seed))
            scene = rules.scene(state)
            labels: dict[str, str] = {}
            for shape in scene.shapes:
                if isinstance(shape, Text) and shape.layer == "names":
                    labels[shape.title] = labels.get(shape.title, "") + shape.text.removesuffix("-")
            assert set(labels.values()) == {f"{one.name}{one.value}" for one in state.companies}


def test_texts_have_enough_contrast_on_light_and_dark_pages() -> None:
    rules: Any = career_fair("careerfair-full", "", Config()).rules
    state = rules.start([None, None], Random(1))
    for dark in ({}, DARK):
        for step in range(40):
            if step:
                state = rules.apply(state, {0: Move("UUUU"), 1: Move("UUUU")}, Random(step))
            rects: list[Rect] = []
            for shape in rules.scene(state).shapes:
                if isinstance(shape, Rect):
                    rects.append(shape)
                elif isinstance(shape, Text) and not shape.halo:
                    grounds = [
                        rect.fill
                        for rect in rects
                        if rect.x <= shape.x <= rect.x + rect.width
                        and rect.y <= shape.y <= rect.y + rect.height
                    ]
                    colors = [dark.get(color, color) for color in (shape.fill, grounds[-1] or "")]
                    assert contrast(*colors) >= 4.5, (shape, grounds)


def test_bots_on_one_tile_do_not_hide_each_other() -> None:
    rules: Any = career_fair("careerfair-full", "", Config()).rules
    scene = rules.scene(rules.start([None, None], Random(1)))
    discs = [shape for shape in scene.shapes if isinstance(shape, Circle) and shape.key.startswith("bot")]
    assert len(discs) == 8
    for one, other in combinations(discs, 2):
        assert math.dist((one.x, one.y), (other.x, other.y)) >= one.radius + other.radius


def test_a_match_is_the_same_whatever_the_hash_seed() -> None:
    rules_conformance.check_across_processes("botleague_careerfair", "careerfair-practice")
