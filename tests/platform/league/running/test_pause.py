"""Pauses of leagues: nothing starts, what runs is recorded, and the results are those of a league without a pause."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from botleague.errors import UsageError
from botleague.executors import MatchOutcome
from botleague.league import Runner, Season, open_season
from botleague.league.decisions import season_decisions, season_start
from botleague.league.season import LeaguePaused, paused_leagues
from botleague.plugins import PluginHost
from botleague_storage import Database, fixtures, leagues, practice_matches

from ..scripted_league import MakeLeague, ignore
from .scripted_executor import ScriptedExecutor, table_of


class Interrupted(ScriptedExecutor):
    """Something is decided while its first matches are played."""

    def __init__(self, decide: Callable[[], object]) -> None:
        super().__init__(capacity=3)
        self._decide = decide

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        if not self.held:
            self._decide()
        return super().wait(timeout_s)


def change(database: Database, plugins: PluginHost, decide: Callable[[Season], object]) -> object:
    with database.writing() as connection:
        return decide(open_season(connection, plugins, "cup"))


def test_paused_league_starts_no_match_and_resumes_as_if_nothing_had_been(
    database: Database, plugins: PluginHost, open_league: MakeLeague
) -> None:
    league = open_league()
    interrupted = Interrupted(
        lambda: change(database, plugins, lambda one: season_decisions.pause(one, "a bug"))
    )
    with pytest.raises(
        LeaguePaused, match=r"'cup' is paused since .* UTC \(a bug\).*botleague organise resume cup"
    ):
        Runner(database, plugins, interrupted, "one").run("cup", ignore)
    other = ScriptedExecutor()
    with pytest.raises(LeaguePaused):
        Runner(database, plugins, other, "two").run("cup", ignore)
    assert (len(interrupted.held), other.held) == (3, [])
    with database.reading() as connection:
        season = open_season(connection, plugins, "cup")
        assert fixtures.counts(connection, season.id) == (12, 3)
        assert fixtures.claimants(connection, season.id) == set()
    with pytest.raises(UsageError, match="is already paused"):
        change(database, plugins, season_decisions.pause)
    with pytest.raises(UsageError, match="To resume it: botleague organise resume cup"):
        change(database, plugins, lambda one: season_decisions.undo(one, 1))
    change(database, plugins, season_decisions.resume)
    with pytest.raises(UsageError, match="is not paused"):
        change(database, plugins, season_decisions.resume)
    Runner(database, plugins, ScriptedExecutor(), "two").run("cup", ignore)
    assert [row.wins for row in table_of(league)[0]] == [6, 4, 2, 0]


def test_pause_lasts_through_a_new_season_and_covers_unrated_matches(
    database: Database, plugins: PluginHost, open_league: MakeLeague
) -> None:
    open_league()
    with database.writing() as connection:
        season = open_season(connection, plugins, "cup")
        season_decisions.pause(season)
        season_decisions.close(season)
        practice_matches.add(connection, season.league.id, "ann", (1, 2), 0, 1, 0.0)
        new = season_start.new_season(season, season.settings, season.roster.entered)
        assert paused_leagues(connection) == ["cup"]
        assert not practice_matches.is_any_waiting(connection, 1.0, 9.0, (), ["cup"])
        assert practice_matches.is_any_waiting(connection, 1.0, 9.0, ())
        assert leagues.current_season(connection, season.league.id).id == new.id
    with pytest.raises(LeaguePaused):
        Runner(database, plugins, ScriptedExecutor(), "one").run("cup", ignore)
    change(database, plugins, season_decisions.resume)
    Runner(database, plugins, ScriptedExecutor(), "one").run("cup", ignore)
    with database.reading() as connection:
        assert paused_leagues(connection) == []
        assert fixtures.counts(connection, new.id) == (12, 12)
