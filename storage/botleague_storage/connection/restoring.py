"""Puts a backup in the place of an SQLite database. Neither is lost, whenever this process is killed.

The write-ahead log next to a database belongs to that file alone: replayed into a backup, it makes the backup
malformed. So the former file leaves with a copy of its log, and the backup takes the name when no log is there any
longer. At every moment the name means the former database with its log, no file, or the backup without a log.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec

from botleague_storage.connection import migrating
from botleague_storage.connection.backups import damage_of
from botleague_storage.connection.database import HEAD
from botleague_storage.connection.database_files import LOGS, free_name
from botleague_storage.connection.database_url import parse_url
from botleague_storage.schema.schema import metadata
from botleague_storage.schema.storage_errors import DatabaseLocked, DatabaseUnusable

# Bytes that SQLite's connections lock, see https://sqlite.org/src/file/src/os_unix.c: a connection in WAL mode holds
# a lock on both files for as long as it is open, also between its transactions.
MAIN_LOCKS = (0x40000000, 512)
INDEX_LOCKS = (120, 9)


class Restored(msgspec.Struct, frozen=True):
    """Result of restoring a backup.

    Attributes:
        former: where the database that was there is now, or the log of a lost one; None if there was neither.
        is_outdated: an older botleague made the backup, so it needs an upgrade.
    """

    place: Path
    former: Path | None
    is_outdated: bool


def restore(backup: Path, url: str) -> Restored:
    """Replace the database at ``url`` by a backup, which stays as it is.

    No connection of this process may be open: its own locks do not hold it off.

    Raises:
        DatabaseLocked: another process has the database open.
        DatabaseTooNew: a newer botleague made the backup.
        DatabaseUnusable: the backup is damaged or no database of botleague, or a file cannot be written. Unless it
            says so, nothing was changed.
    """
    address = parse_url(url)
    if address.get_backend_name() != "sqlite":
        raise DatabaseUnusable(
            "`db restore` replaces SQLite files. For PostgreSQL use pg_restore, or psql, with what pg_dump wrote."
        )
    main = Path(os.path.realpath(address.database or ""))  # of a link the file that it leads to
    _refuse(backup, main)
    try:
        with alone(main), _copied(backup, main) as copy:
            revision = _examined(copy, backup)
            former = _set_aside(main)
            copy.rename(main)
            _sync(main.parent)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise DatabaseUnusable(f"Database {main} cannot be replaced: {error.strerror}{where}.") from error
    return Restored(main, former, revision != HEAD)


def _refuse(backup: Path, main: Path) -> None:
    try:
        status = backup.stat()
    except OSError as error:
        raise DatabaseUnusable(f"The backup {backup} cannot be read ({error.strerror}).") from error
    if not stat.S_ISREG(status.st_mode):
        raise DatabaseUnusable(f"{backup} is not a file. Name a file that `botleague db backup` wrote.")
    if main.exists() and main.samefile(backup):
        raise DatabaseUnusable(
            f"{backup} is the database itself. Name a file that `botleague db backup` wrote."
        )
    if not main.parent.is_dir():
        raise DatabaseUnusable(
            f"Database {main}: there is no folder {main.parent}. Create it, or name another database with --db."
        )


@contextmanager
def alone(main: Path) -> Iterator[None]:
    """Keep all connections of other processes out.

    Raises:
        DatabaseLocked: one is open, though it may do nothing.
    """
    held = []
    try:
        for file, (start, length) in ((main, MAIN_LOCKS), (Path(f"{main}-shm"), INDEX_LOCKS)):
            try:
                held.append(os.open(file, os.O_RDWR | os.O_CLOEXEC))
            except FileNotFoundError:
                continue
            try:
                fcntl.lockf(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EAGAIN):
                    raise
                raise DatabaseLocked(
                    f"Database {main} is open in another process. Stop the servers, runners and commands that use it, "
                    "and run the same command again. Nothing was changed."
                ) from error
        yield
    finally:
        for descriptor in held:
            os.close(descriptor)


@contextmanager
def _copied(backup: Path, main: Path) -> Iterator[Path]:
    """Give a copy of the backup next to the database, with its owner and mode; remove the copy unless it was moved."""
    number, name = tempfile.mkstemp(dir=main.parent, prefix=f"{main.name}-", suffix=".part")
    copy = Path(name)
    try:
        # A saved former database has a log of its own; without one, no file next to the backup is created.
        log = Path(f"{backup}-wal")
        query = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
        try:
            with (
                closing(sqlite3.connect(f"{backup.absolute().as_uri()}?{query}", uri=True)) as source,
                closing(sqlite3.connect(copy)) as target,
            ):
                target.execute("pragma journal_mode=memory")
                source.backup(target)
        except sqlite3.Error as error:
            raise DatabaseUnusable(
                f"The backup {backup} cannot be copied to {main.parent} ({error}). Nothing was changed."
            ) from error
        with suppress(FileNotFoundError):
            status = main.stat()
            os.fchmod(number, stat.S_IMODE(status.st_mode))
            with suppress(PermissionError):
                os.fchown(number, status.st_uid, status.st_gid)
        os.fsync(number)
        yield copy
    finally:
        os.close(number)
        copy.unlink(missing_ok=True)


def _examined(copy: Path, backup: Path) -> str:
    """Return the schema revision of a copy of a backup, after checking that it is an undamaged botleague database."""
    try:
        if damage := damage_of(copy):
            raise _unusable(backup, damage[0])
        with closing(sqlite3.connect(f"{copy.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            tables = {
                name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
            }
            is_ours = {"alembic_version", "fixture"} <= tables
            row = (
                connection.execute("select version_num from alembic_version").fetchone() if is_ours else None
            )
    except sqlite3.Error as error:
        raise _unusable(backup, str(error)) from error
    if row is None:
        raise _unusable(backup, "it holds no tables of botleague")
    revision: str = row[0]
    migrating.refuse_unknown(f"The backup {backup}", revision)
    if revision == HEAD and (missing := metadata.tables.keys() - tables):
        raise _unusable(backup, f"its table {min(missing)} is missing")
    return revision


def _unusable(backup: Path, why: str) -> DatabaseUnusable:
    return DatabaseUnusable(f"The backup {backup} cannot be used ({why}). Nothing was changed.")


def _set_aside(main: Path) -> Path | None:
    """Move the database, with its log, to another name; return that, None if nothing is there."""
    logs = [Path(f"{main}{end}") for end in LOGS if os.path.lexists(f"{main}{end}")]
    filled = [log for log in logs if log.stat().st_size]
    moved = []
    if main.exists() or filled:
        former = free_name(main, "-before-restore")
        for log in filled:
            moved.append(copy := Path(f"{former}{log.name.removeprefix(main.name)}"))
            with open(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
                with log.open("rb") as source:
                    shutil.copyfileobj(source, target)
                target.flush()
                os.fsync(target.fileno())
        with suppress(FileNotFoundError):
            main.rename(former)
            moved.insert(0, former)
            with suppress(PermissionError):
                former.chmod(0o600)
        _sync(main.parent)  # before the log goes: it may hold what its database lacks
    for file in (*logs, Path(f"{main}-shm")):
        file.unlink(missing_ok=True)
    return moved[0] if moved else None


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
