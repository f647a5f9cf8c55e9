"""Everyone against everyone, and who met whom round by round: the cross table and the bracket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from botleague.application.pages.page_header import SeasonHead, names_of, season_head
from botleague.formats import Bracket, CrossTable
from botleague.league import Season
from botleague.league.scheduling import division_tables
from botleague.league.season import Visible
from botleague.league.tables import Cycle, season_cycles
from botleague_storage import matches
from botleague_storage.league_rows.bots import VersionRow
from botleague_storage.league_rows.fixtures import Match

MOST_CROSSED = 150
"""Entrants of a cross table on a page: it grows with their square."""

MOST_READ = 200_000
"""Matches of a season that are read for a page as a whole."""

ROUNDS = 12
MOST_ENCOUNTERS = 400
"""The rounds that a page shows, the newest, and encounters in all of them."""


class CrossCell(msgspec.Struct, frozen=True):
    """What one bot took from another: points out of games."""

    points: float
    games: float


class DivisionCross(msgspec.Struct, frozen=True):
    """The cross table of a division; rows and columns by place, None where two never met."""

    division: str
    bots: list[str]
    points: list[float]
    cells: list[list[CrossCell | None]]


class CrossPage(msgspec.Struct, frozen=True):
    """Everyone against everyone.

    Attributes:
        refused: why there is no table, "" where there is one.
        cycles: bots of which each beats the next, where that is more than luck.
    """

    head: SeasonHead
    divisions: list[DivisionCross]
    refused: str
    cycles: list[Cycle]


class Encounter(msgspec.Struct, frozen=True):
    """An encounter: its two sides or more by name, None while open, "" for nobody.

    Attributes:
        score: sets won in a bracket, points elsewhere, by side.
        winner: who goes on or took more, None while open or where nobody did.
        played: whether it is, or was, played at all.
        reason: why the winner goes on where the score does not say.
        matches: their numbers, like ``cup/17``, as far as they are done.
    """

    round: int
    label: str
    sides: list[str | None]
    score: list[float]
    winner: str | None
    played: bool = True
    reason: str = ""
    matches: list[str] = []


class DivisionBracket(msgspec.Struct, frozen=True):
    """The bracket of a division, as the command `standings --bracket` prints it."""

    division: str
    champion: str | None
    places: dict[str, int]
    encounters: list[Encounter]


class RoundsPage(msgspec.Struct, frozen=True):
    """Brackets where the format has them, else the newest rounds; ``left_out`` rounds before them."""

    head: SeasonHead
    brackets: list[DivisionBracket]
    rounds: list[list[Encounter]]
    left_out: int


def cross_page(season: Season, seen: Visible, now: float) -> CrossPage:
    """Return everyone against everyone."""
    head = season_head(season, seen, now)
    refused = ""
    if head.bots > MOST_CROSSED or head.planned > MOST_READ:
        refused = (
            f"A cross table of {head.bots} bots is too large for a page. Each bot's own page has its results by "
            "opponent."
        )
    elif not head.has_cross_table:
        refused = "Everyone plays alone in this league, so nobody meets anybody. See the table."
    if refused:
        return CrossPage(head, [], refused, [])
    shown = season.as_of(seen.end)
    tables = [cross_table_of(division, table) for division, table in division_tables.cross_tables(shown)]
    return CrossPage(head, tables, "", season_cycles(shown))


def cross_table_of(division: division_tables.Division, table: CrossTable) -> DivisionCross:
    """Return a cross table with names."""
    return DivisionCross(
        division.name,
        [division.names[row.entrant] for row in table.rows],
        [row.points for row in table.rows],
        [
            [None if cell is None else CrossCell(cell.points, cell.games) for cell in row]
            for row in table.cells
        ],
    )


def rounds_page(season: Season, seen: Visible, now: float) -> RoundsPage:
    """Return a season's brackets, or its newest rounds where its format has none."""
    head = season_head(season, seen, now)
    if season.format.has_bracket and head.planned <= MOST_READ:
        return RoundsPage(head, brackets_of(season.as_of(seen.end)), [], 0)
    last = matches.round_of(season.connection, season.id, head.planned - 1)
    rounds: list[list[Encounter]] = []
    left = MOST_ENCOUNTERS
    for number in range(last, max(0, last - ROUNDS), -1):
        found = _round(season, seen, number, left)
        rounds += [found] if found else []
        left -= len(found)
        if left <= 0:
            break
    return RoundsPage(head, [], rounds, max(0, last - len(rounds)))


def brackets_of(season: Season) -> list[DivisionBracket]:
    """Return the bracket of each division as far as it is known.

    Raises:
        UsageError: the season's format has none.
    """
    found = division_tables.brackets(season)
    meetings = _meetings(season)
    return [_bracket(division, bracket, meetings) for division, bracket in found]


def _bracket(
    division: division_tables.Division,
    bracket: Bracket,
    meetings: Mapping[tuple[int, frozenset[str]], list[str]],
) -> DivisionBracket:
    def name(side: int | None) -> str | None:
        return None if side is None else "" if side < 0 else division.names[side]

    def encounter(slot: Any) -> Encounter:
        sides = [name(side) for side in slot.sides]
        winner = name(slot.winner)
        played = meetings.get((slot.round, frozenset(side or "" for side in sides)), [])
        return Encounter(
            slot.round, slot.label, sides, list(slot.score), winner or None, slot.needed, slot.reason, played
        )

    champion = name(bracket.champion)
    places = sorted(bracket.places.items(), key=lambda item: (item[1], item[0]))
    return DivisionBracket(
        division.name,
        champion,
        {division.names[entrant]: place for entrant, place in places},
        [encounter(slot) for slot in bracket.slots],
    )


def _meetings(season: Season) -> dict[tuple[int, frozenset[str]], list[str]]:
    """Return the matches that are done, by round and the names that brackets show."""
    found: dict[tuple[int, frozenset[str]], list[str]] = {}
    roster, named = season.roster, season.names
    for match in matches.matches(season.connection, season.id):
        if match.places and (season.end is None or match.ordinal < season.end):
            names = frozenset(named[roster.member(version).version].title for version in match.versions)
            found.setdefault((match.round, names), []).append(season.match_number(match.ordinal))
    return found


def _round(season: Season, seen: Visible, number: int, most: int) -> list[Encounter]:
    """Return an encounter a group of a round, of at most so many: what its matches add up to, as far as it is seen."""
    groups: dict[int, list[Match]] = {}
    for match in matches.of_round(season.connection, season.id, number, most):
        is_seen = match.ordinal < seen.end
        known = match if is_seen else match._replace(is_done=False, places=())
        groups.setdefault(match.group, []).append(known)
    named = names_of(
        season, {version for group in groups.values() for match in group for version in match.versions}
    )
    return [_encounter(season, number, groups[group], named) for group in sorted(groups)]


def _encounter(
    season: Season, number: int, group: Sequence[Match], named: Mapping[int, VersionRow]
) -> Encounter:
    points = dict.fromkeys(sorted(group[0].versions), 0.0)
    for match in group:
        for version, place in zip(match.versions, match.places, strict=False):
            others = len(match.places) - 1
            better = sum(other > place for other in match.places)
            tied = match.places.count(place) - 1
            points[version] = points.get(version, 0.0) + (better + tied / 2) / max(1, others)
    done = all(match.is_done for match in group)
    best = [version for version, won in points.items() if won == max(points.values())]
    return Encounter(
        number,
        group[0].label,
        [named[version].title for version in points],
        list(points.values()) if any(match.places for match in group) else [],
        named[best[0]].title if done and len(best) == 1 else None,
        played=not all(match.is_void for match in group),
        matches=[season.match_number(match.ordinal) for match in group if match.places],
    )
