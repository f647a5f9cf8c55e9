"""Insertion of unchanged rows into an empty database, to recompute an exported season."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy.engine import Connection

from botleague_storage.schema.schema import metadata


def refill(connection: Connection, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> None:
    """Store ``rows`` by the names of their tables, those first that others refer to. Needs a write transaction."""
    for table in metadata.sorted_tables:
        if values := list(rows.get(table.name, ())):
            connection.execute(table.insert(), values)
