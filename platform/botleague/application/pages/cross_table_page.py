"""Data of the cross-table and of the bracket or rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from botleague.application.pages.page_header import SeasonHead, names_of, season_head
from botleague.formats import CrossTable
from botleague.league import Season
from botleague.league.scheduling import division_tables
from botleague.league.season import Visible
from botleague.league.tables import Cycle, season_cycles
from botleague.rules.formats import Bracket
from botleague_storage import matches
from botleague_storage.league_rows.bots import VersionRow
from botleague_storage.league_rows.fixtures import Match

MAX_CROSSED = 150
"""Maximum number of bots in the cross-table of a page, whose size grows with their square."""

MAX_READ = 200_000
"""Maximum number of matches of a season that a page reads as a whole."""

ROUNDS = 12
"""Number of rounds on a page, the newest."""

MAX_ENCOUNTERS = 400
"""Maximum number of pairings in all rounds of a page."""


class CrossCell(msgspec.Struct, frozen=True):
    """Result of one bot against another: points out of games."""

    points: float
    games: float


class DivisionCross(msgspec.Struct, frozen=True):
    """The cross-table of a division; rows and columns by place, None for pairs without a match."""

    division: str
    bots: list[str]
    points: list[float]
    cells: list[list[CrossCell | None]]


class CrossPage(msgspec.Struct, frozen=True):
    """The cross-table of a season.

    Attributes:
        refused: reason for a missing cross-table, "" if there is one.
        cycles: bots of which each beats the next, if that is more than luck.
    """

    head: SeasonHead
    divisions: list[DivisionCross]
    refused: str
    cycles: list[Cycle]


class Encounter(msgspec.Struct, frozen=True):
    """A pairing or series: the names of its sides, None while open, "" for a bye.

    Attributes:
        score: sets won in a bracket, otherwise points, by side.
        winner: the side that advances or has more points, None while open or if no side does.
        played: whether it is, or was, played at all.
        reason: why the winner advances, if the score does not show it.
        matches: numbers of its finished matches, like ``cup/17``.
        games: games won by each side of a bracket, a draw as half; empty without a bracket.
    """

    round: int
    label: str
    sides: list[str | None]
    score: list[float]
    winner: str | None
    played: bool = True
    reason: str = ""
    matches: list[str] = []
    games: list[float] = []

    @property
    def is_needed(self) -> bool:
        """Whether it is played: not two byes, nor a decider that is not needed."""
        return bool((any(self.sides) or None in self.sides) and (self.played or self.winner))


class DivisionBracket(msgspec.Struct, frozen=True):
    """The bracket of a division; the command `standings --bracket` prints it.

    Attributes:
        disqualified: bots that were disqualified; series that they won stay decided.
        seeds: seed numbers from 1 by name.
    """

    division: str
    champion: str | None
    places: dict[str, int]
    encounters: list[Encounter]
    disqualified: list[str] = []
    seeds: dict[str, int] = {}


class RoundsPage(msgspec.Struct, frozen=True):
    """Brackets if the format has them, else the newest rounds; ``left_out`` is the number of earlier rounds."""

    head: SeasonHead
    brackets: list[DivisionBracket]
    rounds: list[list[Encounter]]
    left_out: int


def cross_page(season: Season, view: Visible, now: float) -> CrossPage:
    """Return the cross-table of a season, or the reason for its absence."""
    head = season_head(season, view, now)
    refused = ""
    if head.bots > MAX_CROSSED or head.planned > MAX_READ:
        refused = (
            f"A cross-table of {head.bots} bots is too large for a page. Each bot's own page has its results by "
            "opponent."
        )
    elif not head.has_cross_table:
        refused = (
            "Every match in this league is single-player, so there is no cross-table. See the standings."
        )
    if refused:
        return CrossPage(head, [], refused, [])
    past = season.as_of(view.end)
    tables = [cross_table_of(division, table) for division, table in division_tables.cross_tables(past)]
    return CrossPage(head, tables, "", season_cycles(past))


def cross_table_of(division: division_tables.Division, table: CrossTable) -> DivisionCross:
    """Return a cross-table with names."""
    return DivisionCross(
        division.name,
        [division.names[row.entrant] for row in table.rows],
        [row.points for row in table.rows],
        [
            [None if cell is None else CrossCell(cell.points, cell.games) for cell in row]
            for row in table.cells
        ],
    )


def rounds_page(season: Season, view: Visible, now: float) -> RoundsPage:
    """Return a season's brackets, or its newest rounds if its format has none."""
    head = season_head(season, view, now)
    if season.format.has_bracket and head.planned <= MAX_READ:
        brackets = brackets_of(season.as_of(view.end))
        # A bracket may follow other rounds.
        if brackets:
            return RoundsPage(head, brackets, [], 0)
    last = matches.round_of(season.connection, season.id, head.planned - 1)
    rounds: list[list[Encounter]] = []
    left = MAX_ENCOUNTERS
    for number in range(last, max(0, last - ROUNDS), -1):
        encounters = _round(season, view, number, left)
        rounds += [encounters] if encounters else []
        left -= len(encounters)
        if left <= 0:
            break
    return RoundsPage(head, [], rounds, max(0, last - len(rounds)))


def brackets_of(season: Season) -> list[DivisionBracket]:
    """Return the current bracket of each division.

    Raises:
        UsageError: the season's format has no bracket.
    """
    brackets = division_tables.brackets(season)
    meetings = _meetings(season)
    gone = season.roster.disqualified
    return [
        msgspec.structs.replace(
            _bracket(division, bracket, meetings),
            disqualified=[
                name
                for name, version in zip(division.names.values(), division.versions, strict=True)
                if version in gone
            ],
        )
        for division, bracket in brackets
    ]


def _bracket(
    division: division_tables.Division,
    bracket: Bracket,
    meetings: Mapping[tuple[int, frozenset[str]], list[str]],
) -> DivisionBracket:
    def name(side: int | None) -> str | None:
        return None if side is None else "" if side < 0 else division.names[side]

    def encounter(slot: Any) -> Encounter:
        sides = [name(side) for side in slot.sides]
        winner = name(slot.winner) or None
        played = meetings.get((slot.match_round or slot.round, frozenset(side or "" for side in sides)), [])
        score, games = list(slot.score), list(slot.games)
        return Encounter(
            slot.round, slot.label, sides, score, winner, slot.needed, slot.reason, played, games
        )

    champion = name(bracket.champion)
    places = sorted(bracket.places.items(), key=lambda item: (item[1], item[0]))
    return DivisionBracket(
        division.name,
        champion,
        {division.names[entrant]: place for entrant, place in places},
        [encounter(slot) for slot in bracket.slots],
        seeds={division.names[entrant]: number for entrant, number in bracket.seeds.items()},
    )


def _meetings(season: Season) -> dict[tuple[int, frozenset[str]], list[str]]:
    """Return the numbers of finished matches, by round and the names in brackets."""
    numbers: dict[tuple[int, frozenset[str]], list[str]] = {}
    roster, named = season.roster, season.names
    for match in matches.matches(season.connection, season.id):
        if match.places and (season.end is None or match.ordinal < season.end):
            names = frozenset(named[roster.member(version).version].title for version in match.versions)
            numbers.setdefault((match.round, names), []).append(season.match_number(match.ordinal))
    return numbers


def _round(season: Season, view: Visible, number: int, most: int) -> list[Encounter]:
    """Return the pairings of a round from at most ``most`` matches, with the results that the viewer may see."""
    groups: dict[int, list[Match]] = {}
    for match in matches.of_round(season.connection, season.id, number, most):
        is_seen = match.ordinal < view.end
        visible_match = match if is_seen else match._replace(is_done=False, places=())
        groups.setdefault(match.group, []).append(visible_match)
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
