"""Leagues: who meets whom, the match queue, results, ratings and tables.

:mod:`~botleague.formats` is pure; :class:`Runner` is the only code that records results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.facade import late

if TYPE_CHECKING:
    from botleague.league.audit import Deviation
    from botleague.league.batch import BatchReport, BatchRow, batch_report
    from botleague.league.planning import create_league, plan_more
    from botleague.league.roster import EVENT_KINDS, Roster
    from botleague.league.runner import Progress, Runner, is_dead, runner_name
    from botleague.league.season import Season, open_season, seasons_of
    from botleague.league.seeds import checked_seed, group_seed, new_league_seed
    from botleague.league.settings import LeagueSettings, Penalties, TimeChanges
    from botleague.league.standings import Standing
    from botleague.league.suspension import count_in
    from botleague.league.transactions import Transactions, outlast

__all__ = [
    "EVENT_KINDS",
    "BatchReport",
    "BatchRow",
    "Deviation",
    "LeagueSettings",
    "Penalties",
    "Progress",
    "Roster",
    "Runner",
    "Season",
    "Standing",
    "TimeChanges",
    "Transactions",
    "batch_report",
    "checked_seed",
    "count_in",
    "create_league",
    "group_seed",
    "is_dead",
    "new_league_seed",
    "open_season",
    "outlast",
    "plan_more",
    "runner_name",
    "seasons_of",
]

__getattr__ = late(
    __name__,
    {
        "audit": "Deviation",
        "batch": "BatchReport BatchRow batch_report",
        "planning": "create_league plan_more",
        "roster": "EVENT_KINDS Roster",
        "runner": "Progress Runner is_dead runner_name",
        "season": "Season open_season seasons_of",
        "seeds": "checked_seed group_seed new_league_seed",
        "settings": "LeagueSettings Penalties TimeChanges",
        "standings": "Standing",
        "suspension": "count_in",
        "transactions": "Transactions outlast",
    },
)
