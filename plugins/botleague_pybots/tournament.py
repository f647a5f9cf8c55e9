"""Counting wins over the rounds of one match.

Source: rules/pybots.md, section 8 and the option ``tournament_winner`` in section 9.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal, TypeVar

Name = TypeVar("Name")


def count_wins(rounds: Iterable[Sequence[Name]]) -> Counter[Name]:
    """Return how many rounds each winner won, in the order of first wins; each round is its winners."""
    return Counter(chain.from_iterable(rounds))


def tournament_winners(
    wins: Mapping[Name, int], method: Literal["most_wins", "last_listed"] = "most_wins"
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
