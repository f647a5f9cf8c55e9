"""What each page shows, as typed values: the very objects that ``--json`` prints and that pages are drawn from.

Every function takes an open season, what of it exists for the viewer (:func:`visible`) and the time, and returns one
value. Nothing here knows HTML, and nothing reads past what the viewer may see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late
from botleague.league.season.visibility import visible

if TYPE_CHECKING:
    from botleague.application.pages.bot_page import (
        BotPage,
        CurvePoint,
        OpponentLine,
        VersionCurve,
        VersionLine,
        bot_page,
        bot_pages,
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
    from botleague.application.pages.league_pages import (
        AboutPage,
        HomePage,
        LeagueLine,
        VariantPage,
        about_page,
        home_page,
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
    from botleague.application.pages.match_rows import MatchLine, PlannedLine, SeatLine, match_lines
    from botleague.application.pages.page_header import SeasonHead, season_head
    from botleague.application.pages.ranking_explained import (
        apart,
        is_solo,
        lineage_of,
        spread_in_words,
        tie_break,
        tie_breaks_of,
        title_of,
        what_ranks,
    )
    from botleague.application.pages.reveal_page import RevealPage, RevealRow, reveal_page
    from botleague.application.pages.table_page import ROWS, TablePage, table_page
    from botleague.application.pages.terms_in_words import Term, terms_in_words
    from botleague.league.season.visibility import (
        PUBLIC,
        Viewer,
        Visible,
        horizons,
        is_any_blind,
        sees_all,
        sight,
    )
    from botleague_server.organiser.organiser_page import (
        DeskPage,
        DeskPeople,
        DeskPlaying,
        DeskSources,
        desk_page,
        desk_people,
        desk_playing,
        desk_sources,
    )
    from botleague_server.team.team_page import (
        InsideMatch,
        InsidePage,
        OwnBot,
        VersionPage,
        inside_match,
        inside_page,
        own_bots,
        record_for,
        version_page,
    )

__all__ = [
    "PUBLIC",
    "ROWS",
    "AboutPage",
    "BotPage",
    "CrossCell",
    "CrossPage",
    "CurvePoint",
    "DeskPage",
    "DeskPeople",
    "DeskPlaying",
    "DeskSources",
    "DivisionBracket",
    "DivisionCross",
    "Encounter",
    "HomePage",
    "InsideMatch",
    "InsidePage",
    "LeagueLine",
    "MatchLine",
    "MatchPage",
    "MatchesPage",
    "OpponentLine",
    "OwnBot",
    "PlannedLine",
    "QueuePage",
    "RevealPage",
    "RevealRow",
    "RoundsPage",
    "SeasonHead",
    "SeatLine",
    "TablePage",
    "Term",
    "VariantPage",
    "VersionCurve",
    "VersionLine",
    "VersionPage",
    "Viewer",
    "Visible",
    "about_page",
    "apart",
    "bot_page",
    "bot_pages",
    "brackets_of",
    "cross_page",
    "cross_table_of",
    "desk_page",
    "desk_people",
    "desk_playing",
    "desk_sources",
    "home_page",
    "horizons",
    "inside_match",
    "inside_page",
    "is_any_blind",
    "is_solo",
    "lineage_of",
    "match_lines",
    "match_page",
    "matches_page",
    "own_bots",
    "queue_page",
    "record_for",
    "reveal_page",
    "rounds_page",
    "season_head",
    "sees_all",
    "sight",
    "spread_in_words",
    "table_page",
    "terms_in_words",
    "tie_break",
    "tie_breaks_of",
    "title_of",
    "variant_page",
    "version_page",
    "visible",
    "what_ranks",
]

__getattr__ = late(
    __name__,
    {
        "bot_page": "BotPage CurvePoint OpponentLine VersionCurve VersionLine bot_page bot_pages",
        "cross_table_page": (
            "CrossCell CrossPage DivisionBracket DivisionCross Encounter RoundsPage brackets_of "
            "cross_page cross_table_of rounds_page"
        ),
        "botleague_server.organiser.organiser_page": (
            "DeskPage DeskPeople DeskPlaying DeskSources desk_page desk_people desk_playing desk_sources"
        ),
        "ranking_explained": "apart is_solo lineage_of spread_in_words tie_break tie_breaks_of title_of what_ranks",
        "page_header": "SeasonHead season_head",
        "botleague_server.team.team_page": (
            "InsideMatch InsidePage OwnBot VersionPage inside_match inside_page own_bots record_for "
            "version_page"
        ),
        "league_pages": "AboutPage HomePage LeagueLine VariantPage about_page home_page variant_page",
        "match_rows": "MatchLine PlannedLine SeatLine match_lines",
        "match_pages": "MatchesPage MatchPage QueuePage match_page matches_page queue_page",
        "reveal_page": "RevealPage RevealRow reveal_page",
        "table_page": "ROWS TablePage table_page",
        "terms_in_words": "Term terms_in_words",
        "botleague.league.season.visibility": "PUBLIC Viewer Visible horizons is_any_blind sees_all sight",
    },
)
