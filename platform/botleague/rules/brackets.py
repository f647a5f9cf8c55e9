"""Brackets as values: the encounters of a knockout as far as they are known, and the places that are settled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["BYE", "Bracket", "Score", "Slot"]

BYE = -1
"""Stands for nobody: a seed number that nobody holds, or the loser of an encounter against nobody."""

Score: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Slot:
    """An encounter as far as it is known.

    Attributes:
        round: counted from 1.
        label: for people, like "semi-final 2".
        sides: entrants, :data:`BYE` for nobody, None while open.
        winner: the entrant who goes on, None while open; BYE if nobody stood on either side.
        score: sets won by each side; (0, 0) if none was needed.
        needed: whether it is, or was, played at all: False for a walkover or a decider that is not called for.
        reason: why the winner goes on where the score does not say, like "as the better seed"; else empty.
    """

    round: int
    label: str
    sides: tuple[int | None, int | None]
    winner: int | None
    score: Score = (0, 0)
    needed: bool = True
    reason: str = ""

    @property
    def loser(self) -> int | None:
        """The side that did not win, None while open."""
        if self.winner is None:
            return None
        return self.sides[1] if self.winner == self.sides[0] else self.sides[0]


@dataclass(frozen=True, slots=True)
class Bracket:
    """A bracket played through as far as results reach.

    Attributes:
        slots: in the order of the encounters.
        places: of those whose place is settled, by entrant.
    """

    slots: tuple[Slot, ...]
    places: dict[int, int]

    @property
    def champion(self) -> int | None:
        """The entrant in first place, None while it is open."""
        return next((entrant for entrant, place in self.places.items() if place == 1), None)
