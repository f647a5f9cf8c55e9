"""Planning the matches of a season, and its divisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.scheduling.division_tables import (
        Division,
        brackets,
        byes,
        divisions,
        has_rounds_left,
        points_table,
        settled_places,
    )
    from botleague.league.scheduling.planning import (
        begin_season,
        create_league,
        expected_matches,
        next_fixtures,
        plan_more,
        round_count,
        season_entrants,
        settings_for_field,
    )

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
