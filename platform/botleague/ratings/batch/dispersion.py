"""Errors of the ratings of a batch table: the numpy half of :mod:`~botleague.ratings.batch.bradley_terry`.

What is shown rests on one number, the dispersion: how much more, or less, the units of evidence vary than tosses of
coins would, estimated from all units of the table together. It multiplies the inverse of the information; the square
of how far prior and ties pull is added.

With many bots the information is not inverted: each bot's own information stands for all of it.

Source: RATINGS, sections 7.2 to 7.5; R. Wedderburn, Biometrika 61, 1974; P. Huber, 1967, and H. White, 1980.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy
from numpy.typing import NDArray

from botleague.ratings.batch.evidence import Columns
from botleague.ratings.batch.likelihood import ACCURACY, PER_POINT, Floats, Likelihood
from botleague.ratings.distributions import student_probability, student_quantile
from botleague.ratings.rated_result import RatingError

BELIEF = 5.0
"""Weight of the belief in a dispersion of 1, in units."""

NOTHING_LEFT = 1e-6
"""Degrees of freedom below this are rounding: the fit used up all that the units could tell."""

MAX_INVERTED = 2000
"""Largest number of bots whose information is inverted; the work grows with the cube of their number."""


class Spread(msgspec.Struct, frozen=True, eq=False):
    """The errors of fitted ratings, by row of their table.

    Attributes:
        matrix: of which only contrasts mean anything; above the bots that :func:`covariance` inverts for, its diagonal.
        factor: by which the matrix is multiplied.
        pulls: how far each rating may have been pulled, up to a common shift; one row for each reason. Their squares
            are added.
        df: degrees of freedom of Student's distribution, infinite for the normal one.
    """

    matrix: Floats
    factor: float
    pulls: Floats
    df: float

    def errors(self, anchor: int | None) -> list[float]:
        """Return the standard error of each rating, given that their mean or the row ``anchor`` is fixed."""
        own = diagonal(self.matrix)
        full = self.matrix.ndim == 2
        if anchor is not None:
            covariances = self.matrix[anchor] if full else 0.0
            variances = own + own[anchor] - 2 * covariances
            variances[anchor] = 0.0
            pulled = [pull - pull[anchor] for pull in self.pulls]
        else:
            size = max(1, len(own))
            # Contrasts with the mean of all: a common shift of ratings has no error.
            means = (self.matrix.sum(axis=0) if full else own) / size
            variances = own - 2 * means + means.sum() / size
            pulled = [pull - pull.sum() / size for pull in self.pulls]
        squares = self.factor * variances.clip(min=0.0)
        for pull in pulled:
            squares = squares + pull * pull
        return [math.sqrt(square) for square in squares]

    def difference(self, i: int, j: int) -> float:
        """Return the standard error of the difference of rows ``i`` and ``j``.

        Raises:
            RatingError: only the diagonal is known.
        """
        if self.matrix.ndim == 1:
            raise RatingError(
                f"differences of {len(self.matrix)} bots have no error: above {MAX_INVERTED} bots the information is "
                "not inverted"
            )
        variance = self.matrix[i, i] + self.matrix[j, j] - 2 * self.matrix[i, j] if i != j else 0.0
        square = self.factor * max(0.0, variance)
        for pull in self.pulls:
            square += (pull[i] - pull[j]) ** 2
        return math.sqrt(square)

    def quantile(self) -> float:
        """Return half the width of a 95 % interval, in standard errors."""
        return student_quantile(0.975, self.df)

    def superiority(self, ahead: float, error: float) -> float:
        """Return the chance that a difference of ``ahead`` with standard error ``error`` is above 0."""
        if error == 0:
            return 0.5 if ahead == 0 else float(ahead > 0)
        return student_probability(ahead / error, self.df)


class Dispersion(NamedTuple):
    """Variation of the units, relative to that of coin tosses.

    Attributes:
        raw: as estimated; None if the fit used up all that the units could tell.
        value: moved towards 1, the more so the less evidence there is.
        df: degrees of freedom behind ``value``.
    """

    raw: float | None
    value: float
    df: float


def information(likelihood: Likelihood, ratings: Floats) -> Floats:
    """Return the information that results, ties and prior have of ratings: a matrix in units of 1/Elo²."""
    _, (own, mixed) = likelihood.derivatives(ratings)
    matrix = numpy.diag(own)
    rows = numpy.concatenate((likelihood.results.first, likelihood.ties.first))
    columns = numpy.concatenate((likelihood.results.second, likelihood.ties.second))
    numpy.subtract.at(matrix, (rows, columns), mixed)
    numpy.subtract.at(matrix, (columns, rows), mixed)
    return matrix


def covariance(likelihood: Likelihood, ratings: Floats, most: int = MAX_INVERTED) -> Floats:
    """Return the inverse of the information, the Moore-Penrose inverse if there is no prior.

    With more than ``most`` bots: the inverse of its diagonal, as a vector.

    Raises:
        RatingError: it cannot be inverted.
    """
    size = likelihood.size
    if size > most:
        return 1 / likelihood.derivatives(ratings)[1].diagonal
    matrix = information(likelihood, ratings)
    # without a prior nothing depends on the common shift, which is pinned down on the matrix's own scale
    pin = 0.0 if likelihood.prior or not size else matrix.diagonal().mean() / size
    try:
        numpy.linalg.cholesky(matrix + pin)
    except numpy.linalg.LinAlgError:
        raise RatingError(
            "the errors cannot be computed: some bots hardly scored; use a prior above 0"
        ) from None
    inverted: Floats = numpy.linalg.inv(matrix + pin)
    if pin:
        inverted -= 1 / (pin * size * size)
    return (inverted + inverted.T) / 2


def dispersion(units: Columns, ratings: Floats, inverse: Floats) -> Dispersion:
    """Return the dispersion of ``units`` around fitted ratings.

    Args:
        inverse: from :func:`covariance`.
    """
    degrees = squares = left = 0.0
    for block in _scores(units, ratings):
        if inverse.ndim == 2:
            own = inverse[block.rows[:, :, None], block.rows[:, None, :]]
        else:
            own = inverse[block.rows][:, :, None] * numpy.eye(block.rows.shape[1])
        used = block.information @ own
        leverage = numpy.einsum("uii->u", used)
        degrees += float(block.counts @ (block.rows.shape[1] - 1 - leverage))
        squares += float(block.counts @ (block.gradient**2).sum(axis=1))
        spread = numpy.einsum("uii->u", block.information) - numpy.einsum(
            "uij,uji->u", used, block.information
        )
        left += float(block.counts @ spread)
    if degrees < NOTHING_LEFT or left <= 0:
        return Dispersion(None, 1.0, BELIEF)
    raw = squares / left
    return Dispersion(raw, (BELIEF + degrees * raw) / (BELIEF + degrees), BELIEF + degrees)


def sandwich(units: Columns, ratings: Floats, inverse: Floats) -> Floats:
    """Return the sandwich covariance, which is right in large samples only: for research.

    Args are those of :func:`dispersion`; ``inverse`` is a matrix.
    """
    scatter = numpy.zeros_like(inverse)
    for block in _scores(units, ratings):
        own = block.counts[:, None, None] * block.gradient[:, :, None] * block.gradient[:, None, :]
        numpy.add.at(scatter, (block.rows[:, :, None], block.rows[:, None, :]), own)
    product: Floats = inverse @ scatter @ inverse
    return product


def pull(likelihood: Likelihood, ratings: Floats, inverse: Floats) -> Floats:
    """Return how far prior and ties pull each rating; 0 without them.

    Args are those of :func:`dispersion`.
    """
    towards = likelihood.pull(ratings)
    if inverse.ndim == 1:
        return likelihood.solve(likelihood.derivatives(ratings)[1], towards, ACCURACY)
    pulled: Floats = inverse @ towards
    return pulled


def diagonal(matrix: Floats) -> Floats:
    """Return the diagonal of what :func:`covariance` returned."""
    own: Floats = matrix.diagonal() if matrix.ndim == 2 else matrix
    return own


class _Scores(NamedTuple):
    """All units of k bots. Shapes: u units; (u,), (u, k), (u, k), (u, k, k).

    Attributes:
        counts: how often each unit occurred.
        rows: of its bots.
        gradient: its share of the gradient of the log likelihood.
        information: its share of the information.
    """

    counts: Floats
    rows: NDArray[numpy.int64]
    gradient: Floats
    information: Floats


def _scores(units: Columns, ratings: Floats) -> Iterator[_Scores]:
    """Yield the units by their number of bots."""
    for size, block in units.blocks.items():
        rows = numpy.array(block.rows).reshape(-1, size)
        unit, first, second = (numpy.array(column) for column in (block.unit, block.first, block.second))
        games = numpy.array(block.games)
        apart = PER_POINT * (ratings[rows[unit, first]] - ratings[rows[unit, second]])
        expected = numpy.exp(-numpy.logaddexp(0.0, -apart))
        surplus = PER_POINT * (numpy.array(block.points) - games * expected)
        weight = PER_POINT**2 * games * expected * numpy.exp(-numpy.logaddexp(0.0, apart))
        gradient = numpy.zeros(rows.shape)
        information = numpy.zeros((*rows.shape, size))
        for place, other, sign in ((first, second, 1), (second, first, -1)):
            numpy.add.at(gradient, (unit, place), sign * surplus)
            numpy.add.at(information, (unit, place, place), weight)
            numpy.subtract.at(information, (unit, place, other), weight)
        yield _Scores(numpy.array(block.counts), rows, gradient, information)
