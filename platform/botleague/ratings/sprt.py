"""Stopping a comparison as early as its error rates allow: the sequential probability ratio test.

Is A better than B by ``elo1`` or more (H1), or by ``elo0`` or less (H0)? After every complete unit the log
likelihood ratio (LLR) of the two is computed from the counts so far; at a bound the test ends. The ratio is the
generalised one for multinomial outcomes: each hypothesis is stood for by the likeliest distribution on the same
scores that satisfies it exactly.

Fix the bounds before the first game, and let units enter in the order of their creation: short games must not
come first. The Elo that can be read off at the stop is biased outward.

Source: RATINGS, section 9; A. Wald, Sequential Analysis, 1947; M. Van den Bergh's notes on the generalised ratio.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from botleague.ratings.rated_result import RatingError

Decision: TypeAlias = Literal["H0", "H1", "continue"]

MAX_ELO = 500.0
"""A lead beyond this shows in a few games and needs no test; far beyond, the search for its distributions fails."""

RAREST = 1e-9
"""The least error rate: no test is long enough to tell it from 0."""

UNSEEN = 1e-3
"""Stands for a count of 0, so that no outcome is impossible."""

CONVERGED = 1e-12

ITERATIONS = 60

GRID = 60

SMALLEST_DEVIATION = 1e-4

BISECTIONS = 50

OVERSHOOT = 0.583
"""Mean distance, in standard deviations of a unit, by which a test passes its bound when it stops."""

IMAGES = 12.0
"""Distance, in standard deviations, beyond which images of a bound contribute nothing."""


class SprtState(msgspec.Struct, frozen=True):
    """State of a test.

    Attributes:
        units: how many units entered.
        counts: of each outcome, worst first.
        llr: the log likelihood ratio.
        decision: what follows from it.
    """

    units: int
    counts: tuple[int, ...]
    llr: float
    decision: Decision


class Sprt(msgspec.Struct, frozen=True):
    """A test, fixed before the first game.

    Attributes:
        elo0: H0 says the lead is at most this.
        elo1: H1 says the lead is at least this.
        alpha: how often H1 may be accepted though H0 is true.
        beta: how often H0 may be accepted though H1 is true.
        model: what the bounds are measured in: ``normalized`` Elo, so that a test takes equally long whatever the
            draw rate, or ``logistic`` Elo.
        support: the score of each outcome, worst first; pentanomial by default.
        games_per_unit: how many games make one unit.

    Raises:
        RatingError: bounds out of order, error rates out of range, or a support that does not ascend.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    model: Literal["normalized", "logistic"] = "normalized"
    support: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0)
    games_per_unit: int = 2

    def __post_init__(self) -> None:
        if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:
            raise RatingError(
                f"SPRT needs elo0 below elo1, both within {MAX_ELO:g} of 0, not {self.elo0} and {self.elo1}"
            )
        if not (min(self.alpha, self.beta) >= RAREST and self.alpha + self.beta < 1):
            raise RatingError(
                f"SPRT needs error rates of {RAREST:g} or more that add up to less than 1, not {self.alpha} and "
                f"{self.beta}"
            )
        if len(self.support) < 2 or any(b <= a for a, b in zip(self.support, self.support[1:], strict=False)):
            raise RatingError(f"SPRT needs two or more ascending scores, not {self.support}")
        if self.model not in ("normalized", "logistic"):
            raise RatingError(f"SPRT knows the models normalized and logistic, not {self.model!r}")

    @property
    def lower(self) -> float:
        """At or below this LLR H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """At or above this LLR H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log likelihood ratio of H1 over H0.

        Args:
            counts: one per score of the support, worst first.

        Raises:
            RatingError: another number of counts, or one below 0.
        """
        if len(counts) != len(self.support) or min(counts) < 0:
            raise RatingError(f"counts {list(counts)}: need {len(self.support)}, none below 0")
        observed = [count or UNSEEN for count in counts]
        total = sum(observed)
        shares = [count / total for count in observed]
        likeliest = self._likeliest_logistic if self.model == "logistic" else self._likeliest_normalized
        at0, at1 = likeliest(shares, self.elo0), likeliest(shares, self.elo1)
        return total * sum(
            share * (math.log(one) - math.log(zero))
            for share, zero, one in zip(shares, at0, at1, strict=True)
        )

    def decide(self, counts: Sequence[int]) -> SprtState:
        """Return where the test stands after ``counts``."""
        llr = self.llr(counts)
        decision: Decision = "H1" if llr >= self.upper else "H0" if llr <= self.lower else "continue"
        return SprtState(sum(counts), tuple(counts), llr, decision)

    def run(self, outcomes: Iterable[int]) -> SprtState:
        """Return the state at which the test stops, checked after every unit; later units are not read.

        Args:
            outcomes: the outcome of each unit as an index into the support, in order of creation.
        """
        counts = [0] * len(self.support)
        state = SprtState(0, tuple(counts), 0.0, "continue")
        for outcome in outcomes:
            counts[outcome] += 1
            state = self.decide(counts)
            if state.decision != "continue":
                break
        return state

    def drift(self, state: SprtState) -> float | None:
        """Return the lead for which a test that stopped is as likely to have shown more as to have shown less.

        What can be read off at the stop is biased outward: the test stopped because it was far. This is the drift at
        which Brownian motion leaves at the bound that it left by, no later than it did, with probability 1/2.

        Returns:
            In standard deviations of a unit's score from even; None for a test that continues, or of logistic Elo.

        Source: RATINGS, section 9, "After the stop"; D. Siegmund, Biometrika 65, 1978.
        """
        if state.decision == "continue" or self.model != "normalized":
            return None
        per_elo = math.sqrt(self.games_per_unit) * math.log(10) / 800
        width, middle = (self.elo1 - self.elo0) * per_elo, (self.elo0 + self.elo1) / 2 * per_elo
        above, below = (bound / width + OVERSHOOT for bound in (self.upper, -self.lower))
        if state.decision == "H1":
            return middle + _median_drift(above, below, state.units)
        return middle - _median_drift(below, above, state.units)

    def elo_of(self, drift: float) -> float:
        """Return a :meth:`drift` in normalised Elo."""
        return drift * 800 / (math.sqrt(self.games_per_unit) * math.log(10))

    def _likeliest_logistic(self, shares: list[float], elo: float) -> list[float]:
        """Return the likeliest distribution with the mean that ``elo`` expects."""
        mean = 1 / (1 + math.pow(10.0, -elo / 400))
        return _tilted(shares, [score - mean for score in self.support])

    def _likeliest_normalized(self, shares: list[float], elo: float) -> list[float]:
        """Return the likeliest distribution whose mean is ``elo`` away from 1/2, in its own deviations."""
        target = math.sqrt(self.games_per_unit) * elo * math.log(10) / 800
        current = [1 / len(shares)] * len(shares)
        last_change = math.inf
        for _ in range(ITERATIONS):
            mean, deviation = _moments(self.support, current)
            slopes = self._slopes(target, mean, deviation)
            if not _balance(slopes):
                break
            following = _tilted(shares, slopes)
            change = max(abs(new - old) for new, old in zip(following, current, strict=True))
            current = following
            if change < CONVERGED:
                if self._holds(current, target):
                    return current
                break
            if change > last_change:
                break
            last_change = change
        return self._likeliest_by_deviation(shares, target)

    def _likeliest_by_deviation(self, shares: list[float], target: float) -> list[float]:
        """Return the same distribution where the iteration swings to and fro: counts far from the hypothesis.

        The mean follows from the deviation, so that one unknown is left: the deviation that comes out as assumed.
        All of them are bracketed on a grid, and the likeliest is taken.
        """

        def excess(deviation: float) -> tuple[float, list[float]] | None:
            slopes = self._slopes(target, 0.5 + target * deviation, deviation)
            if not _balance(slopes):
                return None
            tilted = _tilted(shares, slopes)
            return _moments(self.support, tilted)[1] - deviation, tilted

        def bisected(low: float, high: float, tilted: list[float], *, falls: bool) -> list[float]:
            for _ in range(BISECTIONS):
                middle = (low + high) / 2
                if (there := excess(middle)) is None:
                    break
                tilted = there[1]
                low, high = (middle, high) if (there[0] > 0) == falls else (low, middle)
            return tilted

        def likelihood(tilted: list[float]) -> float:
            return sum(share * math.log(one) for share, one in zip(shares, tilted, strict=True))

        candidates: list[list[float]] = []
        before: tuple[float, float] | None = None
        for step in range(GRID + 1):
            deviation = 0.5 * math.pow(SMALLEST_DEVIATION, 1 - step / GRID)
            here = excess(deviation)
            if here and before and (here[0] > 0) != (before[1] > 0):
                candidates.append(bisected(before[0], deviation, here[1], falls=before[1] > 0))
            before = (deviation, here[0]) if here else None
        best = max((one for one in candidates if self._holds(one, target)), key=likelihood, default=None)
        if best is None:
            raise RatingError(
                "no distribution on these scores is as far from even as a bound of the test demands"
            )
        return best

    def _slopes(self, target: float, mean: float, deviation: float) -> list[float]:
        """Return how each outcome pulls at the constraint, around a mean and a standard deviation."""
        return [
            score - 0.5 - target / 2 * deviation * (1 + ((score - mean) / deviation) ** 2)
            for score in self.support
        ]

    def _holds(self, shares: list[float], target: float) -> bool:
        mean, deviation = _moments(self.support, shares)
        return abs((mean - 0.5) / deviation - target) < 1e-6


def pairs_needed(elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> tuple[float, float]:
    """Return how many mirrored pairs a normalised test takes about: at either hypothesis, and midway.

    Raises:
        RatingError: see :class:`Sprt`.
    """
    test = Sprt(elo0, elo1, alpha, beta)
    drift = math.sqrt(2) * (elo1 - elo0) * math.log(10) / 800
    at_h1 = ((1 - beta) * test.upper + beta * test.lower) / (drift * drift / 2)
    at_h0 = -((1 - alpha) * test.lower + alpha * test.upper) / (drift * drift / 2)
    return max(at_h0, at_h1), -test.lower * test.upper / (drift * drift)


def _median_drift(bound: float, other: float, time: float) -> float:
    """Return the drift at which Brownian motion leaves at ``bound`` by ``time``, before -``other``, half the time."""
    step = 1.0
    while _leaves(bound, other, time, step) < 0.5:
        step *= 2
    high, low = step, -1.0
    while _leaves(bound, other, time, low) > 0.5:
        low *= 2
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _leaves(bound, other, time, middle) < 0.5 else (low, middle)
    return (low + high) / 2


def _leaves(bound: float, other: float, time: float, drift: float) -> float:
    """Return the chance that Brownian motion from 0 leaves at ``bound`` by ``time``, before it gets to -``other``.

    A series of images of the bound, each of which contributes what an inverse Gaussian distribution says.
    """
    width, root = 2 * (bound + other), math.sqrt(time)
    total = 0.0
    for number in range(math.ceil(IMAGES * root / width) + 1):
        for image in {bound + number * width, bound - number * width}:
            far = abs(image)
            part = _scaled(drift * (bound - far), (drift * time - far) / root)
            part += _scaled(drift * (bound + far), -(drift * time + far) / root)
            total += part if image > 0 else -part
    return total


def _scaled(exponent: float, x: float) -> float:
    """Return exp(``exponent``) Phi(``x``), where either alone may leave the range of floats."""
    if x > -30:
        tail = math.erfc(-x / math.sqrt(2)) / 2
        return math.exp(exponent + math.log(tail))
    return math.exp(exponent - x * x / 2 - math.log(-x * math.sqrt(2 * math.pi)) - 1 / (x * x))


def _tilted(shares: list[float], slopes: list[float]) -> list[float]:
    """Return the distribution nearest to ``shares`` under which the mean of ``slopes`` is 0.

    It is share / (1 + x slope), x being the one root of a falling function between the poles next to 0: Newton's
    method, kept inside a bracket.
    The slopes must have both signs.
    """
    left, right = low, high = -1 / max(slopes), -1 / min(slopes)
    x = 0.0
    for _ in range(ITERATIONS):
        value = fall = 0.0
        for share, slope in zip(shares, slopes, strict=True):
            part = slope / (1 + x * slope)
            value += share * part
            fall += share * part * part
        if value > 0:
            low = x
        else:
            high = x
        following = x + value / fall
        if low < following < high:
            # The next step would be the square of this. Next to a pole, only its distance says what is small.
            scale = min(max(1.0, abs(x)), following - left, right - following)
            close = abs(following - x) <= 1e-9 * scale
            x = following
            if close:
                break
        else:
            x = (low + high) / 2
    return [share / (1 + x * slope) for share, slope in zip(shares, slopes, strict=True)]


def _balance(slopes: list[float]) -> bool:
    """Whether some distribution has slopes of mean 0."""
    return min(slopes) < 0 < max(slopes)


def _moments(support: Sequence[float], shares: Sequence[float]) -> tuple[float, float]:
    mean = sum(score * share for score, share in zip(support, shares, strict=True))
    variance = sum(share * (score - mean) ** 2 for score, share in zip(support, shares, strict=True))
    return mean, math.sqrt(variance)
