"""Names of leagues and bots for a shell that completes a word: a glance at the file, without the database's library."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Literal

MOST = 200
"""Maximum number of names; a longer list is useless in a shell."""

BUSY_TIMEOUT_S = 0.05


def stored_names(database: str, table: Literal["league", "bot"], start: str) -> list[str]:
    """Return the names in an SQLite database that begin with ``start``, in order.

    A database that cannot be read at once, or on a server, yields none: a completion must not wait.
    """
    if "://" in database and not database.startswith("sqlite:///"):
        return []
    file = Path(os.path.expanduser(database.removeprefix("sqlite:///"))).absolute()
    log, index = Path(f"{file}-wal"), Path(f"{file}-shm")
    # As in connection.readonly_file, but a log without its index is left unread rather than copied.
    query = "mode=ro" if log.exists() and index.exists() else "immutable=1"
    try:
        with closing(
            sqlite3.connect(f"{file.as_uri()}?{query}", uri=True, timeout=BUSY_TIMEOUT_S)
        ) as connection:
            rows = connection.execute(
                f"select distinct name from {table} where substr(name, 1, ?) = ? order by name limit ?",
                (len(start), start, MOST),
            )
            return [name for (name,) in rows]
    except sqlite3.Error:
        return []
