"""Performance: the one rating that fits a bot's results against a pool of fixed ratings.

Other bots' results have no part in it, unlike in a rating that is fitted to all matches at once.

Source: RATINGS, section 7.6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from botleague.ratings.batch.bradley_terry import PRIOR
from botleague.ratings.online.elo import expected_score
from botleague.ratings.rated_result import RatingError

FARTHEST = 4000.0
"""Bound on the distance from the mean of the pool, in Elo points: no result that can be played leads there."""


class MirroredSet(NamedTuple):
    """A mirrored set against one of the pool: its rating, how many games, and how many points of them were taken."""

    rating: float
    games: int
    points: float


class Performance(NamedTuple):
    """A rating in Elo points, and its standard error."""

    rating: float
    error: float


def performance(sets: Sequence[MirroredSet]) -> Performance:
    """Return the rating at which the expected points equal the points of all sets together.

    :data:`PRIOR` virtual drawn games against the mean of the pool keep it finite.

    Args:
        sets: the unit of evidence: the error comes from how much sets differ from what is expected of them.

    Raises:
        RatingError: there are no sets.
    """
    if not sets:
        raise RatingError("no mirrored set is complete, so there is no performance")
    middle = math.fsum(one.rating * one.games for one in sets) / sum(one.games for one in sets)
    points = math.fsum(one.points for one in sets) + PRIOR / 2

    def due(rating: float) -> float:
        return PRIOR * expected_score(rating, middle) + math.fsum(
            one.games * expected_score(rating, one.rating) for one in sets
        )

    low, high = middle - FARTHEST, middle + FARTHEST
    while low < (rating := (low + high) / 2) < high:  # until they are neighbours among floats
        low, high = (rating, high) if due(rating) < points else (low, rating)
    return Performance(rating, _error(sets, middle, rating))


def _error(sets: Sequence[MirroredSet], middle: float, rating: float) -> float:
    """Return the standard error: how far sets are from what is expected, over how quickly that changes."""

    def slope(games: float, other: float) -> float:
        chance = expected_score(rating, other)
        return games * chance * (1 - chance) * math.log(10) / 400

    # The prior counts as drawn games that vary like tosses of coins.
    squares = PRIOR / 4 + math.fsum(
        (one.points - one.games * expected_score(rating, one.rating)) ** 2 for one in sets
    )
    return math.sqrt(squares) / (
        slope(PRIOR, middle) + math.fsum(slope(one.games, one.rating) for one in sets)
    )
