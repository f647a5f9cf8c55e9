"""Checks a database for damage: the file itself, and what must always hold between its rows."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.connection.database import Database
from botleague_storage.league_rows.bots import IS_ERASED, Source
from botleague_storage.schema.league_tables import (
    event,
    fixture,
    fixture_seat,
    journal,
    rating,
    rating_event,
    record,
    replaced,
    result,
    season,
    season_start,
    seat,
    standing,
    variant,
    version,
)

TEXTS = (
    season.c.settings,
    season_start.c.state,
    event.c.content,
    result.c.layers,
    seat.c.faults,
    rating.c.state,
    standing.c.faults,
    replaced.c.noted,
)
"""Columns that hold JSON."""


def problems(database: Database, progress: Callable[[int], None] | None = None) -> list[str]:
    """Return one sentence for each thing that is wrong; an empty list means a sound database.

    Args:
        progress: called with the number of checks done so far, of ``CHECKS``.

    Raises:
        DatabaseUnusable: the file is so damaged that it cannot be read.
    """
    with database.reading() as connection:
        return problems_in(connection, progress)


def problems_in(connection: Connection, progress: Callable[[int], None] | None = None) -> list[str]:
    """Return what :func:`problems` does, as one transaction sees the database."""
    damage: list[str] = []
    done = 0
    for stage in STAGES:
        for check in stage:
            damage += check(connection)
            done += 1
            if progress is not None:
                progress(done)
        if damage:
            break
    return damage


def _of_file(connection: Connection) -> Iterator[str]:
    if connection.dialect.name != "sqlite":
        return
    for (line,) in connection.exec_driver_sql("pragma integrity_check"):
        if line != "ok":
            yield f"The file is damaged: {line}"
    for row in connection.exec_driver_sql("pragma foreign_key_check"):
        yield f"Row {row[1]} of table {row[0]} refers to a row of {row[2]} that is missing."


def _of_texts(connection: Connection) -> Iterator[str]:
    for column in TEXTS:
        keys = list(column.table.primary_key)
        query = sa.select(column, *keys).where(column.is_not(None), column != "{}")
        for text, *values in connection.execute(query.execution_options(stream_results=True)):
            try:
                msgspec.json.decode(text)
            except msgspec.DecodeError as error:
                where = ", ".join(f"{key.name} {value}" for key, value in zip(keys, values, strict=True))
                yield f"The {column.name} of table {column.table.name} at {where} cannot be read ({error})."


def _of_versions(connection: Connection) -> Iterator[str]:
    stored = sa.select(version).where(~IS_ERASED)
    for row in connection.execute(stored.execution_options(stream_results=True)):
        try:
            source = Source(
                msgspec.msgpack.decode(zlib.decompress(row.source), type=dict[str, bytes]), row.entry
            )
            sound = source.digest == row.digest
        except (zlib.error, msgspec.DecodeError):
            sound = False
        if not sound:
            yield f"The source of bot version {row.id} is not what was submitted (its digest differs)."


def _of_variants(connection: Connection) -> Iterator[str]:
    for row in connection.execute(sa.select(variant)):
        if hashlib.sha256(row.config.encode()).hexdigest() != row.digest:
            yield f"The configuration of variant {row.name} is not the one that was stored (its digest differs)."


def _of_sets(connection: Connection) -> Iterator[str]:
    sets = (
        sa.select(fixture.c.season_id, fixture.c.group, sa.func.count().label("number"))
        .group_by(fixture.c.season_id, fixture.c.group)
        .subquery()
    )
    mine = sa.and_(sets.c.season_id == fixture.c.season_id, sets.c.group == fixture.c.group)
    query = sa.select(fixture.c.id, fixture.c.set_size, sets.c.number).join(sets, mine)
    for number, stored, count in connection.execute(query.where(fixture.c.set_size != sets.c.number)):
        yield f"Match {number} has a group of {stored} planned matches, but {count} are there."


def _of_results(connection: Connection) -> Iterator[str]:
    done = fixture.c.status == "done"
    for table in (result, record, seat):
        # A void match may have been cancelled before it was played.
        counts = sa.and_(done, fixture.c.void == 0)
        missing = sa.select(fixture.c.id).where(
            counts, ~sa.exists().where(table.c.fixture_id == fixture.c.id)
        )
        for number in connection.scalars(missing):
            yield f"Match {number} is marked as done but has no {table.name}."
        early = sa.select(fixture.c.id).where(~done, sa.exists().where(table.c.fixture_id == fixture.c.id))
        for number in connection.scalars(early):
            yield f"Match {number} has a {table.name} but is not marked as done."
    seatless = sa.select(fixture.c.id).where(~sa.exists().where(fixture_seat.c.fixture_id == fixture.c.id))
    for number in connection.scalars(seatless):
        yield f"Match {number} has no seats."
    planned, stored = _seats(fixture_seat), _seats(seat)
    differing = (
        sa.select(planned.c.fixture_id, planned.c.number, stored.c.number)
        .join(stored, stored.c.fixture_id == planned.c.fixture_id)
        .where(planned.c.number != stored.c.number)
    )
    for number, seats, count in connection.execute(differing):
        yield f"Match {number} was planned for {seats} seats, but {count} {'is' if count == 1 else 'are'} stored."
    same = sa.and_(fixture_seat.c.fixture_id == seat.c.fixture_id, fixture_seat.c.seat == seat.c.seat)
    others = sa.select(seat.c.fixture_id, seat.c.seat).join(fixture_seat, same)
    for number, place in connection.execute(others.where(fixture_seat.c.version_id != seat.c.version_id)):
        yield f"Seat {place} of match {number} was planned for another bot version than is stored."
    for row in connection.execute(sa.select(record).execution_options(stream_results=True)):
        try:
            sound = hashlib.sha256(zlib.decompress(row.content)).hexdigest() == row.digest
        except zlib.error:
            sound = False
        if not sound:
            yield f"The record of match {row.fixture_id} is not what was recorded (its digest differs)."


def _seats(table: sa.Table) -> sa.Subquery:
    """Select how many seats each match has in a table."""
    query = sa.select(table.c.fixture_id, sa.func.count().label("number")).group_by(table.c.fixture_id)
    return query.subquery()


def _of_journals(connection: Connection) -> Iterator[str]:
    there = (
        sa.select(version.c.bot_id)
        .join(fixture_seat, fixture_seat.c.version_id == version.c.id)
        .where(fixture_seat.c.fixture_id == journal.c.fixture_id, fixture_seat.c.seat == journal.c.seat)
    )
    query = sa.select(journal.c.fixture_id, journal.c.seat).join(
        fixture, fixture.c.id == journal.c.fixture_id
    )
    others = sa.or_(journal.c.season_id != fixture.c.season_id, journal.c.bot_id.not_in(there))
    for number, place in connection.execute(query.where(others)):
        yield f"The journal of seat {place} of match {number} names another season, or a bot that did not sit there."


def _of_ratings(connection: Connection) -> Iterator[str]:
    ahead = (
        sa.select(season.c.id, sa.func.max(rating_event.c.ordinal))
        .join(rating_event, rating_event.c.season_id == season.c.id)
        .group_by(season.c.id)
        .having(sa.func.max(rating_event.c.ordinal) >= season.c.settled)
    )
    for number, ordinal in connection.execute(ahead):
        yield f"Season {number} has a rating for match number {ordinal}, which its table does not cover yet."


STAGES = (
    (_of_file,),
    (_of_texts,),
    (_of_versions, _of_variants, _of_sets, _of_results, _of_journals, _of_ratings),
)
"""All checks. What a damaged file or text says of its rows is worth nothing, so each stage needs a sound one before."""

CHECKS = sum(len(stage) for stage in STAGES)
