"""Leagues of bots called by single letters, with dates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from botleague.league import LeagueSettings, Penalties, create_league
from botleague.league.decisions import season_decisions
from botleague.plugins import PluginHost
from botleague.rules import Variant
from botleague_storage import Database

from .frozen_league import FREEZE, REVEAL, Clock, League, entered


@pytest.fixture
def league(
    tmp_path: Path, plugins: PluginHost, guessing: Variant, plugin_file: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., League]:
    """Makes a league of bots called by single letters that is frozen at one and revealed at six."""
    (tmp_path / "botleague.toml").write_text(f'plugins = ["{plugin_file}"]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def make(names: str = "abcd", dates: Mapping[str, str] | None = None, **terms: Any) -> League:
        made = League(tmp_path / "league.db", plugins, Clock())
        settings = LeagueSettings(seed=5, penalties=Penalties(failures=2), **terms)
        database = Database(str(made.file))
        with database.writing() as connection:
            versions = [entered(connection, letter, letter) for letter in names]
            season = create_league(connection, plugins, "cup", guessing, settings, versions)
            season.clock = made.clock
            season_decisions.set_calendar(
                season, {"freeze": FREEZE, "reveal": REVEAL} if dates is None else dates
            )
        database.close()
        return made

    return make
