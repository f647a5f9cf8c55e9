"""Head to head and the sequential test (RATINGS, sections 8 and 9, and properties 22 to 24)."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.ratings import (
    RatingError,
    Sprt,
    SprtState,
    count_units,
    elo_from_score,
    head_to_head,
    lasting,
    pairs_needed,
)

few = settings(max_examples=30, deadline=None)

counts_of = st.one_of(
    st.lists(st.integers(0, 300), min_size=3, max_size=3),
    st.lists(st.integers(0, 300), min_size=5, max_size=5),
).filter(any)


@few
@given(counts=counts_of)
def test_reversed_counts_negate_the_lead(counts: list[int]) -> None:
    units = 1 if len(counts) == 3 else 2
    here, there = head_to_head(counts, units), head_to_head(counts[::-1], units)
    for mine, theirs in ((here.elo, there.elo), (here.nelo, there.nelo), (here.elo_lo, there.elo_hi)):
        assert (mine is None) == (theirs is None)
        if mine is not None and theirs is not None:
            assert mine == pytest.approx(-theirs, abs=1e-6)
    if here.los is not None and there.los is not None:
        assert here.los == pytest.approx(1 - there.los, abs=1e-12)
    assert here.games == there.games
    assert here.variance == pytest.approx(there.variance)


def test_infinite_value_is_none() -> None:
    swept = head_to_head([0, 0, 8])
    assert (swept.elo, swept.elo_hi, swept.nelo, swept.los) == (None, None, None, None)
    assert swept.los_decisive == pytest.approx(0.9976611325094764)
    assert head_to_head([0, 4, 0]).los_decisive is None
    assert elo_from_score(1.0) is None


def test_a_cycle_of_seats_that_always_came_out_the_same_has_no_variance() -> None:
    for steps in range(2, 8):
        for place in range(steps + 1):
            for units in (1, 3, 25, 49, 97):
                counts = [0] * (steps + 1)
                counts[place] = units
                result = head_to_head(counts, games_per_unit=steps)
                assert (result.variance, result.nelo, result.los) == (0.0, None, None)


def test_units_are_counted_by_their_score() -> None:
    assert count_units([0, 0.25, 0.5, 0.5, 1], steps=4) == [1, 1, 2, 0, 1]
    with pytest.raises(RatingError, match=r"score of 0\.3"):
        count_units([0.3], steps=4)


@pytest.mark.parametrize("counts", [[], [3], [1, -1, 2], [0, 0, 0]])
def test_counts_of_nothing_are_refused(counts: list[int]) -> None:
    with pytest.raises(RatingError, match="counts"):
        head_to_head(counts)


@few
@given(
    counts=st.lists(st.integers(0, 60), min_size=5, max_size=5),
    elo0=st.floats(-30, 20),
    width=st.floats(1, 30),
    model=st.sampled_from(["normalized", "logistic"]),
)
def test_exchanging_the_bots_and_the_hypotheses_negates_the_ratio(
    counts: list[int], elo0: float, width: float, model: str
) -> None:
    here = Sprt(elo0, elo0 + width, model=model)  # type: ignore[arg-type]  # one of the two literals
    there = Sprt(-elo0 - width, -elo0, model=model)  # type: ignore[arg-type]  # one of the two literals
    assert here.llr(counts) == pytest.approx(-there.llr(counts[::-1]), abs=1e-7)


@few
@given(outcomes=st.lists(st.integers(0, 4), max_size=40), later=st.lists(st.integers(0, 4), max_size=5))
def test_a_decision_follows_from_the_units_until_it_falls(outcomes: list[int], later: list[int]) -> None:
    test = Sprt(0, 150)
    state = test.run(outcomes)
    assert state == test.run(outcomes)
    assert state.units == sum(state.counts) <= len(outcomes)
    if state.decision == "continue":
        assert state.units == len(outcomes)
        assert test.lower < state.llr < test.upper
    else:
        assert test.run(outcomes + later) == state
        assert test.decide(state.counts) == state


@few
@given(pairs=st.integers(3_000, 1_000_000), elo0=st.sampled_from([-0.1, 0.0, 0.1]))
def test_bot_that_loses_every_pair_has_a_ratio(pairs: int, elo0: float) -> None:
    test = Sprt(elo0, elo0 + 0.1)
    lost = test.llr([pairs, 0, 0, 0, 0])
    assert lost < 0
    assert lost == pytest.approx(-Sprt(-elo0 - 0.1, -elo0).llr([0, 0, 0, 0, pairs]), rel=1e-5)


@pytest.mark.parametrize("counts", [[0, 0, 0, 0, 40], [0, 0, 6, 0, 4], [0, 0, 30, 0, 0], [9, 1, 0, 0, 0]])
def test_lopsided_counts_have_a_ratio_too(counts: list[int]) -> None:
    test = Sprt(0, 100)
    units = sum(counts)
    mean = sum(index * count for index, count in enumerate(counts)) / units / 4
    assert test.llr(counts) * (mean - 0.6) > 0 or counts == [0, 0, 30, 0, 0]
    assert test.llr(counts) == pytest.approx(-Sprt(-100, 0).llr(counts[::-1]), abs=1e-7)


def test_bounds_are_those_of_wald() -> None:
    test = Sprt(alpha=0.01, beta=0.1)
    assert (test.lower, test.upper) == (math.log(0.1 / 0.99), math.log(0.9 / 0.01))


@pytest.mark.parametrize(
    ("width", "ends", "midway"), [(5, 12795, 20931), (10, 3199, 5233), (20, 800, 1308), (40, 200, 327)]
)
def test_the_expected_length_of_a_test_is_known_beforehand(width: float, ends: float, midway: float) -> None:
    assert pairs_needed(0, width) == pytest.approx((ends, midway), rel=1e-3)


def pairs(elo: float, rng: random.Random, draw_rate: float = 0.3) -> int:
    """Return the outcome of one mirrored pair between bots that are ``elo`` normalised points apart."""
    sigma = math.sqrt((1 - draw_rate) / 4)
    score = 0.5 + elo * math.log(10) / 800 * sigma
    win = score - draw_rate / 2
    return sum(2 if x < win else 1 if x < win + draw_rate else 0 for x in (rng.random(), rng.random()))


@pytest.mark.parametrize(("truth", "wrong"), [(0, "H1"), (140, "H0")])
def test_simulated_contests_end_wrongly_no_more_often_than_promised(truth: float, wrong: str) -> None:
    runs, rate = 400, 0.05
    rng = random.Random(22)
    test = Sprt(0, 140, rate, rate)
    ends = [test.run(pairs(truth, rng) for _ in range(10_000)).decision for _ in range(runs)]
    assert "continue" not in ends
    assert ends.count(wrong) / runs < rate + 3 * math.sqrt(rate * (1 - rate) / runs)  # type: ignore[arg-type]  # a decision


@pytest.mark.parametrize(("truth", "is_outward"), [(0, -1), (70, 0), (140, 1)])
def test_the_estimate_after_the_stop_is_too_high_as_often_as_too_low(truth: float, is_outward: int) -> None:
    rng, test, runs = random.Random(5), Sprt(0, 140), 300
    above = read_off = 0
    for _ in range(runs):
        state = test.run(pairs(truth, rng) for _ in range(10_000))
        drift, result = test.drift(state), head_to_head(state.counts, 2)
        assert drift is not None
        above += test.elo_of(drift) > truth
        read_off += (result.nelo or math.copysign(math.inf, result.score - 0.5)) > truth
    assert 0.4 < above / runs < 0.6
    if is_outward > 0:  # as a test that stopped because it was far tells too much
        assert read_off / runs > 0.6
    if is_outward < 0:
        assert read_off / runs < 0.46


def test_the_drift_at_the_stop_is_that_of_a_random_walk() -> None:
    test = Sprt(0, 40)
    assert test.drift(test.decide([0, 0, 1, 0, 0])) is None
    assert Sprt(0, 40, model="logistic").drift(SprtState(9, (0, 0, 0, 0, 9), 9.0, "H1")) is None
    # Long tests stop between the hypotheses, short ones far outside; both ways alike.
    estimates = [
        test.elo_of(test.drift(SprtState(n, (), 3.0, "H1")) or 0.0) for n in (30, 100, 300, 1000, 5000)
    ]
    assert estimates == sorted(estimates, reverse=True)
    assert estimates[0] > 60
    assert 15 < estimates[-1] < 25
    mirrored = [test.elo_of(test.drift(SprtState(n, (), -3.0, "H0")) or 0.0) for n in (30, 1000)]
    assert mirrored == pytest.approx([40 - estimates[0], 40 - estimates[3]])


@pytest.mark.parametrize("elo", [0.0, 100.0])
def test_an_interval_that_is_looked_at_again_and_again_holds_at_every_look(elo: float) -> None:
    runs, most = 150, 300
    rng = random.Random(9)
    score = 1 / (1 + 10 ** (-elo / 400))
    held = once = 0
    for _ in range(runs):
        counts = [0] * 5
        is_held = is_held_by_one_look = True
        for number in range(1, most + 1):
            counts[2 * (rng.random() < score) + 2 * (rng.random() < score)] += 1
            interval = lasting(counts)
            assert (interval is None) == (number < 20)
            if interval is not None:
                is_held &= (interval.low is None or interval.low <= elo) and (
                    interval.high is None or elo <= interval.high
                )
                result = head_to_head(counts, 2)
                is_held_by_one_look &= (result.elo_lo is None or result.elo_lo <= elo) and (
                    result.elo_hi is None or elo <= result.elo_hi
                )
        held += is_held
        once += is_held_by_one_look
    assert held / runs >= 0.93
    assert once / runs < 0.8


def test_the_interval_for_all_looks_is_that_of_the_formula() -> None:
    counts = [5, 20, 100, 50, 25]
    t, m = 200, (0.25 * 20 + 0.5 * 100 + 0.75 * 50 + 25) / 200
    of = [0.0] * 5 + [0.25] * 20 + [0.5] * 100 + [0.75] * 50 + [1.0] * 25
    s = math.sqrt((5 * 0.354**2 + sum((x - m) ** 2 for x in of)) / (5 + t))
    r2 = (-2 * math.log(0.05) + math.log(-2 * math.log(0.05) + 1)) / 200
    half = s * math.sqrt(2 * (t * r2 + 1) / (t * t * r2) * math.log(math.sqrt(t * r2 + 1) / 0.05))
    interval = lasting(counts)
    assert interval is not None
    assert tuple(interval) == pytest.approx((elo_from_score(m - half), elo_from_score(m + half)))
    assert str(lasting([0, 0, 0, 0, 20])) == f"{lasting([0, 0, 0, 0, 20])[0]:+.0f} or more"  # type: ignore[index]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 below elo1"),
        ({"elo1": math.nan}, "elo0 below elo1"),
        ({"elo1": math.inf}, "within 500 of 0"),
        ({"alpha": 0.6, "beta": 0.5}, "error rates"),
        ({"alpha": 1e-320}, "error rates"),
        ({"beta": math.nan}, "error rates"),
        ({"support": (0, 1, 1)}, "ascending"),
        ({"model": "bayesian"}, "models normalized and logistic"),
    ],
)
def test_a_test_that_cannot_be_held_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(RatingError, match=message):
        Sprt(**arguments)  # type: ignore[arg-type]  # wrong on purpose


def test_counts_that_do_not_fit_the_support_are_refused() -> None:
    with pytest.raises(RatingError, match="need 5"):
        Sprt().llr([1, 2, 3])
    with pytest.raises(RatingError, match="as far from even as"):
        Sprt(0, 50, support=(0.0, 0.4)).llr([3, 4])
