"""Formats: who meets whom next, each a pure function of the entrants and the results so far.

Read :mod:`~botleague.rules.formats` first. Then every module is one format, except
:mod:`~botleague.formats.tie_breaks` and :mod:`~botleague.formats.elimination`, which are tables and
pictures, and :mod:`~botleague.formats.division_format`, which holds any format in several divisions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.formats.division_format import division_results, plan_divisions
    from botleague.formats.elimination import SET, THIRD_PLACE, bracket_text, score_text, victory
    from botleague.formats.gauntlet import Gauntlet
    from botleague.formats.knockout import DoubleKnockout, Knockout
    from botleague.formats.ladder import Ladder
    from botleague.formats.round_robin import RoundRobin
    from botleague.formats.sequential_comparison import Comparison
    from botleague.formats.swiss import Swiss
    from botleague.formats.tie_breaks import (
        TIE_BREAKS,
        CrossTable,
        PointsRow,
        TieBreak,
        comparable,
        cross_table,
        cross_table_text,
        standings,
        without_leavers,
    )

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
