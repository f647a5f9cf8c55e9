"""Reading of an SQLite file without changing it or its folder, and without the right to.

SQLite coordinates readers of a write-ahead log through a third file, ``-shm``. It makes that file if it is missing, so
``mode=ro`` fails where the folder cannot be written, and leaves files behind where it can. ``immutable`` needs no
other file, and silently misses what is still in the log. So which way is right depends on what is there:

===================  ==========================  ==========================================================
log                  the folder                  way
===================  ==========================  ==========================================================
there, with -shm     any                         ``mode=ro``: as any reader, and nothing is left behind
none, or empty       this user may write it      locks as of a writer; SQLite makes and removes its files
none, or empty       no user may write it        ``immutable``
else                 any                         a copy of file and log, in a folder that only we can read
===================  ==========================  ==========================================================

Source: https://sqlite.org/wal.html, "Read-Only Databases"; https://sqlite.org/walformat.html.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from botleague_storage.schema.storage_errors import DatabaseLocked, DatabaseUnusable

LOG_HEADER = 32
"""Bytes of a log's header. It holds two random numbers, which change whenever the log restarts."""

ATTEMPTS = 10
"""To copy a database while others write it."""


class Reader(msgspec.Struct, frozen=True):
    """A way to read an SQLite file.

    Attributes:
        file: what is opened.
        query: parameters of its URI.
        copied_at: when it was copied; None for the file itself.
    """

    file: Path
    query: str = ""
    copied_at: datetime | None = None

    @property
    def is_immutable(self) -> bool:
        """Whether the file is read without locks, because no user may write it."""
        return "immutable" in self.query

    def connect(self, busy_timeout_s: float) -> sqlite3.Connection:
        """Open a connection that writes nothing."""
        connection = sqlite3.connect(
            f"{self.file.absolute().as_uri()}?{self.query or 'mode=rw'}",
            uri=True,
            timeout=busy_timeout_s,
            check_same_thread=False,
            isolation_level=None,
        )
        connection.execute("pragma query_only=on")
        return connection

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Refuse data read without locks if the file changed after all, for example from another machine.

        Raises:
            DatabaseLocked: the file changed.
        """
        before = _state(self.file) if self.is_immutable else None
        yield
        if before is not None and before != _state(self.file):
            raise DatabaseLocked(
                f"Database {self.file} was changed while it was read. Run the command again."
            )

    def close(self) -> None:
        """Remove the copy, if it is one."""
        if self.copied_at is not None:
            shutil.rmtree(self.file.parent, ignore_errors=True)


def reader_of(main: Path) -> Reader:
    """Return how to read the SQLite file ``main``, which is there.

    Raises:
        DatabaseUnusable: this user may not read it, or it cannot be copied.
        DatabaseLocked: others write it so busily that no copy of one moment can be made.
    """
    log, index = Path(f"{main}-wal"), Path(f"{main}-shm")
    if log.exists() and index.exists():
        return Reader(main, "mode=ro")
    if not log.exists() or log.stat().st_size == 0:
        if os.access(main, os.W_OK) and os.access(main.parent, os.W_OK):
            return Reader(main)
        if _is_read_only(main.parent) and _is_read_only(main):
            return Reader(main, "immutable=1")
    copy = Reader(Path(tempfile.mkdtemp(prefix="botleague-"), main.name), copied_at=datetime.now(UTC))
    try:
        _copy(main, log, copy.file.parent)
    except OSError as error:
        copy.close()
        if isinstance(error, PermissionError):
            raise DatabaseUnusable(
                f"Database {main} may not be read by this user. Ask its owner for a backup, or for the right to read."
            ) from error
        raise DatabaseUnusable(
            f"Database {main} can only be read from a copy, and the copy in {copy.file.parent.parent} failed "
            f"({error.strerror}). Make space there, or set TMPDIR to a folder that has some."
        ) from error
    except BaseException:
        copy.close()
        raise
    return copy


def _is_read_only(path: Path) -> bool:
    """Return whether the file cannot be written: read-only file system, or no write permission for any user."""
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY) or not path.stat().st_mode & 0o222


def _copy(main: Path, log: Path, folder: Path) -> None:
    """Copy a database as it is at one moment, while others may write it.

    The log goes second. Pages moved meanwhile from the log into the main file are then in the copied log too,
    and a log takes precedence; unless it restarts meanwhile, and the copy must start again.
    """
    for _ in range(ATTEMPTS):
        before = _state(main, log)
        shutil.copyfile(main, folder / main.name)
        if log.exists():
            shutil.copyfile(log, folder / log.name)
        if _state(main, log) == before:
            return
        (folder / log.name).unlink(missing_ok=True)
    raise DatabaseLocked(f"Database {main} is being written too quickly to be copied. Try again in a moment.")


def _state(main: Path, log: Path | None = None) -> tuple[Any, ...]:
    """Return what is as before as long as a copy of the main file, and then of the log, makes one whole."""
    log = log or Path(f"{main}-wal")
    try:
        with log.open("rb") as file:
            header = file.read(LOG_HEADER)
    except FileNotFoundError:
        header = b""
    if header:
        return (header,)
    status = main.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns
