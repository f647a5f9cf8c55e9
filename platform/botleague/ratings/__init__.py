"""Ratings: pure functions from results to numbers.

Read :mod:`~botleague.ratings.rated_result` for what goes in and :mod:`~botleague.ratings.fold` for how a history is
walked. Online systems (:class:`Elo`, :class:`Glicko2`, :class:`PlackettLuce`) rate match by match; the batch rating
(:func:`fit`) decides final tables; :func:`head_to_head` and :class:`Sprt` compare two bots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late
from botleague.ratings.fold import fold
from botleague.ratings.head_to_head import head_to_head

if TYPE_CHECKING:
    from botleague.ratings.batch.bradley_terry import (
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
    from botleague.ratings.batch.evidence import (
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
        in_order,
        order_spread,
        replay,
        start_state,
    )
    from botleague.ratings.head_to_head import (
        FEWEST_UNITS,
        HeadToHead,
        Interval,
        count_units,
        elo_from_score,
        lasting,
    )
    from botleague.ratings.online.anchors import anchor_shift
    from botleague.ratings.online.elo import Elo, EloState, Schedule, expected_score
    from botleague.ratings.online.glicko2 import Glicko2, Glicko2State, rating_period
    from botleague.ratings.online.plackett_luce import PlackettLuce, PlackettLuceState
    from botleague.ratings.pool_performance import MirroredSet, Performance, performance
    from botleague.ratings.rated_result import (
        PROVISIONAL_GAMES,
        Rating,
        RatingError,
        Result,
        Side,
        Status,
        is_rated,
    )
    from botleague.ratings.rating_system import RatingSystem, StoredState
    from botleague.ratings.sprt import Decision, Sprt, SprtState, pairs_needed

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
