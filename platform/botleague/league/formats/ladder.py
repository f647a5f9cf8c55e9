"""The ladder: a contest without end, in which each next match is the one that tells most about the table.

Every planning chooses a batch of matches from the current ratings. Those who wait longest choose first, then those
of whom least is known, so newcomers are placed fast and nobody starves. Each chooses the opponent against whom one
more match is expected to take most off the variance of their difference, counted higher while it is open which of
the two is stronger, and lower the more often they have just met.

Of the history only the last rounds are read, to see who met and who waits; strength is in the ratings.

Source: RATINGS, section 10, "Matchmaking".
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Annotated

from msgspec import Meta

from botleague.rules.formats import (
    Entrant,
    Format,
    FormatError,
    GroupResult,
    Pairing,
    Plan,
    mirrored,
)
from botleague.rules.options import OptionError

__all__ = ["Ladder", "information_gain"]

UNKNOWN = 350.0
"""Deviation of who never played, in Elo points, where the rating system knows none."""


class Ladder(Format, frozen=True):
    """Matches where they tell most, for as long as the league runs."""

    name = "ladder"
    summary = "without end: each next match where it tells most"
    live_ratings = True
    takes_newcomers = True
    default_table = "batch"

    rounds: Annotated[int, Meta(ge=0, description="How many batches, 0 for no end.")] = 0
    share: Annotated[
        float, Meta(gt=0, le=1, description="The part of the entrants that plays in one batch.")
    ] = 0.5
    patience: Annotated[
        int, Meta(ge=1, description="After so many rounds without a match an entrant chooses first.")
    ] = 3
    neighbours: Annotated[
        int,
        Meta(
            ge=1,
            description="How many entrants, next above and next below in the table, are considered as opponents.",
        ),
    ] = 12
    seats: Annotated[int, Meta(ge=2, description="How many entrants sit in one match.")] = 2
    window: Annotated[int, Meta(ge=1, description="How many of the last rounds tell who met lately.")] = 20
    scale: Annotated[
        float,
        Meta(
            gt=0,
            description="The rating difference at which ten points to one are expected: 400 for Elo and Glicko-2.",
        ),
    ] = 400.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.patience > self.window:
            raise OptionError(f"patience: must be at most the window ({self.window}), not {self.patience}")
        if self.neighbours < self.seats - 1:
            raise OptionError(
                f"neighbours: must be {self.seats - 1} or more to fill a match, not {self.neighbours}"
            )

    @property
    def is_endless(self) -> bool:
        """Unless it was told how many rounds to play."""
        return self.rounds == 0

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return the next batch. Ratings, deviations and games of the entrants are the current ones.

        Unlike other formats a ladder does not plan a batch again that was interrupted: it plans the next one once
        all matches of the last have results. It plans nothing while too few of the entrants are in.

        Raises:
            FormatError: fewer entrants than seats.
        """
        number = 1 + max((result.round for result in results), default=0)
        if self.rounds and number > self.rounds:
            return Plan((), is_final=True)
        present = [one for one, entrant in enumerate(entrants) if entrant.plays_in(number)]
        if len(entrants) < self.seats:
            raise FormatError(
                f"ladder: {self.seats} entrants fill one match, but only {len(entrants)} entered"
            )
        if len(present) < self.seats:
            return Plan((), is_final=False)  # newcomers may come
        group = max((result.group for result in results), default=0)
        pairings: list[Pairing] = []
        recent = [result for result in results if result.round >= number - self.window]
        for table in self._tables(number, present, entrants, recent, seed):
            group += 1
            pairings += mirrored(table, number, group, f"round {number}")
        return Plan(tuple(pairings), is_final=number == self.rounds)

    def _tables(
        self,
        number: int,
        present: list[int],
        entrants: Sequence[Entrant],
        results: Sequence[GroupResult],
        seed: int,
    ) -> Iterator[tuple[int, ...]]:
        """Yield the tables of batch ``number``, each entrant at one at most."""
        met = Counter(pair for result in results for pair in combinations(sorted(result.points()), 2))
        lots = list(range(len(entrants)))
        random.Random(f"{seed}:{number}").shuffle(lots)
        deviations = [self._deviation(entrant) for entrant in entrants]
        waits = self._waits(number, results, len(entrants))

        def urgency(one: int) -> tuple[float, float, int]:
            return (-waits[one] if waits[one] >= self.patience else 0, -deviations[one], lots[one])

        def gain(one: int, other: int) -> float:
            variance = deviations[one] ** 2 + deviations[other] ** 2
            apart = entrants[one].rating - entrants[other].rating
            return information_gain(apart, variance, self.scale) / (1 + met[min(one, other), max(one, other)])

        row = _Row(sorted(present, key=lambda one: (-entrants[one].rating, lots[one])))
        wanted = max(1, round(self.share * len(present) / self.seats))
        for chooser in sorted(present, key=urgency):
            if wanted == 0 or row.length < self.seats:
                return
            if chooser not in row:
                continue
            table = [chooser]
            near = row.around(chooser, self.neighbours)
            while len(table) < self.seats:
                free = [one for one in near if one not in table]
                best = max(free, key=lambda one: (sum(gain(one, other) for other in table), -lots[one]))
                table.append(best)
            for one in table:
                row.remove(one)
            wanted -= 1
            yield tuple(table)

    def _deviation(self, entrant: Entrant) -> float:
        """Return an entrant's deviation; where none is known, that of so many games between equals."""
        if entrant.deviation is not None:
            return entrant.deviation
        most = UNKNOWN * self.scale / 400
        return min(most, 2 * self.scale / math.log(10) / math.sqrt(entrant.games + 1))

    def _waits(self, number: int, results: Sequence[GroupResult], entrants: int) -> list[int]:
        """Return for how many rounds each entrant has not played, as far as the results reach back."""
        last = [max(0, number - 1 - self.window)] * entrants
        for result in results:
            for one in result.points():
                last[one] = max(last[one], result.round)
        return [number - 1 - played for played in last]


def information_gain(apart: float, variance: float, scale: float = 400.0) -> float:
    """Return how much one match is expected to take off the variance of a rating difference.

    It is the decrease by the information in one game, counted four times while the sign of the difference is open
    (it is less than two standard errors).

    Args:
        apart: the estimated difference.
        variance: of that estimate.
        scale: the difference at which ten points to one are expected.
    """
    expected = 1 / (1 + math.pow(10.0, -abs(apart) / scale))
    information = (math.log(10) / scale) ** 2 * expected * (1 - expected)
    gain = variance * variance * information / (1 + variance * information)
    return 4 * gain if apart * apart < 4 * variance else gain


class _Row:
    """Entrants in a row from which they are taken out one by one, so that neighbours move together."""

    def __init__(self, order: Sequence[int]) -> None:
        self.length = len(order)
        self._after = dict(zip(order, [*order[1:], -1], strict=True))
        self._before = dict(zip(order, [-1, *order[:-1]], strict=True))

    def __contains__(self, one: object) -> bool:
        return one in self._after

    def remove(self, one: int) -> None:
        before, after = self._before.pop(one), self._after.pop(one)
        if before >= 0:
            self._after[before] = after
        if after >= 0:
            self._before[after] = before
        self.length -= 1

    def around(self, one: int, reach: int) -> list[int]:
        """Return up to ``reach`` entrants on each side of ``one``."""
        found: list[int] = []
        for steps in (self._before, self._after):
            other = steps[one]
            for _ in range(reach):
                if other < 0:
                    break
                found.append(other)
                other = steps[other]
        return found
