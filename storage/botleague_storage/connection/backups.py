"""Backups of an SQLite database while it is in use."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from botleague_storage.connection.database import Database
from botleague_storage.connection.database_files import free_name
from botleague_storage.schema.storage_errors import DatabaseUnusable, explain


def backup(database: Database, target: Path) -> None:
    """Write a consistent copy of an SQLite database while others may use it, and check that it is undamaged.

    It holds nothing that was deleted, and only its owner may read it.

    Raises:
        DatabaseUnusable: it is not SQLite, is damaged, or the copy cannot be written; an unfinished copy is removed.
    """
    if not database.is_sqlite:
        raise DatabaseUnusable("`db backup` copies SQLite files. For PostgreSQL use pg_dump.")
    if target.exists():
        raise DatabaseUnusable(f"{target} already exists. Name another file, or remove it first.")
    partial = target.with_name(target.name + ".part")
    try:
        partial.unlink(missing_ok=True)
        partial.touch(0o600)
        with closing(database.engine.raw_connection()) as source:
            cursor = source.cursor()
            is_reading = cursor.execute("pragma query_only").fetchone()[0]
            cursor.execute("pragma query_only=off")  # the copy is written by the connection that reads
            try:
                cursor.execute("vacuum into ?", (str(partial),))
            finally:
                cursor.execute(f"pragma query_only={is_reading}")
        if damage := damage_of(partial):
            raise DatabaseUnusable(f"Database {database.place} is damaged ({damage[0]}): no backup was made.")
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        shutil.move(partial, target)
    except OSError as error:
        raise DatabaseUnusable(
            f"The backup {target} cannot be written ({error.strerror}). Name another file."
        ) from error
    except sqlite3.Error as error:
        raise explain(f"{database.place}, copied to {target}", error) from error
    finally:
        with suppress(OSError):
            partial.unlink()


def damage_of(file: Path) -> list[str]:
    """Return the damage of an SQLite file that is not in use and has no log; no file next to it is created.

    Raises:
        sqlite3.Error: it cannot be read at all.
    """
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as copy:
        damage = [line for (line,) in copy.execute("pragma integrity_check") if line != "ok"]
        broken = copy.execute("pragma foreign_key_check")
        return damage + [f"a row of {row[0]} refers to nothing" for row in broken]


def backup_path(database: Database) -> Path:
    """Return a free name for a backup next to the database, with the time in it."""
    return free_name(Path(database.url.database or "botleague.db"), "")
