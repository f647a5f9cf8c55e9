"""Leagues: who meets whom, the match queue, results, ratings and tables.

:mod:`~botleague.formats` is pure; :class:`Runner` is the only code that records results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.results import count_in
    from botleague.league.running import Progress, Runner, Transactions, is_dead, outlast, runner_name
    from botleague.league.scheduling import create_league, plan_more
    from botleague.league.season import (
        EVENT_KINDS,
        EntryList,
        LeagueSettings,
        Penalties,
        Season,
        TimeChanges,
        checked_seed,
        group_seed,
        new_league_seed,
        open_season,
        seasons_of,
    )
    from botleague.league.season_ratings import BatchReport, BatchRow, batch_report
    from botleague.league.tables import Standing
    from botleague.league.verification import Deviation

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
