"""The batch rating: one strength per bot by maximum likelihood over all its games at once, with honest errors.

A bot version does not learn between matches, so all its games are evidence of one strength and their order does
not matter: final tables are made here. How the errors come about is told in :mod:`~botleague.ratings.dispersion`.

Ratings alone (:func:`strengths`) take time that is linear in the number of pairs that met. The work for errors grows
with the cube of the number of bots, up to a size beyond which simpler ones are given.

Source: RATINGS, section 7; R. Bradley, M. Terry, Biometrika 39, 1952.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from botleague.ratings.evidence import Evidence, strong_components
from botleague.ratings.likelihood import PER_POINT, Likelihood, Met
from botleague.ratings.record import RatingError

if TYPE_CHECKING:
    from botleague.ratings.dispersion import Dispersion, Spread

__all__ = [
    "PRIOR",
    "Anchor",
    "BatchTable",
    "NotStronglyConnected",
    "Strength",
    "Tie",
    "fit",
    "newcomer",
    "strengths",
]

PRIOR = 2.0
"""Virtual drawn games of each bot in public tables: so there always is one finite answer."""

PAIRING_ACCURACY = 1e-4
"""Elo points; a ladder rounds to hundredths."""


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
class Tie:
    """The belief that consecutive versions of a bot are of similar strength; final tables do without it.

    Attributes:
        games: virtual drawn games of each version against the one before; 4 says that they differ by some 174 Elo.
        lineages: the versions of each bot in order; who has no match is skipped.
    """

    games: float
    lineages: Sequence[Sequence[str]]


class Strength(NamedTuple):
    """Where a bot stands, for pairing.

    Attributes:
        rating: internal, in Elo points; 0 is the middle, where a bot without matches stands.
        variance: the inverse of the bot's own information.
    """

    rating: float
    variance: float


@dataclass(frozen=True, slots=True, eq=False)
class BatchTable:
    """Fitted ratings in Elo points. All rows are in the order of ``bots``.

    Attributes:
        bots: in alphabetical order.
        ratings: anchored, one per bot.
        spread: the errors that the methods below tell.
        plain: the errors if every game were a coin toss of its own: for research.
        dispersion: how much the units of evidence varied, compared with coin tosses.
        anchor: the row with the fixed value, None for the mean.
        log_likelihood: of the results alone, without prior and ties.
        components: the groups of bots that took points from each other both ways; one group is best.
    """

    bots: tuple[str, ...]
    ratings: tuple[float, ...]
    spread: Spread
    plain: Spread
    dispersion: Dispersion
    anchor: int | None
    log_likelihood: float
    components: tuple[tuple[str, ...], ...]

    @property
    def has_superiority(self) -> bool:
        """Whether differences have errors; not so with more bots than the information is inverted for."""
        return self.spread.matrix.ndim == 2

    def rating(self, bot: str) -> float:
        """Return the rating of ``bot``."""
        return self.ratings[self._row(bot)]

    def errors(self) -> list[float]:
        """Return the standard error of each rating; 0 for the anchor itself."""
        return self.spread.errors(self.anchor)

    def intervals(self) -> list[tuple[float, float]]:
        """Return the 95 % interval of each bot. Overlap of two intervals is not a test; use the difference."""
        quantile = self.spread.quantile()
        return [
            (rating - quantile * error, rating + quantile * error)
            for rating, error in zip(self.ratings, self.errors(), strict=True)
        ]

    def difference(self, bot: str, other: str) -> tuple[float, float]:
        """Return how far ``bot`` is ahead of ``other``, and the standard error of that.

        Raises:
            RatingError: there are too many bots for errors of differences.
        """
        i, j = self._row(bot), self._row(other)
        return self.ratings[i] - self.ratings[j], self.spread.difference(i, j)

    def superiority(self, bot: str, other: str) -> float:
        """Return the likelihood that ``bot`` is stronger than ``other`` (LOS), 1/2 for a bot and itself.

        Raises:
            RatingError: there are too many bots for errors of differences.
        """
        return self.spread.superiority(*self.difference(bot, other))

    def with_plain_errors(self) -> BatchTable:
        """Return the table with errors that take every game for a coin toss of its own."""
        return replace(self, spread=self.plain)

    def with_sandwich_errors(self, units: Evidence) -> BatchTable:
        """Return the table with the sandwich's errors: much too small unless every bot has some tens of units.

        Args:
            units: what the table was fitted to.
        """
        from botleague.ratings import dispersion

        row = {bot: i for i, bot in enumerate(self.bots)}
        matrix = dispersion.sandwich(units, row, self.ratings, self.plain.matrix)
        return replace(self, spread=replace(self.plain, matrix=matrix))

    def _row(self, bot: str) -> int:
        try:
            return self.bots.index(bot)
        except ValueError:
            raise RatingError(f"{bot!r} has no match in this table") from None


def fit(
    units: Evidence,
    prior: float = PRIOR,
    anchor: Anchor | None = None,
    tie: Tie | None = None,
    most_inverted: int | None = None,
) -> BatchTable:
    """Return the ratings under which ``units`` are most likely.

    Args:
        units: see :func:`botleague.ratings.evidence.evidence`.
        prior: virtual drawn games of each bot against an opponent fixed at 0 on the internal scale. Above 0
            there always is one finite answer; 0 is for research.
        anchor: a mean of 1500 if None.
        tie: between versions of one bot, none if None.
        most_inverted: with more bots, errors are those of each bot's own information; None for 2,000.

    Raises:
        NotStronglyConnected: no prior, and the results do not compare everybody with everybody.
        RatingError: a negative prior or tie, or an anchor that did not play.
    """
    from botleague.ratings import dispersion  # numpy takes longer to load than most commands run

    anchor = anchor or Anchor()
    components, row, likelihood = _model(units, prior, tie)
    if anchor.bot is not None and anchor.bot not in row:
        raise RatingError(f"the anchor {anchor.bot!r} has no match in these results")
    internal = likelihood.maximum()
    most = dispersion.MOST_INVERTED if most_inverted is None else most_inverted
    inverse = dispersion.covariance(likelihood, internal, most)
    plain = dispersion.Spread(inverse, 1.0, 0.0 * dispersion.diagonal(inverse), math.inf)
    found = dispersion.dispersion(units, row, internal, inverse)
    pull = dispersion.pull(likelihood, internal, inverse)
    fixed = sum(internal) / max(1, len(internal)) if anchor.bot is None else internal[row[anchor.bot]]
    return BatchTable(
        bots=tuple(row),
        ratings=tuple(value + (anchor.value - fixed) for value in internal),
        spread=dispersion.Spread(inverse, found.value, pull, found.df),
        plain=plain,
        dispersion=found,
        anchor=None if anchor.bot is None else row[anchor.bot],
        log_likelihood=likelihood.value(internal),
        components=tuple(tuple(component) for component in components),
    )


def strengths(units: Evidence, prior: float = PRIOR) -> dict[str, Strength]:
    """Return where each bot stands on the internal scale, in time linear in the number of pairs that met.

    Raises:
        NotStronglyConnected: no prior, and the results do not compare everybody with everybody.
        RatingError: a negative prior.
    """
    _, row, likelihood = _model(units, prior, None)
    ratings = likelihood.maximum(PAIRING_ACCURACY)
    _, (information, _) = likelihood.derivatives(ratings)
    return {bot: Strength(ratings[i], 1 / information[i]) for bot, i in row.items()}


def newcomer(prior: float = PRIOR) -> Strength:
    """Return where a bot without matches stands: in the middle, as far as the prior holds it there."""
    return Strength(0.0, 4 / (PER_POINT * PER_POINT * prior))


def _model(
    units: Evidence, prior: float, tie: Tie | None
) -> tuple[list[list[str]], dict[str, int], Likelihood]:
    """Return the groups of bots that can be compared, the row of each bot, and the likelihood of their ratings."""
    if not 0 <= prior < math.inf:
        raise RatingError(f"the prior is a number of virtual games, 0 or more, not {prior}")
    if tie is not None and not 0 <= tie.games < math.inf:
        raise RatingError(f"the tie is a number of virtual games, 0 or more, not {tie.games}")
    played = sorted({bot for unit in units for meeting in unit for bot in (meeting.bot, meeting.opponent)})
    row = {bot: i for i, bot in enumerate(played)}
    tied: list[tuple[str, str]] = []
    if tie is not None and tie.games > 0:
        for lineage in tie.lineages:
            tied += pairwise(version for version in lineage if version in row)
    components = strong_components(units, tied)
    # Refused and not tried: a bot that took every point would diverge.
    if prior == 0 and len(components) > 1:
        raise NotStronglyConnected(components)
    ties = [Met(row[one], row[other], tie.games, tie.games / 2) for one, other in tied] if tie else []
    return components, row, Likelihood(len(row), _cross_table(units, row), ties, prior)


def _cross_table(units: Evidence, row: Mapping[str, int]) -> list[Met]:
    """Return what every pair of rows that met did to each other."""
    totals: dict[tuple[int, int], list[float]] = {}
    for unit, count in units.items():
        for bot, opponent, points, games in unit:
            i, j = row[bot], row[opponent]
            if i > j:
                i, j, points = j, i, games - points
            total = totals.setdefault((i, j), [0.0, 0.0])
            total[0] += count * games
            total[1] += count * points
    return [Met(i, j, games, points) for (i, j), (games, points) in totals.items()]
