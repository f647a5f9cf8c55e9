"""Leagues: who meets whom, the match queue, results, ratings and tables.

:mod:`~botleague.league.formats` is pure; :class:`Runner` is the only code that records results.
"""

from botleague.league.planning import create_league, plan_more
from botleague.league.rating_cache import rebuild, settle
from botleague.league.runner import Progress, Runner, runner_name
from botleague.league.seeds import checked_seed, group_seed, new_seed
from botleague.league.settings import LeagueSettings
from botleague.league.standings import Standing, standings

__all__ = [
    "LeagueSettings",
    "Progress",
    "Runner",
    "Standing",
    "checked_seed",
    "create_league",
    "group_seed",
    "new_seed",
    "plan_more",
    "rebuild",
    "runner_name",
    "settle",
    "standings",
]
