"""Brings the database of an older botleague up to date, after a backup."""

from __future__ import annotations

from pathlib import Path

from botleague_storage.connection import migrating
from botleague_storage.connection.database import HEAD, Database, backup, backup_path


def upgrade(url: str) -> Path | None:
    """Bring the database at ``url`` up to date.

    Returns:
        The backup that was made first, None when there was nothing to do or it is not an SQLite file.

    Raises:
        StorageError: it cannot be opened or written; the backup then is untouched.
    """
    database = Database(url, create=False, any_revision=True)
    try:
        revision = database.revision()
        if revision == HEAD:
            return None
        migrating.refuse_unknown(f"Database {database.place}", revision or "")
        copy = None
        if database.is_sqlite:
            copy = backup_path(database)
            backup(database, copy)
        with database.writing() as connection:
            migrating.run(connection, HEAD)
        return copy
    finally:
        database.close()
