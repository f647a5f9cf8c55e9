"""Leagues: who meets whom, the match queue, results, ratings and tables.

:mod:`~botleague.league.formats` is pure; :class:`Runner` is the only code that records results.
"""

from botleague.league import divisions, organising, ownership, seasons
from botleague.league.audit import Deviation, audit
from botleague.league.batch import BatchReport, BatchRow, batch_report
from botleague.league.planning import create_league, plan_more
from botleague.league.roster import EVENT_KINDS, Roster
from botleague.league.runner import Progress, Runner, is_dead, runner_name
from botleague.league.season import Season, open_season, seasons_of
from botleague.league.seeds import checked_seed, group_seed, new_league_seed
from botleague.league.settings import LeagueSettings, Penalties, TimeChanges
from botleague.league.standings import Standing, standings
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
    "audit",
    "batch_report",
    "checked_seed",
    "count_in",
    "create_league",
    "divisions",
    "group_seed",
    "is_dead",
    "new_league_seed",
    "open_season",
    "organising",
    "outlast",
    "ownership",
    "plan_more",
    "runner_name",
    "seasons",
    "seasons_of",
    "standings",
]
