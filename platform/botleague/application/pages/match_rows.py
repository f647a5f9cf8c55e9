"""Rows of matches in lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from botleague.application.pages.page_header import names_of
from botleague.league import Season
from botleague.rules import with_names
from botleague_storage.league_rows.bots import VersionRow
from botleague_storage.queries.page_queries import ListedMatch, PlannedMatch


class SeatLine(msgspec.Struct, frozen=True):
    """Result of a bot in a match; ratings are None if the match changed none."""

    bot: str
    version: int
    owner: str
    place: int
    score: float
    forfeit: bool
    faults: Mapping[str, int]
    cpu_ms: float
    before: float | None
    after: float | None


class MatchLine(msgspec.Struct, frozen=True):
    """A finished match.

    Attributes:
        match: its number, like ``cup/17``; ``ordinal`` counts the matches of its season from 0.
        label: its name in the format, or "".
        counts: False for a void match.
        reason: reason of its end, with the names of bots.
        recorded_at: seconds since the epoch.
        digest: SHA-256 of its record.
    """

    match: str
    ordinal: int
    round: int
    label: str
    seed: int
    counts: bool
    reason: str
    turns: int
    wall_ms: float
    recorded_at: float
    digest: str
    seats: list[SeatLine]


class PlannedLine(msgspec.Struct, frozen=True):
    """A match to come; ``playing`` if it is in progress, ``starts_in_s`` from the pace of the newest results."""

    match: str
    ordinal: int
    round: int
    label: str
    playing: bool
    bots: list[str]
    starts_in_s: float | None


def match_lines(season: Season, listed: Iterable[ListedMatch]) -> list[MatchLine]:
    """Return finished matches with the names of their bots."""
    listed = list(listed)
    named = names_of(season, {seat.version_id for match in listed for seat in match.seats})
    return [_match_line(season, match, named) for match in listed]


def planned_lines(
    season: Season, planned: Iterable[PlannedMatch], done: int, each_s: float | None
) -> list[PlannedLine]:
    """Return matches to come with the names of their bots.

    Args:
        done: ordinal number of the first match that is not finished.
        each_s: seconds from one result to the next, None if unknown.
    """
    planned = list(planned)
    named = names_of(season, {version for match in planned for version in match.versions})
    return [
        PlannedLine(
            season.match_number(match.ordinal),
            match.ordinal,
            match.round,
            match.label,
            match.is_claimed,
            [named[version].title for version in match.versions],
            None if each_s is None or match.is_claimed else each_s * max(0, match.ordinal - done),
        )
        for match in planned
    ]


def _match_line(season: Season, match: ListedMatch, named: Mapping[int, VersionRow]) -> MatchLine:
    seats = [
        SeatLine(
            named[seat.version_id].bot,
            named[seat.version_id].number,
            named[seat.version_id].owner,
            seat.place,
            seat.score,
            seat.forfeit,
            seat.faults,
            seat.cpu_ms,
            seat.before,
            seat.after,
        )
        for seat in match.seats
    ]
    return MatchLine(
        season.match_number(match.ordinal),
        match.ordinal,
        match.round,
        match.label,
        match.seed,
        not match.is_void,
        _reason(match, [named[seat.version_id].title for seat in match.seats]),
        match.turns,
        match.wall_ms,
        match.recorded_at,
        match.digest,
        seats,
    )


def _reason(match: ListedMatch, names: Sequence[str]) -> str:
    """Return the reason of a match's end; for a forfeit only kinds of faults; details are for the author."""
    lost = [
        f"{name} forfeits: {', '.join(f'{count} {kind}' for kind, count in seat.faults.items())}"
        for name, seat in zip(names, match.seats, strict=True)
        if seat.forfeit and seat.faults
    ]
    return "; ".join(lost) or with_names(match.reason, names)
