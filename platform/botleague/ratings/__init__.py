"""Ratings: pure functions from results to numbers.

Read :mod:`~botleague.ratings.record` for what goes in and :mod:`~botleague.ratings.fold` for how a history is
walked. Online systems (:class:`Elo`, :class:`Glicko2`, :class:`PlackettLuce`) rate match by match; the batch rating
(:func:`fit`) decides final tables; :func:`head_to_head` and :class:`Sprt` compare two bots.
"""

from botleague.ratings.anchors import anchor_shift
from botleague.ratings.bradley_terry import (
    PAIRING_ACCURACY,
    PRIOR,
    Anchor,
    BatchTable,
    Fit,
    NotStronglyConnected,
    Prior,
    Strength,
    Tie,
    fit,
    fit_columns,
    most_likely,
    newcomer,
    strengths,
)
from botleague.ratings.elo import Elo, EloState, Schedule, expected_score
from botleague.ratings.evidence import (
    Columns,
    Evidence,
    Meeting,
    Unit,
    evidence,
    pair_evidence,
    strong_components,
)
from botleague.ratings.fold import (
    FOLD_VERSION,
    Change,
    ConflictingReports,
    Folded,
    Sums,
    Table,
    added,
    count,
    fold,
    in_order,
    order_spread,
    replay,
    start_state,
)
from botleague.ratings.glicko2 import Glicko2, Glicko2State, rating_period
from botleague.ratings.head_to_head import (
    FEWEST_UNITS,
    HeadToHead,
    Interval,
    count_units,
    elo_from_score,
    head_to_head,
    lasting,
)
from botleague.ratings.performance import MirroredSet, Performance, performance
from botleague.ratings.plackett_luce import PlackettLuce, PlackettLuceState
from botleague.ratings.record import PROVISIONAL_GAMES, Rating, RatingError, Result, Side, Status, is_rated
from botleague.ratings.sprt import Decision, Sprt, SprtState, pairs_needed
from botleague.ratings.system import RatingSystem, StoredState

__all__ = [
    "FEWEST_UNITS",
    "FOLD_VERSION",
    "PAIRING_ACCURACY",
    "PRIOR",
    "PROVISIONAL_GAMES",
    "Anchor",
    "BatchTable",
    "Change",
    "Columns",
    "ConflictingReports",
    "Decision",
    "Elo",
    "EloState",
    "Evidence",
    "Fit",
    "Folded",
    "Glicko2",
    "Glicko2State",
    "HeadToHead",
    "Interval",
    "Meeting",
    "MirroredSet",
    "NotStronglyConnected",
    "Performance",
    "PlackettLuce",
    "PlackettLuceState",
    "Prior",
    "Rating",
    "RatingError",
    "RatingSystem",
    "Result",
    "Schedule",
    "Side",
    "Sprt",
    "SprtState",
    "Status",
    "StoredState",
    "Strength",
    "Sums",
    "Table",
    "Tie",
    "Unit",
    "added",
    "anchor_shift",
    "count",
    "count_units",
    "elo_from_score",
    "evidence",
    "expected_score",
    "fit",
    "fit_columns",
    "fold",
    "head_to_head",
    "in_order",
    "is_rated",
    "lasting",
    "most_likely",
    "newcomer",
    "order_spread",
    "pair_evidence",
    "pairs_needed",
    "performance",
    "rating_period",
    "replay",
    "start_state",
    "strengths",
    "strong_components",
]
