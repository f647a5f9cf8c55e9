"""What a rating system is: a step from the states before a match to the states after it.

A system is a value made of its parameters. The state of one bot is a frozen value too, so a rating is
reproduced from the results alone, and a table in the database is only a cache of a fold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias, TypeVar

from botleague.ratings.record import Rating, Result

__all__ = ["Plain", "RatingSystem", "State"]

State = TypeVar("State")

Plain: TypeAlias = dict[str, float | int | None]
"""A state as plain data. JSON keeps it bit for bit, since Python writes the shortest text that reads back."""


class RatingSystem(Protocol[State]):
    """An online rating system; every method is pure."""

    @property
    def name(self) -> str:
        """What organisers call it, for example ``elo``."""
        ...

    @property
    def parameters(self) -> dict[str, str]:
        """All parameters as exact text: together with the name they identify what a cached state means."""
        ...

    def initial(self) -> State:
        """Return the state of a bot version that never played."""
        ...

    def step(self, states: Mapping[str, State], result: Result) -> dict[str, State]:
        """Return the new states of those who took part in one rated match.

        Args:
            states: looked up for the members of the result only; who is missing has never played.
            result: a match for which :func:`~botleague.ratings.record.is_rated` holds.
        """
        ...

    def display(self, state: State) -> Rating:
        """Return the number to show."""
        ...

    def dump(self, state: State) -> Plain:
        """Return ``state`` as plain data, exactly."""
        ...

    def load(self, plain: Mapping[str, object]) -> State:
        """Return the state that :meth:`dump` wrote.

        Raises:
            RatingError: a field is missing or not a number.
        """
        ...
