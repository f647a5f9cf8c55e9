"""Every game plays a whole season of real bots, each in its sandbox, and verification finds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from botleague.application.authoring.starter_files.variant_interface import brief
from botleague.executors import InProcess
from botleague.league import LeagueSettings, Runner, create_league, open_season
from botleague.league.tables import read_standings
from botleague.league.verification import verify
from botleague.plugins import PluginHost
from botleague.workers import HostSetup
from botleague_storage import Database, bots, results

EXAMPLE = "import random\ndef act(state):\n    return random.choice(state.legal_actions)\n"
PLUGINS = PluginHost.load()
GAMES = [name for name, plugin in PLUGINS.origins.items() if plugin == "openspiel"]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with closing(Database(str(tmp_path_factory.mktemp("seasons") / "league.db"))) as opened:
        yield opened


@pytest.fixture(scope="module")
def executor() -> Iterator[InProcess]:
    with closing(InProcess(HostSetup())) as opened:
        yield opened


@pytest.mark.parametrize("game", GAMES)
def test_season_of_every_game_is_played_and_verified(
    game: str, database: Database, executor: InProcess
) -> None:
    variant = PLUGINS.variants[game]
    assert "A COMPLETE BOT" in brief(variant)
    seats = variant.seats.least
    lots = Path(next(bot.path for bot in PLUGINS.bots_for(variant) if bot.name == "lots")).read_text()
    with database.writing() as connection:
        versions = [
            bots.submit(connection, game, name, "", bots.Source({"bot.py": text.encode()}, "bot.py"))[0].id
            for name, text in [("example", EXAMPLE), *((f"lots{number}", lots) for number in range(1, seats))]
        ]
        settings = LeagueSettings(seed=1, format="round-robin", format_options={"seats": seats})
        create_league(connection, PLUGINS, game, variant, settings, versions)
    Runner(database, PLUGINS, executor, "test").run(game, lambda progress: None)
    with database.reading() as connection:
        season = open_season(connection, PLUGINS, game)
        table = read_standings(season)
        assert [(row.matches, row.forfeits) for row in table] == [(seats, 0)] * seats
        for _, match in results.finished(connection, season.id):
            assert {"language", "process", "seccomp"} <= set(match.layers)
        assert list(verify(season, lambda number: None)) == []
