"""Swiss: equals meet equals, and no two entrants meet twice while that can be avoided.

Each round the entrants stand in order of points, then rating, then at random; :mod:`botleague.formats.dutch_pairing`
makes the pairs. If the number is odd, one has a bye, worth as much as two wins of a mirrored pairing.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from botleague.formats import dutch_pairing
from botleague.formats.dutch_pairing import NO_OPPONENT, Contestant, Pair
from botleague.formats.tie_breaks import TieBreakOrder
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


class Swiss(Format, frozen=True):
    """Equals meet equals for a fixed number of rounds."""

    name = "swiss"
    summary = "equals meet equals, no two meet twice"
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

    tie_breaks: TieBreakOrder = ("buchholz", "sonneborn_berger", "direct_encounter", "wins")

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return the remaining matches of the current round, or the next round.

        Raises FormatError for fewer than two entrants.
        """
        if len(entrants) < 2:
            raise FormatError(f"swiss: two entrants are needed, {len(entrants)} entered")
        rounds = self.round_count(entrants)
        busy = _busy(results)
        running = max(busy, default=1)
        if running in busy and _is_over(entrants, running, busy[running]):
            running += 1
        for number in range(running, rounds + 1):
            before = [result for result in results if result.round < number]
            left = unplayed(self._round(number, entrants, before, seed), results)
            if left:
                return Plan(left, is_final=number == rounds)
        return Plan((), is_final=True)

    def round_count(self, entrants: Sequence[Entrant]) -> int:
        """Return how many rounds are played."""
        return self.rounds or max(1, math.ceil(math.log2(len(entrants))))

    def match_count(self, entrants: Sequence[Entrant]) -> tuple[int, int]:
        """Return the matches of all rounds, in each of which everyone but one of an odd number plays."""
        number = self.round_count(entrants) * (len(entrants) // 2) * (1 + self.mirrored)
        return number, number

    def byes(self, entrants: Sequence[Entrant], results: Sequence[GroupResult]) -> tuple[Bye, ...]:
        """Return the byes of the finished rounds: of those who were in, but had no opponent."""
        byes = []
        for number, busy in sorted(_busy(results).items()):
            if _is_over(entrants, number, busy):
                byes += [Bye(one, number, self.round_worth) for one in _present(entrants, number) - busy]
        return tuple(byes)

    @property
    def round_worth(self) -> float:
        """Points for winning a round: two games, or one."""
        return 2.0 if self.mirrored else 1.0

    def _round(
        self, number: int, entrants: Sequence[Entrant], before: Sequence[GroupResult], seed: int
    ) -> list[Pairing]:
        """Return all pairings of round ``number``, which follow from the rounds ``before`` it."""
        lots = list(range(len(entrants)))
        random.Random(f"{seed}:{number}").shuffle(lots)
        past = self._past(number, entrants, before)
        order = sorted(
            _present(entrants, number), key=lambda one: (-past[one].points, -entrants[one].rating, lots[one])
        )
        if len(order) < 2:
            return []
        field = {one: past[one] for one in order}
        pairs = [pair for pair in dutch_pairing.pair(field, f"{seed}:{number}") if NO_OPPONENT not in pair]
        group = max((result.group for result in before), default=0)
        label = f"round {number}"
        if self.mirrored:
            return [
                pairing
                for offset, pair in enumerate(pairs, start=1)
                for pairing in mirrored(pair, number, group + offset, label)
            ]
        return [
            Pairing(
                dutch_pairing.seated(*pair, field, order.index(pair[0]), seed % 2),
                number,
                group + offset,
                label,
            )
            for offset, pair in enumerate(pairs, start=1)
        ]

    def _past(
        self, number: int, entrants: Sequence[Entrant], before: Sequence[GroupResult]
    ) -> list[Contestant]:
        """Return each entrant's past, as far as it matters in round ``number``."""
        everyone = range(len(entrants))
        points = dict.fromkeys(everyone, 0.0)
        byes: Counter[int] = Counter()
        met: list[Counter[int]] = [Counter() for _ in everyone]
        seats: list[list[int]] = [[] for _ in everyone]
        floats: dict[int, Mapping[int, int]] = {}
        rests: dict[int, list[Bye]] = {}
        for bye in self.byes(entrants, before):
            rests.setdefault(bye.round, []).append(bye)
        rounds: dict[int, list[GroupResult]] = {}
        for result in sorted(before, key=lambda result: result.group):
            rounds.setdefault(result.round, []).append(result)
        for played, results in sorted(rounds.items()):
            resting = rests.get(played, ())
            pairs: list[Pair] = [(bye.entrant, NO_OPPONENT) for bye in resting]
            pairs += [pair for result in results for pair in _pairs(result)]
            for one, other in pairs:
                if other == NO_OPPONENT:
                    byes[one] += 1
                    continue
                met[one][other] += 1
                met[other][one] += 1
                if not self.mirrored:
                    seats[one].append(0)
                    seats[other].append(1)
            floats[played] = dutch_pairing.floats(points, pairs)
            for result in results:
                for entrant, won in result.points().items():
                    points[entrant] += won
            for bye in resting:
                points[bye.entrant] += bye.points
        last, earlier = floats.get(number - 1, {}), floats.get(number - 2, {})
        return [
            Contestant(
                points[one], met[one], byes[one], tuple(seats[one]), (last.get(one, 0), earlier.get(one, 0))
            )
            for one in everyone
        ]


def _pairs(result: GroupResult) -> list[Pair]:
    """Return the two who met; a walkover is no meeting, but a bye of its winner, and the two may still be paired."""
    one, other = result.games[0].seats
    if not all(game.is_walkover for game in result.games):
        return [(one, other)]
    won = result.points()
    return [(winner, NO_OPPONENT) for winner in (one, other) if won[winner]]


def _busy(results: Sequence[GroupResult]) -> dict[int, set[int]]:
    """Return who played, by round."""
    busy: dict[int, set[int]] = {}
    for result in results:
        busy.setdefault(result.round, set()).update(result.points())
    return busy


def _present(entrants: Sequence[Entrant], number: int) -> set[int]:
    return {one for one, entrant in enumerate(entrants) if entrant.plays_in(number)}


def _is_over(entrants: Sequence[Entrant], number: int, busy: set[int]) -> bool:
    """Return whether all entrants that could be paired have played in round ``number``."""
    return len(_present(entrants, number) - busy) <= 1
