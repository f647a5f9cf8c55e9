"""Standings and champions of brackets that are not played to their end: only who wins the final is called champion."""

from __future__ import annotations

import time
from typing import Any

import pytest

from botleague.application.pages import TablePage, league_line, read_table_page
from botleague.formats import THIRD_PLACE
from botleague.league import Season
from botleague.league.decisions import season_decisions, season_start
from botleague.league.scheduling import brackets, has_rounds_left
from botleague.league.season import horizons, visible
from botleague.people import PUBLIC
from botleague_storage import Database, matches

from ..scripted_league import MakeLeague, ScriptedHosts, ScriptedLeague, until

FORMS: list[tuple[str, dict[str, Any], int]] = [
    ("knockout", {"extra": 0}, 16),
    ("knockout", {"extra": 0, "bronze": False}, 14),
    ("knockout", {"best_of": 3}, 32),
    ("double-knockout", {"extra": 0}, 28),
    ("pelita-tournament", {}, 35),
]
"""Formats with a final, their options, and the matches of eight bots of which the better one always wins."""


def page_of(league: ScriptedLeague) -> tuple[TablePage, bool]:
    """Return the page of the standings, and whether the list of leagues shows the leader as the champion."""
    with league.database.reading(lambda connection: horizons(connection, PUBLIC)) as connection:
        season = league.open(connection)
        view, now = visible(PUBLIC, season), time.time()
        return read_table_page(season, view, now), league_line(season, view, now).is_won


def champions(season: Season) -> list[int | None]:
    return [bracket.champion for _, bracket in brackets(season)]


@pytest.mark.parametrize("left", [1, 2])
@pytest.mark.parametrize("form", FORMS)
def test_season_that_is_closed_before_its_final_is_over_has_no_champion(
    database: Database, opened: MakeLeague, form: tuple[str, dict[str, Any], int], left: int
) -> None:
    name, options, planned = form
    league = opened(database, "abcdefgh", format=name, format_options=options, table="points")
    hosts = ScriptedHosts()
    league.play(hosts, is_over=until(hosts, planned - left))
    hosts.close()
    with league.writing() as season:
        season_decisions.close(season)
    page, is_won = page_of(league)
    assert page.champions == []
    assert not is_won
    assert page.rows[0].place is None
    with league.writing() as season:
        assert champions(season) == [None]
        # Who still played is above all who were out, also as a seed of the next season.
        (_, bracket), *_ = brackets(season)
        seeded = season_start.seeds(season, season.roster.versions)
    out = {season.roster.versions[entrant] for entrant in bracket.places}
    assert len(out) >= 5
    assert min(row.value for row in seeded if row.version_id not in out) > max(
        row.value for row in seeded if row.version_id in out
    )
    assert league.account()


@pytest.mark.parametrize("form", FORMS)
def test_season_that_is_played_to_its_end_has_a_champion(
    database: Database, opened: MakeLeague, form: tuple[str, dict[str, Any], int]
) -> None:
    name, options, planned = form
    league = opened(database, "abcdefgh", format=name, format_options=options, table="points")
    hosts = ScriptedHosts()
    league.play(hosts)
    assert len(hosts.held) == planned
    with league.writing() as season:
        season_decisions.close(season)
    page, is_won = page_of(league)
    assert page.champions == ["a"]
    assert is_won
    # No other bot takes the place of a champion that is disqualified.
    with league.writing() as season:
        season_decisions.disqualify(season, season.roster.versions[0], "copied", 1)
    page, is_won = page_of(league)
    assert page.champions == []
    assert not is_won


def test_standings_by_rating_show_no_champion_of_a_bracket(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcd", format="knockout", table="online")
    league.play(ScriptedHosts())
    with league.writing() as season:
        season_decisions.close(season)
        assert champions(season) == [0]
    page, is_won = page_of(league)
    assert page.champions == []
    assert not is_won


def test_half_of_a_set_decides_no_final(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcd", format="knockout", table="points")
    hosts = ScriptedHosts()
    league.play(hosts, is_over=until(hosts, 7))
    hosts.close()
    page, _ = page_of(league)
    assert page.head.done == 7
    with league.reading() as season:
        assert champions(season.as_of(7)) == [None]
        assert champions(season.as_of(6)) == [None]
    assert [row.place for row in page.rows] == [None, None, 3, 4]


def test_bots_that_still_play_are_above_those_that_are_out(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcdefgh", format="knockout", table="points")
    league.play(ScriptedHosts(), more=1)
    page, _ = page_of(league)
    assert [row.place for row in page.rows] == [None] * 4 + [5] * 4


def test_final_decides_first_place_although_the_match_for_third_place_is_open(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abcd", format="knockout", table="points")
    league.play(ScriptedHosts(), more=1)
    # Only the final is decided: the series of the two others is level.
    with league.reading() as season:
        (_, bracket), *_ = brackets(season)
    finalists = {
        season.names[season.roster.versions[side]].bot for side in bracket.slots[-1].sides if side is not None
    }
    hosts = ScriptedHosts(strength=lambda name, _: -ord(name[0]) if name[0] in finalists else 1)
    league.play(hosts, more=1)
    with league.writing() as season:
        (_, bracket), *_ = brackets(season)
        assert [slot.label for slot in bracket.slots if slot.winner is None] == [THIRD_PLACE]
        assert sorted(bracket.places.values()) == [1, 2]
        assert has_rounds_left(season)
        assert matches.last_round(season.connection, season.id) == 2
        season_decisions.close(season)
    page, is_won = page_of(league)
    assert page.champions == ["a"]
    assert is_won
    assert [row.place for row in page.rows] == [1, 2, None, None]
