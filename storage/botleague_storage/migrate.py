"""Schema changes, as Alembic migrations shipped inside the package."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from botleague_storage.database import HEAD, Database, backup, backup_path
from botleague_storage.errors import DatabaseTooNew

__all__ = ["revisions", "run", "stamp", "upgrade"]


def revisions() -> tuple[str, ...]:
    """Return all known revisions, newest first."""
    return tuple(script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions())


def stamp(connection: Connection, revision: str) -> None:
    """Note that the tables just created are those of ``revision``."""
    MigrationContext.configure(connection).stamp(ScriptDirectory.from_config(_config()), revision)


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
        if revision not in revisions():
            raise DatabaseTooNew(
                f"Database {database.place} was made by a newer botleague: nothing was changed."
            )
        kept = None
        if database.is_sqlite:
            kept = backup_path(database)
            backup(database, kept)
        with database.writing() as connection:
            run(connection, HEAD)
        return kept
    finally:
        database.close()


def run(connection: Connection, target: str) -> None:
    """Run the migrations from where the database is up to ``target``, in the transaction of ``connection``."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, target)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config
