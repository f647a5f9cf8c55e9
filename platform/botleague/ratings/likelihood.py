"""The likelihood of strengths, and where it is greatest: Newton's method on the scores of all pairs that met.

Few bots are solved for directly. With many, each step is found by conjugate gradients, whose work grows with the
number of pairs that met instead of the cube of the number of bots.

Source: RATINGS, section 7.1; M. Hestenes, E. Stiefel, Methods of conjugate gradients for solving linear systems, 1952.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import mul
from typing import TypeAlias

from botleague.ratings.elo import expected_score
from botleague.ratings.evidence import Evidence
from botleague.ratings.matrices import Matrix, NotPositive, solve
from botleague.ratings.record import RatingError

__all__ = [
    "PER_POINT",
    "Pairs",
    "cross_table",
    "curvature",
    "information",
    "invertible",
    "log_likelihood",
    "maximum",
    "mean_diagonal",
]

PER_POINT = math.log(10) / 400
"""Natural units in one Elo point: the c of the formulas."""

STEP_LIMIT = 200.0
"""No rating moves by more Elo than this in one Newton step."""

CONVERGED = 1e-10

ROUNDING = 1e-6
"""Steps below this that no longer halve are rounding: with a tiny prior the common shift is hardly determined."""

ITERATIONS = 500

DIRECT = 150
"""Up to so many bots a step is found by elimination, which is exact; beyond, conjugate gradients are quicker."""

ACCURACY = 1e-3
"""Of a step by conjugate gradients, relative to the gradient; what is left is for the next step."""

Pairs: TypeAlias = dict[tuple[int, int], float]
"""A number for each pair of rows that met, the smaller row first."""


def cross_table(units: Evidence, row: Mapping[str, int]) -> tuple[Pairs, Pairs]:
    """Return the weight of games, and the first bot's points, of every pair of rows that met."""
    games: Pairs = {}
    points: Pairs = {}
    for unit, count in units.items():
        for meeting in unit:
            i, j = row[meeting.bot], row[meeting.opponent]
            got = meeting.points
            if i > j:
                i, j, got = j, i, meeting.games - got
            games[i, j] = games.get((i, j), 0.0) + count * meeting.games
            points[i, j] = points.get((i, j), 0.0) + count * got
    return games, points


def maximum(games: Pairs, points: Pairs, size: int, prior: float) -> list[float]:
    """Return the internal ratings at which every bot's score is what it expects.

    Args:
        size: how many bots there are.
        prior: virtual drawn games of each bot against an opponent fixed at 0.

    Raises:
        RatingError: there is no such point, or it is too far away.
    """
    next_step = _direct_step if size <= DIRECT else _sparse_step
    ratings = [0.0] * size
    last = math.inf
    for _ in range(ITERATIONS):
        gradient = [PER_POINT * prior * (0.5 - expected_score(rating, 0.0)) for rating in ratings]
        for (i, j), weight in games.items():
            surplus = PER_POINT * (points[i, j] - weight * expected_score(ratings[i], ratings[j]))
            gradient[i] += surplus
            gradient[j] -= surplus
        try:
            step = next_step(games, ratings, prior, gradient)
        except NotPositive:
            break
        largest = max(map(abs, step), default=0.0)
        share = min(1.0, STEP_LIMIT / largest) if largest else 1.0
        ratings = [rating + share * move for rating, move in zip(ratings, step, strict=True)]
        if largest <= CONVERGED or (largest <= ROUNDING and largest > last / 2):
            return ratings
        last = largest
    raise RatingError("the fit did not converge: some bots hardly scored; use a prior above 0")


def log_likelihood(games: Pairs, points: Pairs, ratings: Sequence[float]) -> float:
    """Return the logarithm of the likelihood of all results, without the prior."""
    total = 0.0
    for (i, j), weight in games.items():
        won, lost = points[i, j], weight - points[i, j]
        total += won * math.log(expected_score(ratings[i], ratings[j]))
        total += lost * math.log(expected_score(ratings[j], ratings[i]))
    return total


def curvature(games: Pairs, ratings: Sequence[float], prior: float) -> tuple[list[float], Pairs]:
    """Return minus the second derivative of the log likelihood: its diagonal, and minus what stands beside it."""
    scale = PER_POINT * PER_POINT
    expected = [expected_score(rating, 0.0) for rating in ratings]
    diagonal = [scale * prior * share * (1 - share) for share in expected]
    beside: Pairs = {}
    for (i, j), weight in games.items():
        share = expected_score(ratings[i], ratings[j])
        beside[i, j] = value = scale * weight * share * (1 - share)
        diagonal[i] += value
        diagonal[j] += value
    return diagonal, beside


def information(games: Pairs, ratings: Sequence[float], prior: float) -> Matrix:
    """Return minus the second derivative of the log likelihood as a matrix."""
    diagonal, beside = curvature(games, ratings, prior)
    matrix = [[0.0] * len(diagonal) for _ in diagonal]
    for i, value in enumerate(diagonal):
        matrix[i][i] = value
    for (i, j), value in beside.items():
        matrix[i][j] = matrix[j][i] = -value
    return matrix


def invertible(matrix: Matrix, prior: float) -> Matrix:
    """Return ``matrix`` with the common shift, on which nothing depends without a prior, pinned down."""
    if prior > 0 or not matrix:
        return matrix
    scale = mean_diagonal(matrix) / len(matrix)
    return [[value + scale for value in row] for row in matrix]


def mean_diagonal(matrix: Matrix) -> float:
    """Return the mean of the numbers on the diagonal."""
    return sum(matrix[i][i] for i in range(len(matrix))) / len(matrix)


def _direct_step(games: Pairs, ratings: list[float], prior: float, gradient: list[float]) -> list[float]:
    return solve(invertible(information(games, ratings, prior), prior), gradient)


def _sparse_step(games: Pairs, ratings: list[float], prior: float, gradient: list[float]) -> list[float]:
    """Return the Newton step by conjugate gradients, each rating in units of its own curvature.

    Without a prior nothing depends on the common shift: what rounding left of it in the gradient is taken out.
    """
    diagonal, beside = curvature(games, ratings, prior)
    if min(diagonal) <= 0:
        raise NotPositive("a rating on which nothing depends")
    apply = _operator(diagonal, beside)
    step = [0.0] * len(gradient)
    drift = 0.0 if prior > 0 else sum(gradient) / len(gradient)
    rest = [value - drift for value in gradient]
    scaled = [value / own for value, own in zip(rest, diagonal, strict=True)]
    direction = list(scaled)
    size = sum(map(mul, rest, scaled))
    enough = ACCURACY * ACCURACY * size
    for _ in range(10 * len(gradient)):
        if size <= enough:
            return step
        bent = apply(direction)
        along = size / sum(map(mul, direction, bent))
        step = [value + along * move for value, move in zip(step, direction, strict=True)]
        rest = [value - along * change for value, change in zip(rest, bent, strict=True)]
        scaled = [value / own for value, own in zip(rest, diagonal, strict=True)]
        before, size = size, sum(map(mul, rest, scaled))
        turn = size / before
        direction = [value + turn * old for value, old in zip(scaled, direction, strict=True)]
    raise NotPositive("conjugate gradients")


def _operator(diagonal: list[float], beside: Pairs) -> Callable[[list[float]], list[float]]:
    """Return the product with the matrix of :func:`curvature`, as a function."""
    others: list[list[int]] = [[] for _ in diagonal]
    weights: list[list[float]] = [[] for _ in diagonal]
    for (i, j), value in beside.items():
        others[i].append(j)
        weights[i].append(value)
        others[j].append(i)
        weights[j].append(value)

    def apply(vector: list[float]) -> list[float]:
        look = vector.__getitem__
        return [
            own * value - sum(map(mul, row, map(look, columns)))
            for own, value, row, columns in zip(diagonal, vector, weights, others, strict=True)
        ]

    return apply
