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
        towards = [PER_POINT * self.prior * (0.5 - expected_score(rating, 0.0)) for rating in ratings]
        return _add_surpluses(towards, self.ties, ratings)

    def gradient(self, ratings: Sequence[float]) -> list[float]:
        """Return the derivative by each rating."""
        return _add_surpluses(self.pull(ratings), self.results, ratings)

    def curvature(self, ratings: Sequence[float]) -> Curvature:
        """Return minus the second derivative, the pairs in the order of ``results`` and ``ties``."""
        scale = PER_POINT * PER_POINT
        shares = [expected_score(rating, 0.0) for rating in ratings]
        diagonal = [scale * self.prior * share * (1 - share) for share in shares]
        beside = []
        for i, j, games, _ in (*self.results, *self.ties):
            share = expected_score(ratings[i], ratings[j])
            weight = scale * games * share * (1 - share)
            diagonal[i] += weight
            diagonal[j] += weight
            beside.append(weight)
        return diagonal, beside

    def maximum(self) -> list[float]:
        """Return the internal ratings at which every bot's score is what it expects, found from zero.

        Raises:
            RatingError: there is no such point, or it is too far away.
        """
        ratings = [0.0] * self.size
        last = math.inf
        for _ in range(ITERATIONS):
            gradient = self.gradient(ratings)
            if not self.prior:  # nothing depends on the common shift: take out what rounding left of it
                drift = fsum(gradient) / max(1, self.size)
                gradient = [value - drift for value in gradient]
            try:
                step = self.solve(self.curvature(ratings), gradient, ACCURACY)
            except ArithmeticError:
                break
            largest = max(map(abs, step), default=0.0)
            share = min(1.0, STEP_LIMIT / largest) if largest else 1.0
            ratings = [rating + share * move for rating, move in zip(ratings, step, strict=True)]
            if largest <= CONVERGED or (largest <= ROUNDING and largest > last / 2):
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


def _add_surpluses(gradient: list[float], pairs: Sequence[Met], ratings: Sequence[float]) -> list[float]:
    for i, j, games, points in pairs:
        surplus = PER_POINT * (points - games * expected_score(ratings[i], ratings[j]))
        gradient[i] += surplus
        gradient[j] -= surplus
    return gradient


def _inner(left: Sequence[float], right: Sequence[float]) -> float:
    return fsum(map(mul, left, right))


def _log_expected(apart: float) -> float:
    """Return the logarithm of the expected score of who is ``apart`` Elo points ahead."""
    exponent = PER_POINT * apart
    return -math.log1p(math.exp(-exponent)) if exponent > 0 else exponent - math.log1p(math.exp(exponent))
