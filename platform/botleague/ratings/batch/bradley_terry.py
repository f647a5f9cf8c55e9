"""The batch rating: one strength per bot by maximum likelihood over all its games at once, with honest errors.

A bot version does not learn between matches, so all its games are evidence of one strength and their order does
not matter: final tables are made here. :mod:`~botleague.ratings.batch.dispersion` computes the errors.

Ratings alone (:func:`strengths`) take time that is linear in the number of pairs that met. The work for errors grows
with the cube of the number of bots, up to a size beyond which simpler ones are given.

Source: RATINGS, section 7; R. Bradley, M. Terry, Biometrika 39, 1952.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec

from botleague.ratings.batch.evidence import Columns, Evidence, strong_components
from botleague.ratings.rated_result import RatingError

if TYPE_CHECKING:  # numpy takes longer to load than most commands run
    from botleague.ratings.batch.dispersion import Dispersion, Spread
    from botleague.ratings.batch.field import Field
    from botleague.ratings.batch.likelihood import Floats, Likelihood

Prior: TypeAlias = float | Literal["estimated"]
"""Virtual drawn games of each bot, so that there is always one finite answer; or the number that results
suggest for their field, which is valid only where pairings depended on these results and on chance alone."""

PRIOR = 2.0
"""Virtual draws of each bot where they are not estimated: in pairings, marks, and tables whose pairings knew more."""

PAIRING_ACCURACY = 1e-4
"""Elo points; a ladder rounds to hundredths."""


class NotStronglyConnected(RatingError):
    """Without a prior these results have no finite answer; ``components`` are the bots that can be compared."""

    def __init__(self, components: list[list[str]]) -> None:
        listed = "; ".join(", ".join(one[:5]) + ", ..." * (len(one) > 5) for one in components[:6])
        super().__init__(
            f"the results are not strongly connected: {len(components)} groups of bots took points from each "
            f"other only one way or not at all ({listed}); play more matches between them, or use a prior"
        )
        self.components = components


class Anchor(msgspec.Struct, frozen=True):
    """Number to which the ratings are shifted: the mean of all, or one bot, has ``value``.

    A choice of display: no difference between ratings depends on it.
    """

    value: float = 1500.0
    bot: str | None = None


class Tie(msgspec.Struct, frozen=True):
    """The belief that consecutive versions of a bot are of similar strength; final tables do without it.

    Attributes:
        games: virtual drawn games of each version against the previous one; 4 means that they differ by some 174 Elo.
        lineages: the versions of each bot in order; versions without a match are skipped.
    """

    games: float
    lineages: Sequence[Sequence[str]]


class Strength(NamedTuple):
    """Strength of a bot, for pairing.

    Attributes:
        rating: internal, in Elo points; 0 is the middle, where a bot without matches stands.
        variance: the inverse of the bot's own information.
    """

    rating: float
    variance: float


class BatchTable(msgspec.Struct, frozen=True, eq=False):
    """Fitted ratings in Elo points. All rows are in the order of ``bots``.

    Attributes:
        bots: in alphabetical order; of columns that grew, in order of appearance.
        ratings: anchored, one per bot.
        spread: the errors that the methods below tell.
        plain: the errors if every game were a coin toss of its own: for research.
        dispersion: how much the units of evidence varied, compared with coin tosses.
        anchor: the row with the fixed value, None for the mean.
        fit: what it was made from, at one prior.
        field: what the results say of the spread of the field; None where that was not asked.
    """

    bots: tuple[str, ...]
    ratings: tuple[float, ...]
    spread: Spread
    plain: Spread
    dispersion: Dispersion
    anchor: int | None
    fit: Fit
    field: Field | None = None

    @property
    def log_likelihood(self) -> float:
        """Log likelihood of the results alone, without prior and ties."""
        internal = self.fit.internal if self.field is None else self.field.ratings
        return self.fit.likelihood.value(internal)

    @property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """The groups of bots that took points from each other both ways; one group is best."""
        components = strong_components(self.fit.units.units(), self.fit.tied)
        return tuple(tuple(component) for component in components)

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
        return msgspec.structs.replace(self, spread=self.plain)

    def with_sandwich_errors(self, units: Evidence) -> BatchTable:
        """Return the table with the sandwich's errors: much too small unless every bot has some tens of units.

        Args:
            units: what the table was fitted to.
        """
        import numpy

        from botleague.ratings.batch import dispersion

        matrix = dispersion.sandwich(Columns.of(units), numpy.array(self.ratings), self.plain.matrix)
        return msgspec.structs.replace(self, spread=msgspec.structs.replace(self.plain, matrix=matrix))

    def _row(self, bot: str) -> int:
        try:
            return self.bots.index(bot)
        except ValueError:
            raise RatingError(f"{bot!r} has no match in this table") from None


class Fit(msgspec.Struct, frozen=True, eq=False):
    """Ratings under which results are most likely; errors are computed on demand.

    Attributes:
        units: the results.
        likelihood: of ratings by row of the units.
        internal: where it is greatest: Elo points, 0 in the middle.
        tied: the consecutive versions that were tied.
    """

    units: Columns
    likelihood: Likelihood
    internal: Floats
    tied: Sequence[tuple[str, str]]

    def strengths(self) -> dict[str, Strength]:
        """Return where each bot stands, in time linear in the number of pairs that met."""
        _, (information, _) = self.likelihood.derivatives(self.internal)
        return {
            bot: Strength(*pair)
            for bot, *pair in zip(
                self.units.bots, self.internal.tolist(), (1 / information).tolist(), strict=True
            )
        }

    def table(
        self, anchor: Anchor | None = None, most_inverted: int | None = None, *, is_estimated: bool = False
    ) -> BatchTable:
        """Return the table with its errors; takes and raises what :func:`fit` does.

        Args:
            is_estimated: estimate the spread of the field; this fit, with a prior of 2, gives the dispersion alone.
        """
        from botleague.ratings.batch import dispersion

        anchor, bots = anchor or Anchor(), self.units.bots
        if anchor.bot is not None and anchor.bot not in bots:
            raise RatingError(f"the anchor {anchor.bot!r} has no match in these results")
        most = dispersion.MAX_INVERTED if most_inverted is None else most_inverted
        inverse = dispersion.covariance(self.likelihood, self.internal, most)
        own = dispersion.diagonal(inverse)
        plain = dispersion.Spread(inverse, 1.0, own[:0].reshape(0, len(own)), math.inf)
        dispersed = dispersion.dispersion(self.units, self.internal, inverse)
        field = None
        if is_estimated:
            from botleague.ratings.batch.field import estimated

            field = estimated(self.likelihood, dispersed, most)
            ratings, spread = field.ratings, field.spread
        else:
            pull = dispersion.pull(self.likelihood, self.internal, inverse)
            ratings, spread = (
                self.internal,
                dispersion.Spread(inverse, dispersed.value, pull[None, :], dispersed.df),
            )
        internal = ratings.tolist()
        row = None if anchor.bot is None else bots.index(anchor.bot)
        fixed = math.fsum(internal) / max(1, len(internal)) if row is None else internal[row]
        return BatchTable(
            bots=tuple(bots),
            ratings=tuple(value + (anchor.value - fixed) for value in internal),
            spread=spread,
            plain=plain,
            dispersion=dispersed,
            anchor=row,
            fit=self,
            field=field,
        )


def fit(
    units: Evidence,
    prior: Prior = PRIOR,
    anchor: Anchor | None = None,
    tie: Tie | None = None,
    most_inverted: int | None = None,
) -> BatchTable:
    """Return the ratings under which ``units`` are most likely.

    Args:
        units: see :func:`botleague.ratings.batch.evidence.evidence`.
        prior: virtual drawn games of each bot against an opponent fixed at 0 on the internal scale. Above 0
            there always is one finite answer; 0 is for research. ``estimated``: the spread of the field is estimated,
            and ratings are those of a mixture of priors.
        anchor: a mean of 1500 if None.
        tie: between versions of one bot, none if None.
        most_inverted: with more bots, errors are those of each bot's own information; None for 2,000.

    Raises:
        NotStronglyConnected: no prior, and the results do not compare all bots with each other.
        RatingError: a negative prior or tie, or an anchor that did not play.
    """
    return fit_columns(Columns.of(units), prior, anchor, tie, most_inverted)


def fit_columns(
    units: Columns,
    prior: Prior,
    anchor: Anchor | None = None,
    tie: Tie | None = None,
    most_inverted: int | None = None,
) -> BatchTable:
    """Return what :func:`fit` does, of evidence in columns."""
    if prior == "estimated":
        return most_likely(units, PRIOR, tie).table(anchor, most_inverted, is_estimated=True)
    return most_likely(units, prior, tie).table(anchor, most_inverted)


def strengths(units: Evidence, prior: float = PRIOR) -> dict[str, Strength]:
    """Return where each bot stands on the internal scale, in time linear in the number of pairs that met.

    Raises:
        NotStronglyConnected: no prior, and the results do not compare all bots with each other.
        RatingError: a negative prior.
    """
    return most_likely(Columns.of(units), prior, converged=PAIRING_ACCURACY).strengths()


def newcomer(prior: float = PRIOR) -> Strength:
    """Return where a bot without matches stands: in the middle, as far as the prior holds it there."""
    per_point = math.log(10) / 400
    return Strength(0.0, 4 / (per_point * per_point * prior))


def most_likely(
    units: Columns, prior: float = PRIOR, tie: Tie | None = None, converged: float | None = None
) -> Fit:
    """Return the fit to ``units``; takes and raises what :func:`fit` does.

    Args:
        converged: how far the ratings may be off, in Elo points; None for rounding.
    """
    from botleague.ratings.batch import likelihood

    if not 0 <= prior < math.inf:
        raise RatingError(f"the prior is a number of virtual games, 0 or more, not {prior}")
    if tie is not None and not 0 <= tie.games < math.inf:
        raise RatingError(f"the tie is a number of virtual games, 0 or more, not {tie.games}")
    row = {bot: i for i, bot in enumerate(units.bots)}
    tied: list[tuple[str, str]] = []
    if tie is not None and tie.games > 0:
        for lineage in tie.lineages:
            tied += pairwise(version for version in lineage if version in row)
        tied = list(dict.fromkeys(tied))  # two versions may carry on the same one
    # Refused and not tried: a bot that took every point would diverge.
    if prior == 0 and len(components := strong_components(units.units(), tied)) > 1:
        raise NotStronglyConnected(components)
    ties = likelihood.tied([(row[one], row[other]) for one, other in tied], tie.games if tie else 0.0)
    problem = likelihood.Likelihood(len(row), likelihood.cross_table(units), ties, prior)
    internal = problem.maximum(likelihood.CONVERGED if converged is None else converged)
    return Fit(units, problem, internal, tied)
