"""Counting wins over the rounds of one match.

Source: rules/pybots.md, section 8 and the option ``tournament_winner`` in section 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeVar

Name = TypeVar("Name")


def count_wins(rounds: Iterable[Sequence[Name]]) -> dict[Name, int]:
    """Return how many rounds each winner won, in the order of first wins.

    Args:
        rounds: the winners of each round.
    """
    wins: dict[Name, int] = {}
    for winners in rounds:
        for winner in winners:
            wins[winner] = wins.get(winner, 0) + 1
    return wins


def tournament_winners(
    wins: dict[Name, int], method: Literal["most_wins", "last_listed"] = "most_wins"
) -> list[Name]:
    """Return the winners of the tournament: several on a tie, none without wins.

    Args:
        wins: the table from :func:`count_wins`.
        method: the greatest number of wins, or upstream's mistake: the last to enter the table.
    """
    if method == "last_listed":
        return list(wins)[-1:]
    most = max(wins.values(), default=0)
    return [name for name, won in wins.items() if won == most]
