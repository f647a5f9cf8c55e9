"""Leagues: settings and their file, entries, setup, runs, comparisons, new seasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.application.leagues.bot_comparison import ComparisonSpec, OpenComparison, open_comparison
    from botleague.application.leagues.entry import refuse_strangers, rehearse
    from botleague.application.leagues.league_file import (
        LeagueFile,
        file_of,
        is_league_file,
        read_league_file,
        template,
        written,
    )
    from botleague.application.leagues.league_options import LeagueOptions
    from botleague.application.leagues.league_setup import (
        LeagueOpening,
        MadeLeague,
        matches_in_words,
        matches_of_format,
    )
    from botleague.application.leagues.new_season import SeasonChoices, begin_next_season
    from botleague.application.leagues.season_run import play_season, run_league
    from botleague.application.leagues.unentered import UnenteredBot, unentered_bots, unentered_text

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
