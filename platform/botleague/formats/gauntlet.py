"""Gauntlet: a few challengers meet all others, the others do not meet each other.

It is how one measures a new version against a field that is already rated. With two seats others may join later:
a group is numbered by its entrants, so that new bots are appended and nothing is renumbered. So are the matches
before a bot's newest version: the new version meets all others again, and nothing else is played again.

With ``staff`` it is an examination. All other entrants meet the staff only, with the same seeds, so that
their results do not depend on each other. With more than two seats one entrant sits down with
several of the staff.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from botleague.formats.tie_breaks import TieBreakOrder
from botleague.rules.formats import (
    MAX_PAIRINGS,
    Entrant,
    Format,
    FormatError,
    GroupResult,
    Pairing,
    Plan,
    check_size,
    mirrored,
    unplayed,
)


class Gauntlet(Format, frozen=True):
    """The first entrants challenge all others."""

    name = "gauntlet"
    summary = "the first entrants meet all others"
    default_table = "batch"
    default_leaving = "half"
    default_new_versions = "replace"
    measures_versions = True
    pairs_by_start = False

    challengers: Annotated[
        int, Meta(ge=1, description="How many of the entrants, from the first on, are challengers.")
    ] = 1
    staff: Annotated[
        int,
        Meta(
            ge=0,
            description="How many of the entrants, from the first on, examine all others with the same seeds; or 0.",
        ),
    ] = 0
    rounds: Annotated[int, Meta(ge=1, description="How many times each of them meets everyone.")] = 1
    seats: Annotated[
        int, Meta(ge=2, description="How many entrants sit in one match: one challenger, and others.")
    ] = 2

    tie_breaks: TieBreakOrder = ("direct_encounter", "sonneborn_berger", "wins")

    @property
    def meets_again(self) -> bool:
        """With several rounds."""
        return self.rounds > 1

    @property
    def takes_newcomers(self) -> bool:
        """Whether entrants may be appended while it runs."""
        return self.seats == 2 or self.staff > 0

    @property
    def draws_seeds(self) -> bool:
        """Whether pairings bring their seeds: those of an examination do not depend on who sits it."""
        return self.staff > 0

    @property
    def pool(self) -> int:
        """Number of entrants, from the first on, that all others are measured by."""
        return self.staff

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return every match that is left; a gauntlet is known from the start.

        With more than two seats those who are met are dealt into tables at random; to fill the last table some of them
        sit down twice in a round. Raises FormatError for too few entrants, or far too many matches.
        """
        first = self.staff or self.challengers
        here, others = range(first), range(first, len(entrants))
        # The newcomers one at a time, and their opponents.
        single, met = (others, here) if self.staff else (here, others)
        if len(met) < self.seats - 1:
            who = f"--format-option challengers={self.challengers} needs {self.seats - 1} or more other bots"
            if self.staff:
                who = f"{self.seats} seats need {self.seats - 1} or more of the staff"
            raise FormatError(f"gauntlet: {who}, but {len(met)} entered")
        if not others:
            raise FormatError("gauntlet: only the staff entered; name also who is to meet them")
        tables = -(-len(met) // (self.seats - 1))
        check_size(self.name, self.rounds * len(single) * tables * self.seats)
        planned = (
            self._examination(len(entrants), seed) if self.staff else self._gauntlet(len(entrants), seed)
        )
        # Bots may still join every round: a gauntlet is planned at once.
        coming = [
            _anew(pairing, entrants)
            for pairing in planned
            if all(entrants[one].left is None for one in pairing.seats)
        ]
        return Plan(unplayed(coming, results), is_final=True)

    def _gauntlet(self, entrants: int, seed: int) -> Iterator[Pairing]:
        rng = random.Random(seed)
        groups = 0
        for number in range(1, self.rounds + 1):
            for challenger in range(self.challengers):
                for table in self._tables(list(range(self.challengers, entrants)), rng):
                    groups += 1
                    seats = (challenger, *table)
                    group = self._group(number, *seats) if self.seats == 2 else groups
                    yield from mirrored(seats, number, group, f"round {number}")

    def _group(self, number: int, challenger: int, other: int) -> int:
        """Return the group of two in a round, which does not depend on how many entered."""
        place = (other - self.challengers) * self.rounds + number - 1
        return 1 + place * self.challengers + challenger

    def _examination(self, entrants: int, seed: int) -> Iterator[Pairing]:
        """Yield the same tables with the same seeds for all; the groups of one entrant follow each other."""
        questions = []
        for number in range(1, self.rounds + 1):
            rng = random.Random(f"{seed} round {number}")
            questions += [
                (number, table, rng.getrandbits(63)) for table in self._tables(list(range(self.staff)), rng)
            ]
        for entrant in range(self.staff, entrants):
            for place, (number, table, drawn) in enumerate(questions):
                group = 1 + (entrant - self.staff) * len(questions) + place
                for pairing in mirrored((entrant, *table), number, group, f"round {number}"):
                    yield msgspec.structs.replace(pairing, seed=drawn)

    def _tables(self, others: list[int], rng: random.Random) -> list[list[int]]:
        rng.shuffle(others)
        size = self.seats - 1
        missing = -len(others) % size
        dealt = others + others[:missing]
        return [dealt[start : start + size] for start in range(0, len(dealt), size)]


def _anew(pairing: Pairing, entrants: Sequence[Entrant]) -> Pairing:
    """Return a pairing under a number of its own for the versions that play now: each is measured whole."""
    group = pairing.group
    while any(group in entrants[one].former for one in pairing.seats):
        group += MAX_PAIRINGS
    return pairing if group == pairing.group else msgspec.structs.replace(pairing, group=group)
