"""Decisions of organisers, the decision log, and other pages of organisers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.application.decisions.decision import (
        Decision,
        DecisionContext,
        DecisionResult,
        League,
        Why,
        asks,
        command_text,
        decide,
        declare,
    )
    from botleague.application.decisions.decision_log import log_entries
    from botleague.application.decisions.organiser_decisions import changed_values, entrant
    from botleague.application.decisions.source_archive import write_sources
    from botleague.application.decisions.suspension_list import Suspension, suspensions

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
