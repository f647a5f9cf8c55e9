"""The likelihood of strengths, and where it is greatest: Newton's method on the scores of all pairs that met.

Each step is found by conjugate gradients, so the work grows with the number of pairs that met and never with the
square of the number of bots. This is plain Python with exact sums, so the same results give the same ratings
under every Python, which a ladder's plan needs.

Source: RATINGS, section 7.1; M. Hestenes, E. Stiefel, Methods of conjugate gradients for solving linear systems, 1952.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum
from operator import mul
from typing import NamedTuple, TypeAlias

from botleague.ratings.elo import expected_score
from botleague.ratings.record import RatingError

__all__ = ["ACCURACY", "PER_POINT", "Curvature", "Likelihood", "Met"]

PER_POINT = math.log(10) / 400
"""Natural units in one Elo point: the c of the formulas."""

STEP_LIMIT = 200.0
"""No rating moves by more Elo than this in one Newton step."""

CONVERGED = 1e-10

ROUNDING = 1e-6
"""Steps below this that no longer halve are rounding: with a tiny prior the common shift is hardly determined."""

ITERATIONS = 500

ACCURACY = 1e-3
"""Of a Newton step, relative to the gradient; what is left is for the next step."""

Curvature: TypeAlias = tuple[list[float], list[float]]
"""Minus the second derivative: its diagonal, and for each pair minus what stands beside it."""


class Met(NamedTuple):
    """What two rows of the table did to each other: the weight of their games, and the first one's points."""

    first: int
    second: int
    games: float
    points: float


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The logarithm of the likelihood, as a function of internal ratings in Elo points.

    Attributes:
        size: how many bots there are.
        results: the pairs that met.
        ties: virtual drawn games between versions of one bot; no results.
        prior: virtual drawn games of each bot against an opponent fixed at 0.
    """

    size: int
    results: Sequence[Met]
    ties: Sequence[Met] = ()
    prior: float = 0.0

    def value(self, ratings: Sequence[float]) -> float:
        """Return the logarithm of the likelihood of the results alone."""
        return fsum(
            points * _log_expected(ratings[i] - ratings[j])
            + (games - points) * _log_expected(ratings[j] - ratings[i])
            for i, j, games, points in self.results
        )

    def pull(self, ratings: Sequence[float]) -> list[float]:
        """Return the part of the gradient that is of the prior and the ties, not of results."""
        return Likelihood(self.size, (), self.ties, self.prior).derivatives(ratings)[0]

    def derivatives(self, ratings: Sequence[float]) -> tuple[list[float], Curvature]:
        """Return the derivative by each rating, and the curvature: pairs in the order of ``results`` and ``ties``."""
        gradient, diagonal, beside = [], [], []
        for rating in ratings:
            share = expected_score(rating, 0.0)
            gradient.append(PER_POINT * self.prior * (0.5 - share))
            diagonal.append(PER_POINT * PER_POINT * self.prior * share * (1 - share))
        for i, j, games, points in (*self.results, *self.ties):
            share = expected_score(ratings[i], ratings[j])
            surplus = PER_POINT * (points - games * share)
            weight = PER_POINT * PER_POINT * games * share * (1 - share)
            gradient[i] += surplus
            gradient[j] -= surplus
            diagonal[i] += weight
            diagonal[j] += weight
            beside.append(weight)
        return gradient, (diagonal, beside)

    def maximum(self, converged: float = CONVERGED) -> list[float]:
        """Return the internal ratings at which every bot's score is what it expects, found from zero.

        Args:
            converged: in Elo; the last step is at most this long, and leaves a thousandth of it or less.

        Raises:
            RatingError: there is no such point, or it is too far away.
        """
        ratings = [0.0] * self.size
        last = math.inf
        for _ in range(ITERATIONS):
            gradient, curvature = self.derivatives(ratings)
            if not self.prior:  # nothing depends on the common shift: take out what rounding left of it
                drift = fsum(gradient) / max(1, self.size)
                gradient = [value - drift for value in gradient]
            try:
                step = self.solve(curvature, gradient, ACCURACY)
            except ArithmeticError:
                break
            largest = max(map(abs, step), default=0.0)
            share = min(1.0, STEP_LIMIT / largest) if largest else 1.0
            ratings = [rating + share * move for rating, move in zip(ratings, step, strict=True)]
            if largest <= converged or (largest <= ROUNDING and largest > last / 2):
                return ratings
            last = largest
        raise RatingError("the fit did not converge: some bots hardly scored; use a prior above 0")

    def solve(self, curvature: Curvature, right: Sequence[float], accuracy: float) -> list[float]:
        """Return x with ``curvature`` x = ``right`` by conjugate gradients, each rating in units of its own curvature.

        Args:
            accuracy: where to end, relative to ``right``.

        Raises:
            ArithmeticError: a rating on which nothing depends, or no end in sight.
        """
        diagonal = curvature[0]
        if min(diagonal, default=1.0) <= 0:
            raise ArithmeticError("a rating on which nothing depends")
        apply = self._operator(curvature)
        found = [0.0] * self.size
        rest = list(right)
        scaled = [value / own for value, own in zip(rest, diagonal, strict=True)]
        direction = list(scaled)
        size = _inner(rest, scaled)
        enough = accuracy * accuracy * size
        for _ in range(10 * self.size + 10):
            if size <= enough:
                return found
            bent = apply(direction)
            along = size / _inner(direction, bent)
            found = [value + along * move for value, move in zip(found, direction, strict=True)]
            rest = [value - along * change for value, change in zip(rest, bent, strict=True)]
            scaled = [value / own for value, own in zip(rest, diagonal, strict=True)]
            before, size = size, _inner(rest, scaled)
            turn = size / before
            direction = [value + turn * old for value, old in zip(scaled, direction, strict=True)]
        raise ArithmeticError("conjugate gradients")

    def _operator(self, curvature: Curvature) -> Callable[[list[float]], list[float]]:
        """Return the product with the matrix of ``curvature``, as a function."""
        diagonal, beside = curvature
        others: list[list[int]] = [[] for _ in diagonal]
        weights: list[list[float]] = [[] for _ in diagonal]
        for (i, j, _, _), weight in zip((*self.results, *self.ties), beside, strict=True):
            others[i].append(j)
            weights[i].append(weight)
            others[j].append(i)
            weights[j].append(weight)

        def apply(vector: list[float]) -> list[float]:
            look = vector.__getitem__
            return [
                own * value - fsum(map(mul, row, map(look, columns)))
                for own, value, row, columns in zip(diagonal, vector, weights, others, strict=True)
            ]

        return apply


def _inner(left: Sequence[float], right: Sequence[float]) -> float:
    return fsum(map(mul, left, right))


def _log_expected(apart: float) -> float:
    """Return the logarithm of the expected score of who is ``apart`` Elo points ahead."""
    exponent = PER_POINT * apart
    return -math.log1p(math.exp(-exponent)) if exponent > 0 else exponent - math.log1p(math.exp(exponent))
