"""The batch rating with an estimated spread of the field (RATINGS, section 7.4.2, and properties 31 to 38)."""

from __future__ import annotations

import math
import random
from itertools import combinations, pairwise

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.ratings import Anchor, BatchTable, Meeting, Tie, Unit, fit, pair_evidence
from botleague.ratings.batch.field import DEVIATIONS, PRIORS, WIDTHS

BOTS = "abcde"

few = settings(max_examples=15, deadline=None)

PER_POINT = math.log(10) / 400


@st.composite
def tables_of_units(draw: st.DrawFn) -> dict[Unit, int]:
    """Mirrored pairs, each as often as it occurred, that may leave bots without points."""
    units: dict[Unit, int] = {}
    for one, other in draw(st.lists(st.sampled_from(list(combinations(BOTS, 2))), min_size=1, max_size=12)):
        unit = (Meeting(one, other, draw(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0])), 2.0),)
        units[unit] = units.get(unit, 0) + draw(st.integers(1, 9))
    return units


def estimated(units: dict[Unit, int], anchor: Anchor | None = None, tie: Tie | None = None) -> BatchTable:
    return fit(units, "estimated", anchor, tie)


def weights(table: BatchTable) -> tuple[float, ...]:
    assert table.field is not None
    return table.field.weights


@few
@given(units=tables_of_units())
def test_weights_sum_to_one_and_the_dispersion_is_that_of_two_virtual_draws(units: dict[Unit, int]) -> None:
    table, at_two = estimated(units), fit(units)
    assert min(weights(table)) > 0
    assert math.fsum(weights(table)) == pytest.approx(1, abs=1e-12)
    assert table.dispersion == at_two.dispersion
    assert table.spread.quantile() == at_two.spread.quantile()


@few
@given(units=tables_of_units(), swap=st.randoms(use_true_random=False))
def test_names_and_orders_are_irrelevant(units: dict[Unit, int], swap: random.Random) -> None:
    names = dict(zip(BOTS, swap.sample("vwxyz", 5), strict=True))
    other: dict[Unit, int] = {}
    for (meeting,), count in swap.sample(list(units.items()), len(units)):
        bot, opponent, points, games = meeting
        turned = Meeting(names[bot], names[opponent], points, games)
        if swap.random() < 0.5:
            turned = Meeting(names[opponent], names[bot], games - points, games)
        other[(turned,)] = other.get((turned,), 0) + count
    table, same = estimated(units), estimated(other)
    for bot, rating, error in zip(table.bots, table.ratings, table.errors(), strict=True):
        row = same.bots.index(names[bot])
        assert same.ratings[row] == pytest.approx(rating, abs=1e-9)
        assert same.errors()[row] == pytest.approx(error, abs=1e-7)


@few
@given(units=tables_of_units())
def test_reversed_results_turn_the_table_around(units: dict[Unit, int]) -> None:
    table = estimated(units, Anchor(0.0))
    reversed_units = {
        tuple(one._replace(points=one.games - one.points) for one in unit): count
        for unit, count in units.items()
    }
    turned = estimated(reversed_units, Anchor(0.0))
    assert turned.ratings == pytest.approx([-rating for rating in table.ratings], abs=1e-9)
    assert turned.errors() == pytest.approx(table.errors(), abs=1e-7)


@few
@given(units=tables_of_units(), value=st.floats(-3000, 3000))
def test_the_anchor_changes_no_difference_and_has_no_error(units: dict[Unit, int], value: float) -> None:
    table = estimated(units)
    bot = table.bots[0]
    other = estimated(units, Anchor(value, bot))
    assert other.rating(bot) == pytest.approx(value)
    assert other.errors()[0] == 0
    for i, j in combinations(table.bots, 2):
        assert other.difference(i, j) == pytest.approx(table.difference(i, j), abs=1e-7)
        assert other.superiority(i, j) == pytest.approx(table.superiority(i, j), abs=1e-9)
        assert table.superiority(i, j) + table.superiority(j, i) == pytest.approx(1, abs=1e-12)


@few
@given(units=tables_of_units())
def test_level_results_leave_all_bots_equal_and_favour_narrow_fields(units: dict[Unit, int]) -> None:
    level = {tuple(one._replace(points=1.0) for one in unit): 1 for unit in units}
    table = estimated(level, Anchor(0.0))
    assert table.ratings == pytest.approx([0] * len(table.bots), abs=1e-9)
    believed = [weight / width for weight, width in zip(weights(table), WIDTHS, strict=True)]
    assert believed == sorted(believed)


def test_many_results_leave_no_doubt_about_the_spread() -> None:
    rng = random.Random(3)
    units: dict[Unit, int] = {}
    for one, other in combinations(BOTS, 2):
        for points in (0.0, 1.0, 2.0):
            units[(Meeting(one, other, points, 2.0),)] = 1000 * rng.randrange(1, 6)
    assert estimated(units).ratings == pytest.approx(fit(units, 0).ratings, abs=1)


def by_hand(
    units: dict[Unit, int], phi: float, prior: float, ties: list[tuple[str, str]], games: float
) -> tuple[float, list[float], list[list[float]]]:
    """The logarithm of the weight, ratings and V of one prior in natural units, by the formulas of section 7.4.2."""
    bots = sorted({bot for unit in units for one in unit for bot in one[:2]})
    n = len(bots)
    met = [
        (bots.index(one.bot), bots.index(one.opponent), count * one.points / phi, count * one.games / phi)
        for unit, count in units.items()
        for one in unit
    ]
    tied = [(bots.index(one), bots.index(other)) for one, other in ties]
    virtual = [(i, j, games / 2, games) for i, j in tied]
    x = numpy.zeros(n)
    for _ in range(200):  # plain Newton steps of limited length
        expected = 1 / (1 + numpy.exp(-x))
        towards, h = prior * (0.5 - expected), numpy.diag(prior * expected * (1 - expected))
        gradient = towards.copy()
        for number, (i, j, points, of) in enumerate(met + virtual):
            e = 1 / (1 + math.exp(x[j] - x[i]))
            gradient[i] += points - of * e
            gradient[j] -= points - of * e
            if number >= len(met):
                towards[i] += points - of * e
                towards[j] -= points - of * e
            for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
                h[a, b] += sign * of * e * (1 - e)
        step = numpy.linalg.solve(h, gradient)
        x = x + step * min(1.0, 1 / max(1e-12, abs(step).max()))
    c = numpy.linalg.inv(h)
    pull = c @ towards
    laplacian = prior * numpy.eye(n)
    for i, j in tied:
        for a, z, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            laplacian[a, z] += sign * games
    value = math.log(WIDTHS[PRIORS.index(prior)])
    for i, j, points, of in met + virtual:
        e = 1 / (1 + math.exp(x[j] - x[i]))
        value += points * math.log(e) + (of - points) * math.log(1 - e)
    for one in 1 / (1 + numpy.exp(-x)):
        value += prior / 2 * (math.log(one) + math.log(1 - one))
    value -= n * (2 * math.lgamma(prior / 2) - math.lgamma(prior))
    value += (math.log(numpy.linalg.det(laplacian)) - n * math.log(prior)) / 2
    value -= math.log(numpy.linalg.det(h)) / 2
    return value, x.tolist(), (c + numpy.outer(pull, pull)).tolist()


@few
@given(units=tables_of_units(), games=st.sampled_from([0.0, 4.0]))
def test_a_table_is_the_mixture_that_a_second_program_finds(units: dict[Unit, int], games: float) -> None:
    bots = sorted({bot for unit in units for one in unit for bot in one[:2]})
    lineage = bots[:3]
    ties = list(pairwise(lineage))
    table = estimated(units, Anchor(0.0), Tie(games, [lineage]))
    fits = [by_hand(units, table.dispersion.value, prior, ties, games) for prior in PRIORS]
    greatest = max(value for value, _, _ in fits)
    shares = [math.exp(value - greatest) for value, _, _ in fits]
    expected = [share / sum(shares) for share in shares]
    assert weights(table) == pytest.approx(expected, abs=1e-8)
    n = len(bots)
    centred = [numpy.array(x) - sum(x) / n for _, x, _ in fits]
    mean = sum((weight * x for weight, x in zip(expected, centred, strict=True)), numpy.zeros(n))
    v = sum(
        (
            weight * (numpy.array(one) + numpy.outer(x - mean, x - mean))
            for weight, x, (_, _, one) in zip(expected, centred, fits, strict=True)
        ),
        numpy.zeros((n, n)),
    )
    assert table.ratings == pytest.approx((mean / PER_POINT).tolist(), abs=1e-6)
    assert numpy.linalg.eigvalsh(v).min() >= -1e-9 * numpy.linalg.eigvalsh(v).max()
    for i, bot in enumerate(bots):
        for j, other in enumerate(bots):
            error = math.sqrt(max(0.0, v[i, i] + v[j, j] - 2 * v[i, j])) / PER_POINT
            assert table.difference(bot, other)[1] == pytest.approx(error, abs=1e-6)


def test_the_seven_spreads_are_those_of_the_definition() -> None:
    assert [round(one) for one in DEVIATIONS] == [1019, 546, 315, 197, 131, 90, 62]


@pytest.mark.parametrize("tie", [0.0, 4.0])
def test_more_bots_than_are_inverted_for_come_near_the_exact_table(tie: float) -> None:
    rng = random.Random(1)
    units: dict[Unit, int] = {}
    for one, other in combinations([f"b{number:02}" for number in range(40)], 2):
        won = rng.randrange(4)
        for unit, count in pair_evidence(one, other, won, 0, 3 - won).items():
            units[unit] = units.get(unit, 0) + count
    versions = Tie(tie, [["b00", "b01", "b02"], ["b03", "b04"]])
    exact = fit(units, "estimated", tie=versions)
    quick = fit(units, "estimated", tie=versions, most_inverted=10)
    assert weights(quick) == pytest.approx(weights(exact), abs=0.05)
    assert quick.ratings == pytest.approx(exact.ratings, abs=6)
    assert quick.errors() == pytest.approx(exact.errors(), rel=0.2)
    assert fit(units, "estimated", Anchor(0.0, "b03"), most_inverted=10).errors()[3] == 0
    assert not quick.has_superiority
