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
from functools import cached_property, partial
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
from botleague_storage.league_rows.results import read_faults
from botleague_storage.queries.export_queries import ResultRow

VERSIONS_IN_EVENTS = ("predecessor", "back")
"""Fields of an event's content that hold versions."""

TABLES = {
    "entrants": "entrant bot version digest owner division joined left status",
    "versions": "entrant id entered bot version digest first predecessor start start_state",
    "results": (
        "match ordinal round group label set_size set_done seed counts reason turns wall_ms recorded_at record_sha256 "
        "game_digest"
    ),
    "unplayed": "match ordinal round group label set_size seed cancelled seat bot version",
    "seats": (
        "match seat bot version digest owner place score forfeit faults cpu_ms wall_ms peak_memory not_started"
    ),
    "faults": "match seat bot version fault count",
    "walkovers": "round group seat bot version place",
    "byes": "round bot version points",
    "replaced": "match epoch seat bot version place score forfeit reason record_sha256",
    "ratings": "",
    "history": "ordinal bot version before after",
    "events": "number event bot version match content recorded_at",
}
"""Exported tables with their columns; those of the ratings are the fields of :class:`Standing`."""


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
    rows = _Rows(season, progress, failed_early, has_ids=has_ids)
    for name, columns in TABLES.items():
        names = tuple(columns.split()) if columns else tuple(rows.rating_columns)
        yield Exported(name, names, getattr(rows, name)())


class _Rows:
    """Rows of each table of :data:`TABLES`, by the method of its name; see :func:`exported`."""

    def __init__(
        self,
        season: Season,
        progress: Callable[[int], None],
        failed_early: StartCheck | None,
        *,
        has_ids: bool,
    ) -> None:
        self._season, self._connection = season, season.connection
        self._progress, self._written = progress, itertools.count(1)
        self._failed_early = failed_early or partial(have_not_started, season.connection)
        self._has_ids = has_ids
        # As of an earlier match, the names of later versions are needed, too: where results were replaced.
        self._owners = {
            version: (row.bot, row.number, row.digest, row.owner)
            for version, row in bots.versions(
                season.connection, leagues.entrants(season.connection, season.id)
            ).items()
        }
        self._order = {version: place for place, version in enumerate(season.roster.entered, start=1)}
        self._numbers = numbers_like(self._order)

    def entrants(self) -> Iterator[Sequence[Any]]:
        """Yield one row per bot, in order of entry: its present version, and when it joined and left."""
        for number, member in enumerate(self._season.roster.each_member(), start=1):
            owner = self._owners[member.version]
            yield number, *owner, member.division, member.joined, member.left, member.status

    def versions(self) -> Iterator[Sequence[Any]]:
        """Yield one row per version of a bot, with its number in events: its first match, its start rating."""
        predecessors = self._season.roster.predecessors
        starts = events.starts(self._connection, self._season.id)
        for number, member in enumerate(self._season.roster.each_member(), start=1):
            # A version may play again for a later one that was suspended.
            firsts = {one.version: one.first for one in reversed(member.versions)}
            for version, first in sorted(firsts.items(), key=lambda item: self._order[item[0]]):
                yield (
                    number,
                    self._version_number(version),
                    self._order[version],
                    *self._owners[version][:3],
                    first,
                    self._owners[predecessors[version]][1] if version in predecessors else None,
                    starts[version].value if version in starts else None,
                    starts[version].state if version in starts else None,
                )

    def results(self) -> Iterator[Sequence[Any]]:
        """Yield one row per finished match."""
        unfinished = export_queries.open_groups(self._connection, self._season.id, self._season.end)
        for row in export_queries.each_result(self._connection, self._season.id, self._season.end):
            yield (
                self._match_number(row.fixture_id, row.ordinal),
                row.ordinal,
                row.round,
                row.group,
                row.label,
                row.set_size,
                row.group not in unfinished,
                row.seed,
                row.void != 1,
                self._reason(row),
                row.turns,
                row.wall_ms,
                _time(row.recorded_at),
                row.digest,
                row.game_digest,
            )
            self._progress(next(self._written))

    def unplayed(self) -> Iterator[Sequence[Any]]:
        """Yield one row per seat of a match without a result: still to be played, or cancelled."""
        end = self._season.end
        for match in export_queries.each_unplayed(self._connection, self._season.id, end):
            if not self._order.keys() >= set(match.versions):
                continue  # as of an earlier match, versions that entered later have no matches yet
            is_to_come = end is not None and match.ordinal >= end and bool(match.places)
            for seat, version in enumerate(match.versions):
                yield (
                    self._match_number(match.fixture_id, match.ordinal),
                    match.ordinal,
                    match.round,
                    match.group,
                    match.label,
                    match.set_size,
                    match.seed,
                    match.is_done and not is_to_come,
                    seat,
                    *self._owners[version][:2],
                )

    def seats(self) -> Iterator[Sequence[Any]]:
        """Yield one row per seat of a finished match, with its resources."""
        for seat in export_queries.each_seat(self._connection, self._season.id, self._season.end):
            yield (
                self._match_number(seat.fixture_id, seat.ordinal),
                seat.seat,
                *self._owners[seat.version_id],
                seat.place,
                seat.score,
                seat.forfeit == 1,
                sum(read_faults(seat.faults).values()),
                seat.cpu_ms,
                seat.wall_ms,
                seat.peak_memory,
                seat.forfeit == 1 and self._failed_early([(seat.fixture_id, seat.seat)]),
            )
            if seat.seat == 0:
                self._progress(next(self._written))

    def faults(self) -> Iterator[Sequence[Any]]:
        """Yield one row per seat and kind of fault."""
        for seat in export_queries.each_seat(
            self._connection, self._season.id, self._season.end, with_faults=True
        ):
            number = self._match_number(seat.fixture_id, seat.ordinal)
            for kind, count in read_faults(seat.faults).items():
                yield number, seat.seat, *self._owners[seat.version_id][:2], kind, count

    def walkovers(self) -> Iterator[Sequence[Any]]:
        """Yield one row per seat of a match in which a bot was out."""
        for part in self._divisions:
            for result in part.results:
                for game in result.games:
                    if game.is_walkover:
                        for seat, (entrant, place) in enumerate(zip(game.seats, game.places, strict=True)):
                            yield result.round, result.group, seat, *self._who(part, entrant), place

    def byes(self) -> Iterator[Sequence[Any]]:
        """Yield one row per bot and round without an opponent."""
        for part in self._divisions:
            for bye in byes(self._season, part):
                yield bye.round, *self._who(part, bye.entrant), bye.points

    def replaced(self) -> Iterator[Sequence[Any]]:
        """Yield one row per seat of a result that was set aside because of a rerun."""
        for fixture_id, epoch, noted in results.replaced(self._connection, self._season.id):
            number = self._number_of(fixture_id)
            reason = with_names(noted.reason, [self._owners[seat.version_id][0] for seat in noted.seats])
            for place, seat in enumerate(noted.seats):
                who = self._owners[seat.version_id][:2]
                yield number, epoch, place, *who, seat.place, seat.score, seat.forfeit, reason, noted.digest

    def ratings(self) -> Iterator[Sequence[Any]]:
        """Yield the standings."""
        for row in each_standing(self._season):
            yield tuple(plain_value(getattr(row, name)) for name in self.rating_columns)

    @cached_property
    def rating_columns(self) -> list[str]:
        """The columns of the standings."""
        names = [column.name for column in dataclasses.fields(Standing)]
        if self._season.settings.prior is msgspec.UNSET:
            # The exports of seasons whose settings name no prior stay as they are.
            names = [name for name in names if name not in ("spread", "is_informed")]
        return names

    def history(self) -> Iterator[Sequence[Any]]:
        """Yield one row per match and rating that it changed."""
        for change in ratings.each_change(self._connection, self._season.id):
            if self._season.end is None or change.ordinal < self._season.end:
                yield change.ordinal, *self._owners[change.version_id][:2], change.before, change.after

    def events(self) -> Iterator[Sequence[Any]]:
        """Yield the decisions."""
        horizon = horizon_of(self._connection, self._season.id)
        last = None if horizon is None else horizon.events
        for event in events.events(self._connection, self._season.id):
            if last is not None and event.number > last:
                continue  # the later events that a freeze shows are not all there are
            yield (
                event.number,
                event.kind,
                *(self._owners[event.version_id][:2] if event.version_id is not None else ("", None)),
                None if event.fixture_id is None else self._number_of(event.fixture_id),
                self._content(event),
                _time(event.recorded_at),
            )

    def _match_number(self, fixture_id: int, ordinal: int) -> int:
        return fixture_id if self._has_ids else ordinal + 1

    def _number_of(self, fixture_id: int) -> int:
        if self._has_ids:
            return fixture_id
        ordinal = events.ordinal(self._connection, self._season.id, fixture_id)
        return -1 if ordinal is None else ordinal + 1  # a damaged event, which `verify` finds

    def _version_number(self, version: int) -> int:
        return version if self._has_ids else self._numbers.get(version, -1)

    def _content(self, event: EventRow) -> str:
        content = {
            name: self._version_number(value) if name in VERSIONS_IN_EVENTS else value
            for name, value in event.content.items()
        }
        return json.dumps(content, sort_keys=True)

    def _reason(self, row: ResultRow) -> str:
        if "{" not in row.reason:  # most have no names, and looking for them takes longer
            return row.reason
        return with_names(row.reason, [self._owners[version][0] for version in row.versions])

    @cached_property
    def _divisions(self) -> list[Division]:
        """The divisions with what gave points without a match: walkovers and byes."""
        # Most formats have no byes, so that only few matches are read, and most often none.
        has_byes = type(self._season.format).byes is not Format.byes
        window = None if has_byes else list(export_queries.of_void_groups(self._connection, self._season.id))
        return [] if window == [] else divisions(self._season, window)

    def _who(self, part: Division, entrant: int) -> tuple[str, int]:
        row = self._season.names[part.versions[entrant]]
        return row.bot, row.number


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


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
