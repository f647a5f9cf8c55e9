"""Tables: standings with tie-breaks, and the cross table, as values and as text.

Source of the tie-breaks: FIDE Handbook, C.07, in the plain form: every opponent counts with its final points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from botleague.rules.formats import Bye, Entrant, GroupResult

__all__ = [
    "Cell",
    "CrossTable",
    "Standing",
    "TieBreak",
    "cross_table",
    "cross_table_text",
    "standings",
    "standings_text",
]

TieBreak: TypeAlias = Literal["buchholz", "sonneborn_berger", "wins"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of a table.

    Attributes:
        entrant: index of the entrant.
        place: 1 is best; entrants that no tie-break separates share a place.
        points: won in all games, byes included.
        games: number of games played.
        wins: games in which the entrant was alone in first place.
        draws: games that were neither won nor lost.
        losses: games in which the entrant was alone in last place.
        bye_points: the part of ``points`` that byes brought.
        buchholz: points of all opponents, each counted once per mirrored set; a bye counts as an opponent with the
            entrant's own points.
        sonneborn_berger: points of the opponents, each times the points taken from it.
    """

    entrant: int
    place: int
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    bye_points: float
    buchholz: float
    sonneborn_berger: float


@dataclass(frozen=True, slots=True)
class Cell:
    """What one entrant took from another: ``points`` out of ``games`` (shares of games with more seats)."""

    points: float
    games: float


@dataclass(frozen=True, slots=True)
class CrossTable:
    """Everyone against everyone; rows and columns by place, None where two never met."""

    rows: tuple[Standing, ...]
    cells: tuple[tuple[Cell | None, ...], ...]


def standings(
    entrants: Sequence[Entrant],
    results: Iterable[GroupResult],
    byes: Iterable[Bye] = (),
    tie_breaks: Sequence[TieBreak] = ("buchholz", "sonneborn_berger", "wins"),
) -> tuple[Standing, ...]:
    """Return the table, best first; entrants that share a place are in order of entry.

    Args:
        byes: of the entrants.
        tie_breaks: what separates equal points, most important first.
    """
    for_byes: dict[int, float] = {}
    for bye in byes:
        for_byes[bye.entrant] = for_byes.get(bye.entrant, 0.0) + bye.points
    tally = _Tally(len(entrants))
    for result in sorted(results, key=lambda one: one.group):
        tally.add(result)
    points = [tally.points[i] + for_byes.get(i, 0.0) for i in range(len(entrants))]
    rows = [
        Standing(
            entrant=i,
            place=0,
            points=points[i],
            games=tally.games[i],
            wins=tally.wins[i],
            draws=tally.games[i] - tally.wins[i] - tally.losses[i],
            losses=tally.losses[i],
            bye_points=for_byes.get(i, 0.0),
            buchholz=sum(points[j] for j in tally.opponents[i]) + (points[i] if i in for_byes else 0.0),
            sonneborn_berger=sum(won * points[j] for j, won in tally.taken[i].items()),
        )
        for i in range(len(entrants))
    ]

    def merit(row: Standing) -> tuple[float, ...]:
        return (row.points, *(getattr(row, tie_break) for tie_break in tie_breaks))

    rows.sort(key=merit, reverse=True)  # a stable sort: equals stay in order of entry
    table: list[Standing] = []
    for number, row in enumerate(rows, start=1):
        tied = bool(table) and merit(table[-1]) == merit(row)
        table.append(replace(row, place=table[-1].place if tied else number))
    return tuple(table)


def cross_table(rows: Sequence[Standing], results: Iterable[GroupResult]) -> CrossTable:
    """Return everyone against everyone, in the order of ``rows``."""
    tally = _Tally(1 + max((row.entrant for row in rows), default=-1))
    for result in results:
        tally.add(result)
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


def standings_text(entrants: Sequence[Entrant], rows: Sequence[Standing]) -> str:
    """Return the table for a terminal, one line per row under a heading."""
    lines: list[tuple[str, ...]] = [("", "bot", "points", "games", "+", "=", "-", "Buchholz", "S-B")]
    for row in rows:
        numbers = (row.points, row.games, row.wins, row.draws, row.losses, row.buchholz, row.sonneborn_berger)
        lines.append((str(row.place), entrants[row.entrant].bot, *map(_number, numbers)))
    return _aligned(lines)


def cross_table_text(entrants: Sequence[Entrant], table: CrossTable) -> str:
    """Return the cross table for a terminal: points taken from each, ``-`` where two never met."""
    lines = [("", "bot", *(str(number) for number in range(1, len(table.rows) + 1)), "points")]
    for number, (row, cells) in enumerate(zip(table.rows, table.cells, strict=True), start=1):
        shown = (
            "x" if i + 1 == number else "-" if cell is None else _number(cell.points)
            for i, cell in enumerate(cells)
        )
        lines.append((str(number), entrants[row.entrant].bot, *shown, _number(row.points)))
    return _aligned(lines)


class _Tally:
    """Sums over results, by entrant; filled by :meth:`add`, then only read."""

    def __init__(self, entrants: int) -> None:
        self.points = [0.0] * entrants
        self.games = [0] * entrants
        self.wins = [0] * entrants
        self.losses = [0] * entrants
        self.opponents: list[list[int]] = [[] for _ in range(entrants)]
        self.taken: list[dict[int, float]] = [{} for _ in range(entrants)]
        self.met: list[dict[int, float]] = [{} for _ in range(entrants)]

    def add(self, result: GroupResult) -> None:
        together: set[tuple[int, int]] = set()
        for game in result.games:
            best, worst = min(game.places), max(game.places)
            for entrant, place, points in zip(game.seats, game.places, game.points(), strict=True):
                self.points[entrant] += points
                self.games[entrant] += 1
                self.wins[entrant] += place == best and game.places.count(best) == 1 and best != worst
                self.losses[entrant] += place == worst and game.places.count(worst) == 1 and best != worst
            for entrant, place in zip(game.seats, game.places, strict=True):
                for other, other_place in zip(game.seats, game.places, strict=True):
                    if other != entrant:
                        self._meet(entrant, other, place, other_place, 1 / (len(game.seats) - 1))
                        together.add((entrant, other))
        for entrant, other in sorted(together):
            self.opponents[entrant].append(other)

    def _meet(self, entrant: int, other: int, place: int, other_place: int, weight: float) -> None:
        won = weight / 2 if place == other_place else weight if place < other_place else 0.0
        self.taken[entrant][other] = self.taken[entrant].get(other, 0.0) + won
        self.met[entrant][other] = self.met[entrant].get(other, 0.0) + weight


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
