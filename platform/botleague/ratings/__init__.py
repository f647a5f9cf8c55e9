"""Ratings: pure functions from results to numbers.

Read :mod:`~botleague.ratings.record` for what goes in and :mod:`~botleague.ratings.fold` for how a history is
walked.
"""

from botleague.ratings.elo import Elo, EloState, Schedule, expected_score
from botleague.ratings.fold import (
    FOLD_VERSION,
    Change,
    ConflictingReports,
    Folded,
    fold,
    in_order,
    order_spread,
    replay,
)
from botleague.ratings.record import PROVISIONAL_GAMES, Rating, RatingError, Result, Side, Status, is_rated
from botleague.ratings.system import Plain, RatingSystem

__all__ = [
    "FOLD_VERSION",
    "PROVISIONAL_GAMES",
    "Change",
    "ConflictingReports",
    "Elo",
    "EloState",
    "Folded",
    "Plain",
    "Rating",
    "RatingError",
    "RatingSystem",
    "Result",
    "Schedule",
    "Side",
    "Status",
    "expected_score",
    "fold",
    "in_order",
    "is_rated",
    "order_spread",
    "replay",
]
