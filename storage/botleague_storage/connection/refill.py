"""Insertion of unchanged rows into an empty database, to recompute an exported season."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.connection.database import Database
from botleague_storage.league_rows.results import write_faults
from botleague_storage.schema.bulk_statements import PORTION, insert_rows
from botleague_storage.schema.league_tables import event, fixture, fixture_seat, seat
from botleague_storage.schema.schema import metadata


class RowRepeated(Exception):
    """A row has the key of an earlier one."""


@contextmanager
def scratch_database() -> Iterator[Connection]:
    """Give a connection to an empty database that is removed at the end, inside one transaction."""
    with (
        tempfile.TemporaryDirectory(prefix="botleague-") as folder,
        closing(Database(str(Path(folder) / "scratch.db"), is_scratch=True)) as database,
        database.writing() as connection,
    ):
        yield connection


@contextmanager
def without_indexes(connection: Connection) -> Iterator[None]:
    """Fill large tables faster: their indexes are made at the end, and not row by row."""
    indexes = [index for table in (fixture, seat) for index in table.indexes]
    for index in indexes:
        index.drop(connection)
    yield
    for index in indexes:
        index.create(connection)


def refill(connection: Connection, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> None:
    """Store ``rows`` by the names of their tables, those first that others refer to. Needs a write transaction.

    Raises:
        RowRepeated: two rows have one key.
    """
    for table in metadata.sorted_tables:
        if values := list(rows.get(table.name, ())):
            try:
                connection.execute(table.insert(), values)
            except sa.exc.IntegrityError as error:
                raise RowRepeated(str(error.orig)) from error


def fill(connection: Connection, name: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Store ``rows`` in the table ``name``, each with a value for every column, in order.

    Raises:
        RowRepeated: two rows have one key.
    """
    try:
        insert_rows(connection, metadata.tables[name], list(rows))
    except sa.exc.IntegrityError as error:
        raise RowRepeated(str(error.orig)) from error


def set_faults(connection: Connection, rows: Iterable[tuple[int, int, Mapping[str, int]]]) -> None:
    """Store counts of faults of seats, as (match, seat, counts); nothing of seats that do not exist."""
    coming = iter(rows)
    while some := list(itertools.islice(coming, PORTION)):
        connection.execute(
            _SET_FAULTS,
            [
                {"match": match, "number": number, "text": write_faults(counts)}
                for match, number, counts in some
            ],
        )


_SET_FAULTS = (
    seat.update()
    .where(seat.c.fixture_id == sa.bindparam("match"), seat.c.seat == sa.bindparam("number"))
    .values(faults=sa.bindparam("text"))
)


def loose_seat(connection: Connection) -> int | None:
    """Return a match that has a seat, but no fixture."""
    is_there = sa.exists().where(fixture.c.id == fixture_seat.c.fixture_id)
    return connection.scalar(sa.select(fixture_seat.c.fixture_id).where(~is_there).limit(1))


def match_without_seats(connection: Connection) -> int | None:
    """Return a match without seats."""
    is_there = sa.exists().where(fixture_seat.c.fixture_id == fixture.c.id)
    return connection.scalar(sa.select(fixture.c.id).where(~is_there).limit(1))


def loose_event(connection: Connection) -> tuple[int, int] | None:
    """Return (number, match) of an event about a match that is missing."""
    is_there = sa.exists().where(fixture.c.id == event.c.fixture_id)
    query = sa.select(event.c.number, event.c.fixture_id).where(event.c.fixture_id.is_not(None), ~is_there)
    row = connection.execute(query.order_by(event.c.number).limit(1)).first()
    return None if row is None else (row.number, row.fixture_id)
