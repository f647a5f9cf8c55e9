"""The ladder: a league without end, in which each next match is the most informative one for the table.

Every planning chooses a round of matches from each bot's strength in all results so far. Entrants that have waited
longest choose first, then those with the largest error, so new bots are placed fast and all bots play. Each chooses
the opponent against whom one more match is expected to take most off the variance of their difference, counted more
while their order is open, and less the more often they have just met.

Only the last rounds of the history are read here, for meetings and waiting times: strengths come with the entrants.

Source: RATINGS, section 10, "Matchmaking"; M. Glickman, S. Jensen, Adaptive paired comparison design, 2005.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from botleague.rules.formats import (
    Entrant,
    EntrantRatings,
    Format,
    FormatError,
    GroupResult,
    Pairing,
    Plan,
    mirrored,
)
from botleague.rules.options import OptionError

UNKNOWN = 350.0
"""Deviation of an entrant without a match, in Elo points, where the rating system has none."""


ROUNDING = 1e-9
"""Tolerance for a share of the entrants: 0.7 of 10 is 7."""

LOG_10 = math.log(10)

FAR = 300.0
"""Difference, in scales, beyond which all count alike: larger ones would overflow."""


class Estimate(NamedTuple):
    """Strength of an entrant when a round is planned.

    Attributes:
        rating: estimated, rounded so that the last digit, which depends on the platform, does not decide the order.
        variance: of that estimate.
        wait: for how many rounds the entrant has not played.
    """

    rating: float
    variance: float
    wait: int


class Ladder(Format, frozen=True):
    """Matches where they tell most, for as long as the league runs."""

    name = "ladder"
    summary = "without end: each next match where it tells most"
    takes_newcomers = True
    meets_again = True
    default_table = "batch"
    default_new_versions = "replace"
    is_ranked_by_round = True

    rounds: Annotated[int, Meta(ge=0, description="How many rounds, 0 for no end.")] = 0
    share: Annotated[
        float, Meta(gt=0, le=1, description="The part of the entrants that plays in one round.")
    ] = 0.5
    patience: Annotated[
        int, Meta(ge=1, description="Rounds without a match after which an entrant chooses first.")
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
    pairing: Annotated[
        Literal["batch", "online"],
        Meta(description="Which ratings decide who meets whom: of all matches at once, or the online ones."),
    ] = "batch"
    scale: Annotated[
        float,
        Meta(
            gt=0,
            description="The difference of online ratings at which ten points to one are expected; 400 for Elo.",
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

    @property
    def last_round(self) -> int | None:
        """The option ``rounds``."""
        return self.rounds or None

    @property
    def pairs_by_start(self) -> bool:
        """Whether online ratings decide, which continue from where they started."""
        return self.pairing == "online"

    @property
    def entrant_ratings(self) -> EntrantRatings:
        """The ratings of the option ``pairing``, as they are now."""
        return self.pairing

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return the next round. Ratings, deviations and games of the entrants are the current ones.

        Unlike other formats a ladder does not plan a round again that was interrupted: it plans the next one once
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
                f"ladder: a match needs {self.seats} entrants, but only {len(entrants)} entered"
            )
        if len(present) < self.seats:
            return Plan((), is_final=False)  # newcomers may come
        group = max((result.group for result in results), default=0)
        pairings: list[Pairing] = []
        recent = [
            (result.round, sorted({one for game in result.games for one in game.seats}))
            for result in results
            if result.round >= number - self.window
        ]
        met = Counter(pair for _, table in recent for pair in combinations(table, 2))
        waits = self._waits(number, recent, len(entrants))
        estimates = [
            Estimate(round(entrant.rating, 2), self._variance(entrant), wait)
            for entrant, wait in zip(entrants, waits, strict=True)
        ]
        lots = list(range(len(entrants)))
        random.Random(f"{seed}:{number}").shuffle(lots)
        for table in self.tables(present, estimates, met, lots):
            group += 1
            pairings += mirrored(table, number, group, f"round {number}")
        return Plan(tuple(pairings), is_final=number == self.rounds)

    def tables(
        self,
        present: Sequence[int],
        estimates: Sequence[Estimate],
        met: Mapping[tuple[int, int], int],
        lots: Sequence[int],
    ) -> Iterator[tuple[int, ...]]:
        """Yield the tables of one round, the chooser first; no entrant sits at two.

        Args:
            present: who may be paired.
            estimates: of all entrants.
            met: how often each pair met lately, the smaller number first.
            lots: of all entrants, for ties; the least goes first.
        """

        def urgency(one: int) -> tuple[float, float, int]:
            wait = estimates[one].wait
            return (-wait if wait >= self.patience else 0, -estimates[one].variance, lots[one])

        def worth(one: int, other: int) -> float:
            rating, variance, _ = estimates[one]
            rating_of_other, variance_of_other, _ = estimates[other]
            times = met.get((one, other) if one < other else (other, one), 0)
            return gain(rating - rating_of_other, variance + variance_of_other, times, scale)

        scale = 400.0 if self.pairing == "batch" else self.scale
        row = _Row(sorted(present, key=lambda one: (-estimates[one].rating, lots[one])))
        seated, target = 0, self.share * len(present) - ROUNDING
        for chooser in sorted(present, key=urgency):
            if seated >= target or row.length < self.seats:
                return
            # An earlier chooser has taken it.
            if chooser not in row:
                continue
            table = [chooser]
            # What each neighbour is worth with everyone at the table.
            near = dict.fromkeys(row.around(chooser, self.neighbours), 0.0)
            while len(table) < self.seats:
                near = {one: value + worth(one, table[-1]) for one, value in near.items()}
                best = max(near, key=lambda one: (near[one], -lots[one]))
                del near[best]
                table.append(best)
            for one in table:
                row.remove(one)
            seated += len(table)
            yield tuple(table)

    def _variance(self, entrant: Entrant) -> float:
        """Return the variance of an entrant's rating; without one, that of its number of games between equals."""
        deviation = entrant.deviation
        if deviation is None:
            most = UNKNOWN * self.scale / 400
            deviation = min(most, 2 * self.scale / LOG_10 / math.sqrt(entrant.games + 1))
        return deviation * deviation

    def _waits(self, number: int, recent: Iterable[tuple[int, Iterable[int]]], entrants: int) -> list[int]:
        """Return for how many rounds each entrant has not played, by the round and entrants of each recent table."""
        last = [max(0, number - 1 - self.window)] * entrants
        for round, table in recent:
            for one in table:
                last[one] = max(last[one], round)
        return [number - 1 - played for played in last]


def gain(apart: float, variance: float, met: int = 0, scale: float = 400.0) -> float:
    """Return how much one more match between two bots is worth.

    It is what a game takes off the variance of their difference, less the surer their order already is, and less the
    more often they have met lately.

    Args:
        apart: the estimated difference.
        variance: of that estimate.
        met: how often they met lately.
        scale: the difference at which ten points to one are expected.
    """
    expected = 1 / (1 + math.pow(10.0, -min(abs(apart), FAR * scale) / scale))
    information = (LOG_10 / scale) ** 2 * expected * (1 - expected)
    taken = variance * variance * information / (1 + variance * information)
    return taken * math.exp(-apart * apart / (2 * variance)) / (1 + met)


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
        neighbours: list[int] = []
        for steps in (self._before, self._after):
            other = steps[one]
            for _ in range(reach):
                if other < 0:
                    break
                neighbours.append(other)
                other = steps[other]
        return neighbours
