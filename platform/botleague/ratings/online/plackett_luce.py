"""Plackett-Luce in the approximation of Weng and Lin: a belief about each bot's skill, for any number of sides.

Source: RATINGS, section 6; R. Weng, C.-J. Lin, A Bayesian approximation method for online ranking, JMLR 12, 2011,
algorithm 4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, NamedTuple

from msgspec import Meta

from botleague.ratings.distributions import normal_probability
from botleague.ratings.online.arithmetic import add_up
from botleague.ratings.online.stored_numbers import number, whole
from botleague.ratings.rated_result import PROVISIONAL_GAMES, Rating, Result
from botleague.ratings.rating_system import RatingSystem, StoredState
from botleague.rules.options import OptionError

FARTHEST = 100
"""A newcomer's skill in units of beta: strengths are exponentials, and must stay numbers."""


class PlackettLuceState(NamedTuple):
    """The believed skill of a bot version, its standard deviation, and the rated matches behind it."""

    mu: float
    sigma: float
    games: int = 0

    @property
    def ordinal(self) -> float:
        """The skill that the bot has almost certainly: three deviations below the mean."""
        return self.mu - 3 * self.sigma


class PlackettLuce(RatingSystem[PlackettLuceState], frozen=True):
    """The Plackett-Luce system."""

    name = "plackett-luce"
    summary = "a skill with its deviation, for matches of many seats"

    mu: Annotated[float, Meta(description="A newcomer's skill.")] = 25.0
    sigma: Annotated[float, Meta(gt=0, description="A newcomer's deviation.")] = 25.0 / 3
    beta: Annotated[float, Meta(gt=0, description="Spread of a bot's performance around its skill.")] = (
        25.0 / 6
    )
    kappa: Annotated[
        float, Meta(ge=0, le=1, description="The smallest share of the variance that one match leaves.")
    ] = 1e-4
    tau: Annotated[
        float, Meta(ge=0, description="Deviation added before each match, so that ratings never freeze.")
    ] = 25.0 / 300

    version_sigma: Annotated[
        float, Meta(ge=0, description="How far the skill of a new version may be from its predecessor's.")
    ] = 5.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tau > self.sigma:
            raise OptionError(f"tau: must be at most sigma ({self.sigma}), not {self.tau}")
        if not abs(self.mu) <= FARTHEST * self.beta:
            raise OptionError(f"mu: must be within {FARTHEST} times beta ({self.beta}) of 0, not {self.mu}")

    @property
    def scale(self) -> float:
        """The difference of skills at which ten points to one are expected: the logistic curve nearest the normal's."""
        return math.log(10) * math.sqrt(2) * self.beta

    def initial(self) -> PlackettLuceState:
        """Return a newcomer's state."""
        return PlackettLuceState(self.mu, self.sigma)

    def step(self, states: Mapping[str, PlackettLuceState], result: Result) -> dict[str, PlackettLuceState]:
        """Return the members' states after one match; see :class:`~botleague.ratings.RatingSystem`."""
        newcomer = self.initial()
        teams = [[states.get(member, newcomer) for member in side.members] for side in result.sides]
        variances = [[state.sigma * state.sigma + self.tau * self.tau for state in team] for team in teams]
        skills = [add_up(state.mu for state in team) for team in teams]
        totals = [add_up(own) for own in variances]
        spread = math.sqrt(add_up(total + self.beta * self.beta for total in totals))
        changes = _changes(skills, [side.rank for side in result.sides], spread)
        weight = 4 / (result.set_size + 3)  # matches of one seed share luck
        after: dict[str, PlackettLuceState] = {}
        for side, team, own, total, (omega, delta) in zip(
            result.sides, teams, variances, totals, changes, strict=True
        ):
            shift = weight * omega * total / spread
            shrink = weight * delta * total / (spread * spread) * math.sqrt(total) / spread
            for member, state, variance in zip(side.members, team, own, strict=True):
                share = variance / total
                left = max(1 - share * shrink, self.kappa)
                after[member] = PlackettLuceState(
                    state.mu + share * shift, math.sqrt(variance) * math.sqrt(left), state.games + 1
                )
        return after

    def expected_score(self, one: PlackettLuceState, other: PlackettLuceState) -> float:
        """Return the chance that ``one`` beats ``other``, for matchmaking."""
        variance = 2 * self.beta * self.beta + one.sigma * one.sigma + other.sigma * other.sigma
        return normal_probability((one.mu - other.mu) / math.sqrt(variance))

    def succeed(self, state: PlackettLuceState, sequence: int) -> PlackettLuceState:
        """Return where a new version of a bot enters: at its predecessor's skill, with more doubt, no matches.

        Source: RATINGS, section 10, "New versions".
        """
        doubt = math.sqrt(state.sigma * state.sigma + self.version_sigma * self.version_sigma)
        return PlackettLuceState(state.mu, min(self.sigma, doubt))

    def moved(self, state: PlackettLuceState, by: float) -> PlackettLuceState:
        """Return ``state`` with a skill that is higher by ``by``."""
        return state._replace(mu=state.mu + by)

    def centre(self, state: PlackettLuceState) -> float:
        """Return the skill, from which anchors are measured; shown is the :attr:`~PlackettLuceState.ordinal`."""
        return state.mu

    def display(self, state: PlackettLuceState) -> Rating:
        """Return the number to show: the ordinal, with the skill's deviation."""
        return Rating(state.ordinal, state.sigma, state.games, state.games < PROVISIONAL_GAMES)

    def carry(self, state: PlackettLuceState, share: float) -> PlackettLuceState:
        """Return where a new season starts: same skill, twice the deviation at most a newcomer's, no matches.

        There is nothing that a ``share`` of could stay.

        Source: RATINGS, section 10.
        """
        return PlackettLuceState(state.mu, min(self.sigma, 2 * state.sigma))

    def dump(self, state: PlackettLuceState) -> StoredState:
        """Return ``state`` as plain data, exactly."""
        return state._asdict()

    def load(self, plain: Mapping[str, object]) -> PlackettLuceState:
        """Return the state that :meth:`dump` wrote."""
        return PlackettLuceState(number(plain, "mu"), number(plain, "sigma"), whole(plain, "games"))


def _changes(skills: list[float], ranks: list[int], spread: float) -> list[tuple[float, float]]:
    """Return omega and delta of each side (steps 4 and 5), before they are scaled by its variance."""
    strengths = [math.exp(skill / spread) for skill in skills]
    behind = [
        add_up(strength for strength, rank in zip(strengths, ranks, strict=True) if rank >= own)
        for own in ranks
    ]
    tied = [ranks.count(rank) for rank in ranks]
    changes = []
    for i, strength in enumerate(strengths):
        omega = delta = 0.0
        for q, rank in enumerate(ranks):
            if rank <= ranks[i]:
                chance = strength / behind[q]
                omega += ((1.0 if q == i else 0.0) - chance) / tied[q]
                delta += chance * (1 - chance) / tied[q]
        changes.append((omega, delta))
    return changes
