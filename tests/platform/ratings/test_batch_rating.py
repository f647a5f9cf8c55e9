"""The batch rating (RATINGS, section 7, and properties 18 to 21)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.ratings import (
    Anchor,
    NotStronglyConnected,
    RatingError,
    Result,
    Side,
    Unit,
    evidence,
    expected_score,
    fit,
    likelihood,
    pair_evidence,
    strengths,
    strong_components,
)

BOTS = "abcde"

few = settings(max_examples=15, deadline=None)


def duel(number: int, one: str, other: str, ranks: tuple[int, int]) -> Result:
    return Result(f"m{number}", number, (Side((one,), ranks[0]), Side((other,), ranks[1])))


@st.composite
def logs(draw: st.DrawFn) -> list[Result]:
    """Results in which everybody drew with the next in a circle, so that there is one finite answer."""
    circle = [duel(n, bot, BOTS[(n + 1) % len(BOTS)], (1, 1)) for n, bot in enumerate(BOTS)]
    number = draw(st.integers(0, 25))
    for n in range(number):
        one, other = draw(st.permutations(BOTS))[:2]
        circle.append(duel(100 + n, one, other, draw(st.sampled_from([(1, 2), (1, 1), (2, 1)]))))
    return circle


@few
@given(log=logs(), prior=st.sampled_from([0.0, 2.0]), seed=st.randoms(use_true_random=False))
def test_the_order_of_the_log_is_irrelevant(log: list[Result], prior: float, seed: random.Random) -> None:
    shuffled = list(log)
    seed.shuffle(shuffled)
    one, other = fit(evidence(log), prior), fit(evidence(shuffled), prior)
    assert one.bots == other.bots
    assert one.ratings == pytest.approx(other.ratings, abs=1e-9)
    assert one.robust_errors == pytest.approx(other.robust_errors, abs=1e-7)


@few
@given(log=logs())
def test_twice_the_evidence_divides_every_error_by_the_root_of_two(log: list[Result]) -> None:
    units = evidence(log)
    once, twice = fit(units, 0), fit({unit: 2 * count for unit, count in units.items()}, 0)
    assert twice.ratings == pytest.approx(once.ratings, abs=1e-8)
    for error, smaller in zip(
        once.errors + once.robust_errors, twice.errors + twice.robust_errors, strict=True
    ):
        assert smaller == pytest.approx(error / math.sqrt(2), rel=1e-9, abs=1e-9)


@few
@given(log=logs(), prior=st.sampled_from([0.0, 2.0]), value=st.floats(-3000, 3000), bot=st.sampled_from(BOTS))
def test_the_anchor_changes_no_difference(log: list[Result], prior: float, value: float, bot: str) -> None:
    units = evidence(log)
    one, other = fit(units, prior), fit(units, prior, Anchor(value, bot))
    assert other.rating(bot) == pytest.approx(value)
    assert other.error(bot) == 0
    for i in BOTS:
        for j in BOTS:
            for robust in (False, True):
                assert one.difference(i, j, robust) == pytest.approx(other.difference(i, j, robust), abs=1e-8)
                assert one.superiority(i, j, robust) == pytest.approx(
                    other.superiority(i, j, robust), abs=1e-9
                )


@few
@given(log=logs(), prior=st.sampled_from([0.0, 0.5, 2.0]))
def test_every_bot_scores_what_its_rating_expects(log: list[Result], prior: float) -> None:
    units = evidence(log)
    table = fit(units, prior, Anchor(0.0))
    surplus = dict.fromkeys(BOTS, 0.0)
    for unit, count in units.items():
        for meeting in unit:
            expected = expected_score(table.rating(meeting.bot), table.rating(meeting.opponent))
            surplus[meeting.bot] += count * (meeting.points - meeting.games * expected)
            surplus[meeting.opponent] -= count * (meeting.points - meeting.games * expected)
    if prior == 0:
        assert max(map(abs, surplus.values())) < 1e-9
    assert sum(surplus.values()) == pytest.approx(0, abs=1e-9)


@few
@given(log=logs(), prior=st.sampled_from([0.0, 2.0]))
def test_chances_of_superiority_add_up_to_one(log: list[Result], prior: float) -> None:
    table = fit(evidence(log), prior)
    for i in BOTS:
        assert table.superiority(i, i) == 0.5
        for j in BOTS:
            assert table.superiority(i, j) + table.superiority(j, i) == pytest.approx(1, abs=1e-12)


@few
@given(log=logs(), games=st.integers(1, 5))
def test_a_bot_that_only_won_is_refused_without_a_prior(log: list[Result], games: int) -> None:
    perfect = [duel(1000 + n, "winner", BOTS[n % len(BOTS)], (1, 2)) for n in range(games)]
    units = evidence(log + perfect)
    with pytest.raises(NotStronglyConnected, match="not strongly connected: 2 groups") as refused:
        fit(units, 0)
    assert refused.value.components == [list(BOTS), ["winner"]]
    table = fit(units, 1)
    assert table.components == (tuple(BOTS), ("winner",))
    assert all(map(math.isfinite, table.ratings + table.errors))


def test_who_took_points_one_way_only_is_in_another_component() -> None:
    units = evidence([duel(1, "a", "b", (1, 2)), duel(2, "b", "c", (1, 1)), duel(3, "c", "a", (2, 1))])
    assert strong_components(units) == [["a"], ["b", "c"]]


def test_a_mirrored_set_is_one_unit_of_evidence() -> None:
    # each set is halved: one win for whoever sits first
    log = [duel(n, *(("a", "b") if n % 2 else ("b", "a")), (1, 2)) for n in range(20)]
    alone, together = fit(evidence(log), 0), fit(evidence(log, unit_of=lambda one: one.sequence // 2), 0)
    assert together.ratings == alone.ratings
    assert alone.error("a") > 30
    assert together.error("a") == pytest.approx(0, abs=1e-6)
    assert together.superiority("a", "b") == 0.5


def test_three_sides_count_as_three_pairs_of_half_weight_in_one_unit() -> None:
    result = Result("m", 1, (Side(("c",), 1), Side(("a",), 2), Side(("b",), 2)))
    ((unit, count),) = evidence([result]).items()
    assert count == 1
    assert [(one.bot, one.opponent, one.points, one.games) for one in unit] == [
        ("a", "b", 0.25, 0.5),
        ("a", "c", 0.0, 0.5),
        ("b", "c", 0.0, 0.5),
    ]


def test_a_long_chain_of_bots_still_converges() -> None:
    units: dict[Unit, int] = {}
    for number in range(60):
        units |= pair_evidence(f"b{number:02}", f"b{number + 1:02}", 3, 0, 1)
    table = fit(units, 0)
    steps = [high - low for high, low in zip(table.ratings, table.ratings[1:], strict=False)]
    assert steps == pytest.approx([400 * math.log10(3)] * 60)


@pytest.mark.parametrize("prior", [1e-9, 1e-6, 1e3])
def test_a_tiny_or_huge_prior_still_gives_one_answer(prior: float) -> None:
    units = {**pair_evidence("a", "b", 30, 5, 10), **pair_evidence("b", "c", 20, 5, 30)}
    table = fit(units, prior)
    assert sum(table.ratings) / 3 == pytest.approx(1500)
    if prior < 1:
        assert table.ratings == pytest.approx(fit(units, 0).ratings, abs=1e-4)


@pytest.mark.parametrize("prior", [0.0, 2.0])
@pytest.mark.parametrize("anchor", [None, Anchor(1000.0, "b007")])
def test_the_strengths_of_many_bots_are_those_that_a_direct_solution_gives(
    prior: float, anchor: Anchor | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(4)
    units: dict[Unit, int] = {}
    for number in range(160):
        for other in (number + 1, number + 2, rng.randrange(160)):
            if other % 160 != number:
                results = (rng.randrange(1, 4), 1, rng.randrange(1, 4))
                units |= pair_evidence(f"b{number:03}", f"b{other % 160:03}", *results)
    many = strengths(units, prior, anchor)
    monkeypatch.setattr(likelihood, "DIRECT", 1000)
    few_at_a_time = strengths(units, prior, anchor)
    assert many == pytest.approx(few_at_a_time, abs=1e-7)
    assert list(many) == sorted(many)
    assert many["b007"] == pytest.approx(1000) or anchor is None


def test_many_bots_without_one_answer_are_refused_too() -> None:
    units: dict[Unit, int] = {}
    for number in range(200):
        units |= pair_evidence(f"b{number:03}", f"b{number + 1:03}", 1, 0, 0)
    with pytest.raises(NotStronglyConnected, match="201 groups"):
        strengths(units, 0)
    found = strengths(units, 2)
    assert sorted(found, key=lambda bot: -found[bot]) == sorted(found)


@few
@given(log=logs(), cut=st.integers(0, 30))
def test_components_are_those_of_the_graph_of_points_taken(log: list[Result], cut: int) -> None:
    units = evidence(log[len(BOTS) :][:cut])
    graph = networkx.DiGraph()
    for unit in units:
        for meeting in unit:
            graph.add_nodes_from((meeting.bot, meeting.opponent))
            graph.add_edges_from([(meeting.bot, meeting.opponent)] * (meeting.points > 0))
            graph.add_edges_from([(meeting.opponent, meeting.bot)] * (meeting.points < meeting.games))
    expected = sorted(map(sorted, networkx.strongly_connected_components(graph)))
    assert strong_components(units) == expected


def test_nothing_played_is_an_empty_table() -> None:
    assert strengths({}) == {}
    table = fit({})
    assert (table.bots, table.ratings, table.log_likelihood) == ((), (), 0.0)


@pytest.mark.parametrize(
    ("units", "prior", "anchor", "told"),
    [
        (pair_evidence("a", "b", 1, 1, 1), -1.0, None, "prior"),
        (pair_evidence("a", "b", 1, 1, 1), math.nan, None, "prior"),
        (pair_evidence("a", "b", 1, 1, 1), 0.0, Anchor(0, "c"), "anchor 'c' has no match"),
    ],
)
def test_a_fit_that_makes_no_sense_is_refused(
    units: dict[Unit, int], prior: float, anchor: Anchor | None, told: str
) -> None:
    with pytest.raises(RatingError, match=told):
        fit(units, prior, anchor)


def test_unknown_bots_teams_and_odd_counts_are_refused() -> None:
    with pytest.raises(RatingError, match="'z' has no match"):
        fit(pair_evidence("a", "b", 1, 1, 1)).rating("z")
    with pytest.raises(RatingError, match="sides of one bot"):
        evidence([Result("m", 1, (Side(("a", "b"), 1), Side(("c", "d"), 2)))])
    for wrong in (("a", "a", 1, 0, 0), ("a", "b", -1, 0, 0)):
        with pytest.raises(RatingError, match="is no result"):
            pair_evidence(*wrong)


def coverage(draw_rate: float, pools: int, seed: int) -> Sequence[float]:
    """Return how often the plain and the robust 95 % interval of a difference hold the truth."""
    rng = random.Random(seed)
    truth = {"a": 60.0, "b": 0.0, "c": -60.0}
    covered = [0, 0]
    for _ in range(pools):
        units: dict[Unit, int] = {}
        for one, other in (("a", "b"), ("a", "c"), ("b", "c")):
            expected = expected_score(truth[one], truth[other])
            counts = [0, 0, 0]
            for _ in range(60):
                drawn = rng.random() < 2 * draw_rate * min(expected, 1 - expected)
                left = (expected - draw_rate * min(expected, 1 - expected)) / (
                    1 - 2 * draw_rate * min(expected, 1 - expected)
                )
                counts[1 if drawn else 0 if rng.random() < left else 2] += 1
            units |= pair_evidence(one, other, counts[0], counts[1], counts[2])
        table = fit(units, 0.01)
        for kind, robust in enumerate((False, True)):
            ahead, error = table.difference("a", "c", robust)
            covered[kind] += abs(ahead - 120) <= 1.959963984540054 * error
    return [count / pools for count in covered]


def test_with_many_draws_the_robust_error_is_right_and_the_plain_one_too_wide() -> None:
    plain, robust = coverage(draw_rate=0.5, pools=400, seed=7)
    assert 0.92 <= robust <= 0.98
    assert plain > robust
