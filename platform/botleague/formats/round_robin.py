"""Round robin: everyone meets everyone, from every seat, with shared seeds.

Two seats: the circle method, so that everyone plays once in each round (one rests if the number is odd). More
seats: a cyclic design. Entrants stand in a circle, a *base block* of n places is turned through all positions, and
so everyone plays equally often; how often two entrants meet depends only on their distance in the circle. Base
blocks are chosen so that all distances occur as evenly as possible.

Source: R. C. Bose, On the construction of balanced incomplete block designs, 1939 (the method of differences).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from botleague.formats.tie_breaks import TieBreakOrder
from botleague.rules.formats import (
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

BLOCK_TRIES = 60
"""Random base blocks looked at before the best is taken."""


class RoundRobin(Format, frozen=True):
    """Everyone meets everyone."""

    name = "round-robin"
    summary = "everyone meets everyone from every seat"
    default_leaving = "half"
    pairs_by_start = False

    rounds: Annotated[int, Meta(ge=1, description="How many times everyone meets everyone.")] = 1
    seats: Annotated[int, Meta(ge=1, description="How many entrants sit in one match.")] = 2

    tie_breaks: TieBreakOrder = ("direct_encounter", "sonneborn_berger", "wins")

    @property
    def meets_again(self) -> bool:
        """With several rounds."""
        return self.rounds > 1

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return all remaining matches; a round robin is known from the start.

        With one seat a group is a round: all entrants play the same seed, each by itself.

        Entrants that left are not paired in later rounds.

        Raises:
            FormatError: fewer entrants than seats, or too many matches.
        """
        if len(entrants) < self.seats:
            raise FormatError(
                f"round-robin: a match needs {self.seats} entrants, but only {len(entrants)} entered"
            )
        number = len(entrants)
        a_round = number if self.seats == 1 else number * (number - 1) // (self.seats - 1)
        check_size(self.name, self.rounds * a_round)
        rng = random.Random(seed)
        circle = list(range(len(entrants)))
        rng.shuffle(circle)
        pairings: list[Pairing] = []
        group = 0
        for number, tables in enumerate(self._rounds(len(entrants), rng), start=1):
            for place_in_round, table in enumerate(tables):
                group += self.seats > 1 or place_in_round == 0
                seats = [circle[place] for place in table]
                if all(entrants[entrant].plays_in(number) for entrant in seats):
                    pairings += mirrored(seats, number, group, f"round {number}")
        return Plan(unplayed(pairings, results), is_final=True)

    def _rounds(self, entrants: int, rng: random.Random) -> Iterator[list[tuple[int, ...]]]:
        if self.seats == 1:
            for _ in range(self.rounds):
                yield [(entrant,) for entrant in range(entrants)]
        elif self.seats == 2:
            for _ in range(self.rounds):
                yield from circle_rounds(entrants)
        else:
            yield from cyclic_rounds(entrants, self.seats, self.rounds, rng)


def circle_rounds(entrants: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield the rounds of a round robin for two seats: one entrant stays in place, the others rotate."""
    ring = list(range(entrants)) if entrants % 2 == 0 else [*range(entrants), -1]
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        yield [(ring[i], ring[-1 - i]) for i in range(half) if ring[i] >= 0 <= ring[-1 - i]]
        ring.insert(1, ring.pop())


def cyclic_rounds(
    entrants: int, seats: int, meetings: int, rng: random.Random
) -> Iterator[list[tuple[int, ...]]]:
    """Yield rounds of tables, one base block each, until every two entrants met ``meetings`` times or more."""
    met = [
        0
    ] * entrants  # by distance in the circle: how often entrant 0, and so everyone, met who stands there
    while entrants > 1 and min(met[1:]) < meetings:
        block = _flattest_block(entrants, seats, met, rng)
        tables: dict[tuple[int, ...], tuple[int, ...]] = {}
        for turn in range(entrants):  # some turns may map the block onto itself
            table = tuple((place + turn) % entrants for place in block)
            tables.setdefault(tuple(sorted(table)), table)
        for neighbours in tables:
            if 0 in neighbours:
                for place in neighbours:
                    met[place] += 1
        yield list(tables.values())


def _flattest_block(entrants: int, seats: int, met: Sequence[int], rng: random.Random) -> tuple[int, ...]:
    """Return the base block, among some random ones, that evens out the meetings so far best."""
    best, best_unevenness = tuple(range(seats)), math.inf
    for _ in range(BLOCK_TRIES):
        counts = list(met)
        block = [0]
        while len(block) < seats:
            place = _loneliest_place(entrants, block, counts, rng)
            for other in block:
                counts[(place - other) % entrants] += 1
                counts[(other - place) % entrants] += 1
            block.append(place)
        unevenness = sum(count * count for count in counts[1:])
        if unevenness < best_unevenness:
            best, best_unevenness = tuple(block), unevenness
    return best


def _loneliest_place(entrants: int, block: Sequence[int], counts: Sequence[int], rng: random.Random) -> int:
    """Return the place whose distances to the block occurred least, one of the best by chance."""
    free = [place for place in range(entrants) if place not in block]
    costs = [sum(counts[(place - other) % entrants] for other in block) for place in free]
    least = min(costs)
    return rng.choice([place for place, cost in zip(free, costs, strict=True) if cost == least])
