"""Knockout and double knockout: seeded by rating, each encounter the best of several mirrored sets.

A set is won by who takes more of its points, and halved if nobody does. As many sets are planned at once as the
leader still needs. If all sets are played and nobody leads, up to ``extra`` more are played one by one, each of
which decides if it is not halved; then the tie rule decides.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from botleague.league.formats.bracket import (
    Bracket,
    Encounter,
    Score,
    double_elimination,
    play_through,
    single_elimination,
)
from botleague.rules.formats import Entrant, FormatError, GroupResult, Pairing, Plan, mirrored

__all__ = ["DoubleKnockout", "Elimination", "Knockout", "TieRule"]

MOST_SETS = 1000
"""Sets of one encounter; a bracket is planned with all of them."""

TieRule: TypeAlias = Literal["seed", "lot"]
"""Who goes on when the extra sets are halved too: the better seed, or one by lot."""


@dataclass(frozen=True, slots=True)
class Elimination(ABC):
    """What single and double knockout share: seeding, and how one encounter is decided.

    Ratings must be those of the start at every call, because seeding follows from them; who joins after the first
    round is not seeded, who leaves loses without playing.

    Attributes:
        best_of: mirrored sets per encounter.
        extra: most sets played after a tie.
        tie: who goes on when those are halved too.

    Raises:
        FormatError: a number or rule makes no sense.
    """

    best_of: int = 1
    extra: int = 2
    tie: TieRule = "seed"
    name: str = field(default="", init=False)
    summary: str = field(default="", init=False)
    live_ratings: bool = field(default=False, init=False)
    window: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if not (1 <= self.best_of <= MOST_SETS and 0 <= self.extra <= MOST_SETS) or self.tie not in (
            "seed",
            "lot",
        ):
            raise FormatError(
                f"{self.name}: best_of {self.best_of} must be from 1 to {MOST_SETS}, extra {self.extra} from 0 to "
                f"{MOST_SETS}, and tie 'seed' or 'lot', not {self.tie!r}"
            )

    @abstractmethod
    def encounters(self, entrants: int) -> list[Encounter]:
        """Return the encounters of ``entrants``; see :mod:`botleague.league.formats.bracket`."""

    def bracket(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Bracket:
        """Return the bracket as far as results reach.

        Raises:
            FormatError: fewer than two entrants, or results of a bracket with other seeds.
        """
        seeds = _seeds(entrants, seed)
        if len(seeds) < 2:
            raise FormatError(f"{self.name}: two entrants are needed, {len(seeds)} entered")
        by_group = {result.group: result for result in results}

        def judge(number: int, sides: tuple[int, int]) -> tuple[Score, int | None]:
            sets = self._sets(by_group, number, sides)
            score = (sum(sets), len(sets) - sum(sets))
            if 2 * max(score) > max(self.best_of, len(sets)):
                return score, sides[0] if score[0] > score[1] else sides[1]
            if len(sets) < self.best_of + self.extra:
                return score, None
            lot = random.Random(f"{seed}:{number}").choice(sides)
            return score, min(sides, key=seeds.index) if self.tie == "seed" else lot

        def plays_in(entrant: int, round: int) -> bool:
            return entrants[entrant].plays_in(round)

        return play_through(self.encounters(len(seeds)), seeds, judge, plays_in)

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return the sets to be played next, in all encounters of which both sides are known.

        Raises:
            FormatError: fewer than two entrants, or results of a bracket with other seeds.
        """
        bracket = self.bracket(entrants, results, seed)
        by_group = {result.group: result for result in results}
        pairings: list[Pairing] = []
        for number, slot in enumerate(bracket.slots):
            one, other = slot.sides
            if slot.winner is None and slot.needed and one is not None and other is not None:
                sets = self._sets(by_group, number, (one, other))
                for index in range(len(sets), len(sets) + self._wanted(sets)):
                    label = slot.encounter.label + (f", set {index + 1}" if self.best_of > 1 else "")
                    group = self._group(number, index)
                    pairings += mirrored((one, other), slot.encounter.round, group, label)
        is_final = all(slot.winner is not None or not slot.needed for slot in bracket.slots)
        return Plan(tuple(pairings), is_final)

    def _group(self, number: int, index: int) -> int:
        """Return the group of set ``index`` of encounter ``number``."""
        return 1 + number * (self.best_of + self.extra) + index

    def _sets(self, by_group: Mapping[int, GroupResult], number: int, sides: tuple[int, int]) -> list[float]:
        """Return what the first side got in each set so far: 1, 1/2 or 0."""
        sets: list[float] = []
        for index in range(self.best_of + self.extra):
            result = by_group.get(self._group(number, index))
            if result is None:
                break
            points = result.points()
            if set(points) != set(sides):
                raise FormatError(
                    f"{self.name}: the results are of another bracket (group {result.group}); "
                    "seed it by the same ratings as when it began"
                )
            one, other = (points[side] for side in sides)
            sets.append(0.5 if one == other else float(one > other))
        return sets

    def _wanted(self, sets: Sequence[float]) -> int:
        """Return how many sets to play next while nobody has won: what the leader needs at least."""
        leader = max(sum(sets), len(sets) - sum(sets))
        return 1 if len(sets) >= self.best_of else math.floor(self.best_of / 2 - leader) + 1


@dataclass(frozen=True, slots=True)
class Knockout(Elimination):
    """Who loses is out.

    Attributes:
        bronze: whether the losers of the semi-finals play for third place.
    """

    bronze: bool = True
    name: str = field(default="knockout", init=False)
    summary: str = field(default="who loses is out", init=False)

    def encounters(self, entrants: int) -> list[Encounter]:
        """Return the encounters, round by round."""
        return single_elimination(entrants, self.bronze)


@dataclass(frozen=True, slots=True)
class DoubleKnockout(Elimination):
    """Who loses twice is out.

    Attributes:
        reset: whether a decider follows if the grand final is the upper finalist's first loss.
    """

    reset: bool = True
    name: str = field(default="double-knockout", init=False)
    summary: str = field(default="who loses twice is out", init=False)

    def encounters(self, entrants: int) -> list[Encounter]:
        """Return the encounters of the upper and lower brackets and the grand final."""
        return double_elimination(entrants, self.reset)


def _seeds(entrants: Sequence[Entrant], seed: int) -> list[int]:
    """Return the entrants of the first round from the best rating down; lots separate equal ones."""
    lots = list(range(len(entrants)))
    random.Random(seed).shuffle(lots)
    entered = [one for one, entrant in enumerate(entrants) if entrant.joined <= 1]
    return sorted(entered, key=lambda one: (-entrants[one].rating, lots[one]))
