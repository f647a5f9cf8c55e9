"""Evidence for a batch rating: units of results that were scheduled together, with their counts.

A unit is a game, a mirrored set, or all matches of one seed. Games of a unit may depend on each other, units may
not. Equal units are counted, so a million games between the same bots stay a small table.

Source: RATINGS, section 7.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import chain, combinations, groupby
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from botleague.ratings.fold import in_order
from botleague.ratings.rated_result import RatingError, Result, is_rated


class Meeting(NamedTuple):
    """Results of two bots against each other within one unit.

    Attributes:
        bot: the one whose ``points`` are counted.
        opponent: the other, who got ``games - points``.
        points: wins and half the draws, weighted.
        games: the weight of all games; each of the n(n-1)/2 pairs of an n-sided match weighs 1/(n-1).
    """

    bot: str
    opponent: str
    points: float
    games: float


Unit: TypeAlias = tuple[Meeting, ...]

Evidence: TypeAlias = Mapping[Unit, int]
"""Number of times that each unit occurred."""


class Columns:
    """Evidence in columns of numbers, to which more can be added: of a long history only what is new is looked at.

    Attributes:
        bots: by row.
        blocks: the units by their number of bots.
    """

    def __init__(self, bots: Iterable[str] = ()) -> None:
        self.bots = list(bots)
        self.blocks: dict[int, Block] = {}
        self._rows = {bot: row for row, bot in enumerate(self.bots)}

    @classmethod
    def of(cls, units: Evidence) -> Columns:
        """Return the columns of ``units``, bots in alphabetical order."""
        columns = cls(sorted({bot for meeting in chain.from_iterable(units) for bot in meeting[:2]}))
        columns.add(units)
        return columns

    def add(self, units: Evidence) -> None:
        """Add more units, which are not compared with the present ones. New bots have the next rows."""
        for unit, count in units.items():
            seats: dict[int, int] = {}
            met = []
            for bot, opponent, points, games in unit:
                one = seats.setdefault(self._row(bot), len(seats))
                other = seats.setdefault(self._row(opponent), len(seats))
                met.append((one, other, points, games))
            block = self.blocks.get(len(seats))
            if block is None:
                block = self.blocks[len(seats)] = Block()
            for one, other, points, games in met:
                block.unit.append(len(block.counts))
                block.first.append(one)
                block.second.append(other)
                block.points.append(points)
                block.games.append(games)
            block.rows.extend(seats)
            block.counts.append(count)

    def units(self) -> Iterator[Unit]:
        """Yield the units again, without how often each occurred."""
        for size, block in self.blocks.items():
            met = zip(block.unit, block.first, block.second, block.points, block.games, strict=True)
            for unit, meetings in groupby(met, key=itemgetter(0)):
                start = unit * size
                yield tuple(
                    Meeting(
                        self.bots[block.rows[start + one]],
                        self.bots[block.rows[start + other]],
                        points,
                        games,
                    )
                    for _, one, other, points, games in meetings
                )

    def _row(self, bot: str) -> int:
        row = self._rows.get(bot)
        if row is None:
            row = self._rows[bot] = len(self.bots)
            self.bots.append(bot)
        return row


class Block:
    """All units of k bots.

    Attributes:
        counts: how often each unit occurred.
        rows: of its bots, k for each unit.
        unit, first, second, points, games: of each meeting its unit, who met by their places among the k, what the
            first one got, and the weight of the games.
    """

    __slots__ = ("counts", "first", "games", "points", "rows", "second", "unit")

    def __init__(self) -> None:
        self.counts, self.points, self.games = array("d"), array("d"), array("d")
        self.rows, self.unit, self.first, self.second = array("q"), array("q"), array("q"), array("q")


def evidence(
    results: Iterable[Result], unit_of: Callable[[Result], Hashable] | None = None
) -> dict[Unit, int]:
    """Return the evidence in a history: voids, repeated reports and mirror matches do not count.

    Args:
        unit_of: names the unit of a match, for example its mirrored set; None makes each match its own.

    Raises:
        RatingError: a side of several bots; how they share the credit is not something a batch rating knows.
    """
    units: dict[Hashable, dict[tuple[str, str], tuple[float, float]]] = {}
    for result in in_order(results):
        if not is_rated(result):
            continue
        unit = units.setdefault(result.match if unit_of is None else unit_of(result), {})
        for pair, points, weight in _pairs(result):
            before = unit.get(pair)
            unit[pair] = (points, weight) if before is None else (before[0] + points, before[1] + weight)
    counts: dict[Unit, int] = {}
    for pairs in units.values():
        met = pairs.items() if len(pairs) == 1 else sorted(pairs.items())
        key = tuple([Meeting(bot, opponent, *sums) for (bot, opponent), sums in met])
        counts[key] = counts.get(key, 0) + 1
    return counts


def pair_evidence(
    bot: str, opponent: str, wins: int, draws: int, losses: int, weight: float = 1.0
) -> dict[Unit, int]:
    """Return the evidence in a line of a cross table, each game its own unit.

    Raises:
        RatingError: a bot against itself, a count below 0, or a weight that is not positive.
    """
    if bot == opponent or min(wins, draws, losses) < 0 or weight <= 0:
        raise RatingError(
            f"{bot!r} against {opponent!r}: {wins} wins, {draws} draws, {losses} losses of weight {weight} "
            "is not a result of two different bots"
        )
    points = ((weight, wins), (weight / 2, draws), (0.0, losses))
    return {(Meeting(bot, opponent, got, weight),): count for got, count in points if count}


def strong_components(units: Iterable[Unit], tied: Iterable[tuple[str, str]] = ()) -> list[list[str]]:
    """Return the groups of bots within which each took points from each, directly or through others.

    A maximum likelihood rating is finite and unique if and only if there is one group. Groups and members are in
    alphabetical order. The work grows with the number of pairs that met.

    Args:
        tied: versions of one bot that are taken for such a pair without having met.

    Source: M. Sharir, A strong-connectivity algorithm and its applications in data flow analysis, 1981.
    """
    gave: dict[str, set[str]] = {}
    for bot, opponent, points, games in chain.from_iterable(units):
        ends = gave.setdefault(bot, set()), gave.setdefault(opponent, set())
        if points < games:
            ends[0].add(opponent)
        if points > 0:
            ends[1].add(bot)
    for one, other in tied:
        gave[one].add(other)
        gave[other].add(one)
    took: dict[str, set[str]] = {bot: set() for bot in gave}
    for bot, others in gave.items():
        for other in others:
            took[other].add(bot)
    components: list[list[str]] = []
    placed: set[str] = set()
    for bot in reversed(_left_in_order(gave)):
        if bot not in placed:
            component = _reached(bot, took, placed)
            placed |= component
            components.append(sorted(component))
    return sorted(components)


def _left_in_order(edges: Mapping[str, set[str]]) -> list[str]:
    """Return all bots in the order in which a search in depth is done with them."""
    visited: set[str] = set()
    left: list[str] = []
    for start in edges:
        if start in visited:
            continue
        visited.add(start)
        path = [(start, iter(edges[start]))]
        while path:
            bot, others = path[-1]
            following = next((other for other in others if other not in visited), None)
            if following is None:
                left.append(bot)
                path.pop()
            else:
                visited.add(following)
                path.append((following, iter(edges[following])))
    return left


def _reached(start: str, edges: Mapping[str, set[str]], closed: set[str]) -> set[str]:
    reached, open_ends = {start}, [start]
    while open_ends:
        fresh = edges[open_ends.pop()] - reached - closed
        reached |= fresh
        open_ends.extend(fresh)
    return reached


def _pairs(result: Result) -> list[tuple[tuple[str, str], float, float]]:
    """Return each pair of sides, the alphabetically first bot first, with its points and the pair's weight."""
    sides = []
    for side in result.sides:
        if len(side.members) != 1:
            raise RatingError(f"match {result.match!r}: a batch rating needs sides of one bot each")
        sides.append((side.members[0], side.rank))
    sides.sort()
    weight = 1.0 / (len(sides) - 1)
    return [
        ((bot, opponent), weight / 2 if rank == other else weight if rank < other else 0.0, weight)
        for (bot, rank), (opponent, other) in combinations(sides, 2)
    ]
