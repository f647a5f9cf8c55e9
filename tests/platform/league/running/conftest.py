"""A round robin of bots called by single letters."""

from __future__ import annotations

import pytest

from botleague.league import LeagueSettings, create_league
from botleague.plugins import PluginHost
from botleague.rules import Variant
from botleague_storage import Database

from ..scripted_league import MakeLeague, ScriptedLeague, entered


@pytest.fixture
def open_league(database: Database, plugins: PluginHost, guessing: Variant) -> MakeLeague:
    def make(names: str = "abcd", rounds: int = 1, host: PluginHost = plugins) -> ScriptedLeague:
        settings = LeagueSettings(format_options={"rounds": rounds, "seats": 2}, seed=5)
        with database.writing() as connection:
            entrants = [entered(connection, name) for name in names]
            create_league(connection, host, "cup", guessing, settings, entrants)
        return ScriptedLeague(database, host, "cup")

    return make
