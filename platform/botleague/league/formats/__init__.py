"""Formats: who meets whom next, each a pure function of the entrants and the results so far.

Read :mod:`~botleague.rules.formats` first. Then every module is one format, except
:mod:`~botleague.league.formats.standings` and :mod:`~botleague.league.formats.bracket`, which are tables and
pictures, and :mod:`~botleague.league.formats.divisions`, which holds any format in several divisions.
"""

from botleague.league.formats.bracket import bracket_text
from botleague.league.formats.comparison import Comparison
from botleague.league.formats.divisions import division_results, plan_divisions
from botleague.league.formats.gauntlet import Gauntlet
from botleague.league.formats.knockout import DoubleKnockout, Knockout
from botleague.league.formats.ladder import Ladder
from botleague.league.formats.round_robin import RoundRobin
from botleague.league.formats.standings import (
    TIE_BREAKS,
    CrossTable,
    PointsRow,
    TieBreak,
    cross_table,
    cross_table_text,
    standings,
    without_leavers,
)
from botleague.league.formats.swiss import Swiss
from botleague.rules.formats import (
    Bracket,
    Bye,
    Entrant,
    EntrantRatings,
    Format,
    FormatError,
    Game,
    GroupResult,
    Pairing,
    Plan,
    mirrored,
    unplayed,
)

__all__ = [
    "TIE_BREAKS",
    "Bracket",
    "Bye",
    "Comparison",
    "CrossTable",
    "DoubleKnockout",
    "Entrant",
    "EntrantRatings",
    "Format",
    "FormatError",
    "Game",
    "Gauntlet",
    "GroupResult",
    "Knockout",
    "Ladder",
    "Pairing",
    "Plan",
    "PointsRow",
    "RoundRobin",
    "Swiss",
    "TieBreak",
    "bracket_text",
    "cross_table",
    "cross_table_text",
    "division_results",
    "mirrored",
    "plan_divisions",
    "standings",
    "unplayed",
    "without_leavers",
]
