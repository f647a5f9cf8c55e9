"""Export of a season as flat tables with its terms: enough to recompute every table without botleague.

A bot's points are those of its seats in results that count and whose set is done, of all its versions, and of
walkovers and byes, less the penalty of its strikes; a walkover's place is that of a seat. Ratings belong to versions:
a version with a predecessor starts with its rating before the first match, unless ``version_start`` is ``fresh``.
The setting ``leaving`` defines what happens to the opponents of bots that left.
Tables are described by their columns and read row by row, so that a season of any length can be written.

A match is named by its number in the season, one more than its ordinal number, a version by a number that sorts as its
id. Exports of older releases have ids of the database there, which count over leagues.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec

from botleague.league.results import StartCheck, have_not_started
from botleague.league.scheduling import Division, byes, divisions
from botleague.league.season import Season
from botleague.league.tables import Standing, each_standing
from botleague.listing import plain_value
from botleague.rules import with_names
from botleague.rules.formats import Format
from botleague_storage import bots, events, export_queries, horizon_of, leagues, ratings, results
from botleague_storage.league_rows.events import EventRow
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.league_rows.results import read_faults
from botleague_storage.queries.export_queries import ResultRow, SeatRow

VERSIONS_IN_EVENTS = ("predecessor", "back")
"""Fields of an event's content that hold versions."""

TABLES = {
    "entrants": "one row per bot, in order of entry: its present version, and when it joined and left",
    "versions": "one row per version of a bot, with its number in events: its first match, its start rating",
    "results": "one row per finished match",
    "unplayed": "one row per seat of a match without a result: still to be played, or cancelled",
    "seats": "one row per seat of a finished match: resources, and whether its bot failed before its first request",
    "faults": "one row per seat and kind of fault",
    "walkovers": "one row per seat of a match in which a bot was out",
    "byes": "one row per bot and round without an opponent",
    "replaced": "one row per seat of a result that was set aside because of a rerun",
    "ratings": "the standings",
    "history": "one row per match and rating that it changed",
    "events": "decisions",
}
"""Exported tables with their descriptions."""


class Exported(msgspec.Struct, frozen=True):
    """One table: its name, columns and rows."""

    name: str
    columns: tuple[str, ...]
    rows: Iterator[Sequence[Any]]


def exported(
    season: Season,
    progress: Callable[[int], None],
    failed_early: StartCheck | None = None,
    *,
    has_ids: bool = False,
) -> Iterator[Exported]:
    """Yield the tables of a season one after another; each must be read before the next is taken.

    Args:
        progress: called with a number of matches; each counts twice, when its result and when its seats are written.
        failed_early: says of a seat that was forfeited whether its bot failed before its first question, on which a
            suspension depends; by default the match's record does.
        has_ids: name matches and versions by their ids in the database.
    """
    connection = season.connection
    failed_early = failed_early or partial(have_not_started, connection)
    # As of an earlier match, the names of versions that entered later are needed, too: where results were replaced.
    owners = {
        version: (row.bot, row.number, row.digest, row.owner)
        for version, row in bots.versions(connection, leagues.entrants(connection, season.id)).items()
    }

    starts = events.starts(connection, season.id)
    horizon = horizon_of(connection, season.id)
    last = (
        None if horizon is None else horizon.events
    )  # the later events that a freeze shows are not all there are
    yield Exported(
        "entrants",
        _columns("entrant bot version digest owner division joined left status"),
        (
            (number, *owners[member.version], member.division, member.joined, member.left, member.status)
            for number, member in enumerate(season.roster.each_member(), start=1)
        ),
    )
    predecessors = season.roster.predecessors
    order = {version: place for place, version in enumerate(season.roster.entered, start=1)}
    numbers = numbers_like(order)

    def match_number(fixture_id: int, ordinal: int) -> int:
        return fixture_id if has_ids else ordinal + 1

    def number_of(fixture_id: int) -> int:
        if has_ids:
            return fixture_id
        ordinal = events.ordinal(connection, season.id, fixture_id)
        return -1 if ordinal is None else ordinal + 1  # a damaged event, which `verify` finds

    def version_number(version: int) -> int:
        return version if has_ids else numbers.get(version, -1)

    def content_of(event: EventRow) -> str:
        content = {
            name: version_number(value) if name in VERSIONS_IN_EVENTS else value
            for name, value in event.content.items()
        }
        return json.dumps(content, sort_keys=True)

    yield Exported(
        "versions",
        _columns("entrant id entered bot version digest first predecessor start start_state"),
        (
            (
                number,
                version_number(version),
                order[version],
                *owners[version][:3],
                first,
                owners[predecessors[version]][1] if version in predecessors else None,
                starts[version].value if version in starts else None,
                starts[version].state if version in starts else None,
            )
            for number, member in enumerate(season.roster.each_member(), start=1)
            # A version may play again for a later one that was suspended.
            for version, first in sorted(dict(reversed(member.versions)).items(), key=lambda of: order[of[0]])
        ),
    )

    def is_to_come(match: Match) -> bool:
        """Return whether a match had only been planned at the end that the season is read as of."""
        return season.end is not None and match.ordinal >= season.end and bool(match.places)

    unfinished = export_queries.open_groups(connection, season.id, season.end)

    written = itertools.count(1)

    def each_result() -> Iterator[ResultRow]:
        for row in export_queries.each_result(connection, season.id, season.end):
            yield row
            progress(next(written))

    def each_seat() -> Iterator[SeatRow]:
        for row in export_queries.each_seat(connection, season.id, season.end):
            yield row
            if row.seat == 0:
                progress(next(written))

    def reason_of(row: ResultRow) -> str:
        if "{" not in row.reason:  # most have no names, and looking for them takes longer
            return row.reason
        return with_names(row.reason, [owners[version][0] for version in row.versions])

    yield Exported(
        "results",
        _columns(
            "match ordinal round group label set_size set_done seed counts reason turns wall_ms recorded_at "
            "record_sha256 game_digest"
        ),
        (
            (
                match_number(row.fixture_id, row.ordinal),
                row.ordinal,
                row.round,
                row.group,
                row.label,
                row.set_size,
                row.group not in unfinished,
                row.seed,
                row.void != 1,
                reason_of(row),
                row.turns,
                row.wall_ms,
                _time(row.recorded_at),
                row.digest,
                row.game_digest,
            )
            for row in each_result()
        ),
    )
    yield Exported(
        "unplayed",
        _columns("match ordinal round group label set_size seed cancelled seat bot version"),
        (
            (
                match_number(match.fixture_id, match.ordinal),
                match.ordinal,
                match.round,
                match.group,
                match.label,
                match.set_size,
                match.seed,
                match.is_done and not is_to_come(match),
                seat,
                *owners[version][:2],
            )
            for match in export_queries.each_unplayed(connection, season.id, season.end)
            # As of an earlier match, versions that entered later have no matches yet.
            if order.keys() >= set(match.versions)
            for seat, version in enumerate(match.versions)
        ),
    )
    yield Exported(
        "seats",
        _columns(
            "match seat bot version digest owner place score forfeit faults cpu_ms wall_ms peak_memory not_started"
        ),
        (
            (
                match_number(seat.fixture_id, seat.ordinal),
                seat.seat,
                *owners[seat.version_id],
                seat.place,
                seat.score,
                seat.forfeit == 1,
                sum(read_faults(seat.faults).values()),
                seat.cpu_ms,
                seat.wall_ms,
                seat.peak_memory,
                seat.forfeit == 1 and failed_early([(seat.fixture_id, seat.seat)]),
            )
            for seat in each_seat()
        ),
    )
    yield Exported(
        "faults",
        _columns("match seat bot version fault count"),
        (
            (
                match_number(seat.fixture_id, seat.ordinal),
                seat.seat,
                *owners[seat.version_id][:2],
                kind,
                count,
            )
            for seat in export_queries.each_seat(connection, season.id, season.end, with_faults=True)
            for kind, count in read_faults(seat.faults).items()
        ),
    )
    yield from _unplayed(season)
    yield Exported(
        "replaced",
        _columns("match epoch seat bot version place score forfeit reason record_sha256"),
        (
            (
                number_of(number),
                epoch,
                place,
                *owners[seat.version_id][:2],
                seat.place,
                seat.score,
                seat.forfeit,
                with_names(noted.reason, [owners[seat.version_id][0] for seat in noted.seats]),
                noted.digest,
            )
            for number, epoch, noted in results.replaced(connection, season.id)
            for place, seat in enumerate(noted.seats)
        ),
    )
    columns = [
        column
        for column in dataclasses.fields(Standing)
        # The exports of seasons whose settings name no prior stay as they are.
        if season.settings.prior is not msgspec.UNSET or column.name not in ("spread", "is_informed")
    ]
    yield Exported(
        "ratings",
        tuple(column.name for column in columns),
        (
            tuple(plain_value(getattr(row, column.name)) for column in columns)
            for row in each_standing(season)
        ),
    )
    yield Exported(
        "history",
        _columns("ordinal bot version before after"),
        (
            (change.ordinal, *owners[change.version_id][:2], change.before, change.after)
            for change in ratings.each_change(connection, season.id)
            if season.end is None or change.ordinal < season.end
        ),
    )
    yield Exported(
        "events",
        _columns("number event bot version match content recorded_at"),
        (
            (
                event.number,
                event.kind,
                *(owners[event.version_id][:2] if event.version_id is not None else ("", None)),
                None if event.fixture_id is None else number_of(event.fixture_id),
                content_of(event),
                _time(event.recorded_at),
            )
            for event in events.events(connection, season.id)
            if last is None or event.number <= last
        ),
    )


def _columns(names: str) -> tuple[str, ...]:
    return tuple(names.split())


def numbers_like(ids: Collection[int]) -> dict[int, int]:
    """Return a number for each id, so that numbers sort as ids do, both as numbers and as texts.

    Batch ratings are added up in the order of the texts, rows are read in the order of the numbers: with other orders
    the last digits of tables would not come out the same.
    """
    ranks = {text: rank for rank, text in enumerate(sorted(map(str, ids)))}
    base = 10 ** len(str(len(ranks)))  # each number begins with as many digits, which tell the rank
    numbers, zeros, last = {}, 0, -1
    for one in sorted(ids):
        rank = ranks[str(one)]
        zeros += rank < last
        numbers[one], last = (base + rank) * 10**zeros, rank
    return numbers


def terms(season: Season) -> dict[str, Any]:
    """Return a season's settings as plain data, with what the format and the rating system add to what was chosen."""
    form, settings = season.format, season.settings
    return {
        "league": season.league.name,
        "season": season.row.number,
        "variant": season.league.variant,
        "game": season.league.game,
        **msgspec.to_builtins(settings),
        "format_options": msgspec.to_builtins(form),
        "rating_options": msgspec.to_builtins(season.system),
        "leaving": season.leaving,
        "tie_breaks": form.tie_breaks,
        "round_worth": form.round_worth,
        **({} if season.end is None else {"as_of": season.end}),
    }


def _unplayed(season: Season) -> Iterator[Exported]:
    """Yield what gave points without a match: walkovers and byes."""
    # Most formats have no byes, so that only few matches are read, and most often none.
    has_byes = type(season.format).byes is not Format.byes
    window = None if has_byes else list(export_queries.of_void_groups(season.connection, season.id))
    parts = [] if window == [] else divisions(season, window)
    yield Exported(
        "walkovers",
        _columns("round group seat bot version place"),
        (
            (result.round, result.group, seat, *_who(season, part, entrant), place)
            for part in parts
            for result in part.results
            for game in result.games
            if game.is_walkover
            for seat, (entrant, place) in enumerate(zip(game.seats, game.places, strict=True))
        ),
    )
    yield Exported(
        "byes",
        _columns("round bot version points"),
        (
            (bye.round, *_who(season, part, bye.entrant), bye.points)
            for part in parts
            for bye in byes(season, part)
        ),
    )


def _who(season: Season, part: Division, entrant: int) -> tuple[str, int]:
    row = season.names[part.versions[entrant]]
    return row.bot, row.number


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
