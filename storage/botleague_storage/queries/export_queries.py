"""Queries of an export: plain rows in order of matches, read as they are written, so that memory does not grow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows import fixtures
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.schema.bulk_statements import groups
from botleague_storage.schema.league_tables import fixture, fixture_seat, record, result, seat
from botleague_storage.schema.storage_errors import DatabaseUnusable


class ResultRow(NamedTuple):
    """Row of a finished match; ``digest`` is that of its record, ``versions`` are by seat."""

    fixture_id: int
    ordinal: int
    round: int
    group: int
    label: str
    set_size: int
    seed: int
    void: int
    reason: str
    turns: int
    wall_ms: float
    recorded_at: float
    digest: str
    game_digest: str
    versions: tuple[int, ...]


class SeatRow(NamedTuple):
    """Row of one seat of a finished match; faults are a JSON text."""

    fixture_id: int
    ordinal: int
    seat: int
    version_id: int
    place: int
    score: float
    forfeit: int
    faults: str
    cpu_ms: float
    wall_ms: float
    peak_memory: int


def each_result(connection: Connection, season_id: int, end: int | None = None) -> Iterator[ResultRow]:
    """Yield every match of a season that has a result, by ordinal number.

    Args:
        end: the ordinal number after the last match; None for all.

    Raises:
        DatabaseUnusable: a match has lost its record, or a seat.
    """
    mine = _before(season_id, end)
    query = (
        sa.select(
            fixture.c.id,
            *(fixture.c[name] for name in ("ordinal", "round", "group", "label", "set_size", "seed", "void")),
            *(result.c[name] for name in ("reason", "turns", "wall_ms", "recorded_at")),
            record.c.digest,
            result.c.game_digest,
        )
        .join(result, result.c.fixture_id == fixture.c.id)
        .join(record, record.c.fixture_id == fixture.c.id)
        .where(mine)
        .order_by(fixture.c.ordinal)
        .execution_options(stream_results=True)
    )
    has_result = sa.exists().where(result.c.fixture_id == fixture.c.id)
    planned = (
        sa.select(fixture.c.id, fixture_seat.c.version_id, seat.c.seat)
        .join(fixture_seat, fixture_seat.c.fixture_id == fixture.c.id)
        .outerjoin(seat, fixtures.IS_PLAYED_SEAT)
        .where(mine, has_result)
        .order_by(fixture.c.ordinal, fixture_seat.c.seat)
        .execution_options(stream_results=True)
    )
    noted = iter(connection.execute(query))
    for seats in groups(connection.execute(planned)):
        ids, versions, numbers = zip(*seats, strict=True)
        row = next(noted, None)
        if row is None or row[0] != ids[0] or None in numbers:
            raise DatabaseUnusable(f"Match {ids[0]} has no record. See `botleague db check`.")
        yield ResultRow._make((*row, versions))


def each_seat(
    connection: Connection, season_id: int, end: int | None = None, *, with_faults: bool = False
) -> Iterator[SeatRow]:
    """Yield the seats of the finished matches of a season, by ordinal number.

    Args:
        end: the ordinal number after the last match; None for all.
        with_faults: only seats with faults.
    """
    columns = [seat.c[name] for name in SeatRow._fields[2:]]
    query = (
        sa.select(fixture.c.id, fixture.c.ordinal, *columns)
        .join(seat, seat.c.fixture_id == fixture.c.id)
        .where(_before(season_id, end))
        .order_by(fixture.c.ordinal, seat.c.seat)
        .execution_options(stream_results=True)
    )
    if with_faults:
        query = query.where(seat.c.faults != "{}")
    return map(SeatRow._make, connection.execute(query))


def each_unplayed(connection: Connection, season_id: int, end: int | None = None) -> Iterator[Match]:
    """Yield the matches of a season without a result, and those from ordinal number ``end`` on."""
    is_played = sa.exists().where(seat.c.fixture_id == fixture.c.id).correlate(fixture)
    later = [] if end is None else [fixture.c.ordinal >= end]
    return fixtures.read(connection, fixture.c.season_id == season_id, sa.or_(~is_played, *later))


def open_groups(connection: Connection, season_id: int, end: int | None = None) -> set[int]:
    """Return the groups of a season with a match that is not done, or that had no result before ``end``."""
    is_open = fixture.c.status.in_(("planned", "claimed"))
    is_played = sa.exists().where(seat.c.fixture_id == fixture.c.id).correlate(fixture)
    later = [] if end is None else [sa.and_(fixture.c.ordinal >= end, is_played)]
    query = sa.select(fixture.c.group).where(fixture.c.season_id == season_id, sa.or_(is_open, *later))
    return set(connection.scalars(query.execution_options(stream_results=True)))


def of_void_groups(connection: Connection, season_id: int) -> Iterator[Match]:
    """Yield the matches of the groups with a void match, by ordinal number: the only ones that can have walkovers."""
    mine = fixture.c.season_id == season_id
    groups = sa.select(fixture.c.group).where(mine, fixture.c.void == 1)
    return fixtures.read(connection, mine, fixture.c.group.in_(groups))


def _before(season_id: int, end: int | None) -> sa.ColumnElement[bool]:
    mine = fixture.c.season_id == season_id
    return mine if end is None else sa.and_(mine, fixture.c.ordinal < end)
