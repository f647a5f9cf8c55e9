"""Standings, match history, comparisons and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.tables.comparison_report import ComparisonReport, lead_in_words
    from botleague.league.tables.comparison_watch import ComparisonWatch
    from botleague.league.tables.cycles import Cycle, season_cycles
    from botleague.league.tables.mark_scheme import Mark, Meeting, marks, read_scheme
    from botleague.league.tables.match_history import history
    from botleague.league.tables.standings import Standing, each_standing, read_standings
    from botleague.league.tables.table_reader import Part

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
