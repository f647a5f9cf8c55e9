"""Helpers for SQL statements: a row type's columns, many rows at a time, and lists of any length."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

T = TypeVar("T")

PORTION = 1000
"""Values in one ``in (...)``: all databases allow this number of parameters, and longer lists gain nothing."""

COPIED = 100_000
"""Rows stored at a time: at the end, PostgreSQL looks for all that they refer to, and a server waits for a response."""

COPY = "copy"
"""The first word of the statements that :func:`copy_rows` executes."""


def columns(table: sa.Table, kind: type[msgspec.Struct]) -> list[sa.Column[Any]]:
    """Return the columns of a table with the names of a row type's fields, in their order."""
    return [table.c[name] for name in kind.__struct_fields__]


def in_portions(items: Sequence[T], most: int | None = None) -> Iterator[Sequence[T]]:
    """Yield ``items`` in portions of at most ``most``; by default as many ids as fit into one statement."""
    size = PORTION if most is None else most
    for start in range(0, len(items), size):
        yield items[start : start + size]


def select_among(
    connection: Connection, query: sa.Select[Any], column: sa.ColumnElement[T], ids: Sequence[T] | None
) -> Iterator[Any]:
    """Yield the rows of a query of which ``column`` is one of ``ids``, portion by portion; for None all rows."""
    for some in [None] if ids is None else in_portions(ids):
        yield from connection.execute(query if some is None else query.where(column.in_(some)))


def groups(rows: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield the rows that have the same first column, one group after another; rows are in its order."""
    for _, group in itertools.groupby(rows, key=itemgetter(0)):
        yield list(group)


def add_row(connection: Connection, table: sa.Table, **values: Any) -> int:
    """Store one row, and return its id."""
    return int(connection.execute(table.insert().values(values).returning(table.c.id)).scalar_one())


def insert_rows(
    connection: Connection,
    table: sa.Table,
    rows: Sequence[tuple[Any, ...]],
    columns: Sequence[str] | None = None,
) -> None:
    """Store ``rows``, each with a value for every column, in order; or for the named ``columns`` alone.

    It goes past SQLAlchemy's handling of parameters, which for a row of a few numbers takes longer than storing it.
    """
    if len(rows) > COPIED:
        for some in in_portions(rows, COPIED):
            insert_rows(connection, table, some, columns)
        return
    if not rows:
        return
    quote = connection.dialect.identifier_preparer.quote
    names = list(table.c.keys()) if columns is None else columns
    into = f"{quote(table.name)} ({', '.join(map(quote, names))})"
    if connection.dialect.driver == "psycopg" and len(rows) > 1:
        statement = f"{COPY} {into} from stdin"
    else:
        mark = "?" if connection.dialect.name == "sqlite" else "%s"
        statement = f"insert into {into} values ({', '.join([mark] * len(names))})"
    connection.exec_driver_sql(statement, list(rows))


def copy_rows(cursor: Any, statement: str, rows: Iterable[Sequence[Any]], _: object) -> bool:
    """Execute a statement that copies rows to PostgreSQL; return whether it is one.

    A handler for SQLAlchemy's event ``do_executemany``, so that errors are those of any other statement. PostgreSQL
    takes in copied rows in less than half the time of as many inserts.
    """
    if not statement.startswith(COPY):
        return False
    with cursor.copy(statement) as copying:
        for row in rows:
            copying.write_row(row)
    return True


def upsert(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store ``rows``, each with a value for every column, in place of rows with the same primary key."""
    if not rows:
        return
    connection.execute(_upserting(connection.dialect.name, table), rows)


@functools.cache
def _upserting(dialect: str, table: sa.Table) -> Any:
    # Imported here: the other database's dialect takes longer than many a command.
    if dialect == "sqlite":
        from sqlalchemy.dialects.sqlite import insert as make
    else:
        from sqlalchemy.dialects.postgresql import insert as make  # type: ignore[assignment]  # it has the same face
    insert = make(table)
    keys = [column.name for column in table.primary_key]
    others = {column.name: insert.excluded[column.name] for column in table.c if column.name not in keys}
    return insert.on_conflict_do_update(index_elements=keys, set_=others)
