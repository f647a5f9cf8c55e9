"""Leagues: settings and their file, entries, setup, runs, comparisons, new seasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.application.leagues.bot_comparison import (
        OpenComparison,
        Question,
        open_comparison,
    )
    from botleague.application.leagues.entry import rehearse
    from botleague.application.leagues.league_file import (
        LeagueFile,
        file_of,
        is_league_file,
        read_league_file,
        template,
        written,
    )
    from botleague.application.leagues.league_options import LeagueOptions
    from botleague.application.leagues.league_setup import LeagueOpening, MadeLeague
    from botleague.application.leagues.new_season import begin_next_season
    from botleague.application.leagues.season_run import play_season, run_league

__all__ = [
    "LeagueFile",
    "LeagueOpening",
    "LeagueOptions",
    "MadeLeague",
    "OpenComparison",
    "Question",
    "begin_next_season",
    "file_of",
    "is_league_file",
    "open_comparison",
    "play_season",
    "read_league_file",
    "rehearse",
    "run_league",
    "template",
    "written",
]

__getattr__ = late(
    __name__,
    {
        "bot_comparison": "OpenComparison Question open_comparison",
        "entry": "rehearse",
        "league_file": "LeagueFile file_of is_league_file read_league_file template written",
        "league_options": "LeagueOptions",
        "league_setup": "LeagueOpening MadeLeague",
        "new_season": "begin_next_season",
        "season_run": "play_season run_league",
    },
)
