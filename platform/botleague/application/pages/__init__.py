"""Data of each page as typed values: the same objects that ``--json`` prints and templates render.

Every function takes an open season, the part of it that the viewer may see (:func:`visible`) and the time in seconds
since the epoch, and returns one value. No function contains HTML, or reads more than the viewer may see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.application.pages.bot_page import (
        BotPage,
        BotRows,
        CurvePoint,
        OpponentLine,
        VersionCurve,
        VersionLine,
        bot_pages,
        curve_says,
        read_bot_page,
        read_bot_rows,
    )
    from botleague.application.pages.cross_table_page import (
        CrossCell,
        CrossPage,
        DivisionBracket,
        DivisionCross,
        Encounter,
        RoundsPage,
        brackets_of,
        cross_page,
        cross_table_of,
        rounds_page,
    )
    from botleague.application.pages.feed_page import (
        ANNOUNCEMENTS,
        RESULTS,
        Feed,
        FeedEntry,
        bot_feed,
        league_feed,
    )
    from botleague.application.pages.league_pages import (
        AboutPage,
        AnnouncementsPage,
        GamesPage,
        HomePage,
        LeagueLine,
        LiveMatch,
        LivePage,
        VariantLeague,
        VariantPage,
        about_page,
        announcements_page,
        games_page,
        home_page,
        league_line,
        live_page,
        variant_page,
    )
    from botleague.application.pages.match_pages import (
        MatchesPage,
        MatchPage,
        QueuePage,
        match_page,
        matches_page,
        queue_page,
    )
    from botleague.application.pages.match_rows import (
        MatchLine,
        PlannedLine,
        SeatLine,
        match_lines,
        planned_lines,
    )
    from botleague.application.pages.page_header import (
        LeagueNotices,
        SeasonHead,
        league_notices,
        names_of,
        season_head,
    )
    from botleague.application.pages.race import MAX_STEPS, Race, RecentForm
    from botleague.application.pages.ranking_explained import (
        apart,
        lineage_of,
        spread_in_words,
        standings_table,
        what_ranks,
    )
    from botleague.application.pages.reveal_page import RevealPage, RevealRow, read_reveal_page
    from botleague.application.pages.table_page import RACING, ROWS, TablePage, each_row, read_table_page
    from botleague.application.pages.terms_in_words import Term, describe_terms

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
