"""Swiss: equals meet equals, nobody meets the same opponent twice while that can be avoided.

Each round the entrants stand in order of points, then rating. From the top, each is paired with somebody of its own
points: the upper half of such a group with the lower half, as near to that as the rules below allow. Who finds
nobody there *floats*: it meets the best of the next group down.

Rules, in order of weight: everyone is paired (one rests if the number is odd); two meet again only if no complete
round without it exists, and a third time only if none without that exists; the resting one is the lowest that has
not rested yet and leaves the others a complete round; points; halves.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

from msgspec import Meta

from botleague.league.formats.matching import extend, perfect_matching
from botleague.league.formats.standings import Standing, standings
from botleague.rules.formats import (
    Bye,
    Entrant,
    Format,
    FormatError,
    GroupResult,
    Pairing,
    Plan,
    mirrored,
    unplayed,
)

__all__ = ["Swiss"]


class Swiss(Format, frozen=True):
    """Equals meet equals for a fixed number of rounds."""

    name = "swiss"
    summary = "equals meet equals, nobody twice"
    takes_newcomers = True

    rounds: Annotated[
        int,
        Meta(
            ge=0,
            description="How many; 0 for as many as a knockout would take, log2 of the entrants rounded up.",
        ),
    ] = 0
    mirrored: Annotated[
        bool,
        Meta(
            description="Whether each pairing is played from both seats with the same seed; if not, it is one match, "
            "and seats are balanced."
        ),
    ] = True

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return what is left of the running round, or the next round.

        Raises FormatError for fewer than two entrants.
        """
        if len(entrants) < 2:
            raise FormatError(f"swiss: two entrants are needed, {len(entrants)} entered")
        rounds = self.round_count(entrants)
        running = max((result.round for result in results), default=1)
        for number in range(running, rounds + 1):
            before = [result for result in results if result.round < number]
            left = unplayed(self._round(number, entrants, before, seed), results)
            if left:
                return Plan(left, is_final=number == rounds)
        return Plan((), is_final=True)

    def round_count(self, entrants: Sequence[Entrant]) -> int:
        """Return how many rounds are played."""
        return self.rounds or max(1, math.ceil(math.log2(len(entrants))))

    def byes(self, entrants: Sequence[Entrant], results: Sequence[GroupResult]) -> tuple[Bye, ...]:
        """Return the byes of the finished rounds: of those who were in, but had no opponent."""
        played: dict[int, set[int]] = {}
        for result in results:
            played.setdefault(result.round, set()).update(result.points())
        byes = []
        for number, busy in sorted(played.items()):
            present = {one for one, entrant in enumerate(entrants) if entrant.plays_in(number)}
            if len(present - busy) <= 1:  # else the round is still running
                byes += [Bye(one, number, 2.0 if self.mirrored else 1.0) for one in present - busy]
        return tuple(byes)

    def standings(self, entrants: Sequence[Entrant], results: Sequence[GroupResult]) -> tuple[Standing, ...]:
        """Return the table: points with byes, then Buchholz, Sonneborn-Berger, wins."""
        return standings(entrants, results, self.byes(entrants, results))

    def _round(
        self, number: int, entrants: Sequence[Entrant], before: Sequence[GroupResult], seed: int
    ) -> list[Pairing]:
        """Return all pairings of round ``number``, which follow from the rounds ``before`` it."""
        points = {row.entrant: row.points for row in self.standings(entrants, before)}
        lots = list(range(len(entrants)))
        random.Random(f"{seed}:{number}").shuffle(lots)
        present = [entrant for entrant, entry in enumerate(entrants) if entry.plays_in(number)]
        order = sorted(present, key=lambda one: (-points[one], -entrants[one].rating, lots[one]))
        met = Counter(pair for result in before for pair in combinations(sorted(result.points()), 2))
        rested = Counter(bye.entrant for bye in self.byes(entrants, before))
        group = max((result.group for result in before), default=0)
        pairings: list[Pairing] = []
        for one, other in _pair(order, points, met, rested):
            group += 1
            label = f"round {number}"
            if self.mirrored:
                pairings += mirrored((one, other), number, group, label)
            else:
                pairings.append(Pairing(_balanced(one, other, before, lots), number, group, label))
        return pairings


def _pair(
    order: list[int],
    points: Mapping[int, float],
    met: Mapping[tuple[int, int], int],
    rested: Mapping[int, int],
) -> list[tuple[int, int]]:
    """Return the pairs of a round, best first; ``order`` is everyone from the top of the table down."""
    resting: list[int | None] = [None]
    if len(order) % 2:
        rank = {one: place for place, one in enumerate(order)}
        resting = [*sorted(order, key=lambda one: (rested.get(one, 0), -rank[one]))]
    for meetings in range(max(met.values(), default=0) + 1):
        for rest in resting:
            playing = [one for one in order if one != rest]
            allowed = [
                [j for j, other in enumerate(playing) if i != j and met.get(_key(one, other), 0) <= meetings]
                for i, one in enumerate(playing)
            ]
            partner = perfect_matching(allowed)
            if partner is not None:
                wishes = _Wishes([points[one] for one in playing])
                return [(playing[i], playing[j]) for i, j in _best_matching(allowed, partner, wishes)]
    raise AssertionError("with every meeting allowed there is a complete round")


@dataclass(frozen=True, slots=True)
class _Wishes:
    """Whom an entrant would best meet, by position in the table."""

    points: list[float]

    def of(self, top: int, free: list[int]) -> list[int]:
        """Return ``free`` in order of preference for ``top``, who stands above all of them."""
        equals = [top, *(one for one in free if self.points[one] == self.points[top])]
        half = len(equals) // 2
        lower = [one for one in free if self.points[one] != self.points[top]]
        return equals[half:] + equals[half - 1 : 0 : -1] + lower if half else lower


def _best_matching(allowed: list[list[int]], partner: list[int], wishes: _Wishes) -> list[tuple[int, int]]:
    """Return a perfect matching in which each, from the top, gets the first wish that leaves the rest complete.

    ``partner`` is any perfect matching; it is kept perfect while wishes are granted, one short search per wish.
    """
    permitted = [set(row) for row in allowed]
    free = list(range(len(allowed)))
    pairs: list[tuple[int, int]] = []
    while free:
        top = free.pop(0)
        for wish in wishes.of(top, free):
            rest = _granted(allowed, permitted, partner, top, wish) if wish in permitted[top] else None
            if rest is not None:
                partner = rest
                free.remove(wish)
                pairs.append((top, wish))
                break
    return pairs


def _granted(
    allowed: list[list[int]], permitted: list[set[int]], partner: list[int], top: int, wish: int
) -> list[int] | None:
    """Return a matching of the rest once ``top`` and ``wish`` are taken out, or None if somebody stays alone."""
    changed = list(partner)
    left, right = changed[top], changed[wish]
    changed[top], changed[wish] = top, wish
    if left == wish:
        return changed
    if right in permitted[left]:
        changed[left], changed[right] = right, left
        return changed
    changed[left] = changed[right] = -1
    return changed if extend(allowed, changed, left) else None


def _balanced(one: int, other: int, before: Sequence[GroupResult], lots: list[int]) -> tuple[int, int]:
    """Return the two in seat order: first who sat first less often, else who did not sit first last, else by lot."""
    sat = [game.seats for result in sorted(before, key=lambda result: result.group) for game in result.games]

    def claim(entrant: int) -> tuple[int, int, int]:
        first = [seats[0] == entrant for seats in sat if entrant in seats]
        return 2 * sum(first) - len(first), int(bool(first) and first[-1]), lots[entrant]

    return (one, other) if claim(one) < claim(other) else (other, one)


def _key(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
