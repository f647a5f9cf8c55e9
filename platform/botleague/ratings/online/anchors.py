"""Anchors: reference bots whose fixed values hold an online table in place while others come and go.

The fold does not know them. A table shows every state moved by the same shift, so that differences, expected scores
and histories stay what they are.

Source: RATINGS, section 10, "Anchored online tables".
"""

from __future__ import annotations

from collections.abc import Mapping

from botleague.ratings.online.arithmetic import add_up
from botleague.ratings.rated_result import PROVISIONAL_GAMES
from botleague.ratings.rating_system import RatingSystem, State


def anchor_shift(
    system: RatingSystem[State],
    states: Mapping[str, State],
    values: Mapping[str, float],
    established: int = PROVISIONAL_GAMES,
) -> float:
    """Return by how much all states are moved: how far the anchors are below their values in the mean.

    Args:
        states: of the fold; :meth:`~botleague.ratings.rating_system.RatingSystem.moved` applies the shift.
        values: the fixed rating of each anchor, on the system's own scale.
        established: anchors with fewer rated matches do not count; without any that counts the shift is 0.
    """
    apart = [
        value - system.centre(states[anchor])
        for anchor, value in values.items()
        if anchor in states and system.display(states[anchor]).games >= established
    ]
    return add_up(apart) / len(apart) if apart else 0.0
