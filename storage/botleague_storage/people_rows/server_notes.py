"""Notes of a server about itself, by name: no result depends on them."""

from __future__ import annotations

from typing import Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import upsert
from botleague_storage.schema.people_tables import server_note

Note: TypeAlias = Literal["address-key", "alive-at", "away", "erased-at", "first-invite"]
"""The key of addresses' hashes; when the server last ran; when it was unavailable; time of the last erasure;
the invite of the first organiser."""


def find(connection: Connection, name: Note) -> str:
    """Return what was noted, "" for nothing."""
    value: str | None = connection.scalar(sa.select(server_note.c.value).where(server_note.c.name == name))
    return value or ""


def store(connection: Connection, name: Note, value: str) -> None:
    """Note something in place of what was noted before."""
    upsert(connection, server_note, [{"name": name, "value": value}])
