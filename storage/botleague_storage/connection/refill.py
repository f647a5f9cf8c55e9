"""Insertion of unchanged rows into an empty database, to recompute an exported season."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows.results import read_faults, write_faults
from botleague_storage.schema.bulk_statements import PORTION, insert_rows
from botleague_storage.schema.schema import event, fixture, fixture_seat, metadata, seat


class RowRepeated(Exception):
    """A row has the key of an earlier one."""


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


def stream(connection: Connection, rows: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
    """Store rows of any number, each with the name of its table and a value for every column.

    Raises:
        RowRepeated: two rows have one key.
    """
    waiting: dict[str, list[tuple[Any, ...]]] = defaultdict(list)

    def store(name: str) -> None:
        try:
            insert_rows(connection, metadata.tables[name], waiting.pop(name))
        except sa.exc.IntegrityError as error:
            raise RowRepeated(str(error.orig)) from error

    for name, row in rows:
        some = waiting[name]
        some.append(row)
        if len(some) >= PORTION:
            store(name)
    for name in list(waiting):
        store(name)


def add_faults(connection: Connection, match: int, number: int, faults: Mapping[str, int]) -> None:
    """Add counts of faults to a seat; nothing if it does not exist."""
    mine = sa.and_(seat.c.fixture_id == match, seat.c.seat == number)
    stored = connection.scalar(sa.select(seat.c.faults).where(mine))
    if stored is not None:
        text = write_faults({**read_faults(stored), **faults})
        connection.execute(seat.update().where(mine).values(faults=text))


def loose_seat(connection: Connection) -> int | None:
    """Return a match of which there is a seat, but no fixture."""
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
