"""The list of leagues shows what each is doing, also where something of a league is missing."""

from __future__ import annotations

import time
from typing import Any

import pytest
from sqlalchemy.engine import Connection

from botleague.application.pages import describe_terms, home_page
from botleague.errors import UsageError, VariantNotFound
from botleague.league import Runner, Season, open_season
from botleague.league.decisions import season_decisions
from botleague.league.scheduling import division_tables
from botleague.league.season import Visible, open_visible
from botleague.people import Viewer
from botleague.plugins import PluginHost
from botleague_storage import Database, bots, fixtures, leagues, runners
from botleague_storage.league_rows.runners import RunnerRow

from .scripted_league import MakeLeague, ScriptedHosts, ignore


def test_league_of_a_missing_variant_names_the_way_out(database: Database, opened: MakeLeague) -> None:
    league = opened(database)
    with database.reading() as connection:
        season = open_season(connection, PluginHost.load(), league.name)
        with pytest.raises(
            VariantNotFound, match="League 'cup' plays 'guessing', which is not installed here"
        ):
            assert season.variant
        (time,) = [term.text for term in describe_terms(season) if term.name == "time"]
    assert time == "of guessing, which is not installed here"


@pytest.mark.parametrize(
    ("kind", "name"), [("format", "round-robin"), ("rating system", "elo")], ids=["format", "rating"]
)
def test_league_of_a_missing_plugin_names_league_and_way_out(
    database: Database, opened: MakeLeague, kind: str, name: str
) -> None:
    league = opened(database)
    with database.writing() as connection:
        connection.exec_driver_sql(
            f"""update season set settings = replace(settings, '"{name}"', '"lost"')"""
        )
        season = league.open(connection)
        message = f"League 'cup' uses the {kind} 'lost', which is not installed here"
        with pytest.raises(UsageError, match=message):
            assert season.format if kind == "format" else season.system


def current_seasons(connection: Connection, plugins: PluginHost) -> list[tuple[Season, Visible]]:
    organiser = Viewer(role="organiser")
    return [open_visible(organiser, connection, plugins, name) for name in leagues.names(connection)]


@pytest.mark.parametrize(
    ("form", "options", "rounds"),
    [
        ("swiss", {"rounds": 3}, None),
        ("knockout", {}, None),
        ("ladder", {"rounds": 3}, None),
        ("ladder", {}, 3),
    ],
)
def test_season_is_being_played_between_two_rounds_and_complete_after_the_last(
    database: Database,
    plugins: PluginHost,
    opened: MakeLeague,
    form: str,
    options: dict[str, Any],
    rounds: int | None,
) -> None:
    league = opened(database, "abcd", format=form, format_options=options)
    states: list[str] = []

    def look(wait_s: float = 0.0) -> bool:
        with database.reading() as connection:
            page = home_page(current_seasons(connection, plugins), time.time() + wait_s)
            is_between = not fixtures.is_open(connection, page.leagues[0].head.season)
        states.extend([page.leagues[0].head.state] * is_between)
        return False

    with league.writing() as season:
        target = season_decisions.set_target(season, rounds) if rounds else None
    Runner(database, plugins, ScriptedHosts(), "r").run(league.name, ignore, rounds=target, is_over=look)
    assert set(states[:-1]) == {"playing"}
    look()
    look(60.0)
    assert states[-3:] == ["complete"] * 3


def test_season_of_a_killed_runner_is_not_being_played(
    database: Database, plugins: PluginHost, opened: MakeLeague
) -> None:
    opened(database, "abcd")
    now = 1e9
    with database.writing() as connection:
        assert fixtures.claim(connection, 1, "machine/1/2", now + 600, 2)
        runners.report(connection, RunnerRow("machine/1/2", now, now))

    def state(wait_s: float) -> str:
        with database.reading() as connection:
            page = home_page(current_seasons(connection, plugins), now + wait_s)
        return page.leagues[0].head.state

    assert [state(0), state(100), state(1000)] == ["playing", "playing", "waiting"]


def test_list_of_leagues_has_one_whose_format_is_missing(
    database: Database, plugins: PluginHost, opened: MakeLeague
) -> None:
    opened(database, name="cup")
    opened(database, name="gone").play(ScriptedHosts())
    with database.writing() as connection:
        connection.exec_driver_sql(
            "update season set settings = replace(settings, 'round-robin', 'lost') where id = 2"
        )
    with database.reading() as connection:
        page = home_page(current_seasons(connection, plugins), 0.0)
        assert {line.head.league: line.head.format for line in page.leagues} == {
            "cup": "round-robin",
            "gone": "lost",
        }


def test_list_of_leagues_has_one_whose_bracket_does_not_fit_its_entrants(
    database: Database, plugins: PluginHost, opened: MakeLeague
) -> None:
    opened(database, name="cup")
    league = opened(database, "abcd", name="broken", format="knockout")
    league.play(ScriptedHosts())
    with database.writing() as connection:
        season = league.open(connection)
        versions = [
            bots.submit(connection, "guessing", name, name, bots.Source({"bot.py": b""}, "bot.py"))[0].id
            for name in "efgh"
        ]
        leagues.add_entrants(connection, season.id, versions)
    with database.reading() as connection:
        with pytest.raises(UsageError, match="results are of another bracket"):
            division_tables.brackets(league.open(connection))
        page = home_page(current_seasons(connection, plugins), 0.0)
    assert {line.head.league for line in page.leagues} == {"cup", "broken"}
