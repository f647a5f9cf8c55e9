"""Fair rematches: who meets whom again, and from which position.

Source: rules/isolation.md, section 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Agent = TypeVar("Agent")


@dataclass(frozen=True, slots=True)
class Planned(Generic[Agent]):
    """A match to play: its number, who sits on seats 0 and 1, and the position it starts from."""

    number: int
    seats: tuple[Agent, Agent]
    start: Any


def fair_rematches(
    seats: Mapping[int, tuple[Agent, Agent]], finished: Iterable[tuple[int, Sequence[Any]]], empty: Any
) -> list[Planned[Agent]]:
    """Return the rematches that let each side play the other's opening, in the order of ``finished``.

    Args:
        seats: match number -> who sat on seats 0 and 1.
        finished: (match number, its actions) of every match, in the order in which they ended. A match that
            ended before two actions has no rematch.
        empty: the position before the first action.

    Returns:
        Matches with swapped seats that start after the same two actions, numbered minus the old number.
    """
    return [
        Planned(-number, (seats[number][1], seats[number][0]), empty.result(actions[0]).result(actions[1]))
        for number, actions in finished
        if len(actions) >= 2
    ]
