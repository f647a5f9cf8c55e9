"""What each page shows, as typed values: the very objects that ``--json`` prints and that pages are drawn from.

Every function takes an open season, what of it exists for the viewer (:func:`visible`) and the time, and returns one
value. Nothing here knows HTML, and nothing reads past what the viewer may see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.facade import late
from botleague.league.season.visibility import visible

if TYPE_CHECKING:
    from botleague.application.pages.bot import (
        BotPage,
        CurvePoint,
        OpponentLine,
        VersionCurve,
        VersionLine,
        bot_page,
        bot_pages,
    )
    from botleague.application.pages.crossings import (
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
    from botleague.application.pages.desk import (
        DeskPage,
        DeskPeople,
        DeskPlaying,
        DeskSources,
        desk_page,
        desk_people,
        desk_playing,
        desk_sources,
    )
    from botleague.application.pages.explaining import (
        apart,
        is_solo,
        lineage_of,
        spread_in_words,
        tie_break,
        tie_breaks_of,
        title_of,
        what_ranks,
    )
    from botleague.application.pages.head import SeasonHead, season_head
    from botleague.application.pages.inside import (
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
    from botleague.application.pages.leagues import (
        AboutPage,
        HomePage,
        LeagueLine,
        VariantPage,
        about_page,
        home_page,
        variant_page,
    )
    from botleague.application.pages.lines import MatchLine, PlannedLine, SeatLine, match_lines
    from botleague.application.pages.matches import (
        MatchesPage,
        MatchPage,
        QueuePage,
        match_page,
        matches_page,
        queue_page,
    )
    from botleague.application.pages.reveal import RevealPage, RevealRow, reveal_page
    from botleague.application.pages.table import ROWS, TablePage, table_page
    from botleague.application.pages.terms import Term, terms_in_words
    from botleague.league.season.visibility import (
        PUBLIC,
        Viewer,
        Visible,
        horizons,
        is_any_blind,
        sees_all,
        sight,
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
        "bot": "BotPage CurvePoint OpponentLine VersionCurve VersionLine bot_page bot_pages",
        "crossings": (
            "CrossCell CrossPage DivisionBracket DivisionCross Encounter RoundsPage brackets_of "
            "cross_page cross_table_of rounds_page"
        ),
        "desk": (
            "DeskPage DeskPeople DeskPlaying DeskSources desk_page desk_people desk_playing desk_sources"
        ),
        "explaining": "apart is_solo lineage_of spread_in_words tie_break tie_breaks_of title_of what_ranks",
        "head": "SeasonHead season_head",
        "inside": (
            "InsideMatch InsidePage OwnBot VersionPage inside_match inside_page own_bots record_for "
            "version_page"
        ),
        "leagues": "AboutPage HomePage LeagueLine VariantPage about_page home_page variant_page",
        "lines": "MatchLine PlannedLine SeatLine match_lines",
        "matches": "MatchesPage MatchPage QueuePage match_page matches_page queue_page",
        "reveal": "RevealPage RevealRow reveal_page",
        "table": "ROWS TablePage table_page",
        "terms": "Term terms_in_words",
        "botleague.league.season.visibility": "PUBLIC Viewer Visible horizons is_any_blind sees_all sight",
    },
)
