"""Glicko-2: a rating, its deviation and its volatility, brought up to date once per rating period.

All matches of a period count as simultaneous, each against the opponents' states at its start. To fit a fold that
takes one match at a time, a state holds two sums over the games of its running period and the values at the
period's start; the period is closed when the bot next plays in a later one, or when the state is shown. A match
therefore still reads only the states of its own sides, and the numbers are those of the batch procedure.

Periods are counted in sequence numbers, since a fold knows no clock. A bot enters with its first match.

Source: RATINGS, section 5; M. Glickman, Example of the Glicko-2 system, 2013.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, NamedTuple

from msgspec import Meta

from botleague.ratings.online.arithmetic import add_up
from botleague.ratings.online.stored_numbers import number, whole
from botleague.ratings.rated_result import PROVISIONAL_GAMES, Rating, RatingError, Result
from botleague.ratings.rating_system import RatingSystem, StoredState

POINTS = 173.7178
"""Rating points in one unit of the internal scale: 400 / ln 10, as the paper rounds it."""

CENTRE = 1500.0
"""The rating at 0 of the internal scale; it does not move with the start rating."""

EPSILON = 1e-12
"""Tolerance of the search for the volatility; the paper's 1e-6 shows in the seventh digit."""

ITERATIONS = 200

MIN_VOLATILITY = 1e-6
"""Below, a rating would move like none, and squares of it get lost."""


class Glicko2State(NamedTuple):
    """A bot version at the start of its running period, and what that period brought so far.

    Attributes:
        rating: at the start of the period.
        deviation: at the start of the period.
        volatility: at the start of the period.
        games: rated matches, those of the running period included.
        period: the running period, None before the first match.
        information: sum of g^2 E (1 - E) over the games of the period, the inverse of the paper's v.
        surplus: sum of g (score - E) over the games of the period.
    """

    rating: float
    deviation: float
    volatility: float
    games: int = 0
    period: int | None = None
    information: float = 0.0
    surplus: float = 0.0


class Glicko2(RatingSystem[Glicko2State], frozen=True):
    """The Glicko-2 system."""

    name = "glicko-2"
    summary = "a rating with its deviation and volatility, by periods"

    start: Annotated[float, Meta(description="A newcomer's rating.")] = 1500.0
    deviation: Annotated[float, Meta(gt=0, description="A newcomer's deviation.")] = 350.0
    volatility: Annotated[float, Meta(ge=MIN_VOLATILITY, description="A newcomer's volatility.")] = 0.06
    tau: Annotated[float, Meta(gt=0, description="How fast volatility may change, 0.3 to 1.2.")] = 0.5
    period: Annotated[int, Meta(ge=1, description="How many sequence numbers make a rating period.")] = 1000
    max_deviation: Annotated[
        Annotated[float, Meta(gt=0)] | None, Meta(description="Ceiling of the deviation.")
    ] = 350.0
    max_volatility: Annotated[
        Annotated[float, Meta(gt=0)] | None, Meta(description="Ceiling of the volatility.")
    ] = 0.1

    version_deviation: Annotated[
        float, Meta(ge=0, description="How far the strength of a new version may be from its predecessor's.")
    ] = 150.0

    counts_absence: Annotated[
        bool,
        Meta(
            description="Whether a shown deviation has grown in the periods since a bot's last match; it has in new "
            "leagues. Ratings and what follows from later matches are the same."
        ),
    ] = False

    @classmethod
    def field_options(cls, entrants: int, seats: int) -> dict[str, int | float | str]:
        """Return a period of ten matches per bot, in each of which the deviation of absent bots grows."""
        return {"period": rating_period(entrants, seats), "counts_absence": True}

    def initial(self) -> Glicko2State:
        """Return a newcomer's state."""
        return Glicko2State(self.start, self.deviation, self.volatility)

    def step(self, states: Mapping[str, Glicko2State], result: Result) -> dict[str, Glicko2State]:
        """Return the members' states after one match; see :class:`~botleague.ratings.RatingSystem`.

        Every pair of n sides is a game of weight 1/(n - 1): pairs of one match share its luck and do not count as
        independent games. A side of several bots counts as one player with the mean of their ratings and the root
        mean square of their deviations.
        """
        period = result.sequence // self.period
        newcomer = self.initial()
        teams = [
            [self.advance(states.get(member, newcomer), period) for member in side.members]
            for side in result.sides
        ]
        players = [_side_scale(team) for team in teams]
        ranks = [side.rank for side in result.sides]
        share = 1 / (len(players) - 1)
        after: dict[str, Glicko2State] = {}
        for i, (side, team) in enumerate(zip(result.sides, teams, strict=True)):
            information = surplus = 0.0
            for j, (mu, phi) in enumerate(players):
                if j != i:
                    weight = _weight(phi)
                    expected = _expected(players[i][0], mu, weight)
                    score = 0.5 if ranks[i] == ranks[j] else 1.0 if ranks[i] < ranks[j] else 0.0
                    information += weight * weight * expected * (1 - expected)
                    surplus += weight * (score - expected)
            for member, state in zip(side.members, team, strict=True):
                after[member] = state._replace(
                    games=state.games + 1,
                    information=state.information + share * information,
                    surplus=state.surplus + share * surplus,
                )
        return after

    def advance(self, state: Glicko2State, period: int) -> Glicko2State:
        """Return ``state`` at the start of ``period``: its own period closed, its deviation grown in silence.

        A newcomer just enters.

        Raises:
            RatingError: the state is already in a later period.
        """
        if state.period is None:
            return state._replace(period=period)
        silent = period - state.period
        if silent < 0:
            raise RatingError(f"a state of rating period {state.period} cannot go back to period {period}")
        if state.information > 0 and silent > 0:
            state = self._close(state)
            silent -= 1
        if silent > 0:
            phi = state.deviation / POINTS
            grown = math.sqrt(phi * phi + silent * state.volatility * state.volatility)
            state = state._replace(deviation=self._held(grown * POINTS))
        return state._replace(period=period)

    def succeed(self, state: Glicko2State, sequence: int) -> Glicko2State:
        """Return where a new version of a bot enters: at its predecessor's rating, with more doubt, no matches.

        For that the predecessor is brought to the period of the match, which is closed if it has games in it.

        Source: RATINGS, section 10, "New versions".
        """
        now = state if state.period is None else self.advance(state, sequence // self.period)
        closed = self._close(now) if now.information > 0 else now
        doubt = math.sqrt(
            closed.deviation * closed.deviation + self.version_deviation * self.version_deviation
        )
        return Glicko2State(closed.rating, self._held(doubt), self.volatility)

    def moved(self, state: Glicko2State, by: float) -> Glicko2State:
        """Return ``state`` with a rating that is higher by ``by``."""
        return state._replace(rating=state.rating + by)

    def at(self, state: Glicko2State, sequence: int) -> Glicko2State:
        """Return ``state`` at the end of the period of a match; if absence does not count, as it is.

        Source: M. Glickman, "Example of the Glicko-2 system", 2013, step 6 and the note below it.
        """
        if not self.counts_absence or state.period is None:
            return state
        return self.advance(state, sequence // self.period + 1)

    def display(self, state: Glicko2State) -> Rating:
        """Return the number to show, as if the running period ended now."""
        closed = self._close(state) if state.information > 0 else state
        return Rating(closed.rating, closed.deviation, state.games, state.games < PROVISIONAL_GAMES)

    def carry(self, state: Glicko2State, share: float) -> Glicko2State:
        """Return where a new season starts: same rating, no matches, doubt of 1 - ``share`` of a newcomer's variance.

        Source: RATINGS, section 10.
        """
        closed = self._close(state) if state.information > 0 else state
        variance = (1 - share) * self.deviation * self.deviation
        doubt = self._held(math.sqrt(closed.deviation * closed.deviation + variance))
        return Glicko2State(closed.rating, doubt, closed.volatility)

    def dump(self, state: Glicko2State) -> StoredState:
        """Return ``state`` as plain data, exactly."""
        return state._asdict()

    def load(self, plain: Mapping[str, object]) -> Glicko2State:
        """Return the state that :meth:`dump` wrote."""
        return Glicko2State(
            rating=number(plain, "rating"),
            deviation=number(plain, "deviation"),
            volatility=number(plain, "volatility"),
            games=whole(plain, "games"),
            period=None if plain.get("period") is None else whole(plain, "period"),
            information=number(plain, "information"),
            surplus=number(plain, "surplus"),
        )

    def _close(self, state: Glicko2State) -> Glicko2State:
        """Return the state at the end of a period in which the bot played."""
        phi = state.deviation / POINTS
        variance = 1 / state.information
        volatility = new_volatility(state.volatility, phi, variance, variance * state.surplus, self.tau)
        if self.max_volatility is not None:
            volatility = min(volatility, self.max_volatility)
        before = math.sqrt(phi * phi + volatility * volatility)
        after = 1 / math.sqrt(1 / (before * before) + state.information)
        mu = (state.rating - CENTRE) / POINTS + after * after * state.surplus
        return state._replace(
            rating=CENTRE + POINTS * mu,
            deviation=self._held(POINTS * after),
            volatility=volatility,
            information=0.0,
            surplus=0.0,
        )

    def _held(self, deviation: float) -> float:
        return deviation if self.max_deviation is None else min(deviation, self.max_deviation)


def rating_period(entrants: int, seats: int) -> int:
    """Return the length of a rating period in which each bot is expected to play ten matches.

    Args:
        entrants: when the pool starts.
        seats: of one match.

    Source: RATINGS, section 5.
    """
    return max(1, (20 * entrants + seats) // (2 * seats))


def new_volatility(volatility: float, phi: float, variance: float, delta: float, tau: float) -> float:
    """Return the volatility after a period, by the Illinois variant of regula falsi.

    Where the equation has several roots, this iteration decides which is meant, so it is no mere root search.

    Args:
        phi: deviation on the internal scale.
        variance: the paper's v.
        delta: the paper's estimated improvement.

    Source: RATINGS, section 5.
    """
    start = math.log(volatility * volatility)

    def slope(x: float) -> float:
        power = math.exp(x)
        spread = phi * phi + variance + power
        return power * (delta * delta - spread) / (2 * spread * spread) - (x - start) / (tau * tau)

    low = start
    if delta * delta > phi * phi + variance:
        high = math.log(delta * delta - phi * phi - variance)
    else:
        steps = 1
        while slope(start - steps * tau) < 0:
            steps += 1
        high = start - steps * tau
    slope_low, slope_high = slope(low), slope(high)
    for _ in range(ITERATIONS):
        if abs(high - low) <= EPSILON:
            break
        middle = low + (low - high) * slope_low / (slope_high - slope_low)
        slope_middle = slope(middle)
        if slope_middle * slope_high <= 0:
            low, slope_low = high, slope_high
        else:
            slope_low /= 2
        high, slope_high = middle, slope_middle
    return math.exp(low / 2)


def _side_scale(team: list[Glicko2State]) -> tuple[float, float]:
    """Return a side's mu and phi on the internal scale."""
    if len(team) == 1:
        return (team[0].rating - CENTRE) / POINTS, team[0].deviation / POINTS
    mean = add_up(state.rating for state in team) / len(team)
    square = add_up(state.deviation * state.deviation for state in team) / len(team)
    return (mean - CENTRE) / POINTS, math.sqrt(square) / POINTS


def _weight(phi: float) -> float:
    return 1 / math.sqrt(1 + 3 * phi * phi / (math.pi * math.pi))


def _expected(mu: float, other: float, weight: float) -> float:
    exponent = weight * (other - mu)
    if exponent <= 0:
        return 1 / (1 + math.exp(exponent))
    odds = math.exp(-exponent)  # so that no difference is too large for a float
    return odds / (1 + odds)
