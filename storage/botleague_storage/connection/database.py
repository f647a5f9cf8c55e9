"""Opening a database: SQLite in WAL mode by default, PostgreSQL by URL.

A :class:`Database` hands out connections in two ways: ``reading()`` for queries, and ``writing()`` for one transaction
that takes the write lock at its first statement, so that what is read inside it cannot change before it
commits. Errors of the driver leave here as one clear :class:`DatabaseUnusable`.

Both kinds of databases keep these promises alike. A reader on PostgreSQL sees one snapshot, as in WAL mode; the write
lock there is an advisory lock, held to the end of the transaction: ours are short and few, and none has to be thought
through twice.

An SQLite database is two files, and a process keeps writing to files that were deleted. So each transaction checks
that the open files still have their names, and :meth:`Database.checkpoint` writes to the main file what
would be lost with the log.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, nullcontext
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError, NoSuchModuleError
from sqlalchemy.util import LRUCache

from botleague_storage.connection.database_files import file_id, make_private, refuse_missing
from botleague_storage.connection.database_url import parse_url
from botleague_storage.connection.horizon import Horizon, limit
from botleague_storage.connection.readonly_file import Reader, reader_of
from botleague_storage.schema.bulk_statements import copy_rows
from botleague_storage.schema.league_tables import event as logged
from botleague_storage.schema.league_tables import fixture, season
from botleague_storage.schema.storage_errors import DatabaseEmpty, DatabaseOutdated, DatabaseUnusable, explain

logger = logging.getLogger(__name__)

HEAD = "0024"
"""The newest revision in ``migrations/versions``; a test compares the two."""

BUSY_TIMEOUT_S = 15

CONNECT_TIMEOUT_S = 10

RESPONSE_S = 20.0
"""Seconds that PostgreSQL may take to respond to a server; longer than the wait for another program's lock."""

TCP = {"keepalives_idle": 30, "keepalives_interval": 10, "tcp_user_timeout": 30_000}
"""A machine or a network that fails ends a connection within a minute, and not after hours."""

CACHE_KIB = 64 * 1024
"""Pages that SQLite may keep in memory: enough for the busy ends of a million matches and their indexes."""

CHECKPOINT_PAGES = 8 * 1024
"""Pages in the write-ahead log before they go to the file: pages that change often are then written once."""

LOG_FOLLOWS = 1
"""``user_version`` of a main file whose log says more; the log itself says 0, and so does what it is merged into."""

WRITE_LOCK = 0x626F746C
"""Key of the advisory lock that all writers of a PostgreSQL database take."""


class Database:
    """An open database.

    Args:
        url: an SQLAlchemy URL, or a path of an SQLite file.
        create: create the database if it does not exist.
        any_revision: open it even when its schema is older or newer, to upgrade or copy it.
        reads_only: change nothing, and need no right to write; see :mod:`botleague_storage.connection.readonly_file`.
        is_scratch: a file that is removed after use: it need not survive a crash, and may refer to missing rows.
        busy_timeout_s: how long a transaction waits for another program's.
        response_s: how long PostgreSQL may take to respond; None without a limit.
        is_over: after that time, wait until this returns True; None to wait no longer.

    Raises:
        DatabaseUnusable: it cannot be opened, is damaged, or is something else.
        DatabaseEmpty: it has no tables, and must not be created.
        DatabaseOutdated: an older botleague made it.
        DatabaseTooNew: a newer botleague made it.
    """

    def __init__(
        self,
        url: str,
        *,
        create: bool = True,
        any_revision: bool = False,
        reads_only: bool = False,
        is_scratch: bool = False,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
        response_s: float | None = None,
        is_over: Callable[[], bool] | None = None,
    ) -> None:
        self.url = parse_url(url)
        self.place = self.url.database if self.is_sqlite else self.url.render_as_string(hide_password=True)
        # Main file and log; a URI is no path.
        self._files: tuple[Path, Path] | None = None
        self._had_log = True
        if self.is_sqlite and "uri" not in self.url.query:
            self._files = Path(self.url.database or ""), Path(f"{self.url.database}-wal")
            self._had_log = refuse_missing(*self._files, create)
            if create:
                make_private(self._files[0].resolve())  # a link may lead to it
        self._reader: Reader | None = None
        if reads_only and self._files:
            self._reader = reader_of(self._files[0])
            self._files = None if self._reader.copied_at else self._files
        # Before the first connection: a file that is replaced meanwhile is noticed.
        self._main = file_id(self._files[0]) if self._files else None
        self._any_revision = any_revision
        self._is_scratch = is_scratch
        self._listener: Any = None
        self.engine = self._engine(busy_timeout_s, response_s, is_over)
        self._is_current = False
        try:
            self._get_ready(create, any_revision)
        except BaseException:
            self.close()
            raise
        self._is_current = not any_revision
        if self.is_sqlite:
            _share_statements(self.engine)

    def _get_ready(self, create: bool, any_revision: bool) -> None:
        """Create the tables if they do not exist, and refuse tables of another revision."""
        with self._explained():
            revision = self.revision()
        if revision is None:
            if not create:
                raise DatabaseEmpty(
                    f"Database {self.place} holds nothing yet. `botleague submit` or `botleague run` fills it; if one "
                    "has just begun, try again in a moment."
                )
            self._create()
            self.checkpoint()  # the tables at least are in the main file
            return
        follows = bool(self._files) and self._log_follows()
        if follows and self._had_log and self._reader is None:
            # A process that wrote the log to the main file was killed. Nothing is lost if all of it goes there.
            self._set_log_follows(0)
        elif follows and not self._had_log:
            logger.warning(
                "Database %s was not closed properly, and its write-ahead log %s-wal is missing: what was recorded "
                "last is lost with it, and matches that are missing are played again. If you have that file, stop "
                "here, put it back and begin again.",
                self.place,
                self.place,
            )
        if not any_revision:
            self._refuse_other(revision)

    def _refuse_other(self, revision: str) -> None:
        """Refuse tables of another revision.

        Raises:
            DatabaseOutdated: they are older.
            DatabaseTooNew: they are newer.
        """
        if revision == HEAD:
            return
        from botleague_storage.connection import migrating

        migrating.refuse_unknown(f"Database {self.place}", revision)
        way = "it makes a backup and" if self.is_sqlite else "make a backup with pg_dump first; it"
        raise DatabaseOutdated(
            f"Database {self.place} was made by an older botleague. Run `botleague db upgrade`: {way} brings it up to "
            "date."
        )

    @property
    def is_sqlite(self) -> bool:
        """Whether this is an SQLite file."""
        return self.url.get_backend_name() == "sqlite"

    def write_problem(self) -> str:
        """Return why this user cannot write to the database, "" if the system would allow it."""
        if self.is_sqlite:
            main = Path(self.url.database or "")
            if os.access(main, os.W_OK) and os.access(main.parent, os.W_OK):
                return ""
            return f"{main} is not writable by this user. Change the permissions of the file and its folder."
        with self.reading() as connection:
            refused = connection.execute(_REFUSED_TABLES, {"tables": list(_every_table().tables)}).scalar()
        return (
            f"this user may not write the table {refused}: grant INSERT, UPDATE and DELETE."
            if refused
            else ""
        )

    def free_share(self) -> float:
        """Return the share of its disk that is free, 1 where that is not ours to know."""
        if not self._files:
            return 1.0
        disk = shutil.disk_usage(self._files[0].absolute().parent)
        return disk.free / disk.total

    @property
    def as_of(self) -> datetime | None:
        """Time of the copy that is read, because the file may not be written; None if the file itself is read."""
        return None if self._reader is None else self._reader.copied_at

    @contextmanager
    def reading(
        self, limits: Callable[[Connection], Collection[Horizon]] | None = None
    ) -> Iterator[Connection]:
        """Give a connection whose queries see one consistent state.

        Args:
            limits: the end of each season for the reader; rows beyond it do not exist for any query.
        """
        unchanged = nullcontext() if self._reader is None else self._reader.unchanged()
        with unchanged, self._explained(), self.engine.connect() as connection:
            if not self.is_sqlite:
                # A limit is made of temporary names, which a transaction that only reads may not make.
                connection.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=limits is None
                )
            transaction = connection.begin()
            try:
                if limits is not None:
                    limit(connection, limits(connection))
                yield connection
            finally:
                transaction.rollback()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection inside one write transaction; it commits at the end, or not at all.

        Raises:
            DatabaseTooNew: a newer botleague has upgraded the database since it was opened.
        """
        with (
            self._explained(),
            self.engine.connect().execution_options(botleague_write=True) as connection,
            connection.begin(),
        ):
            if not self.is_sqlite:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(WRITE_LOCK)))
            if self._is_current:  # after the lock, which an upgrade takes, too
                self._refuse_other(connection.exec_driver_sql(_REVISION).scalar_one())
            yield connection

    def checkpoint(self) -> None:
        """Write recorded changes to the main file of an SQLite database, as far as no reader needs the earlier state.

        Raises:
            DatabaseUnusable: it cannot be written, or its files are not those that were opened.
        """
        if self._files:
            self._merge_log("passive")

    def compact(self) -> bool:
        """Rewrite the file without deleted rows, so that they cannot be read from it or its log.

        It takes as long as copying the database, and as much free disk space.

        Returns:
            Whether the whole log is gone too; not while a reader needs the earlier state.

        Raises:
            DatabaseUnusable: another process writes for too long, or the disk is full.
        """
        if not self.is_sqlite:
            self._compact_tables()
            return True
        with self._explained(), closing(self.engine.raw_connection()) as connection:
            connection.cursor().execute("vacuum")
        return self._merge_log("truncate")

    def _compact_tables(self) -> None:
        """Rewrite the tables of PostgreSQL; it leaves out those of another owner with a warning.

        Raises:
            DatabaseUnusable: it did.
        """
        left_out: list[str] = []
        engine = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        quote = engine.dialect.identifier_preparer.quote
        with self._explained(), engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            driver.add_notice_handler(lambda notice: left_out.append(notice.message_primary))
            connection.exec_driver_sql(f"vacuum full {', '.join(map(quote, _every_table().tables))}")
        if left_out:
            raise DatabaseUnusable(
                f"Database {self.place} still contains deleted data: {left_out[0]}. Run the same command as the owner "
                "of its tables."
            )

    def _merge_log(self, how: str) -> bool:
        """Return whether no other process was in the way."""
        self._set_log_follows(LOG_FOLLOWS)
        with self._explained(), closing(self.engine.raw_connection()) as connection:
            is_busy = connection.cursor().execute(f"pragma wal_checkpoint({how})").fetchone()[0]
        # From here on the main file and its log disagree. A main file without its log must be detectable.
        self._set_log_follows(0)
        return not is_busy

    def _set_log_follows(self, value: int) -> None:
        with self.writing() as connection:
            connection.exec_driver_sql(f"pragma user_version={value}")

    def _log_follows(self) -> bool:
        with self.reading() as connection:
            return connection.exec_driver_sql("pragma user_version").scalar() == LOG_FOLLOWS

    def change_mark(self) -> object:
        """Return a value that changes as soon as another connection has committed. Not for several threads at once.

        Asking takes no lock and no transaction, so it can be done many times a second.

        Raises:
            DatabaseUnusable: the server of the database is away.
        """
        if not self.is_sqlite:
            with self.reading() as connection:
                return tuple(connection.execute(_COUNTERS).one())
        with self._explained():
            if self._listener is None:
                self._listener = self.engine.raw_connection()
            number = self._listener.cursor().execute("pragma data_version").fetchone()[0]
        return number, file_id(self._files[0]) if self._files else None

    def close(self) -> None:
        """Let go of all connections."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self.engine.dispose()
        if self._reader is not None:
            self._reader.close()

    def revision(self) -> str | None:
        """Return the schema's revision, None for an empty database.

        Raises:
            DatabaseUnusable: it contains tables of another program, or is damaged.
        """
        with self.engine.connect() as connection:
            tables = sa.inspect(connection).get_table_names()
            if not tables:
                return None
            if "alembic_version" not in tables or "fixture" not in tables:
                raise DatabaseUnusable(
                    f"Database {self.place} holds tables of another program ({', '.join(sorted(tables)[:3])}). "
                    "Name another with --db."
                )
            revision: str | None = connection.exec_driver_sql(_REVISION).scalar()
            if revision is None:
                raise DatabaseUnusable(
                    f"Database {self.place} is damaged: the row with its version is missing. Restore a backup."
                )
            return revision

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:  # of SQLAlchemy's connections, and of the driver's
            raise explain(self.place or "", error) from error
        except (json.JSONDecodeError, msgspec.DecodeError, zlib.error) as error:
            raise DatabaseUnusable(
                f"Database {self.place} holds a row that cannot be read ({error}). `botleague db check` shows the row; "
                "restore a backup."
            ) from error

    def _engine(
        self, busy_timeout_s: float, response_s: float | None, is_over: Callable[[], bool] | None
    ) -> Engine:
        if not self.is_sqlite:
            # After the user's own options, if the URL has any.
            options = f"{self.url.query.get('options', '')} -c lock_timeout={round(1000 * busy_timeout_s)}"
            try:
                engine = sa.create_engine(
                    self.url,
                    pool_pre_ping=True,
                    connect_args={
                        **{name: value for name, value in TCP.items() if name not in self.url.query},
                        "connect_timeout": CONNECT_TIMEOUT_S,
                        "options": options,
                    },
                )
            except (ImportError, NoSuchModuleError) as error:
                raise DatabaseUnusable(
                    f"The driver for {self.url.drivername} is not installed ({error}). "
                    "For PostgreSQL: pip install 'botleague[postgres]'."
                ) from error
            event.listen(engine, "do_executemany", copy_rows)
            if response_s is not None:
                from botleague_storage.connection.response_limit import connect_within

                event.listen(engine, "do_connect", connect_within(response_s, is_over))
            return engine
        if self._reader is not None:
            reader = self._reader
            engine = sa.create_engine(self.url, creator=lambda: reader.connect(busy_timeout_s))
        else:
            engine = sa.create_engine(self.url, connect_args={"timeout": busy_timeout_s})
            event.listen(engine, "connect", _prepare_sqlite)
            if self._any_revision:
                # While a table is recreated, rows of other tables reference missing rows.
                event.listen(engine, "connect", lambda made, _: made.execute("pragma foreign_keys=off"))
            if self._is_scratch:
                event.listen(engine, "connect", lambda made, _: made.executescript(_SCRATCH))
        event.listen(engine, "begin", _begin_sqlite)
        event.listen(engine, "begin", self._compare_files)
        return engine

    def _compare_files(self, connection: Connection) -> None:
        """Refuse to continue with files that were deleted or replaced: all later writes would be lost.

        Raises:
            DatabaseUnusable: they were.
        """
        if not self._files:
            return
        main, log = map(file_id, self._files)
        # Each connection has its log: the last one to close removes it.
        if connection.info.get("log") is None:
            connection.info["log"] = log
        if main != self._main:
            raise DatabaseUnusable(
                f"Database {self.place} was deleted or replaced while it was in use. Nothing more is written. If you "
                "have the file, put it back with its -wal; else restore a backup. Then run the same command."
            )
        if log != connection.info["log"]:
            raise DatabaseUnusable(
                f"The write-ahead log {self._files[1]} was deleted or replaced while it was in use. Nothing more is "
                "written. Run `botleague db check`, and then the same command: it plays again what is missing."
            )

    def _create(self) -> None:
        from botleague_storage.connection import migrating

        with self.writing() as connection:
            # Another process may have been quicker while this one waited for the lock.
            if sa.inspect(connection).get_table_names():
                return
            for statement in _creation(self.url.drivername):
                connection.exec_driver_sql(statement)
            migrating.stamp(connection, HEAD)


_compiled: LRUCache[Any, Any] = LRUCache(500)
_dialect: sa.Dialect | None = None


def _share_statements(engine: Engine) -> None:
    """Compile each statement once per process, and not for each database: that takes longer than executing it.

    Args:
        engine: of SQLite, and connected before: then its dialect knows the version.
    """
    global _dialect
    _dialect = engine.dialect = _dialect or engine.dialect
    engine.update_execution_options(compiled_cache=_compiled)


@cache
def _creation(driver: str) -> tuple[str, ...]:
    """Return the statements that create all tables; compiling them takes longer than executing them."""
    statements: list[str] = []

    def note(statement: Any, *_: object) -> None:
        statements.append(str(statement.compile(dialect=recorder.dialect)))

    recorder = sa.create_mock_engine(f"{driver}://", note)
    _every_table().create_all(recorder, checkfirst=False)
    return tuple(statements)


def _every_table() -> sa.MetaData:
    # Not above: commands that print a table need none of people's, and describing those takes longer than reading.
    from botleague_storage.schema.schema import metadata

    return metadata


_SCRATCH = "pragma journal_mode=memory; pragma synchronous=off; pragma foreign_keys=off"

_REVISION = "select version_num from alembic_version"

_REFUSED_TABLES = sa.text(
    "select name from unnest(cast(:tables as text[])) as name where not (has_table_privilege(quote_ident(name), "
    "'INSERT') and has_table_privilege(quote_ident(name), 'UPDATE') and has_table_privilege(quote_ident(name), "
    "'DELETE')) order by name limit 1"
)
"""The first table that the user of a PostgreSQL database may not write."""

_COUNTERS = sa.select(
    sa.select(sa.func.sum(season.c.settled)).scalar_subquery(),
    sa.select(sa.func.max(fixture.c.id)).scalar_subquery(),
    sa.select(sa.func.max(logged.c.id)).scalar_subquery(),
    sa.select(sa.func.count()).where(fixture.c.claimed_by.is_not(None)).scalar_subquery(),
)
"""Tables that change whenever anything that a season shows changes."""


def _prepare_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    # SQLAlchemy begins transactions itself (below), so that a write takes its lock at once.
    connection.isolation_level = None
    cursor = connection.cursor()
    try:
        # The first statement that touches the file: a read-only database keeps whatever mode it has.
        if cursor.execute("pragma journal_mode").fetchone()[0] != "wal":
            cursor.execute("pragma journal_mode=wal")
    except sqlite3.OperationalError as error:
        if "readonly" not in str(error):
            raise
    cursor.execute("pragma synchronous=normal")
    cursor.execute("pragma foreign_keys=on")
    cursor.execute(f"pragma cache_size=-{CACHE_KIB}")
    cursor.execute(f"pragma wal_autocheckpoint={CHECKPOINT_PAGES}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get("botleague_write", False)
    connection.exec_driver_sql("begin immediate" if write else "begin")
