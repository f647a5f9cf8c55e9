"""A database, and leagues of bots called by single letters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from botleague.league import LeagueSettings, create_league
from botleague.plugins import PluginHost
from botleague.rules import Variant
from botleague_storage import Database, events

from .scripted_league import MakeLeague, ScriptedLeague, entered


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(str(tmp_path / "league.db"))
    yield database
    database.close()


@pytest.fixture
def opened(plugins: PluginHost, guessing: Variant) -> MakeLeague:
    """Makes a league of bots called by single letters."""

    def make(
        database: Database,
        names: str = "abcd",
        name: str = "cup",
        divisions: Mapping[str, str] | None = None,
        starts: Sequence[events.StartRow] = (),
        **terms: Any,
    ) -> ScriptedLeague:
        options = terms.pop("format_options", {})
        settings = LeagueSettings(seed=5, format_options=options, **terms)
        with database.writing() as connection:
            versions = [entered(connection, letter) for letter in names]
            chosen = {versions[names.index(bot)]: where for bot, where in (divisions or {}).items()}
            create_league(
                connection, plugins, name, guessing, settings, versions, divisions=chosen, starts=starts
            )
        return ScriptedLeague(database, plugins, name)

    return make
