"""A round robin of bots called by single letters."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from botleague.league import LeagueSettings, create_league
from botleague.plugins import PluginHost
from botleague.rules import Variant
from botleague_storage import Database, bots
from botleague_storage.league_rows.leagues import LeagueRow


@pytest.fixture
def open_league(database: Database, plugins: PluginHost, guessing: Variant) -> Callable[..., LeagueRow]:
    def make(names: str = "abcd", rounds: int = 1, host: PluginHost = plugins) -> LeagueRow:
        settings = LeagueSettings(format_options={"rounds": rounds, "seats": 2}, seed=5)
        with database.writing() as connection:
            entrants = [
                bots.submit(
                    connection, "guessing", name, "", bots.Source({"bot.py": name.encode()}, "bot.py")
                )[0].id
                for name in names
            ]
            return create_league(connection, host, "cup", guessing, settings, entrants).league

    return make
