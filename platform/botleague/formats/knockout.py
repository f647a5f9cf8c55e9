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

    def series_count(self, entrants: int) -> tuple[int, int]:
        """Return the least and most encounters that are played."""
        raise NotImplementedError

    def match_count(self, entrants: Sequence[Entrant]) -> tuple[int, int]:
        """Return the matches if each encounter is decided as early or as late as possible."""
        least, most = self.series_count(len(_seeds(entrants, 0)))
        return 2 * least * self._wanted([]), 2 * most * (self.best_of + self.extra)

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
            points = self._points(by_group, number, sides)
            sets = [_won(one, other) for one, other in points]
            score = (sum(sets), len(sets) - sum(sets))
            games = (sum(one for one, _ in points), sum(other for _, other in points))
            winner, reason = None, ""
            if 2 * max(score) > max(self.best_of, len(sets)):
                winner = sides[0] if score[0] > score[1] else sides[1]
            elif len(sets) == self.best_of + self.extra and self.tie == "seed":
                winner, reason = min(sides, key=seeds.index), "as the better seed"
            elif len(sets) == self.best_of + self.extra:
                winner, reason = random.Random(f"{seed}:{number}").choice(sides), "by random draw"
            return Judgement(score, winner, reason, games)

        def plays_in(entrant: int, round: int) -> bool:
            return entrants[entrant].plays_in(round)

        return play_through(self.encounters(len(seeds)), seeds, judge, plays_in)

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return the sets to play next, in all encounters whose sides are both known.

        Raises:
            FormatError: fewer than two entrants, or results of a bracket with other seeds.
        """
        bracket = self.bracket(entrants, results, seed)
        by_group = {result.group: result for result in results}
        pairings: list[Pairing] = []
        for number, slot in enumerate(bracket.slots):
            one, other = slot.sides
            if slot.winner is None and slot.needed and one is not None and other is not None:
                sets = [_won(*points) for points in self._points(by_group, number, (one, other))]
                for index in range(len(sets), len(sets) + self._wanted(sets)):
                    label = slot.label + (f", set {index + 1}" if self.best_of > 1 else "")
                    group = self._group(number, index)
                    pairings += mirrored((one, other), slot.round, group, label)
        is_final = all(slot.winner is not None or not slot.needed for slot in bracket.slots)
        return Plan(tuple(pairings), is_final)

    def _group(self, number: int, index: int) -> int:
        """Return the group of set ``index`` of encounter ``number``."""
        return 1 + number * (self.best_of + self.extra) + index

    def _points(
        self, by_group: Mapping[int, GroupResult], number: int, sides: tuple[int, int]
    ) -> list[tuple[float, float]]:
        """Return the points of both sides in each set so far."""
        sets: list[tuple[float, float]] = []
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
            sets.append((points[sides[0]], points[sides[1]]))
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

    def series_count(self, entrants: int) -> tuple[int, int]:
        """Return one less than the entrants, and the match for third place."""
        number = entrants - 1 + (self.bronze and entrants > 3)
        return number, number


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

    def series_count(self, entrants: int) -> tuple[int, int]:
        """Return one for each loss: two of everyone but the winner, who may lose once."""
        return 2 * (entrants - 1), 2 * (entrants - 1) + self.reset


def _won(one: float, other: float) -> float:
    """Return the first side's score in a set: 1, 1/2 or 0."""
    return 0.5 if one == other else float(one > other)


def _seeds(entrants: Sequence[Entrant], seed: int) -> list[int]:
    """Return the entrants of the first round from the best rating down; lots separate equal ones."""
    lots = list(range(len(entrants)))
    random.Random(seed).shuffle(lots)
    entered = [one for one, entrant in enumerate(entrants) if entrant.joined <= 1]
    return sorted(entered, key=lambda one: (-entrants[one].rating, lots[one]))
