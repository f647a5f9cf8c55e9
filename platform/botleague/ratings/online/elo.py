"""Elo, for two sides or many, with a K that may depend on experience.

A match of n sides is decomposed into its pairs, and each side's surplus over expectation is divided by n - 1,
so that one match changes no rating by more than K and two sides are the ordinary case.

Source: RATINGS, sections 2 to 4; A. Elo, The Rating of Chessplayers, Past and Present, 1978.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, NamedTuple

from msgspec import Meta, structs

from botleague.ratings.online.arithmetic import add_up
from botleague.ratings.online.stored_numbers import number, whole
from botleague.ratings.rated_result import PROVISIONAL_GAMES, Rating, Result
from botleague.ratings.rating_system import RatingSystem, StoredState
from botleague.rules.options import Options


class Schedule(Options, frozen=True):
    """K by experience: ``provisional`` while fewer than ``provisional_games`` matches came before.

    The defaults are the customary federation values for new and ordinary players.
    """

    provisional: Annotated[float, Meta(gt=0, description="K of a newcomer.")] = 40.0
    provisional_games: Annotated[int, Meta(ge=0, description="Matches that one is a newcomer for.")] = (
        PROVISIONAL_GAMES
    )
    established: Annotated[float, Meta(gt=0, description="K of all others.")] = 20.0


class EloState(NamedTuple):
    """A bot version's rating and the number of rated matches behind it."""

    rating: float
    games: int


class Elo(RatingSystem[EloState], frozen=True):
    """The Elo system."""

    name = "elo"
    summary = "the rating of chess players: one number, a step towards the result after each match"

    start: Annotated[float, Meta(description="Rating of a newcomer.")] = 1500.0
    scale: Annotated[
        float, Meta(gt=0, description="The difference at which ten points to one are expected.")
    ] = 400.0
    k: Annotated[
        Annotated[float, Meta(gt=0)] | Schedule,
        Meta(description="The largest change by one match, or a schedule of it by experience."),
    ] = Schedule()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.k, Schedule):
            structs.force_setattr(self, "k", Schedule(self.k, PROVISIONAL_GAMES, self.k))

    @property
    def schedule(self) -> Schedule:
        """``k``, which is a schedule also if one number was given."""
        assert isinstance(self.k, Schedule)
        return self.k

    def initial(self) -> EloState:
        """Return a newcomer's state."""
        return EloState(self.start, 0)

    def step(self, states: Mapping[str, EloState], result: Result) -> dict[str, EloState]:
        """Return the members' states after one match; see :class:`~botleague.ratings.RatingSystem`."""
        start, sides = EloState(self.start, 0), result.sides
        if len(sides) == 2 and len(sides[0].members) == 1 == len(sides[1].members):
            # Most matches of a long history: the same numbers in a third of the time.
            (one,), (other,) = sides[0].members, sides[1].members
            mine, theirs = states.get(one, start), states.get(other, start)
            surplus = _score(sides[0].rank, sides[1].rank) - expected_score(mine[0], theirs[0], self.scale)
            return {one: self._after(mine, surplus), other: self._after(theirs, -surplus)}
        teams = [[states.get(member, start) for member in side.members] for side in sides]
        ratings = [
            team[0].rating if len(team) == 1 else add_up(state.rating for state in team) / len(team)
            for team in teams
        ]
        shares = _surpluses(ratings, [side.rank for side in sides], self.scale)
        return {
            member: self._after(state, share)
            for side, team, share in zip(sides, teams, shares, strict=True)
            for member, state in zip(side.members, team, strict=True)
        }

    def _after(self, state: EloState, share: float) -> EloState:
        """Return a state after a match with this share of points above expectation."""
        rating, games = state
        k = self.schedule
        # With unequal K a match is not zero-sum, and the pool's mean drifts.
        gain = k.provisional if games < k.provisional_games else k.established
        return EloState(rating + gain * share, games + 1)

    def succeed(self, state: EloState, sequence: int) -> EloState:
        """Return where a new version of a bot enters: at its predecessor's rating, with a newcomer's K.

        Source: RATINGS, section 10, "New versions".
        """
        return EloState(state.rating, 0)

    def moved(self, state: EloState, by: float) -> EloState:
        """Return ``state`` with a rating that is higher by ``by``."""
        return state._replace(rating=state.rating + by)

    def display(self, state: EloState) -> Rating:
        """Return the number to show; Elo knows no deviation."""
        return Rating(state.rating, None, state.games, state.games < self.schedule.provisional_games)

    def shown_value(self, state: EloState) -> float:
        """Return the rating."""
        return state.rating

    def carry(self, state: EloState, share: float) -> EloState:
        """Return the start of a new season: ``share`` of the distance to the start stays, matches count from 0.

        Source: RATINGS, section 10.
        """
        return EloState(self.start + share * (state.rating - self.start), 0)

    def dump(self, state: EloState) -> StoredState:
        """Return ``state`` as plain data, exactly."""
        return {"rating": state.rating, "games": state.games}

    def load(self, plain: Mapping[str, object]) -> EloState:
        """Return the state that :meth:`dump` wrote."""
        return EloState(number(plain, "rating"), whole(plain, "games"))


def expected_score(rating: float, opponent: float, scale: float = 400.0) -> float:
    """Return the expected score of ``rating`` against ``opponent``, between 0 and 1.

    Source: RATINGS, section 2.
    """
    exponent = (opponent - rating) / scale
    if exponent <= 0:
        return 1 / (1 + math.pow(10.0, exponent))
    odds = math.pow(10.0, -exponent)  # so that no difference is too large for a float
    return odds / (1 + odds)


def _surpluses(ratings: list[float], ranks: list[int], scale: float) -> list[float]:
    """Return each side's points above expectation, as a share of the n - 1 it played for."""
    if len(ratings) == 2:
        surplus = _score(ranks[0], ranks[1]) - expected_score(ratings[0], ratings[1], scale)
        return [surplus, -surplus]
    sums = [0.0] * len(ratings)
    for i, rating in enumerate(ratings):
        for j in range(i + 1, len(ratings)):
            surplus = _score(ranks[i], ranks[j]) - expected_score(rating, ratings[j], scale)
            sums[i] += surplus
            sums[j] -= surplus
    return [total / (len(ratings) - 1) for total in sums]


def _score(rank: int, other: int) -> float:
    return 0.5 if rank == other else 1.0 if rank < other else 0.0
