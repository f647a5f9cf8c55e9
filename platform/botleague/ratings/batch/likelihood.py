"""The likelihood of strengths, and where it is greatest: Newton's method on the scores of all pairs that met.

Each step is found by conjugate gradients, so the work grows with the number of pairs that met and never with the
square of the number of bots. Sums are exact or in the order of the pairs, never in an order that a library chooses
for a processor: so the same results give the same ratings but for the last digits of its exponential function.

Source: RATINGS, section 7.1; M. Hestenes, E. Stiefel, Methods of conjugate gradients for solving linear systems, 1952.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import fsum
from typing import NamedTuple, TypeAlias

import msgspec
import numpy
from numpy.typing import NDArray

from botleague.ratings.batch.evidence import Columns
from botleague.ratings.rated_result import RatingError

PER_POINT = math.log(10) / 400
"""Natural units in one Elo point: the c of the formulas."""

STEP_LIMIT = 200.0
"""No rating moves by more Elo than this in one Newton step."""

CONVERGED = 1e-10

ROUNDING = 1e-6
"""Steps below this that no longer halve are rounding: with a tiny prior the common shift is hardly determined."""

ITERATIONS = 500

ACCURACY = 1e-3
"""Accuracy of a Newton step, relative to the gradient; the rest is for the next step."""

Floats: TypeAlias = NDArray[numpy.float64]
Rows: TypeAlias = NDArray[numpy.int64]


class Pairs(NamedTuple):
    """Rows of the table that met: the weight of their games, and the first one's points. One number each a pair."""

    first: Rows
    second: Rows
    games: Floats
    points: Floats


class Curvature(NamedTuple):
    """Minus the second derivative: its diagonal, and minus its mixed part for each pair of results and ties."""

    diagonal: Floats
    mixed: Floats


class Likelihood(msgspec.Struct, frozen=True, eq=False):
    """The logarithm of the likelihood, as a function of internal ratings in Elo points.

    Attributes:
        size: how many bots there are.
        results: the pairs that met.
        ties: virtual drawn games between versions of one bot; no results.
        prior: virtual drawn games of each bot against an opponent fixed at 0.
    """

    size: int
    results: Pairs
    ties: Pairs
    prior: float = 0.0

    def value(self, ratings: Floats) -> float:
        """Return the logarithm of the likelihood of the results alone."""
        return _value(self.results, ratings)

    def believed(self, ratings: Floats) -> float:
        """Return the logarithm of the likelihood of the virtual games alone: those of the prior and of the ties."""
        middle = PER_POINT * ratings
        terms = -self.prior / 2 * (numpy.logaddexp(0.0, -middle) + numpy.logaddexp(0.0, middle))
        return fsum(terms.tolist()) + _value(self.ties, ratings)

    def pull(self, ratings: Floats) -> Floats:
        """Return the part of the gradient that is of the prior and the ties, not of results."""
        return Likelihood(self.size, tied((), 0.0), self.ties, self.prior).derivatives(ratings)[0]

    def derivatives(self, ratings: Floats) -> tuple[Floats, Curvature]:
        """Return the derivative by each rating, and the curvature."""
        share = _expected(ratings)
        gradient = PER_POINT * self.prior * (0.5 - share)
        diagonal = PER_POINT * PER_POINT * self.prior * share * (1 - share)
        mixed = []
        for first, second, games, points in (self.results, self.ties):
            share = _expected(ratings[first] - ratings[second])
            surplus = PER_POINT * (points - games * share)
            weight = PER_POINT * PER_POINT * games * share * (1 - share)
            gradient = gradient + _sums(first, surplus, self.size) - _sums(second, surplus, self.size)
            diagonal = diagonal + _sums(first, weight, self.size) + _sums(second, weight, self.size)
            mixed.append(weight)
        return gradient, Curvature(diagonal, numpy.concatenate(mixed))

    def maximum(self, converged: float = CONVERGED, start: Floats | None = None) -> Floats:
        """Return the internal ratings at which every bot's score is what it expects.

        Args:
            converged: in Elo; the last step is at most this long, and leaves a thousandth of it or less.
            start: where to begin; None for zero.

        Raises:
            RatingError: there is no such point, or it is too far away.
        """
        ratings = numpy.zeros(self.size) if start is None else start
        last = math.inf
        for _ in range(ITERATIONS):
            gradient, curvature = self.derivatives(ratings)
            if not self.prior:  # nothing depends on the common shift: take out what rounding left of it
                gradient = gradient - fsum(gradient.tolist()) / max(1, self.size)
            try:
                step = self.solve(curvature, gradient, ACCURACY)
            except ArithmeticError:
                break
            largest = float(numpy.abs(step).max(initial=0.0))
            ratings = ratings + (min(1.0, STEP_LIMIT / largest) if largest else 1.0) * step
            if largest <= converged or (largest <= ROUNDING and largest > last / 2):
                return ratings
            last = largest
        raise RatingError("the fit did not converge: some bots hardly scored; use a prior above 0")

    def solve(self, curvature: Curvature, right: Floats, accuracy: float) -> Floats:
        """Return x with ``curvature`` x = ``right`` by conjugate gradients, each rating in units of its own curvature.

        Args:
            accuracy: where to end, relative to ``right``.

        Raises:
            ArithmeticError: a rating on which nothing depends, or no end in sight.
        """
        diagonal = curvature.diagonal
        if diagonal.min(initial=1.0) <= 0:
            raise ArithmeticError("a rating on which nothing depends")
        solution = numpy.zeros(self.size)
        rest = right
        scaled = rest / diagonal
        direction = scaled
        size = _inner(rest, scaled)
        enough = accuracy * accuracy * size
        for _ in range(10 * self.size + 10):
            if size <= enough:
                return solution
            bent = self._product(curvature, direction)
            along = size / _inner(direction, bent)
            solution = solution + along * direction
            rest = rest - along * bent
            scaled = rest / diagonal
            before, size = size, _inner(rest, scaled)
            direction = scaled + size / before * direction
        raise ArithmeticError("conjugate gradients")

    def _product(self, curvature: Curvature, vector: Floats) -> Floats:
        """Return the product with the matrix of ``curvature``."""
        product = curvature.diagonal * vector
        done = 0
        for first, second, *_ in (self.results, self.ties):
            weight = curvature.mixed[done : done + len(first)]
            product = product - _sums(first, weight * vector[second], self.size)
            product = product - _sums(second, weight * vector[first], self.size)
            done += len(first)
        return product


def cross_table(units: Columns) -> Pairs:
    """Return what every two rows of ``units`` that met did to each other, in order of rows."""
    size = max(1, len(units.bots))
    tables = [tied((), 0.0)]
    for bots, block in units.blocks.items():
        unit = numpy.array(block.unit)
        rows, counts = numpy.array(block.rows).reshape(-1, bots), numpy.array(block.counts)[unit]
        first, second = rows[unit, numpy.array(block.first)], rows[unit, numpy.array(block.second)]
        tables.append(
            Pairs(first, second, counts * numpy.array(block.games), counts * numpy.array(block.points))
        )
    first, second, games, points = (numpy.concatenate(columns) for columns in zip(*tables, strict=True))
    swapped = first > second
    points = numpy.where(swapped, games - points, points)
    pair = numpy.where(swapped, second, first) * size + numpy.where(swapped, first, second)
    pairs, of = numpy.unique(pair, return_inverse=True)
    return Pairs(pairs // size, pairs % size, _sums(of, games, len(pairs)), _sums(of, points, len(pairs)))


def tied(pairs: Sequence[tuple[int, int]], games: float) -> Pairs:
    """Return pairs of rows with ``games`` virtual draws each."""
    rows = numpy.array(pairs, dtype=numpy.int64).reshape(-1, 2)
    return Pairs(rows[:, 0], rows[:, 1], numpy.full(len(rows), games), numpy.full(len(rows), games / 2))


def _value(pairs: Pairs, ratings: Floats) -> float:
    first, second, games, points = pairs
    apart = PER_POINT * (ratings[first] - ratings[second])
    terms = -points * numpy.logaddexp(0.0, -apart) - (games - points) * numpy.logaddexp(0.0, apart)
    return fsum(terms.tolist())


def _expected(apart: Floats) -> Floats:
    """Return the expected scores of the leaders, by their lead in Elo points."""
    with numpy.errstate(over="ignore"):  # hopelessly behind: 0
        expected: Floats = 1 / (1 + numpy.exp(-PER_POINT * apart))
    return expected


def _sums(rows: Rows, values: Floats, size: int) -> Floats:
    """Return the sum of the values of each of ``size`` rows, added up in their order."""
    return numpy.asarray(numpy.bincount(rows, values, size), numpy.float64)


def _inner(left: Floats, right: Floats) -> float:
    """Return the inner product, added up in order: numpy's own is in an order that depends on the processor."""
    return float(numpy.add.accumulate(left * right)[-1]) if len(left) else 0.0
