"""Gauntlet: a few challengers meet all others, the others do not meet each other.

It is how one measures a new version against a field that is already rated. With two seats others may join later:
a group is numbered by who meets in it, so that newcomers are appended and nothing is renumbered.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from botleague.rules.formats import (
    Entrant,
    Format,
    FormatError,
    GroupResult,
    Pairing,
    Plan,
    TieBreakName,
    check_size,
    mirrored,
    unplayed,
)

__all__ = ["Gauntlet"]


class Gauntlet(Format, frozen=True):
    """The first entrants challenge all others."""

    name = "gauntlet"
    summary = "the first entrants meet all others"
    default_table = "batch"
    default_leaving = "half"

    challengers: Annotated[
        int, Meta(ge=1, description="How many of the entrants, from the first on, are challengers.")
    ] = 1
    rounds: Annotated[int, Meta(ge=1, description="How many times each of them meets everyone.")] = 1
    seats: Annotated[
        int, Meta(ge=2, description="How many entrants sit in one match: one challenger, and others.")
    ] = 2

    tie_breaks: Annotated[
        tuple[TieBreakName, ...], Meta(description="What separates equal points, the most important first.")
    ] = ("direct_encounter", "sonneborn_berger", "wins")

    @property
    def meets_again(self) -> bool:
        """With several rounds."""
        return self.rounds > 1

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return every match that is left; a gauntlet is known from the start.

        With more than two seats the others are dealt into tables at random; to fill the last table some of them
        sit down twice in a round. Raises FormatError for too few entrants, or far too many matches.
        """
        others = range(self.challengers, len(entrants))
        if len(others) < self.seats - 1:
            raise FormatError(
                f"gauntlet: {self.challengers} challengers need {self.seats - 1} or more others, "
                f"but {len(others)} entered"
            )
        tables = -(-len(others) // (self.seats - 1))
        check_size(self.name, self.rounds * self.challengers * tables * self.seats)
        rng = random.Random(seed)
        pairings: list[Pairing] = []
        groups = 0
        for number in range(1, self.rounds + 1):
            for challenger in range(self.challengers):
                for table in self._tables(list(others), rng):
                    groups += 1
                    seats = (challenger, *table)
                    # Every round is still open to who joins later: a gauntlet is planned at once.
                    if all(entrants[entrant].left is None for entrant in seats):
                        group = self._group(number, *seats) if self.seats == 2 else groups
                        pairings += mirrored(seats, number, group, f"round {number}")
        return Plan(unplayed(pairings, results), is_final=True)

    @property
    def takes_newcomers(self) -> bool:
        """Whether entrants may be appended while it runs."""
        return self.seats == 2

    def _group(self, number: int, challenger: int, other: int) -> int:
        """Return the group of two in a round, which does not depend on how many entered."""
        place = (other - self.challengers) * self.rounds + number - 1
        return 1 + place * self.challengers + challenger

    def _tables(self, others: list[int], rng: random.Random) -> list[list[int]]:
        rng.shuffle(others)
        size = self.seats - 1
        missing = -len(others) % size
        dealt = others + others[:missing]
        return [dealt[start : start + size] for start in range(0, len(dealt), size)]
