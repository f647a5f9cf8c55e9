"""Schema changes, as Alembic migrations shipped inside the package."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from botleague_storage.schema.storage_errors import DatabaseTooNew, DatabaseUnusable


def revisions() -> tuple[str, ...]:
    """Return all known revisions, newest first."""
    return tuple(script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions())


def refuse_unknown(what: str, revision: str) -> None:
    """Refuse a database or a backup from whose revision no migration leads to today's.

    Args:
        what: it is, for the beginning of a sentence.

    Raises:
        DatabaseUnusable: it is older than the oldest revision.
        DatabaseTooNew: a newer botleague made it.
    """
    numbers = revisions()
    if revision in numbers:
        return
    if revision < numbers[-1]:
        raise DatabaseUnusable(
            f"{what} is too old (schema {revision}): the oldest schema that can be upgraded is {numbers[-1]}, "
            "made by commit 3601da6. Nothing was changed. Bring it up to date with the botleague of that commit first, "
            "or name another."
        )
    raise DatabaseTooNew(
        f"{what} was made by a newer botleague (schema {revision}, this one knows {numbers[0]}). Nothing was changed. "
        "Upgrade botleague, or name another."
    )


def stamp(connection: Connection, revision: str) -> None:
    """Note that the tables just created are those of ``revision``."""
    MigrationContext.configure(connection).stamp(ScriptDirectory.from_config(_config()), revision)


def run(connection: Connection, target: str) -> None:
    """Run the migrations from where the database is up to ``target``, in the transaction of ``connection``."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, target)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    return config
