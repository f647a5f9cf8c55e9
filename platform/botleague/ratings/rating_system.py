"""Interface of rating systems: a step from the states before a match to the states after it.

A system is a value made of its parameters. The state of one bot is a frozen value too, so a rating is
reproduced from the results alone, and a table in the database is only a cache of a fold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Generic, TypeAlias, TypeVar

from botleague.ratings.rated_result import Rating, RatingError, Result
from botleague.rules.options import Options

State = TypeVar("State")

StoredState: TypeAlias = dict[str, float | int | None]
"""A state as plain data. JSON keeps it bit for bit, since Python writes the shortest text that reads back."""


class RatingSystem(Options, Generic[State], frozen=True):
    """An online rating system; every method is pure. A plugin offers the class from ``botleague_ratings``.

    The fields of a subclass are its options, see :mod:`botleague.rules.options`. What has a body here is a default.
    """

    name: ClassVar[str]
    """Name for organisers, for example ``elo``."""
    summary: ClassVar[str]
    """One sentence for a list."""

    @property
    def scale(self) -> float:
        """The difference of shown ratings at which ten points to one are expected."""
        return 400.0

    @classmethod
    def field_options(cls, entrants: int, seats: int) -> dict[str, int | float | str]:
        """Return the options that follow from the field of a new pool; what an organiser says goes before.

        Args:
            entrants: when the pool starts.
            seats: of one match.
        """
        return {}

    def initial(self) -> State:
        """Return the state of a bot version that never played."""
        raise NotImplementedError(f"the rating system {self.name} has no initial state")

    def step(self, states: Mapping[str, State], result: Result) -> dict[str, State]:
        """Return the new states of those who took part in one rated match.

        Args:
            states: looked up for the members of the result only; who is missing has never played.
            result: a match for which :func:`~botleague.ratings.rated_result.is_rated` holds.
        """
        raise NotImplementedError(f"the rating system {self.name} has no step")

    def succeed(self, state: State, sequence: int) -> State:
        """Return the state in which a new version of a bot enters.

        Args:
            state: of its predecessor, just before the new version's first match.
            sequence: of that match.

        Raises:
            RatingError: the system does not carry ratings on, which is the default.
        """
        raise RatingError(f"the rating system {self.name} does not say where new versions start")

    def moved(self, state: State, by: float) -> State:
        """Return ``state`` with a rating that is higher by ``by``, as tables with anchors show it.

        Raises:
            RatingError: the system has no place for anchors, which is the default.
        """
        raise RatingError(f"the rating system {self.name} does not say how anchors move a rating")

    def at(self, state: State, sequence: int) -> State:
        """Return ``state`` as it is shown after match ``sequence``, the last rated one of any bot.

        The default is a system that knows no absence: the state as it is.
        """
        return state

    def display(self, state: State) -> Rating:
        """Return the number to show."""
        raise NotImplementedError(f"the rating system {self.name} shows nothing")

    def shown_value(self, state: State) -> float:
        """Return the value of :meth:`display`; a system may have a faster way to it, for a long history."""
        return self.display(state).value

    def carry(self, state: State, share: float) -> State:
        """Return the start of a new season from the final ``state`` of the previous one.

        Args:
            share: how much of what is known stays, above 0 to 1; systems say what that is for them.

        Raises:
            RatingError: the system does not carry ratings over, which is the default.
        """
        raise RatingError(f"the rating system {self.name} does not say how ratings are carried into a season")

    def centre(self, state: State) -> float:
        """Return the rating of which anchors have fixed values: the estimate itself, no cautious bound of it."""
        return self.display(state).value

    def dump(self, state: State) -> StoredState:
        """Return ``state`` as plain data, exactly."""
        raise NotImplementedError(f"the rating system {self.name} cannot store its states")

    def load(self, plain: Mapping[str, object]) -> State:
        """Return the state that :meth:`dump` wrote.

        Raises:
            RatingError: a field is missing or not a number.
        """
        raise NotImplementedError(f"the rating system {self.name} cannot read its states")
