"""Pairing one round of a swiss contest, with FIDE's Dutch system as the model: a matching of least weight.

Every pair that could meet has a cost, and the round is the set of pairs with the least sum. A cost is one integer whose
digits are the criteria, the most important first, each wide enough that no sum of a lesser one reaches it:

1. as few meetings as possible for the third, then for the second time; as few second byes as possible;
2. no entrant sits three times running on one seat, or twice more often on one than on the other;
3. the bye goes to the lowest score;
4. from the top score down: as few as possible float down, and they fall as little as possible;
5. as few as possible float down, or up, that did so in the last round; then in the second last;
6. as many wishes for a seat as possible are granted, then as many strong ones;
7. the upper half of a score meets the lower half in order, and the lowest float, to the highest below;
8. a random number for each pair, with enough bits that two rounds of the same cost do not occur. So neither the order
   of the pairs matters, nor how the library finds the minimum.

Criteria 1 and 2 are absolute in the Dutch system; here they give way where no complete round keeps them, so that small
fields can play many rounds. They are applied to the round as a whole, not score by score.

In large fields most pairs would be absurd. So the first attempt considers near pairs only; more are considered if an
entrant has no pair, or if the criteria up to 6 might be met better. All pairs of up to 50 entrants count, of 120 if
that may help. A round of 1,000 mirrored pairings takes about half a second of CPU time, a hard round of 300 single
matches two.

Source: FIDE Handbook, C.04.3, The FIDE (Dutch) System, in force from 1 July 2025; J. Edmonds, Paths, trees, and
flowers, 1965, for matchings, which networkx finds in Z. Galil's form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TypeAlias

import msgspec

NO_OPPONENT = -1
"""The opponent in a bye."""

NEAR = (10, 24)
"""Largest distance of two entrants in the order, in the first and second attempt in a large field."""

LARGE = 120
"""Size of a field beyond which a second attempt that pairs all entrants is good enough."""

LOT_BITS = 64

Pair: TypeAlias = tuple[int, int]


class Contestant(msgspec.Struct, frozen=True):
    """An entrant's past, as far as it matters.

    Attributes:
        points: with byes.
        met: how often it played against each other entrant.
        byes: number of its byes and walkovers.
        seats: of its matches so far, in order; empty where every pairing is played from both.
        floats: its floats in the last round and the second last: -1 met a lower score or had a bye, 1 met a higher one.
    """

    points: float = 0.0
    met: Mapping[int, int] = msgspec.field(default_factory=dict)
    byes: int = 0
    seats: tuple[int, ...] = ()
    floats: tuple[int, int] = (0, 0)

    def wish(self) -> tuple[int | None, int]:
        """Return the seat that it should have next, and how urgently: 3 must, 2 strong, 1 mild, 0 no wish."""
        surplus = self.seats.count(0) - self.seats.count(1)
        if abs(surplus) >= 2:
            return int(surplus > 0), 3
        if len(self.seats) >= 2 and self.seats[-1] == self.seats[-2]:
            return 1 - self.seats[-1], 3
        if surplus:
            return int(surplus > 0), 2
        return (1 - self.seats[-1], 1) if self.seats else (None, 0)


def pair(field: Mapping[int, Contestant], lot: str) -> list[Pair]:
    """Return the pairs of a round, the better first in each and the best pair first; a bye is a pair with NO_OPPONENT.

    Args:
        field: two or more entrants, the best first.
        lot: decides what nothing else does, and differs from round to round.
    """
    costs = _Costs(field, lot)
    reaches = [reach for reach in NEAR if 5 * reach < len(field)]
    before: int | None = None
    for reach in [*reaches, len(field)]:
        edges = {pair: costs.of(*pair) for pair in costs.candidates(reach)}
        matching = lightest_matching(edges)
        if 2 * len(matching) < len(field):
            continue  # an entrant has no pair
        high = sum(edges[pair] for pair in matching) >> costs.low_bits
        if high in (costs.least, before) or (reach == NEAR[-1] and len(field) > LARGE):
            break
        before = high
    return sorted(matching, key=lambda pair: costs.place[pair[0]])


def lightest_matching(costs: Mapping[Pair, int]) -> list[Pair]:
    """Return pairs in which everyone is exactly once, of the least total cost; some large set if that is impossible."""
    import networkx  # takes a while to import, and only swiss contests need it

    least: dict[int, int] = {}
    for pair, cost in costs.items():
        for one in pair:
            least[one] = min(cost, least.get(one, cost))
    graph = networkx.Graph()
    # networkx looks for the greatest weight, from the greatest weight of any pair downwards. What is subtracted here
    # is the same for every set that has everyone, and lets it begin where good pairs are: large fields take a tenth of
    # the time. Python's integers are exact however many digits the criteria take.
    graph.add_weighted_edges_from(
        (one, other, least[one] + least[other] - 2 * cost) for (one, other), cost in costs.items()
    )
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    return [pair if pair in costs else pair[::-1] for pair in matching]


def seated(one: int, other: int, field: Mapping[int, Contestant], place: int, lot: int) -> Pair:
    """Return a pair in seat order.

    Wishes first, the more urgent one, then the better entrant's; without any, seats alternate down the table.

    Args:
        one: the better of the two.
        place: its place in the field, from 0.
        lot: 0 or 1, the seat of the first in the table in the first round.

    Source: FIDE Handbook, C.04.3, "Colour allocation rules".
    """
    (seat, urgency), (other_seat, other_urgency) = field[one].wish(), field[other].wish()
    if other_seat is None:
        seat = (lot + place) % 2 if seat is None else seat
    elif seat is None or (seat == other_seat and other_urgency > urgency):
        seat = 1 - other_seat
    elif (seat, urgency) == (other_seat, other_urgency):
        seat = _alternated(field[one].seats, field[other].seats, seat)
    return (one, other) if seat == 0 else (other, one)


def _alternated(seats: Sequence[int], other_seats: Sequence[int], wished: int) -> int:
    """Return the seat that the first did not have when the two last sat on different ones, else what it wishes."""
    for mine, theirs in zip(reversed(seats), reversed(other_seats), strict=False):
        if mine != theirs:
            return 1 - mine
    return wished


class _Costs:
    """Cost of each pair."""

    def __init__(self, field: Mapping[int, Contestant], lot: str) -> None:
        self.order = list(field)
        self.place = {one: place for place, one in enumerate(self.order)}
        self._field = field
        self._lot = lot
        scores = sorted({one.points for one in field.values()}, reverse=True)
        level = {score: number for number, score in enumerate(scores)}
        self._level = [level[one.points] for one in field.values()]
        self._first = [self._level.index(number) for number in range(len(scores))]
        self._size = [self._level.count(number) for number in range(len(scores))]
        self._lay_out(len(scores), len(self.order))
        self.least = self._least() >> self.low_bits

    def _lay_out(self, levels: int, number: int) -> None:
        """Give every criterion its digit, from the least important on."""
        self._bits = 0
        self._lots = self._digit(1 << LOT_BITS)
        self._places = self._digit(2 * number * number)
        self.low_bits = self._bits
        self._strong, self._mild = self._digit(1), self._digit(1)
        self._earlier, self._repeated = self._digit(2), self._digit(2)
        self._floats: list[tuple[int, int]] = []
        for _ in range(levels):
            self._floats.append((self._digit(levels * levels), self._digit(1)))
        self._floats.reverse()
        self._bye_score = self._digit(levels)
        self._seats = self._digit(1)
        self._second_byes = [self._digit(1) for _ in range(max(one.byes for one in self._field.values()))]
        most = max((times for one in self._field.values() for times in one.met.values()), default=0)
        self._meetings = [self._digit(1) for _ in range(most)]

    def _digit(self, most: int) -> int:
        """Return where a digit begins that holds a sum over all pairs of values up to ``most``."""
        start = self._bits
        self._bits += (most * (len(self.order) // 2 + 1)).bit_length()
        return start

    def _least(self) -> int:
        """Return what no round can cost less: one floats wherever the number is odd, to the next score."""
        cost, left_over = 0, 0
        for level, size in enumerate(self._size[:-1]):
            left_over = (size + left_over) % 2
            fall, count = self._floats[level]
            cost += left_over * ((1 << fall) + (1 << count))
        return cost

    def candidates(self, reach: int) -> Iterator[Pair]:
        """Yield the pairs worth considering: neighbours, those half a score apart, and byes."""
        number = len(self.order)
        for i in range(number):
            half = self._size[self._level[i]] // 2
            last = self._first[self._level[i]] + self._size[self._level[i]]
            near = range(i + 1, min(number, i + 1 + 2 * reach))
            apart = range(max(near.stop, i + half - reach), min(last, i + half + reach + 1))
            for j in (*near, *apart):
                yield self.order[i], self.order[j]
            if number % 2:
                yield self.order[i], NO_OPPONENT

    def of(self, one: int, other: int) -> int:
        """Return the cost of a pair, ``one`` standing above ``other``."""
        low, high = sorted((one, other))
        # Not a generator's next number: that would depend on the order in which pairs are looked at.
        drawn = blake2b(f"{self._lot}:{low}:{high}".encode(), digest_size=LOT_BITS // 8).digest()
        cost = int.from_bytes(drawn, "big") << self._lots
        if other == NO_OPPONENT:
            return cost + self._of_bye(one)
        i, j = self.place[one], self.place[other]
        upper, lower = self._level[i], self._level[j]
        mine, theirs = self._field[one], self._field[other]
        if upper == lower:
            places = (j - i - self._size[upper] // 2) ** 2
        else:
            fall, count = self._floats[upper]
            cost += ((lower - upper) ** 2 << fall) + (1 << count)
            places = (self._first[upper] + self._size[upper] - 1 - i) ** 2 + (j - self._first[lower]) ** 2
            for before, digit in enumerate((self._repeated, self._earlier)):
                cost += ((mine.floats[before] == -1) + (theirs.floats[before] == 1)) << digit
        cost += places << self._places
        (seat, urgency), (other_seat, other_urgency) = mine.wish(), theirs.wish()
        if seat is not None and seat == other_seat:
            weaker = min(urgency, other_urgency)
            cost += (1 << self._mild) + ((weaker >= 2) << self._strong) + ((weaker >= 3) << self._seats)
        return cost + sum(1 << digit for digit in self._meetings[: mine.met.get(other, 0)])

    def _of_bye(self, one: int) -> int:
        resting, place = self._field[one], self.place[one]
        cost = (len(self.order) - 1 - place) << self._places
        cost += (len(self._size) - 1 - self._level[place]) << self._bye_score
        cost += (resting.floats[0] == -1) << self._repeated
        cost += (resting.floats[1] == -1) << self._earlier
        return cost + sum(1 << digit for digit in self._second_byes[: resting.byes])


def floats(points: Mapping[int, float], pairs: Sequence[Pair]) -> Mapping[int, int]:
    """Return the floats in a round of these pairs: -1 met a lower score or had a bye, 1 met a higher one."""
    directions: dict[int, int] = {}
    for one, other in pairs:
        if other == NO_OPPONENT:
            directions[one] = -1
        elif points[one] != points[other]:
            directions[one] = -1 if points[one] > points[other] else 1
            directions[other] = -directions[one]
    return directions
