"""Tables: standings by points with tie-breaks, and the cross table, as values and as text.

Source of the tie-breaks: FIDE Handbook, C.07, in force from 1 August 2024. Points of a mirrored set or a match of many
seats stand for those of a game there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Annotated

import msgspec

from botleague.rules.formats import Bye, Entrant, GroupResult, Leaving, TieBreakName

TieBreakOrder = Annotated[
    tuple[TieBreakName, ...],
    msgspec.Meta(description="What separates equal points, the most important first."),
]


class TieBreak(msgspec.Struct, frozen=True):
    """A tie-break as people read it.

    Attributes:
        title: what a table's column is called.
        explanation: a sentence.
        source: where it is defined.
    """

    title: str
    explanation: str
    source: str


TIE_BREAKS: dict[TieBreakName, TieBreak] = {
    "buchholz": TieBreak(
        "Buchholz",
        "The points of all opponents, each counted once for every pairing; a round without a match counts as one "
        "against a virtual opponent with the bot's own points.",
        "FIDE Handbook C.07, articles 8 and 16",
    ),
    "buchholz_cut_1": TieBreak(
        "Buchholz-1",
        "Buchholz without the smallest contribution: one of a round that the bot missed, if there is any.",
        "FIDE Handbook C.07, articles 14 and 16",
    ),
    "sonneborn_berger": TieBreak(
        "S-B",
        "The points of each opponent times the points taken from it.",
        "FIDE Handbook C.07, articles 9 and 16",
    ),
    "direct_encounter": TieBreak(
        "direct",
        "The points that those who are tied took from each other, if all of them met; else only who would be first "
        "among them however the missing matches ended stands above the others.",
        "FIDE Handbook C.07, article 6",
    ),
    "wins": TieBreak(
        "won",
        "The matches won by playing, alone in first place.",
        "FIDE Handbook C.07, article 7 (games won)",
    ),
    "score": TieBreak("score", "The sum of the game's own scores.", "botleague"),
}
"""Every tie-break by its name."""


DIGITS = 9
"""Decimal places by which points and tie-breaks are compared: far fewer than sums of shares are exact to."""


class PointsRow(msgspec.Struct, frozen=True):
    """One row of a table by points.

    Attributes:
        entrant: index of the entrant.
        place: 1 is best; entrants that no tie-break separates share a place.
        points: won in all games, byes and walkovers included, penalties taken off.
        games: number of games played.
        wins: games in which the entrant was alone in first place.
        draws: games that were neither won nor lost.
        losses: games in which the entrant was alone in last place.
        unplayed_points: the part of ``points`` that byes and walkovers brought.
        tie_breaks: what the tie-breaks say, in their order.
        decided_by: the tie-break that sets it apart from the row above; None for none, or for points.
    """

    entrant: int
    place: int
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    unplayed_points: float
    tie_breaks: dict[TieBreakName, float] = msgspec.field(default_factory=dict)
    decided_by: TieBreakName | None = None


class Cell(msgspec.Struct, frozen=True):
    """Points of one entrant against another: ``points`` out of ``games`` (shares of games with more seats)."""

    points: float
    games: float


class CrossTable(msgspec.Struct, frozen=True):
    """Everyone against everyone; rows and columns by place, None where two never met."""

    rows: tuple[PointsRow, ...]
    cells: tuple[tuple[Cell | None, ...], ...]


def without_leavers(
    entrants: Sequence[Entrant],
    results: Iterable[GroupResult],
    leaving: Leaving,
    expelled: Collection[int] = (),
) -> list[GroupResult]:
    """Return the results that count, once it is known who left.

    Args:
        entrants: :attr:`Entrant.left` marks those that left.
        results: of all groups, those among them that were not played because an entrant had left.
        leaving: its effect on the opponents of an entrant that left.
        expelled: entrants of whose disqualification the results know; ``half`` was decided with it.

    Source: FIDE Handbook, C.05, on who withdraws from a round robin, for ``half``.
    """
    all_results = list(results)
    annulled = set()
    for one, entrant in enumerate(entrants):
        games = [game for result in all_results for game in result.games if one in game.seats]
        played = sum(not game.is_walkover for game in games)
        if entrant.left is not None and (
            leaving == "annul" or (leaving == "half" and one not in expelled and 2 * played < len(games))
        ):
            annulled.add(one)
    counting = [
        msgspec.structs.replace(
            result, games=tuple(game for game in result.games if annulled.isdisjoint(game.seats))
        )
        for result in all_results
    ]
    return [result for result in counting if result.games]


def standings(
    entrants: Sequence[Entrant],
    results: Iterable[GroupResult],
    byes: Iterable[Bye] = (),
    tie_breaks: Sequence[TieBreakName] = ("buchholz", "sonneborn_berger", "wins"),
    *,
    round_worth: float | None = None,
    penalties: Mapping[int, float] | None = None,
) -> tuple[PointsRow, ...]:
    """Return the table, best first; entrants that share a place are in order of entry.

    Args:
        byes: of the entrants.
        tie_breaks: what separates equal points, most important first.
        round_worth: what winning a round brings, if rounds without a match count against virtual opponents.
        penalties: points to take off, by entrant; opponents' tie-breaks count without.
    """
    tally = _Tally(entrants, results, byes, round_worth)
    taken_off = penalties or {}
    rows = [
        PointsRow(
            entrant=i,
            place=1,
            points=tally.points[i] - taken_off.get(i, 0.0),
            games=tally.games[i],
            wins=tally.wins[i],
            draws=tally.games[i] - tally.wins[i] - tally.losses[i],
            losses=tally.losses[i],
            unplayed_points=sum(points for _, points in tally.unplayed[i]),
        )
        for i in range(len(entrants))
    ]
    rows.sort(key=lambda row: -comparable(row.points))  # a stable sort: equals stay in order of entry
    tied = [list(group) for _, group in groupby(rows, key=lambda row: comparable(row.points))]
    for name in tie_breaks:
        tied = [part for group in tied for part in _separated(group, name, tally)]
    place = 1
    table: list[PointsRow] = []
    for group in tied:
        table += [msgspec.structs.replace(row, place=place) for row in group]
        place += len(group)
    return tuple(table)


def _separated(group: list[PointsRow], name: TieBreakName, tally: _Tally) -> list[list[PointsRow]]:
    """Return those who are tied so far in the groups that one more tie-break makes of them, the best first."""
    tied = [row.entrant for row in group]
    values = (
        tally.direct(tied) if name == "direct_encounter" else {one: tally.value(name, one) for one in tied}
    )
    group = [
        msgspec.structs.replace(row, tie_breaks={**row.tie_breaks, name: values[row.entrant]})
        for row in group
    ]
    group.sort(key=lambda row: -comparable(row.tie_breaks[name]))
    parts = [list(part) for _, part in groupby(group, key=lambda row: comparable(row.tie_breaks[name]))]
    return [
        [
            msgspec.structs.replace(row, decided_by=name) if number and not index else row
            for index, row in enumerate(part)
        ]
        for number, part in enumerate(parts)
    ]


def comparable(value: float) -> float:
    """Return points, or the value of a tie-break, for comparisons: equal sums are equal in any order of addition.

    A match of four seats brings thirds, which are not exact: three times a third and two thirds are less than 5/3.
    """
    return round(value, DIGITS)


def cross_table(rows: Sequence[PointsRow], results: Iterable[GroupResult]) -> CrossTable:
    """Return everyone against everyone, in the order of ``rows``."""
    number = 1 + max((row.entrant for row in rows), default=-1)
    tally = _Tally([Entrant("")] * number, results, (), None)
    cells = tuple(
        tuple(
            Cell(tally.taken[row.entrant][column.entrant], tally.met[row.entrant][column.entrant])
            if column.entrant in tally.met[row.entrant]
            else None
            for column in rows
        )
        for row in rows
    )
    return CrossTable(tuple(rows), cells)


def cross_table_text(entrants: Sequence[Entrant], table: CrossTable, width: int | None = None) -> str:
    """Return the cross table for a terminal: points taken from each, ``-`` where two never met.

    Args:
        width: if its lines are longer, it comes in parts, one below the other: each has every row and some of the
            columns, and names of more than a third of the width are cut.
    """
    longest = None if width is None else max(1, width // 3)
    head = [
        ["", "bot"],
        *([str(n), _cut(entrants[row.entrant].bot, longest)] for n, row in enumerate(table.rows, 1)),
    ]
    body = [[str(number) for number in range(1, len(table.rows) + 1)] + ["points"]]
    for number, (row, cells) in enumerate(zip(table.rows, table.cells, strict=True)):
        displayed = [
            "x" if place == number else "-" if cell is None else _number(cell.points)
            for place, cell in enumerate(cells)
        ]
        body.append([*displayed, _number(row.points)])
    sizes = [2 + max(map(len, column)) for column in zip(*body, strict=True)]
    space = math.inf if width is None else width - max(map(len, _aligned(head).splitlines()))
    parts, first = [], 0
    while first < len(sizes):
        last = first + 1
        while last < len(sizes) and sum(sizes[first : last + 1]) <= space:
            last += 1
        parts.append(
            _aligned([[*names, *cells[first:last]] for names, cells in zip(head, body, strict=True)])
        )
        first = last
    return "\n\n".join(parts)


def _cut(name: str, longest: int | None) -> str:
    return name if longest is None or len(name) <= longest else f"{name[: longest - 1]}…"


class _Tally:
    """Sums over results, by entrant.

    Attributes:
        unplayed: the rounds without an opponent, each with its points.
        opponents: the entrants it met, once for every group.
        taken, met: points and games by opponent, shares of games with more seats.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        results: Iterable[GroupResult],
        byes: Iterable[Bye],
        round_worth: float | None,
    ) -> None:
        everyone = range(len(entrants))
        self.points = [0.0 for _ in everyone]
        self.games = [0 for _ in everyone]
        self.wins = [0 for _ in everyone]
        self.losses = [0 for _ in everyone]
        self.scores = [0.0 for _ in everyone]
        self.opponents: list[list[int]] = [[] for _ in everyone]
        self.taken: list[dict[int, float]] = [{} for _ in everyone]
        self.met: list[dict[int, float]] = [{} for _ in everyone]
        self.unplayed: list[list[tuple[int, float]]] = [[] for _ in everyone]
        self._virtual = round_worth is not None
        self._last = [0 for _ in everyone]
        rounds = set()
        for result in sorted(results, key=lambda one: one.group):
            rounds.add(result.round)
            self._add(result)
        for bye in byes:
            rounds.add(bye.round)
            self.points[bye.entrant] += bye.points
            self._add_unplayed(bye.entrant, bye.round, bye.points)
        if round_worth is not None:
            for one, entrant in enumerate(entrants):
                unplayed = {number for number, _ in self.unplayed[one]}
                absent = (number for number in rounds - unplayed if not entrant.plays_in(number))
                self.unplayed[one] += [(number, 0.0) for number in sorted(absent)]
        # What a missed round at the end would have brought on average; missed ones before it brought nothing.
        self._counted = [
            points
            + (round_worth or 0.0) / 2 * sum(number > self._last[one] for number, _ in self.unplayed[one])
            for one, points in enumerate(self.points)
        ]

    def value(self, name: TieBreakName, one: int) -> float:
        """Return an entrant's value in a tie-break, which does not depend on the entrants tied with it."""
        return _VALUES[name](self, one)

    def contributions(self, one: int) -> list[float]:
        """Return what Buchholz adds up, those of missed rounds first, then the least first."""
        own = self.points[one]
        missed = [own for _, points in self.unplayed[one] if not points] if self._virtual else []
        paid = [own for _, points in self.unplayed[one] if points] if self._virtual else []
        return missed + sorted(paid + [self._counted[other] for other in self.opponents[one]])

    def sonneborn_berger(self, one: int) -> float:
        """Return the points of the opponents, each times the points taken from it."""
        # Sorted, so that the sum has the same bits in whatever order results came.
        real = sum(won * self._counted[other] for other, won in sorted(self.taken[one].items()))
        virtual = sum(won * self.points[one] for _, won in self.unplayed[one]) if self._virtual else 0.0
        return real + virtual

    def direct(self, tied: Sequence[int]) -> dict[int, float]:
        """Return the points that the tied took from each other, or marks from 1 down for those beyond reach."""
        own = {one: sum(self.taken[one].get(other, 0.0) for other in tied) for one in tied}
        if all(other in self.met[one] for one in tied for other in tied if one != other):
            return own
        most = max((games for row in self.met for games in row.values()), default=1.0)
        marks = dict.fromkeys(tied, 0.0)
        left = list(tied)
        while len(left) > 1:
            sure = {one: sum(self.taken[one].get(other, 0.0) for other in left) for one in left}
            missing = {one: sum(other not in self.met[one] for other in left if other != one) for one in left}
            first = [
                one
                for one in left
                if all(
                    comparable(sure[one]) > comparable(sure[other] + most * missing[other])
                    for other in left
                    if other != one
                )
            ]
            if not first:
                break
            marks[first[0]] = float(len(left) - 1)
            left.remove(first[0])
        return marks

    def _add(self, result: GroupResult) -> None:
        together: set[tuple[int, int]] = set()
        walked_over: dict[int, float] = {}
        for game in result.games:
            for entrant, points in zip(game.seats, game.points(), strict=True):
                self.points[entrant] += points
                if game.is_walkover:
                    walked_over[entrant] = walked_over.get(entrant, 0.0) + points
            if game.is_walkover and self._virtual:
                continue
            for entrant, place in zip(game.seats, game.places, strict=True):
                self._last[entrant] = max(self._last[entrant], result.round)
                for other, other_place in zip(game.seats, game.places, strict=True):
                    if other != entrant:
                        self._meet(entrant, other, place, other_place, 1 / (len(game.seats) - 1))
                        together.add((entrant, other))
            if not game.is_walkover:
                self._count(game.seats, game.places, game.scores)
        for entrant, other in sorted(together):
            self.opponents[entrant].append(other)
        for entrant, points in walked_over.items():
            self._add_unplayed(entrant, result.round, points)

    def _count(self, seats: Sequence[int], places: Sequence[int], scores: Sequence[float]) -> None:
        best, worst = min(places), max(places)
        for number, (entrant, place) in enumerate(zip(seats, places, strict=True)):
            self.games[entrant] += 1
            self.wins[entrant] += place == best and places.count(best) == 1 and best != worst
            self.losses[entrant] += place == worst and places.count(worst) == 1 and best != worst
            self.scores[entrant] += scores[number] if scores else 0.0

    def _add_unplayed(self, entrant: int, number: int, points: float) -> None:
        self.unplayed[entrant].append((number, points))
        if points:
            self._last[entrant] = max(self._last[entrant], number)

    def _meet(self, entrant: int, other: int, place: int, other_place: int, weight: float) -> None:
        won = weight / 2 if place == other_place else weight if place < other_place else 0.0
        self.taken[entrant][other] = self.taken[entrant].get(other, 0.0) + won
        self.met[entrant][other] = self.met[entrant].get(other, 0.0) + weight


_VALUES: dict[TieBreakName, Callable[[_Tally, int], float]] = {
    "buchholz": lambda tally, one: sum(tally.contributions(one)),
    "buchholz_cut_1": lambda tally, one: sum(tally.contributions(one)[1:]),
    "sonneborn_berger": _Tally.sonneborn_berger,
    "wins": lambda tally, one: tally.wins[one],
    "score": lambda tally, one: tally.scores[one],
}


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    """Return columns aligned: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
