"""Two bots compared by counts of what came out: Elo, normalised Elo, and the likelihood of superiority.

Counts go from the worst to the best outcome of a unit for the first bot: losses, draws, wins of single games
(trinomial), or 0, 1/2, 1, 3/2, 2 points of mirrored pairs (pentanomial). With n seats a unit is the whole cycle
of seat rotations and its score the mean.

What has no finite value is None, never a number that looks like one.

Source: RATINGS, section 8; M. Van den Bergh's notes on normalised Elo.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from botleague.ratings.distributions import QUANTILE_95, normal_probability
from botleague.ratings.rated_result import RatingError

NORMALISED = 800 / math.log(10)
"""Normalised Elo in one standard deviation of a game."""


FEWEST_UNITS = 20
"""Number of units below which an interval that is valid at every look is useless."""

RISK = 0.05
"""Probability that such an interval misses the truth at any look."""

TIGHTEST = 200
"""Number of units at which the interval is tightest."""

USUAL_DEVIATION, BELIEF = 0.354, 5
"""Deviation of a pair's score where games are tosses of a coin, and the weight of that belief, in units."""


class Interval(NamedTuple):
    """A lead in Elo points, from ``low`` to ``high``; None for an end without a bound."""

    low: float | None
    high: float | None

    @property
    def holds_zero(self) -> bool:
        """Whether either bot may be ahead."""
        return (self.low is None or self.low <= 0) and (self.high is None or self.high >= 0)

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            if self.low is self.high:
                return "anything"
            return f"{self.low:+.0f} or more" if self.high is None else f"{self.high:+.0f} or less"
        return f"{self.low + 0.0:+.0f} to {self.high + 0.0:+.0f}"


class HeadToHead(msgspec.Struct, frozen=True):
    """Result of the first of two bots. Elo values are its lead, errors are half a 95 % interval.

    Attributes:
        games: number of games, those of a unit counted each.
        score: mean score of a unit, 0 to 1.
        variance: variance of a unit's score.
        score_se: standard error of ``score``.
        elo: from the score; None if it is 0 or 1.
        elo_lo: lower end of the interval, None if unbounded.
        elo_hi: upper end of the interval, None if unbounded.
        elo_error: half the interval's width, None if unbounded.
        nelo: normalised Elo, in units that do not depend on the draw rate; None without variance.
        nelo_error: of the normalised Elo.
        los: likelihood of superiority, None without variance.
        los_decisive: the same from decisive games only; None for units of several games, or if all were drawn.
    """

    games: int
    score: float
    variance: float
    score_se: float
    elo: float | None
    elo_lo: float | None
    elo_hi: float | None
    elo_error: float | None
    nelo: float | None
    nelo_error: float | None
    los: float | None
    los_decisive: float | None


def head_to_head(counts: Sequence[int], games_per_unit: int = 1) -> HeadToHead:
    """Return the comparison that ``counts`` amount to.

    Args:
        counts: how many units brought each score, from 0 to 1 in equal steps.
        games_per_unit: 1 for single games, 2 for mirrored pairs, n for cycles of n seats.

    Raises:
        RatingError: fewer than two outcomes, a negative count, or nothing counted.
    """
    if len(counts) < 2 or min(counts) < 0 or not any(counts):
        raise RatingError(f"counts {list(counts)}: need two or more, none below 0, not all 0")
    units = sum(counts)
    support = [k / (len(counts) - 1) for k in range(len(counts))]
    score = sum(at * count for at, count in zip(support, counts, strict=True)) / units
    variance = sum(count * (at - score) ** 2 for at, count in zip(support, counts, strict=True)) / units
    if sum(map(bool, counts)) == 1:
        variance = 0.0  # rounding would leave some, where a score is no binary fraction
    error = math.sqrt(variance / units)
    low, high = (elo_from_score(score + sign * QUANTILE_95 * error) for sign in (-1, 1))
    sigma = math.sqrt(games_per_unit * variance)
    return HeadToHead(
        games=units * games_per_unit,
        score=score,
        variance=variance,
        score_se=error,
        elo=elo_from_score(score),
        elo_lo=low,
        elo_hi=high,
        elo_error=None if low is None or high is None else (high - low) / 2,
        nelo=(score - 0.5) / sigma * NORMALISED if sigma else None,
        nelo_error=QUANTILE_95 * error / sigma * NORMALISED if sigma else None,
        los=normal_probability((score - 0.5) / error) if error else None,
        los_decisive=_decisive(counts) if len(counts) == 3 and games_per_unit == 1 else None,
    )


def lasting(counts: Sequence[int]) -> Interval | None:
    """Return the interval of the first bot's lead that holds at all looks in 95 % of comparisons.

    A 95 % interval for one look holds at every look in half of them.

    Args:
        counts: as :func:`head_to_head` takes them.

    Returns:
        None for fewer than :data:`FEWEST_UNITS`.

    Source: RATINGS, section 9, "Looking while it runs"; I. Waudby-Smith and others, Annals of Statistics 52, 2024.
    """
    units = sum(counts)
    if units < FEWEST_UNITS:
        return None
    estimate = head_to_head(counts)
    deviation = math.sqrt(
        (BELIEF * USUAL_DEVIATION * USUAL_DEVIATION + units * estimate.variance) / (BELIEF + units)
    )
    doubt = -2 * math.log(RISK)
    rate = (doubt + math.log(doubt + 1)) / TIGHTEST
    grown = units * rate + 1
    half = deviation * math.sqrt(2 * grown / (units * units * rate) * math.log(math.sqrt(grown) / RISK))
    return Interval(elo_from_score(estimate.score - half), elo_from_score(estimate.score + half))


def elo_from_score(score: float) -> float | None:
    """Return the rating difference at which ``score`` is expected, None unless it is between 0 and 1."""
    return -400 * math.log10(1 / score - 1) if 0 < score < 1 else None


def count_units(scores: Iterable[float], steps: int) -> list[int]:
    """Return how many units brought each of ``steps + 1`` scores from 0 to 1: 4 steps for mirrored pairs.

    Raises:
        RatingError: a score that is no such step.
    """
    counts = [0] * (steps + 1)
    for score in scores:
        step = round(score * steps)
        if not 0 <= step <= steps or abs(step - score * steps) > 1e-9:
            raise RatingError(
                f"a unit's score of {score} is not one of the {steps + 1} from 0 to 1 in equal steps"
            )
        counts[step] += 1
    return counts


def _decisive(counts: Sequence[int]) -> float | None:
    losses, _, wins = counts
    return normal_probability((wins - losses) / math.sqrt(wins + losses)) if wins + losses else None
