"""Spread of the bots of a field, estimated from their results: the prior ``estimated`` of batch tables.

A prior of p virtual draws a bot believes in one spread of the field. Where near equals meet again and again, or bots
far apart meet seldom, that belief makes intervals too narrow. So seven spreads are tried: each is weighed by how likely
it makes the results, and ratings and errors are those of the mixture.

That is right only where pairings depended on these results and on chance alone; the caller must know.

Source: RATINGS, section 7.4.2; L. Tierney, J. Kadane, JASA 81, 1986, for how likely the results are at a spread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import fsum

import msgspec
import numpy

from botleague.ratings.batch.dispersion import Dispersion, Spread, covariance, information, pull
from botleague.ratings.batch.likelihood import CONVERGED, PER_POINT, Floats, Likelihood, Pairs
from botleague.ratings.distributions import trigamma
from botleague.ratings.rated_result import RatingError

PRIORS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Virtual draws of each bot that are tried."""

WIDTHS = (720.4, 351.9, 174.2, 92.1, 53.8, 34.2, 22.9)
"""Half the step in Elo between the spreads of the neighbouring priors: before the results all spreads are alike."""

DEVIATIONS = tuple(math.sqrt(2 * trigamma(prior / 2)) / PER_POINT for prior in PRIORS)
"""The standard deviation in Elo that each prior believes in: 1019, 546, 315, 197, 131, 90, 62."""

ORDER = ((2, None), (3, 2), (4, 3), (5, 4), (6, 5), (1, 2), (0, 1))
"""In which order the fits are made, and from which other one each begins."""

NEGLIGIBLE = 1e-10
"""Weights below this change no error that is shown."""


class Field(msgspec.Struct, frozen=True, eq=False):
    """Estimate of the spread of a field from its results.

    Attributes:
        weights: of the :data:`PRIORS`; they sum to 1.
        logarithms: of the weights, less the greatest.
        ratings: in Elo points, with a mean of 0.
        spread: their errors.
    """

    weights: tuple[float, ...]
    logarithms: tuple[float, ...]
    ratings: Floats
    spread: Spread

    @property
    def deviation(self) -> float:
        """The standard deviation of strengths in Elo points: the weighed geometric mean of those tried."""
        return math.exp(
            fsum(
                weight * math.log(deviation)
                for weight, deviation in zip(self.weights, DEVIATIONS, strict=True)
            )
        )


def estimated(likelihood: Likelihood, dispersion: Dispersion, most: int) -> Field:
    """Return what the results of a likelihood say of the spread of their field.

    Args:
        likelihood: results and ties; its own prior is not used.
        dispersion: of the units of these results, at a prior of 2.
        most: with more bots only the diagonal of the information is inverted.

    Raises:
        RatingError: a fit does not converge.
    """
    results = likelihood.results
    tried = [
        msgspec.structs.replace(
            likelihood,
            results=results._replace(
                games=results.games / dispersion.value, points=results.points / dispersion.value
            ),
            prior=prior,
        )
        for prior in PRIORS
    ]
    maxima: dict[int, Floats] = {}
    for number, start in ORDER:
        maxima[number] = tried[number].maximum(CONVERGED, None if start is None else maxima[start])
    fits = [maxima[number] for number in range(len(PRIORS))]
    logarithms = [
        math.log(width) + _likeliness(of, ratings, most)
        for width, of, ratings in zip(WIDTHS, tried, fits, strict=True)
    ]
    greatest = max(logarithms)
    logarithms = [one - greatest for one in logarithms]
    shares = [math.exp(one) for one in logarithms]
    weights = [share / fsum(shares) for share in shares]
    centred = [ratings - fsum(ratings.tolist()) / max(1, likelihood.size) for ratings in fits]
    mean = _mixed(weights, centred)
    parts = []
    pulls = []
    for weight, of, ratings, around in zip(weights, tried, fits, centred, strict=True):
        pulls.append(math.sqrt(weight) * (around - mean))
        if weight >= NEGLIGIBLE:
            inverse = covariance(of, ratings, most)
            parts.append(weight * inverse)
            pulls.append(math.sqrt(weight) * pull(of, ratings, inverse))
    matrix = parts[0]
    for part in parts[1:]:
        matrix = matrix + part
    return Field(
        weights=tuple(weights),
        logarithms=tuple(logarithms),
        ratings=mean,
        spread=Spread(matrix, 1.0, numpy.array(pulls), dispersion.df),
    )


def _likeliness(likelihood: Likelihood, ratings: Floats, most: int) -> float:
    """Return the logarithm of how likely the results are at a prior, up to what is the same for all priors.

    Args:
        ratings: where the likelihood is greatest.
    """
    prior, size = likelihood.prior, likelihood.size
    beta = 2 * math.lgamma(prior / 2) - math.lgamma(prior)
    return (
        likelihood.value(ratings)
        + likelihood.believed(ratings)
        - size * beta
        + _tied_constant(likelihood.ties, prior) / 2
        - _determinant(likelihood, ratings, most) / 2
    )


def _determinant(likelihood: Likelihood, ratings: Floats, most: int) -> float:
    """Return the logarithm of the determinant of the information; with more than ``most`` bots to second order."""
    if likelihood.size <= most:
        try:
            factor = numpy.linalg.cholesky(information(likelihood, ratings))
        except numpy.linalg.LinAlgError:
            raise RatingError(
                "the spread of the field cannot be estimated: some bots hardly scored"
            ) from None
        return 2 * fsum(numpy.log(factor.diagonal()).tolist())
    _, (own, mixed) = likelihood.derivatives(ratings)
    results, ties = likelihood.results, likelihood.ties
    first = numpy.concatenate((results.first, ties.first))
    second = numpy.concatenate((results.second, ties.second))
    # Two versions of a bot may be tied and have met.
    keys = numpy.minimum(first, second) * likelihood.size + numpy.maximum(first, second)
    pairs, of = numpy.unique(keys, return_inverse=True)
    together = numpy.bincount(of, mixed, len(pairs))
    squares = together * together / (own[pairs // likelihood.size] * own[pairs % likelihood.size])
    return fsum(numpy.log(own).tolist()) - fsum(squares.tolist())


def _tied_constant(ties: Pairs, prior: float) -> float:
    """Return ln det(p I + t L) - n ln p, L the Laplacian of the tied pairs: what ties make of the prior's own scale.

    It is the sum over the bots that are tied together, which are few: the versions of one bot.
    """
    group: dict[int, list[int]] = {}
    edges = list(zip(ties.first.tolist(), ties.second.tolist(), ties.games.tolist(), strict=True))
    for one, other, _ in edges:
        mine, theirs = group.setdefault(one, [one]), group.setdefault(other, [other])
        if mine is not theirs:
            mine += theirs
            for bot in theirs:
                group[bot] = mine
    matrices = {id(bots): prior * numpy.eye(len(bots)) for bots in group.values()}
    place = {bot: number for bots in group.values() for number, bot in enumerate(bots)}
    for one, other, games in edges:
        matrix, i, j = matrices[id(group[one])], place[one], place[other]
        matrix[i, i] += games
        matrix[j, j] += games
        matrix[i, j] -= games
        matrix[j, i] -= games
    factors = [numpy.linalg.cholesky(matrix) for matrix in matrices.values()]
    return fsum(
        2 * math.log(value) - math.log(prior) for factor in factors for value in factor.diagonal().tolist()
    )


def _mixed(weights: Sequence[float], vectors: Sequence[Floats]) -> Floats:
    """Return the weighed sum, added up in order."""
    mixed = weights[0] * vectors[0]
    for weight, vector in zip(weights[1:], vectors[1:], strict=True):
        mixed = mixed + weight * vector
    return mixed
