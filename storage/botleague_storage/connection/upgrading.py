"""Brings the database of an older botleague up to date, after a backup."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from botleague_storage.connection import migrating
from botleague_storage.connection.backups import backup, backup_path
from botleague_storage.connection.database import HEAD, Database
from botleague_storage.connection.database_url import parse_url
from botleague_storage.connection.restoring import alone
from botleague_storage.schema.storage_errors import DatabaseUnusable


class Upgraded(msgspec.Struct, frozen=True):
    """Result of an upgrade.

    Attributes:
        place: the database, without a password.
        is_changed: whether it was made by an older botleague.
        backup: the backup that was made first; None if nothing was to do, or for PostgreSQL.
    """

    place: str
    is_changed: bool
    backup: Path | None = None


def upgrade(url: str) -> Upgraded:
    """Bring the database at ``url`` up to date.

    Raises:
        DatabaseLocked: another process has the file open: an older botleague would continue to write to it.
        StorageError: it cannot be opened or written; the backup then is untouched.
    """
    database = Database(url, create=False, any_revision=True)
    place = database.place or ""
    try:
        revision = database.revision()
        problem = database.write_problem() if database.is_sqlite else ""
    finally:
        database.close()
    if revision == HEAD:
        return Upgraded(place, False)
    migrating.refuse_unknown(f"Database {place}", revision or "")
    if problem:
        raise DatabaseUnusable(f"Database {place} cannot be upgraded: {problem}")
    if database.is_sqlite:
        # No connection of this process is open: closing a file gives up the locks of all.
        with alone(Path(os.path.realpath(parse_url(url).database or ""))):
            pass
    database = Database(url, create=False, any_revision=True)
    try:
        copy = None
        if database.is_sqlite:
            copy = backup_path(database)
            backup(database, copy)
        with database.writing() as connection:
            migrating.run(connection, HEAD)
        return Upgraded(place, True, copy)
    finally:
        database.close()
