"""The batch rating (RATINGS, section 7, and properties 18 to 21)."""

from __future__ import annotations

import math
import random
import runpy
from pathlib import Path

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.ratings import (
    Anchor,
    Meeting,
    NotStronglyConnected,
    RatingError,
    Result,
    Side,
    Tie,
    Unit,
    evidence,
    expected_score,
    fit,
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
    assert one.errors() == pytest.approx(other.errors(), abs=1e-7)


@few
@given(log=logs())
def test_twice_the_evidence_divides_every_plain_error_by_the_root_of_two(log: list[Result]) -> None:
    units = evidence(log)
    once, twice = fit(units, 0), fit({unit: 2 * count for unit, count in units.items()}, 0)
    assert twice.ratings == pytest.approx(once.ratings, abs=1e-8)
    for error, smaller in zip(
        once.with_plain_errors().errors(), twice.with_plain_errors().errors(), strict=True
    ):
        assert smaller == pytest.approx(error / math.sqrt(2), rel=1e-9, abs=1e-9)


@few
@given(log=logs(), prior=st.sampled_from([0.0, 2.0]), value=st.floats(-3000, 3000), bot=st.sampled_from(BOTS))
def test_the_anchor_changes_no_difference(log: list[Result], prior: float, value: float, bot: str) -> None:
    units = evidence(log)
    one, other = fit(units, prior), fit(units, prior, Anchor(value, bot))
    assert other.rating(bot) == pytest.approx(value)
    assert other.errors()[other.bots.index(bot)] == 0
    plain = one.with_plain_errors(), other.with_plain_errors()
    for table, shifted in ((one, other), plain):
        for i in BOTS:
            for j in BOTS:
                assert table.difference(i, j) == pytest.approx(shifted.difference(i, j), abs=1e-8)
                assert table.superiority(i, j) == pytest.approx(shifted.superiority(i, j), abs=1e-9)


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
    assert all(map(math.isfinite, (*table.ratings, *table.errors())))


def test_one_way_winner_is_in_another_component() -> None:
    units = evidence([duel(1, "a", "b", (1, 2)), duel(2, "b", "c", (1, 1)), duel(3, "c", "a", (2, 1))])
    assert strong_components(units) == [["a"], ["b", "c"]]


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


def test_many_bots_without_one_answer_are_refused_too() -> None:
    units: dict[Unit, int] = {}
    for number in range(200):
        units |= pair_evidence(f"b{number:03}", f"b{number + 1:03}", 1, 0, 0)
    with pytest.raises(NotStronglyConnected, match="201 groups"):
        strengths(units, 0)
    ratings = strengths(units, 2)
    assert sorted(ratings, key=lambda bot: -ratings[bot].rating) == sorted(ratings)


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
    ("units", "prior", "anchor", "message"),
    [
        (pair_evidence("a", "b", 1, 1, 1), -1.0, None, "prior"),
        (pair_evidence("a", "b", 1, 1, 1), math.nan, None, "prior"),
        (pair_evidence("a", "b", 1, 1, 1), 0.0, Anchor(0, "c"), "anchor 'c' has no match"),
    ],
)
def test_a_fit_that_makes_no_sense_is_refused(
    units: dict[Unit, int], prior: float, anchor: Anchor | None, message: str
) -> None:
    with pytest.raises(RatingError, match=message):
        fit(units, prior, anchor)


def test_unknown_bots_teams_and_odd_counts_are_refused() -> None:
    with pytest.raises(RatingError, match="'z' has no match"):
        fit(pair_evidence("a", "b", 1, 1, 1)).rating("z")
    with pytest.raises(RatingError, match="sides of one bot"):
        evidence([Result("m", 1, (Side(("a", "b"), 1), Side(("c", "d"), 2)))])
    for wrong in (("a", "a", 1, 0, 0), ("a", "b", -1, 0, 0)):
        with pytest.raises(RatingError, match="is not a result"):
            pair_evidence(*wrong)


def groups_of(log: list[Result], size: int) -> dict[Unit, int]:
    """The evidence, so many matches in a row together."""
    return evidence(log, lambda result: result.sequence // size)


@few
@given(log=logs(), size=st.integers(1, 4), prior=st.sampled_from([0.0, 2.0]), swap=st.randoms())
def test_the_dispersion_does_not_depend_on_names_or_on_any_order(
    log: list[Result], size: int, prior: float, swap: random.Random
) -> None:
    units = groups_of(log, size)
    names = dict(zip(BOTS, swap.sample("vwxyz", 5), strict=True))
    other: dict[Unit, int] = {}
    for unit, count in swap.sample(list(units.items()), len(units)):
        turned = [
            Meeting(names[one.opponent], names[one.bot], one.games - one.points, one.games)
            if swap.random() < 0.5
            else Meeting(names[one.bot], names[one.opponent], one.points, one.games)
            for one in swap.sample(unit, len(unit))
        ]
        other[tuple(turned)] = other.get(tuple(turned), 0) + count
    table, same = fit(units, prior), fit(other, prior)
    assert same.dispersion[1:] == pytest.approx(table.dispersion[1:], rel=1e-7)
    for bot, error, pull in zip(table.bots, table.errors(), table.spread.pulls[0], strict=True):
        row = same.bots.index(names[bot])
        assert same.errors()[row] == pytest.approx(error, rel=1e-7, abs=1e-7)
        assert same.spread.pulls[0][row] == pytest.approx(pull, abs=1e-6)


def test_units_that_score_exactly_what_is_expected_leave_only_the_belief() -> None:
    units: dict[Unit, int] = {
        (Meeting("a", "b", 1.5, 2.0),): 7,
        (Meeting("b", "c", 1.0, 2.0),): 4,
        (Meeting("a", "c", 1.5, 2.0),): 3,
    }
    table = fit(units, 0)
    nu = 7 + 4 + 3 - 2  # one for each unit, less what three bots without a common shift use up
    assert table.dispersion.raw == pytest.approx(0, abs=1e-12)
    assert table.dispersion.value == pytest.approx(5 / (5 + nu))
    assert table.dispersion.df == pytest.approx(5 + nu)


@few
@given(log=logs(), size=st.integers(2, 6), prior=st.sampled_from([0.0, 2.0]))
def test_splitting_units_changes_the_dispersion_alone(log: list[Result], size: int, prior: float) -> None:
    together, alone = fit(groups_of(log, size), prior), fit(evidence(log), prior)
    assert alone.ratings == pytest.approx(together.ratings, abs=1e-9)
    assert alone.with_plain_errors().errors() == pytest.approx(
        together.with_plain_errors().errors(), abs=1e-9
    )


def by_hand(
    units: dict[Unit, int], ratings: dict[str, float], prior: float
) -> tuple[float, float, list[list[float]]]:
    """Dispersion, degrees of freedom and V by the formulas of section 7.4, every unit written out as vectors."""
    bots = sorted(ratings)
    rows, c = range(len(bots)), math.log(10) / 400

    def times(one: list[list[float]], other: list[list[float]]) -> list[list[float]]:
        return [[math.fsum(one[i][k] * other[k][j] for k in rows) for j in rows] for i in rows]

    def trace(matrix: list[list[float]]) -> float:
        return math.fsum(matrix[i][i] for i in rows)

    def chance(bot: str, other: str) -> float:
        return 1 / (1 + 10 ** ((ratings[other] - ratings[bot]) / 400))

    shares = []
    for unit, count in units.items():
        g, h = [0.0 for _ in rows], [[0.0 for _ in rows] for _ in rows]
        for one in unit:
            x = [(bot == one.bot) - (bot == one.opponent) for bot in bots]
            e = chance(one.bot, one.opponent)
            for i in rows:
                g[i] += c * (one.points - one.games * e) * x[i]
                for j in rows:
                    h[i][j] += c * c * one.games * e * (1 - e) * x[i] * x[j]
        shares += [(g, h, len({bot for one in unit for bot in one[:2]}))] * count
    total = [[math.fsum(h[i][j] for _, h, _ in shares) for j in rows] for i in rows]
    towards = [1 / (1 + 10 ** (-ratings[bot] / 400)) for bot in bots]
    # Gauss and Jordan: the identity beside the information becomes its inverse
    work = [
        [total[i][j] + (i == j) * c * c * prior * towards[i] * (1 - towards[i]) for j in rows]
        + [float(i == j) for j in rows]
        for i in rows
    ]
    for k in rows:
        work[k] = [value / work[k][k] for value in work[k]]
        for i in rows:
            if i != k:
                work[i] = [value - work[i][k] * pivot for value, pivot in zip(work[i], work[k], strict=True)]
    inverse = [line[len(bots) :] for line in work]
    nu = sum(k - 1 for _, _, k in shares) - trace(times(inverse, total))
    raw = math.fsum(value * value for g, _, _ in shares for value in g) / math.fsum(
        trace(h) - trace(times(h, times(inverse, h))) for _, h, _ in shares
    )
    phi = (5 + nu * raw) / (5 + nu)
    b = [math.fsum(inverse[i][j] * c * prior * (0.5 - towards[j]) for j in rows) for i in rows]
    return phi, 5 + nu, [[phi * inverse[i][j] + b[i] * b[j] for j in rows] for i in rows]


@few
@given(log=logs(), size=st.integers(1, 5), prior=st.sampled_from([0.5, 2.0]))
def test_shown_errors_are_those_that_a_second_program_finds(
    log: list[Result], size: int, prior: float
) -> None:
    units = groups_of(log, size)
    internal = {bot: strength.rating for bot, strength in strengths(units, prior).items()}
    phi, df, v = by_hand(units, internal, prior)
    table = fit(units, prior, Anchor(0.0, "c"))
    assert (table.dispersion.value, table.dispersion.df) == pytest.approx((phi, df), rel=1e-9)
    errors = [math.sqrt(v[i][i] + v[2][2] - 2 * v[i][2]) for i in range(5)]
    assert table.errors() == pytest.approx(errors, rel=1e-8, abs=1e-6)
    for i, bot in enumerate(BOTS):
        for j, other in enumerate(BOTS):
            error = math.sqrt(v[i][i] + v[j][j] - 2 * v[i][j])
            assert table.difference(bot, other)[1] == pytest.approx(error, rel=1e-8, abs=1e-6)


@pytest.mark.parametrize("prior", [0.0, 2.0])
def test_more_bots_than_are_inverted_for_have_errors_but_no_superiority(prior: float) -> None:
    rng = random.Random(1)
    log = []
    for number in range(600):
        one, other = rng.sample(range(20), 2)
        log.append(duel(number, f"b{one:02}", f"b{other:02}", rng.choice([(1, 2), (1, 1), (2, 1)])))
    units = evidence(log)
    exact, quick = fit(units, prior), fit(units, prior, most_inverted=10)
    assert quick.ratings == exact.ratings
    assert exact.has_superiority
    assert not quick.has_superiority
    assert quick.errors() == pytest.approx(exact.errors(), rel=0.2)
    assert quick.dispersion.value == pytest.approx(exact.dispersion.value, rel=0.1)
    assert fit(units, prior, Anchor(0.0, "b03"), most_inverted=10).errors()[3] == 0
    with pytest.raises(RatingError, match="differences of 20 bots have no error"):
        quick.superiority("b00", "b01")


def test_ties_draw_consecutive_versions_together_and_connect_them() -> None:
    units = {**pair_evidence("a1", "b", 9, 0, 3), **pair_evidence("a3", "c", 3, 2, 9)}
    with pytest.raises(NotStronglyConnected, match="2 groups"):
        fit(units, 0)
    tie = Tie(4.0, [["a1", "a2", "a3"], ["b"]])  # a2 never played: the versions beside it are consecutive
    assert fit(units, 0, tie=tie).components == (("a1", "a3", "b", "c"),)
    loose, tied = fit(units), fit(units, tie=tie)
    assert abs(tied.rating("a1") - tied.rating("a3")) < abs(loose.rating("a1") - loose.rating("a3"))
    assert fit(units, tie=Tie(0.0, tie.lineages)).ratings == loose.ratings
    with pytest.raises(RatingError, match="the tie is a number"):
        fit(units, tie=Tie(-1.0, ()))


SIMULATED = runpy.run_path(
    str(Path(__file__).parents[3] / "benchmarks" / "simulated_contests.py"), run_name="simulated"
)

CONTESTS = {contest.name: contest for contest in SIMULATED["CONTESTS"]}


@pytest.mark.parametrize("column", ["sd 50", "sd 400", "luck 0.7, sd 200", "half drawn, sd 200"])
@pytest.mark.parametrize(
    "name",
    [name for name, one in CONTESTS.items() if one.bots <= 12 and not one.is_seeded and one.weight >= 1],
)
def test_intervals_that_are_shown_hold_the_truth(name: str, column: str) -> None:
    contest, (deviation, luck) = CONTESTS[name], SIMULATED["COLUMNS"][column]
    measured = SIMULATED["measure"](contest, deviation, luck, max(4, 48 // contest.bots), "suite")
    # 95 % of about 50 dependent intervals; benchmarks/simulated_contests.py has more tables, and larger contests
    assert measured.share(1) + 3 * measured.doubt(1) >= 0.88
    for low, (true, made) in measured.claims.items():
        assert true >= low * made - 4 * math.sqrt(made)


def test_two_virtual_draws_are_too_sure_of_near_equals_that_meet_again_and_again() -> None:
    ladder, (_, luck) = CONTESTS["ladder, 16 bots, 40 rounds"], SIMULATED["COLUMNS"]["sd 0"]
    measured = SIMULATED["measure"](ladder, 0.0, luck, 6, "ladder")
    assert measured.share(0) < 0.8
    assert measured.share(1) > 0.9
