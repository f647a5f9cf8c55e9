"""The batch rating: one strength per bot by maximum likelihood over all its games at once, with honest errors.

A bot version does not learn between matches, so all its games are evidence of one strength and their order does
not matter: final tables are made here. The plain error takes every game for a coin toss. The robust one (the
sandwich) is right with draws, which make results less variable, and with mirrored sets, whose games depend on each
other; tables show that one.

Ratings alone (:func:`strengths`) can be had for tables of any size. The work for errors grows with the cube of the
number of bots, and only linearly with the number of different units.

Source: RATINGS, section 7; R. Bradley, M. Terry, Biometrika 39, 1952; P. Huber, 1967, and H. White, 1980.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from botleague.ratings.elo import expected_score
from botleague.ratings.evidence import Evidence, strong_components
from botleague.ratings.likelihood import (
    PER_POINT,
    Pairs,
    cross_table,
    information,
    invertible,
    log_likelihood,
    maximum,
    mean_diagonal,
)
from botleague.ratings.matrices import Matrix, NotPositive, inverse, product
from botleague.ratings.normal import QUANTILE_95, normal_probability
from botleague.ratings.record import RatingError

__all__ = ["Anchor", "BatchTable", "NotStronglyConnected", "fit", "strengths"]


class NotStronglyConnected(RatingError):
    """Without a prior these results have no finite answer; ``components`` are the bots that can be compared."""

    def __init__(self, components: list[list[str]]) -> None:
        shown = "; ".join(", ".join(one[:5]) + ", ..." * (len(one) > 5) for one in components[:6])
        super().__init__(
            f"the results are not strongly connected: {len(components)} groups of bots took points from each "
            f"other only one way or not at all ({shown}); play more matches between them, or use a prior"
        )
        self.components = components


@dataclass(frozen=True, slots=True)
class Anchor:
    """Which number the ratings are shifted to: the mean of all, or one bot, has ``value``.

    A choice of display: no difference between ratings depends on it.
    """

    value: float = 1500.0
    bot: str | None = None


@dataclass(frozen=True, slots=True)
class BatchTable:
    """Fitted ratings in Elo points. All rows and columns are in the order of ``bots``.

    Attributes:
        bots: in alphabetical order.
        ratings: anchored, one per bot.
        errors: plain standard errors of the ratings, given the anchor.
        robust_errors: the same by the sandwich.
        covariance: plain, of the internal ratings; only contrasts of it mean anything.
        robust_covariance: the same by the sandwich.
        log_likelihood: of the results alone, without the prior.
        components: the groups of bots that took points from each other both ways; one group is best.
    """

    bots: tuple[str, ...]
    ratings: tuple[float, ...]
    errors: tuple[float, ...]
    robust_errors: tuple[float, ...]
    covariance: Matrix
    robust_covariance: Matrix
    log_likelihood: float
    components: tuple[tuple[str, ...], ...]

    def rating(self, bot: str) -> float:
        """Return the rating of ``bot``."""
        return self.ratings[self._row(bot)]

    def error(self, bot: str, robust: bool = True) -> float:
        """Return the standard error of the rating of ``bot``; 0 for the anchor itself."""
        return (self.robust_errors if robust else self.errors)[self._row(bot)]

    def interval(self, bot: str, robust: bool = True) -> tuple[float, float]:
        """Return the 95 % interval of ``bot``. Overlap of two intervals is no test; use the difference."""
        half = QUANTILE_95 * self.error(bot, robust)
        return self.rating(bot) - half, self.rating(bot) + half

    def difference(self, bot: str, other: str, robust: bool = True) -> tuple[float, float]:
        """Return how far ``bot`` is ahead of ``other``, and the standard error of that."""
        i, j = self._row(bot), self._row(other)
        spread = self.robust_covariance if robust else self.covariance
        return self.ratings[i] - self.ratings[j], _contrast(spread, i, j)

    def superiority(self, bot: str, other: str, robust: bool = True) -> float:
        """Return the likelihood that ``bot`` is stronger than ``other`` (LOS), 1/2 for a bot and itself."""
        ahead, error = self.difference(bot, other, robust)
        if error == 0:
            return 0.5 if ahead == 0 else float(ahead > 0)
        return normal_probability(ahead / error)

    def _row(self, bot: str) -> int:
        try:
            return self.bots.index(bot)
        except ValueError:
            raise RatingError(f"{bot!r} has no match in this table") from None


def fit(units: Evidence, prior: float = 2.0, anchor: Anchor | None = None) -> BatchTable:
    """Return the ratings under which ``units`` are most likely.

    Args:
        units: see :func:`botleague.ratings.evidence.evidence`.
        prior: virtual drawn games of each bot against an opponent fixed at 0 on the internal scale. Above 0
            there always is one finite answer; 0 is for research.
        anchor: a mean of 1500 if None.

    Raises:
        NotStronglyConnected: no prior, and the results do not compare everybody with everybody.
        RatingError: a negative prior, or an anchor that did not play.
    """
    anchor = anchor or Anchor()
    components, row = _checked(units, prior, anchor)
    bots = tuple(row)
    games, points = cross_table(units, row)
    internal = maximum(games, points, len(bots), prior)
    covariance = _covariance(games, internal, prior)
    robust = product(product(covariance, _scatter(units, row, internal)), covariance) if bots else []
    if anchor.bot is None:
        errors, robust_errors = _errors_from_mean(covariance), _errors_from_mean(robust)
    else:
        fixed = row[anchor.bot]
        errors = tuple(_contrast(covariance, i, fixed) for i in range(len(bots)))
        robust_errors = tuple(_contrast(robust, i, fixed) for i in range(len(bots)))
    return BatchTable(
        bots=bots,
        ratings=_anchored(internal, row, anchor),
        errors=errors,
        robust_errors=robust_errors,
        covariance=covariance,
        robust_covariance=robust,
        log_likelihood=log_likelihood(games, points, internal),
        components=tuple(tuple(component) for component in components),
    )


def strengths(units: Evidence, prior: float = 2.0, anchor: Anchor | None = None) -> dict[str, float]:
    """Return the ratings of :func:`fit` alone, by bot; with many bots the errors would take much longer than these.

    Args and errors are those of :func:`fit`.
    """
    anchor = anchor or Anchor()
    _, row = _checked(units, prior, anchor)
    internal = maximum(*cross_table(units, row), len(row), prior)
    return dict(zip(row, _anchored(internal, row, anchor), strict=True))


def _checked(units: Evidence, prior: float, anchor: Anchor) -> tuple[list[list[str]], dict[str, int]]:
    """Return the groups of bots that can be compared, and the row of each bot, if there is an answer."""
    if not 0 <= prior < math.inf:
        raise RatingError(f"the prior is a number of virtual games, 0 or more, not {prior}")
    components = strong_components(units)
    if prior == 0 and len(components) > 1:
        raise NotStronglyConnected(components)
    row = {bot: i for i, bot in enumerate(sorted(bot for component in components for bot in component))}
    if anchor.bot is not None and anchor.bot not in row:
        raise RatingError(f"the anchor {anchor.bot!r} has no match in these results")
    return components, row


def _anchored(internal: list[float], row: dict[str, int], anchor: Anchor) -> tuple[float, ...]:
    if not internal:
        return ()
    fixed = sum(internal) / len(internal) if anchor.bot is None else internal[row[anchor.bot]]
    return tuple(value + (anchor.value - fixed) for value in internal)


def _covariance(games: Pairs, ratings: list[float], prior: float) -> Matrix:
    """Return the inverse of the information, or its Moore-Penrose inverse if there is no prior."""
    size = len(ratings)
    matrix = information(games, ratings, prior)
    try:
        inverted = inverse(invertible(matrix, prior))
    except NotPositive:
        raise RatingError(
            "the errors cannot be computed: some bots hardly scored; use a prior above 0"
        ) from None
    if prior > 0 or not size:
        return inverted
    excess = 1 / (mean_diagonal(matrix) * size)
    return [[value - excess for value in row] for row in inverted]


def _scatter(units: Evidence, row: dict[str, int], ratings: list[float]) -> Matrix:
    """Return the sum over units of g g^T, g being the unit's own share of the gradient."""
    size = len(ratings)
    matrix = [[0.0] * size for _ in range(size)]
    for unit, count in units.items():
        gradient: dict[int, float] = {}
        for meeting in unit:
            i, j = row[meeting.bot], row[meeting.opponent]
            expected = expected_score(ratings[i], ratings[j])
            surplus = PER_POINT * (meeting.points - meeting.games * expected)
            gradient[i] = gradient.get(i, 0.0) + surplus
            gradient[j] = gradient.get(j, 0.0) - surplus
        for i, one in gradient.items():
            for j, other in gradient.items():
                matrix[i][j] += count * one * other
    return matrix


def _errors_from_mean(covariance: Matrix) -> tuple[float, ...]:
    """Return the standard error of each bot's distance to the mean of all."""
    size = len(covariance)
    means = [sum(row) / size for row in covariance]
    overall = sum(means) / size if size else 0.0
    return tuple(math.sqrt(max(0.0, covariance[i][i] - 2 * means[i] + overall)) for i in range(size))


def _contrast(covariance: Matrix, i: int, j: int) -> float:
    """Return the standard error of the difference of rows ``i`` and ``j``."""
    return math.sqrt(max(0.0, covariance[i][i] + covariance[j][j] - 2 * covariance[i][j])) if i != j else 0.0
