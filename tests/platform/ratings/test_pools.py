"""Many sides, mirrored sets, new versions and anchors (RATINGS, sections 5, 6 and 10, properties 27 to 29)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from botleague.ratings import (
    Elo,
    EloState,
    Glicko2,
    Glicko2State,
    PlackettLuce,
    PlackettLuceState,
    RatingSystem,
    Result,
    Side,
    Table,
    anchor_shift,
    fold,
    rating_period,
    replay,
    start_state,
)

SYSTEMS: list[RatingSystem[Any]] = [Elo(), Glicko2(period=5), PlackettLuce()]
NAMES = ["a1", "a2", "a3", "b", "c"]
PREDECESSORS = {"a2": "a1", "a3": "a2"}

few = settings(max_examples=25, deadline=None)
every_system = pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)


@st.composite
def histories(draw: st.DrawFn) -> list[Result]:
    log = []
    for number in range(draw(st.integers(1, 25))):
        bots = draw(st.permutations(NAMES))[: draw(st.integers(2, 4))]
        ranks = draw(st.lists(st.integers(1, 3), min_size=len(bots), max_size=len(bots)))
        sides = tuple(Side((bot,), rank) for bot, rank in zip(bots, ranks, strict=True))
        log.append(Result(f"m{number}", number, sides, set_size=draw(st.integers(1, 4))))
    return log


@every_system
@few
@given(log=histories())
def test_a_new_version_starts_from_what_its_predecessor_did_before(
    system: RatingSystem[Any], log: list[Result]
) -> None:
    for change in fold(system, log, predecessors=PREDECESSORS).history:
        before = fold(system, log[: change.sequence], predecessors=PREDECESSORS).states
        for bot, state in change.before.items():
            if bot not in before:  # its first match
                assert state == start_state(system, bot, change.sequence, before, PREDECESSORS)
                if bot in PREDECESSORS:
                    assert system.display(state).games == 0
    never_played = start_state(system, "a3", 7, {}, PREDECESSORS)
    assert never_played == system.succeed(system.succeed(system.initial(), 7), 7)


@every_system
@few
@given(log=histories())
def test_versions_of_one_bot_do_not_change_each_other(system: RatingSystem[Any], log: list[Result]) -> None:
    table: Table[Any] = Table()
    states = table.states
    previous: dict[str, Any] = {}
    for change in replay(system, log, table, PREDECESSORS):
        assert {bot: states[bot] for bot in previous if bot not in change.after} == {
            bot: state for bot, state in previous.items() if bot not in change.after
        }
        previous = dict(states)


@every_system
@few
@given(log=histories())
def test_without_predecessors_every_version_is_a_newcomer(
    system: RatingSystem[Any], log: list[Result]
) -> None:
    first: dict[str, Any] = {}
    for change in fold(system, log).history:
        for bot, state in change.before.items():
            first.setdefault(bot, state)
    assert set(first.values()) == {system.initial()}


def test_predecessors_in_a_circle_come_to_an_end() -> None:
    circle = {"a1": "a2", "a2": "a1"}
    assert start_state(Elo(), "a1", 0, {}, circle) == Elo().initial()


def test_a_new_glicko_version_enters_from_its_predecessor_at_the_match() -> None:
    system = Glicko2(period=10)
    predecessor = Glicko2State(1640.0, 55.0, 0.0598, 40, period=0)
    silent = math.sqrt(55.0**2 + 3 * (0.0598 * 173.7178) ** 2)  # until the start of period 3
    start = system.succeed(predecessor, 35)
    assert start.rating == 1640.0
    assert start.deviation == pytest.approx(math.sqrt(silent**2 + 150**2))
    assert (start.volatility, start.games, start.period) == (0.06, 0, None)
    assert system.succeed(predecessor, 5).deviation == pytest.approx(159.765453, abs=1e-6)
    playing = predecessor._replace(information=1.5, surplus=0.5)
    closed = system.advance(playing, 1)
    assert system.succeed(playing, 5).rating == closed.rating
    assert system.succeed(playing, 5).deviation == pytest.approx(math.hypot(closed.deviation, 150))


@few
@given(
    states=st.lists(
        st.tuples(st.floats(800, 2200), st.floats(30, 350), st.floats(0.03, 0.1)), min_size=3, max_size=6
    )
)
def test_equals_who_all_tie_keep_their_ratings_in_glicko(states: list[tuple[float, float, float]]) -> None:
    rating = states[0][0]
    table = {f"g{n}": Glicko2State(rating, rd, vol, 9, 0) for n, (_, rd, vol) in enumerate(states)}
    system = Glicko2(period=10)
    after = system.step(table, Result("m", 1, tuple(Side((bot,), 1) for bot in table)))
    for bot, state in after.items():
        assert system.advance(state, 1).rating == pytest.approx(rating, abs=1e-9)
        assert state.surplus == 0
        assert table[bot].deviation > 0


def test_a_pair_of_n_sides_weighs_one_part_of_n_minus_1() -> None:
    system = Glicko2(period=10)
    ranking = Result("m", 1, tuple(Side((bot,), rank) for rank, bot in enumerate("abcd", 1)))
    whole = system.step({}, ranking)
    pairs = [
        system.step({}, Result("p", 1, (ranking.sides[0], other)))["a"].information
        for other in ranking.sides[1:]
    ]
    assert whole["a"].information == pytest.approx(sum(pairs) / 3)
    ordinary = system.step({}, Result("m", 1, ranking.sides[:2]))["a"]
    expected = 1 / (1 + 3 * (350 / 173.7178 / math.pi) ** 2) / 4
    assert ordinary.information == pytest.approx(expected)


@given(entrants=st.integers(1, 5000), seats=st.integers(2, 12))
def test_a_rating_period_has_ten_matches_a_bot(entrants: int, seats: int) -> None:
    assert rating_period(entrants, seats) == max(
        1, math.floor(Fraction(10 * entrants, seats) + Fraction(1, 2))
    )


@few
@given(log=histories(), size=st.integers(2, 8))
def test_a_match_of_a_mirrored_set_moves_plackett_luce_by_its_weight(log: list[Result], size: int) -> None:
    system = PlackettLuce()
    weight = 4 / (size + 3)
    states = fold(system, log[1:]).states
    alone, in_set = (system.step(states, replace(log[0], set_size=one)) for one in (1, size))
    for bot, state in in_set.items():
        before = states.get(bot, system.initial())
        assert state.mu - before.mu == pytest.approx(weight * (alone[bot].mu - before.mu), abs=1e-12)
        spread = before.sigma**2 + system.tau**2  # the growth before a match is not weighted
        left = 1 - weight * (1 - alone[bot].sigma ** 2 / spread)
        assert state.sigma**2 == pytest.approx(spread * left)


ANCHORS = {"b": 1400.0, "c": 1700.0, "unheard": 2000.0}


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
@few
@given(log=histories(), established=st.integers(1, 8))
def test_anchors_move_the_whole_table_by_one_shift(
    system: RatingSystem[Any], log: list[Result], established: int
) -> None:
    states = fold(system, log).states
    shift = anchor_shift(system, states, ANCHORS, established)
    moved = {bot: system.moved(state, shift) for bot, state in states.items()}
    for bot, state in moved.items():
        assert system.centre(state) - system.centre(states[bot]) == pytest.approx(shift, abs=1e-6)
        assert system.display(state).value - system.display(states[bot]).value == pytest.approx(
            shift, abs=1e-6
        )
        assert system.display(state).games == system.display(states[bot]).games
    counting = [bot for bot in ANCHORS if bot in states and system.display(states[bot]).games >= established]
    above = [ANCHORS[bot] - system.centre(moved[bot]) for bot in counting]
    assert math.fsum(above) == pytest.approx(0, abs=1e-6)
    assert counting or shift == 0


def test_anchors_are_measured_by_the_skill_not_by_its_cautious_bound() -> None:
    states = {"ref": PlackettLuceState(27.0, 2.0, 40)}
    assert anchor_shift(PlackettLuce(), states, {"ref": 30.0}) == 3.0
    assert anchor_shift(Elo(), {"ref": EloState(1480.0, 29)}, {"ref": 1500.0}) == 0.0
