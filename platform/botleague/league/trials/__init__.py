"""Test matches of `check` and `try`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.trials.trial import Fit, Trial, examine, find_fitting, needed_imports, try_out
    from botleague.league.trials.trial_budget import Budget, BudgetUsedUp, budget_ms
    from botleague.league.trials.trial_games import Game, TooLong, opponents, try_playing
    from botleague.league.trials.try_report import (
        PlayedTestMatch,
        SetMatch,
        TestMatchRow,
        TriedMatch,
        in_turns,
        matches_for_all,
        row_against,
        seats_of_tests,
        tried_match,
    )

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
