"""Files of an SQLite database: the main file, and its write-ahead log."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from botleague_storage.schema.storage_errors import DatabaseUnusable

LOGS = ("-wal", "-journal")
"""Suffixes of files that SQLite would replay into a file of that name."""

FileId: TypeAlias = tuple[int, int]


def file_id(path: Path) -> FileId | None:
    """Return the device and number of a file, which renaming does not change; None for no file."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


def refuse_missing(main: Path, log: Path, create: bool) -> bool:
    """Refuse a file that does not exist and cannot be created; return whether it has a log."""
    # In this order: who makes a database makes its main file first.
    has_log = file_id(log) is not None
    if main.exists():
        return has_log
    if has_log:
        raise DatabaseUnusable(
            f"Database {main} is missing, but its write-ahead log {log} is there. Put the file back, or remove the log "
            "to start with an empty one."
        )
    if not create:
        raise DatabaseUnusable(
            f"There is no database {main}. `botleague submit` or `botleague run` makes one; name another with --db."
        )
    if not main.parent.is_dir():
        raise DatabaseUnusable(
            f"Database {main}: there is no folder {main.parent}. Make it, or name another database with --db."
        )
    return has_log


def make_private(main: Path) -> None:
    """Make the file of a new database: it holds hashes of passwords. SQLite gives its log the same mode."""
    with suppress(OSError):  # it is there; or cannot be made, which SQLite explains
        os.close(os.open(main, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def free_name(main: Path, what: str) -> Path:
    """Return an unused name next to an SQLite database, with ``what`` and the time in it, without a log."""
    name = f"{main.stem}{what}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    free, number = main.with_name(f"{name}{main.suffix}"), 1
    while any(os.path.lexists(f"{free}{end}") for end in ("", *LOGS)):
        number += 1
        free = main.with_name(f"{name}-{number}{main.suffix}")
    return free
