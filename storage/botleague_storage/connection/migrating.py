"""Schema changes, as Alembic migrations shipped inside the package."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection


def revisions() -> tuple[str, ...]:
    """Return all known revisions, newest first."""
    return tuple(script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions())


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
