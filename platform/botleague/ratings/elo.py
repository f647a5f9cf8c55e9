"""Elo, for two sides or many, with a K that may depend on experience.

A match of n sides is decomposed into its pairs, and each side's surplus over expectation is divided by n - 1,
so that one match changes nobody by more than K and two sides are the ordinary case.

Source: RATINGS, sections 2 to 4; A. Elo, The Rating of Chessplayers, Past and Present, 1978.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from botleague.ratings.arithmetic import add_up
from botleague.ratings.record import PROVISIONAL_GAMES, Rating, RatingError, Result
from botleague.ratings.system import Plain
from botleague.ratings.validation import is_positive, number, whole

__all__ = ["Elo", "EloState", "Schedule", "expected_score"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """K by experience: ``provisional`` while fewer than ``provisional_games`` matches came before.

    The defaults are the customary federation values for new and ordinary players.

    Raises:
        RatingError: a K is not a positive number, or the number of games none.
    """

    provisional: float = 40.0
    provisional_games: int = PROVISIONAL_GAMES
    established: float = 20.0

    def __post_init__(self) -> None:
        if not (is_positive(self.provisional) and is_positive(self.established)):
            raise RatingError(f"Elo needs a K above 0, not {self.provisional!r} and {self.established!r}")
        if not isinstance(self.provisional_games, int) or self.provisional_games < 0:
            raise RatingError(f"Elo needs a number of provisional games, not {self.provisional_games!r}")


class EloState(NamedTuple):
    """A bot version's rating and the number of rated matches behind it."""

    rating: float
    games: int


@dataclass(frozen=True, slots=True)
class Elo:
    """The Elo system.

    Attributes:
        start: rating of a newcomer.
        scale: the difference at which ten points to one are expected.
        k: the largest change by one match, or a schedule of it; a mapping is read as a schedule.
        schedule: ``k`` as a schedule, also when it is one number.

    Raises:
        RatingError: the scale or a K is not a positive number, or the start no number.
        TypeError: a schedule has other fields.
    """

    start: float = 1500.0
    scale: float = 400.0
    k: float | Schedule | Mapping[str, float] = field(default=Schedule(), compare=False)
    schedule: Schedule = field(init=False, repr=False)
    name: str = field(default="elo", init=False)

    def __post_init__(self) -> None:
        if not (is_positive(self.scale) and math.isfinite(self.start)):
            raise RatingError(f"Elo needs a scale above 0 and a start, not {self.scale} and {self.start}")
        object.__setattr__(self, "schedule", _schedule(self.k))

    @property
    def parameters(self) -> dict[str, str]:
        """All parameters as exact text."""
        schedule = self.schedule
        return {
            "start": repr(float(self.start)),
            "scale": repr(float(self.scale)),
            "provisional": repr(float(schedule.provisional)),
            "provisional_games": str(schedule.provisional_games),
            "established": repr(float(schedule.established)),
        }

    def initial(self) -> EloState:
        """Return a newcomer's state."""
        return EloState(self.start, 0)

    def step(self, states: Mapping[str, EloState], result: Result) -> dict[str, EloState]:
        """Return the members' states after one match; see :class:`~botleague.ratings.system.RatingSystem`."""
        start = EloState(self.start, 0)
        teams = [[states.get(member, start) for member in side.members] for side in result.sides]
        ratings = [
            team[0].rating if len(team) == 1 else add_up(state.rating for state in team) / len(team)
            for team in teams
        ]
        shares = _surpluses(ratings, [side.rank for side in result.sides], self.scale)
        k = self.schedule
        after: dict[str, EloState] = {}
        for side, team, share in zip(result.sides, teams, shares, strict=True):
            for member, (rating, games) in zip(side.members, team, strict=True):
                gain = k.provisional if games < k.provisional_games else k.established
                after[member] = EloState(rating + gain * share, games + 1)
        return after

    def display(self, state: EloState) -> Rating:
        """Return the number to show; Elo knows no deviation."""
        return Rating(state.rating, None, state.games, state.games < self.schedule.provisional_games)

    def carry(self, state: EloState, share: float, anchor: float) -> EloState:
        """Return where a new season starts: ``share`` of the distance to ``anchor`` stays, matches count anew.

        Source: RATINGS, section 10.
        """
        return EloState(anchor + share * (state.rating - anchor), 0)

    def dump(self, state: EloState) -> Plain:
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


def _schedule(k: float | Schedule | Mapping[str, float]) -> Schedule:
    if isinstance(k, Schedule):
        return k
    if isinstance(k, Mapping):  # as options are written in files
        fields: dict[str, Any] = dict(k)
        return Schedule(**fields)
    return Schedule(k, PROVISIONAL_GAMES, k)


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
