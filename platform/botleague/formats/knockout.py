"""Knockout and double knockout: seeded by rating, each encounter the best of several mirrored sets.

A set is won by the side with more of its points, and halved if both have as many. As many sets are planned at once as
the leader still needs. If all are played and the score is level, up to ``extra`` more are played one by one, each of
which decides if it is not halved; then the tie rule decides.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from botleague.formats.elimination import (
    Encounter,
    Judgement,
    double_elimination,
    play_through,
    single_elimination,
)
from botleague.rules.formats import (
    Bracket,
    Entrant,
    Format,
    FormatError,
    GroupResult,
    Pairing,
    Plan,
    mirrored,
)

MAX_SETS = 1000
"""Sets of one encounter; a bracket is planned with all of them."""

TieRule: TypeAlias = Literal["seed", "lot"]
"""The side that advances when the extra sets are halved too: the better seed, or one drawn at random."""


class Elimination(Format, frozen=True):
    """Shared part of single and double knockout: seeding, and how one series is decided.

    Ratings must be those of the start at every call, because seeding follows from them; who joins after the first
    round is not seeded, who leaves loses without playing.
    """

    best_of: Annotated[int, Meta(ge=1, le=MAX_SETS, description="Mirrored sets per encounter.")] = 1
    extra: Annotated[int, Meta(ge=0, le=MAX_SETS, description="Most sets played after a tie.")] = 2
    tie: Annotated[
        TieRule,
        Meta(description="Side that advances when those are halved too: the better seed, or one at random."),
    ] = "seed"

    @property
    def meets_again(self) -> bool:
        """Unless one set decides an encounter, and none follows a tie."""
        return self.best_of + self.extra > 1

    @property
    def has_bracket(self) -> bool:
        """It is one."""
        return True

    def encounters(self, entrants: int) -> list[Encounter]:
        """Return the encounters of ``entrants``; see :mod:`botleague.formats.elimination`."""
        raise NotImplementedError

    def bracket(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Bracket:
        """Return the bracket as far as results reach.

        Raises:
            FormatError: fewer than two entrants, or results of a bracket with other seeds.
        """
        seeds = _seeds(entrants, seed)
        if len(seeds) < 2:
            raise FormatError(f"{self.name}: two entrants are needed, {len(seeds)} entered")
        by_group = {result.group: result for result in results}

        def judge(number: int, sides: tuple[int, int]) -> Judgement:
            sets = self._sets(by_group, number, sides)
            score = (sum(sets), len(sets) - sum(sets))
            if 2 * max(score) > max(self.best_of, len(sets)):
                return score, sides[0] if score[0] > score[1] else sides[1], ""
            if len(sets) < self.best_of + self.extra:
                return score, None, ""
            if self.tie == "seed":
                return score, min(sides, key=seeds.index), "as the better seed"
            return score, random.Random(f"{seed}:{number}").choice(sides), "by random draw"

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
                    label = slot.label + (f", set {index + 1}" if self.best_of > 1 else "")
                    group = self._group(number, index)
                    pairings += mirrored((one, other), slot.round, group, label)
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
        """Return the number of sets to play next while there is no winner: the fewest that the leader needs."""
        leader = max(sum(sets), len(sets) - sum(sets))
        return 1 if len(sets) >= self.best_of else math.floor(self.best_of / 2 - leader) + 1


class Knockout(Elimination, frozen=True):
    """One loss eliminates."""

    name = "knockout"
    summary = "who loses is out"

    bronze: Annotated[
        bool, Meta(description="Whether the losers of the semi-finals play for third place.")
    ] = True

    def encounters(self, entrants: int) -> list[Encounter]:
        """Return the encounters, round by round."""
        return single_elimination(entrants, self.bronze)


class DoubleKnockout(Elimination, frozen=True):
    """Two losses eliminate."""

    name = "double-knockout"
    summary = "who loses twice is out"

    reset: Annotated[
        bool,
        Meta(description="Whether a decider follows if the grand final is the upper finalist's first loss."),
    ] = True

    def encounters(self, entrants: int) -> list[Encounter]:
        """Return the encounters of the upper and lower brackets and the grand final."""
        return double_elimination(entrants, self.reset)


def _seeds(entrants: Sequence[Entrant], seed: int) -> list[int]:
    """Return the entrants of the first round from the best rating down; lots separate equal ones."""
    lots = list(range(len(entrants)))
    random.Random(seed).shuffle(lots)
    entered = [one for one, entrant in enumerate(entrants) if entrant.joined <= 1]
    return sorted(entered, key=lambda one: (-entrants[one].rating, lots[one]))
