"""Errors of a database, each as one message with the cause, the place and the next step.

::

    StorageError
        DatabaseUnusable      it cannot be opened or written: read-only, full, damaged, deleted, no such folder
            DatabaseEmpty         it has no tables yet
            DatabaseAway          not now; trying again may help
                ConnectionLost        its server does not answer, or ended the connection
                DatabaseLocked        another program holds its lock
        DatabaseOutdated      an older botleague made it; `db upgrade` brings it up to date
        DatabaseTooNew        a newer botleague made it
        DamagedRow            a row was changed by hand, or by a failing disk
        NotFound              no row of that name
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import ClassVar


class StorageError(Exception):
    """Base of all errors that the storage raises on purpose.

    Attributes:
        code: name of the kind of error for programs, of the whole class.
    """

    code: ClassVar[str] = "database"


class DatabaseUnusable(StorageError):
    """The database cannot be opened, read or written as it is."""


class DatabaseEmpty(DatabaseUnusable):
    """The database has no tables yet."""


class DatabaseAway(DatabaseUnusable):
    """The database cannot be used now. Trying again may help."""

    code = "database-away"


class DatabaseLocked(DatabaseAway):
    """Another program holds its lock. Nothing of the transaction is written."""


class ConnectionLost(DatabaseAway):
    """The database's server does not answer, or ended the connection. Nothing of the transaction is written, or all."""


class DatabaseOutdated(StorageError):
    """The schema is older than this version of botleague."""

    code = "database-version"


class DatabaseTooNew(StorageError):
    """The schema is newer than this version of botleague."""

    code = "database-version"


class NotFound(StorageError):
    """There is no such row."""

    code = "not-found"


class DamagedRow(StorageError):
    """A row does not hold what rows of its table hold, so it was changed by hand or by a failing disk."""

    code = "database-damaged"

    def __init__(self, row: str, what: str) -> None:
        super().__init__(
            f"{row} is damaged: {what}. It cannot be computed from others, so restore a backup of the database."
        )


class SourceErased(NotFound):
    """The source of a bot's version was erased, as its author asked for; its digest and results are there."""

    def __init__(self, title: str) -> None:
        super().__init__(
            f"The source of {title} was erased with its author's account, so it can no longer be played. Its results "
            "stay."
        )


_AWAY = (
    "the database server does not answer, or ended the connection. Check that it runs and that the URL is right, and "
    "run the same command: it resumes from the recorded results"
)

_LOCKED = (
    "another program is writing to it and did not finish in time. Wait for it, or stop it, and try again"
)

_CAUSES = (
    (("locked", "lock timeout", "could not obtain lock", "deadlock"), _LOCKED),
    (
        ("authentication failed", "no password supplied", "no pg_hba.conf entry"),
        "the server refuses this user or password. Check the URL",
    ),
    (
        ("fatal:  database", "fatal:  role"),
        "the server has no such database or user. Make the database with `createdb`, and check the URL",
    ),
    (
        (
            "could not connect",
            "connection refused",
            "connection failed",
            "connection is bad",
            "connection timeout",
            "server closed",
            "terminating",
            "connection is lost",
            "connection is closed",
            "consuming input failed",
            "sending query",
            "failed to resolve host",
        ),
        _AWAY,
    ),
    (
        ("readonly", "read-only"),
        "it is read-only. Change its permissions (the folder's too), or name another database with --db",
    ),
    (
        ("permission denied",),
        "the server does not let this user change it. Grant the rights, or check the URL",
    ),
    (
        ("disk is full", "disk full", "no space left", "disk i/o error", "could not extend file"),
        "the disk is full or failing. Free some space and run the same command: it resumes from the recorded results",
    ),
    (
        ("malformed", "not a database", "corrupt", "file is encrypted"),
        "the file is damaged or is not a botleague database. Restore a backup with `botleague db restore FILE`, or "
        "name another database with --db",
    ),
    (
        ("unable to open", "no such file"),
        "it cannot be opened. Check that its folder exists, that you may write there and read the file, and that its "
        "disk has room for new files",
    ),
)


def explain(place: str, error: BaseException) -> DatabaseUnusable:
    """Return the error to show for what the database driver said about the database at ``place``."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    text = lines[0] if lines else type(error).__name__
    for signs, advice in _CAUSES:
        if any(sign in text.lower() for sign in signs):
            kind = {_AWAY: ConnectionLost, _LOCKED: DatabaseLocked}.get(advice, DatabaseUnusable)
            return kind(f"Database {place}: {advice}. (The driver says: {text})")
    if getattr(error, "connection_invalidated", False):  # what drivers say of broken connections is endless
        return ConnectionLost(f"Database {place}: {_AWAY}. (The driver says: {text})")
    return DatabaseUnusable(f"Database {place} cannot be used: {text}")


def nearest(name: str, names: Sequence[str]) -> str:
    """Return " Did you mean 'x' or 'y'?" for the known names closest to ``name``, at most three, or nothing."""
    # A mistyped name rarely has another first letter.
    close = difflib.get_close_matches(name, [one for one in names if one[:1].lower() == name[:1].lower()])
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
