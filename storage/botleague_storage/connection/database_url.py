"""URLs and paths of databases."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from botleague_storage.connection.database_files import file_id
from botleague_storage.schema.storage_errors import DatabaseUnusable


def parse_url(text: str) -> URL:
    """Return the URL that ``text`` means: itself with the driver we use, or that of the SQLite file it names.

    Raises:
        DatabaseUnusable: it is neither.
    """
    try:
        if "://" in text:
            url = make_url(text)
        else:  # not by way of a text: in one, "?" and "%" of a path mean something else
            url = URL.create("sqlite", database=str(Path(os.path.expanduser(text)).absolute()))
    except (ArgumentError, ValueError) as error:  # a port that is no number, too
        address = f"...@{text.rpartition('@')[2]}" if "@" in text else text
        raise DatabaseUnusable(
            f"{address!r} is not a database URL or path. In a name or password write @ as %40, : as %3A, / as %2F."
        ) from error
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise DatabaseUnusable(
            f"Database {url.render_as_string(hide_password=True)}: botleague keeps leagues in SQLite (a path) or "
            "PostgreSQL (postgresql://USER@HOST/DATABASE), not in this."
        )
    if url.get_backend_name() == "sqlite":
        if not url.database or url.database == ":memory:":
            raise DatabaseUnusable("A league needs a database file: give a path or sqlite:///PATH.")
        _refuse_path(Path(url.database))
    return url


def shown_url(text: str) -> str:
    """Return a URL or path of a database without its password."""
    if "://" not in text:
        return text
    try:
        return make_url(text).render_as_string(hide_password=True)
    except (ArgumentError, ValueError):  # it is refused where it is opened
        return f"{text.partition('://')[0]}://***"


def _refuse_path(path: Path) -> None:
    try:
        file_id(Path(f"{path}-journal"))  # the longest name that SQLite makes of it
        is_folder = path.is_dir()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise DatabaseUnusable(
            f"Database {path} cannot be opened ({why}). Name another with --db."
        ) from error
    if is_folder:
        raise DatabaseUnusable(
            f"Database {path} is a folder. Name a file in it, like {path / 'botleague.db'}."
        )
