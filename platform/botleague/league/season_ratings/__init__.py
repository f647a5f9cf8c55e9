"""Ratings of a season: online ratings, batch ratings of rounds, and how both are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.season_ratings.batch_ratings import (
        BatchReport,
        BatchRow,
        Strengths,
        batch_report,
        bots_units,
        done_so_far,
        forget_gathered,
        gather,
        gather_folded,
        prior_for,
        prior_of,
        season_strengths,
        status_of,
        strengths_now,
    )
    from botleague.league.season_ratings.online_ratings import (
        BATCH_MEAN,
        OnlineRating,
        last_sequence,
        online_shift,
        read_online_ratings,
    )
    from botleague.league.season_ratings.rating_cache import (
        Settled,
        as_result,
        contests,
        fold_season,
        present_states,
        read_state,
        rows_of,
        settle,
        starting_table,
        sums_of_now,
        totals_of,
        walk,
        write_state,
    )
    from botleague.league.season_ratings.round_ratings import (
        check_ranking,
        is_ranked,
        rank,
        ranked_round,
        stored_strengths,
    )

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
