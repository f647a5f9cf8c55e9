"""Test matches of `check` and `try`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.league.trials.trial import Trial, examine, find_fitting, try_out
    from botleague.league.trials.trial_budget import Budget, BudgetUsedUp, budget_ms
    from botleague.league.trials.trial_games import Game, TooLong, opponents, try_playing
    from botleague.league.trials.try_report import (
        Played,
        PracticeMatch,
        PracticeRow,
        in_turns,
        seats_of_practice,
        told,
    )

__all__ = [
    "Budget",
    "BudgetUsedUp",
    "Game",
    "Played",
    "PracticeMatch",
    "PracticeRow",
    "TooLong",
    "Trial",
    "budget_ms",
    "examine",
    "find_fitting",
    "in_turns",
    "opponents",
    "seats_of_practice",
    "told",
    "try_out",
    "try_playing",
]

__getattr__ = late(
    __name__,
    {
        "trial": "Trial examine find_fitting try_out",
        "trial_budget": "Budget BudgetUsedUp budget_ms",
        "trial_games": "Game TooLong opponents try_playing",
        "try_report": "Played PracticeMatch PracticeRow in_turns seats_of_practice told",
    },
)
