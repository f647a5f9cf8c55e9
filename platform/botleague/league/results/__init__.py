"""Consequences of recorded results: ratings, suspensions, new versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.results.counting import count_in
    from botleague.league.results.new_versions import (
        enter_newest,
        newer_versions,
        next_to_begin,
        put_back,
        refused_by_settings,
        too_late_for,
    )
    from botleague.league.results.suspension import StartCheck, have_not_started

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
