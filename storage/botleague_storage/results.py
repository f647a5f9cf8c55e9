"""What was played: results, seats and records. Rows are added in the transaction that marks the fixture as done."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage import fixtures
from botleague_storage.errors import NotFound
from botleague_storage.schema import (
    fixture,
    league,
    record,
    result,
    season,
    seat,
    variant,
    void,
)
from botleague_storage.statements import insert_rows

__all__ = [
    "MatchRow",
    "PlayedRow",
    "SeatRow",
    "Stored",
    "add",
    "add_all",
    "add_void",
    "find_record",
    "played",
    "played_out_of_order",
    "read_faults",
    "seats_of",
    "voids",
    "write_faults",
]

NO_FAULTS = "{}"


def read_faults(text: str) -> dict[str, int]:
    """Return counts of faults by kind as they were stored; nearly always there are none."""
    return {} if text == NO_FAULTS else json.loads(text)


def write_faults(faults: Mapping[str, int]) -> str:
    """Return counts of faults by kind as they are stored."""
    return json.dumps(dict(sorted(faults.items()))) if faults else NO_FAULTS


@dataclass(frozen=True, slots=True)
class SeatRow:
    """How one seat did in one match; faults are counts by kind."""

    version_id: int
    place: int
    score: float
    forfeit: bool
    faults: Mapping[str, int]
    cpu_ms: float
    wall_ms: float
    peak_memory: int
    output: str


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One finished match as it is to be stored; ``content`` is the record, uncompressed."""

    reason: str
    layers: tuple[str, ...]
    turns: int
    wall_ms: float
    seats: tuple[SeatRow, ...]
    content: bytes


@dataclass(frozen=True, slots=True)
class PlayedRow:
    """A result as tables and formats need it, by seat. ``faults`` are JSON texts of counts by kind."""

    fixture_id: int
    ordinal: int
    group: int
    versions: tuple[int, ...]
    places: tuple[int, ...]
    scores: tuple[float, ...]
    forfeits: tuple[int, ...]
    faults: tuple[str, ...]
    cpu_ms: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored record with what it needs to be shown."""

    fixture_id: int
    league: str
    variant: str
    variant_digest: str
    reason: str
    layers: tuple[str, ...]
    content: bytes


def add(connection: Connection, fixture_id: int, epoch: int, match: MatchRow) -> bool:
    """Record a match if its claim still holds. Needs a write transaction.

    Returns:
        False when the claim was lost or the result is there already; nothing is written then.
    """
    return bool(add_all(connection, [(fixture_id, epoch, match)]))


def add_all(connection: Connection, matches: Sequence[tuple[int, int, MatchRow]]) -> set[int]:
    """Record matches, as (fixture id, epoch, match), whose claims still hold. Needs a write transaction.

    Returns:
        The fixture ids of those; nothing is written of the others.
    """
    mine = fixtures.finish(connection, [(fixture_id, epoch) for fixture_id, epoch, _ in matches])
    held = [match for match in matches if match[:2] in mine]
    if not held:
        return set()
    now = time.time()
    insert_rows(
        connection,
        result,
        [
            (fixture_id, epoch, match.reason, json.dumps(match.layers), match.turns, match.wall_ms, now)
            for fixture_id, epoch, match in held
        ],
    )
    insert_rows(
        connection,
        seat,
        [
            (
                fixture_id,
                number,
                row.version_id,
                row.place,
                row.score,
                int(row.forfeit),
                write_faults(row.faults),
                row.cpu_ms,
                row.wall_ms,
                row.peak_memory,
                row.output,
            )
            for fixture_id, _, match in held
            for number, row in enumerate(match.seats)
        ],
    )
    insert_rows(
        connection,
        record,
        [
            (fixture_id, hashlib.sha256(match.content).hexdigest(), zlib.compress(match.content))
            for fixture_id, _, match in held
        ],
    )
    return {fixture_id for fixture_id, _ in mine}


def add_void(connection: Connection, fixture_id: int, epoch: int, reason: str) -> None:
    """Note that an attempt failed by the machinery's fault, and free the fixture to be played again."""
    mine = sa.and_(fixture.c.id == fixture_id, fixture.c.epoch == epoch, fixture.c.status == "claimed")
    freed = connection.execute(
        fixture.update().where(mine).values(status="planned", claimed_by=None, lease_until=None)
    )
    if freed.rowcount:
        values = {"fixture_id": fixture_id, "epoch": epoch, "reason": reason, "recorded_at": time.time()}
        connection.execute(void.insert().values(values))


def voids(connection: Connection, season_id: int) -> list[tuple[int, str]]:
    """Return (ordinal, reason) of every failed attempt of a season."""
    query = (
        sa.select(fixture.c.ordinal, void.c.reason)
        .join(fixture, fixture.c.id == void.c.fixture_id)
        .where(fixture.c.season_id == season_id)
        .order_by(fixture.c.ordinal, void.c.epoch)
    )
    return [(row.ordinal, row.reason) for row in connection.execute(query)]


def played(connection: Connection, season_id: int, first: int = 0) -> Iterator[PlayedRow]:
    """Yield the results of a season that count, by ordinal number, from ``first`` up to the first match to come."""
    gap = connection.scalar(
        sa.select(fixture.c.ordinal)
        .where(fixture.c.season_id == season_id, fixture.c.ordinal >= first, fixture.c.status != "done")
        .order_by(fixture.c.ordinal)
        .limit(1)
    )
    if gap == first:
        return
    until = sa.true() if gap is None else fixture.c.ordinal < gap
    yield from _played(connection, season_id, fixture.c.ordinal >= first, until)


def played_out_of_order(connection: Connection, season_id: int, first: int) -> Iterator[PlayedRow]:
    """Yield all results of a season that count, from ordinal number ``first`` on, whatever is missing between."""
    yield from _played(connection, season_id, fixture.c.ordinal >= first, fixture.c.status == "done")


def _played(connection: Connection, season_id: int, *where: sa.ColumnElement[bool]) -> Iterator[PlayedRow]:
    query = (
        sa.select(
            fixture.c.id,
            fixture.c.ordinal,
            fixture.c["group"],
            seat.c.version_id,
            seat.c.place,
            seat.c.score,
            seat.c.forfeit,
            seat.c.faults,
            seat.c.cpu_ms,
        )
        .join(seat, seat.c.fixture_id == fixture.c.id)
        .where(fixture.c.season_id == season_id, fixture.c.void == 0, *where)
        .order_by(fixture.c.ordinal, seat.c.seat)
        # Of this statement only: a server's cursor can do nothing but select.
        .execution_options(stream_results=True)
    )
    with connection.execute(query) as rows:
        for (fixture_id, ordinal, group), seats in itertools.groupby(rows, key=itemgetter(0, 1, 2)):
            yield PlayedRow(fixture_id, ordinal, group, *zip(*(row[3:] for row in seats), strict=True))


def seats_of(connection: Connection, fixture_id: int) -> list[SeatRow]:
    """Return the seats of a finished match."""
    query = sa.select(seat).where(seat.c.fixture_id == fixture_id).order_by(seat.c.seat)
    return [
        SeatRow(
            row.version_id,
            row.place,
            row.score,
            bool(row.forfeit),
            json.loads(row.faults),
            row.cpu_ms,
            row.wall_ms,
            row.peak_memory,
            row.output,
        )
        for row in connection.execute(query)
    ]


def find_record(connection: Connection, fixture_id: int) -> Stored:
    """Return the record of a finished match.

    Raises:
        NotFound: there is no such match, or it has not been played.
    """
    query = (
        sa.select(
            fixture.c.id.label("fixture_id"),
            league.c.name.label("league"),
            variant.c.name.label("variant"),
            variant.c.digest.label("variant_digest"),
            result.c.reason,
            result.c.layers,
            record.c.content,
        )
        .join(result, result.c.fixture_id == fixture.c.id)
        .join(record, record.c.fixture_id == fixture.c.id)
        .join(season, season.c.id == fixture.c.season_id)
        .join(league, league.c.id == season.c.league_id)
        .join(variant, variant.c.id == league.c.variant_id)
        .where(fixture.c.id == fixture_id)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(
            f"There is no finished match {fixture_id}. `botleague history BOT` lists a bot's matches."
        )
    return Stored(
        **{
            **row._mapping,
            "layers": tuple(json.loads(row.layers)),
            "content": zlib.decompress(row.content),
        }
    )
