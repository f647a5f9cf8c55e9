"""Marks of an examination."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from botleague.errors import UsageError
from botleague.league import open_season
from botleague.league.decisions import season_decisions
from botleague.plugins import PluginHost
from botleague_storage import Database, matches
from botleague_storage.league_rows.leagues import LeagueRow

from ..scripted_league import EXAM, ScriptedHosts, account_of, by_luck, entered, marks_of, play


def test_a_mark_does_not_depend_on_who_else_is_examined_or_when(
    tmp_path: Path, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    marks = []
    for number, (first, later) in enumerate([("abcd", ""), ("db", ""), ("b", "ad")]):
        database = Database(str(tmp_path / f"{number}.db"))
        league = opened(database, f"xy{first}", format="gauntlet", format_options=EXAM, table="batch")
        play(database, plugins, league, ScriptedHosts(number + 1, by_luck))
        for name in later:
            with database.writing() as connection:
                season = open_season(connection, plugins, league.name)
                season_decisions.add_newcomers(season, [entered(connection, name)])
            play(database, plugins, league, ScriptedHosts(1, by_luck))
        account_of(database, plugins, league)
        marks.append(marks_of(database, plugins, league))
        database.close()
    for others in marks[1:]:
        assert {name: marks[0][name] for name in others} == others
    assert marks[0]["a"].mark == "90"
    assert len({row.mark for row in marks[0].values()}) > 1
    for row in marks[0].values():
        assert [one.sets for one in row.meetings] == [3, 3]
        beaten = {one.bot for one in row.meetings if 2 * one.points > one.games}
        if row.mark == "50":
            assert "x" in beaten
            assert f"50: x {row.meetings[0].points:g} of 6 points in 3 sets" in row.because


def test_marks_rest_on_whole_sets_that_count(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "xyab", format="gauntlet", format_options=EXAM, table="batch")
    before = marks_of(database, plugins, league)
    assert [(row.mark, row.open, row.share, row.because) for row in before.values()] == [
        ("", 12, None, "not 50: x no complete set")
    ] * 2
    play(database, plugins, league, ScriptedHosts(strength=by_luck))
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        mine = [
            one for one in matches.matches(connection, season.id) if season.roster.versions[2] in one.versions
        ]
        season_decisions.void_match(season, mine[0].fixture_id, "")
        season_decisions.disqualify(season, season.roster.versions[3], "copied")
    after = marks_of(database, plugins, league)
    assert sum(one.sets for one in after["a"].meetings) == 5
    assert sum(one.games for one in after["a"].meetings) == 10
    assert (after["b"].mark, after["b"].status, after["b"].because) == ("", "disqualified", "")


def test_any_league_gives_marks_for_beating_somebody_and_only_one_with_staff_by_numbers(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abc")
    play(database, plugins, league, ScriptedHosts())
    assert {name: row.mark for name, row in marks_of(database, plugins, league, "pass:beats b").items()} == {
        "a": "pass",
        "c": "",
    }
    for scheme, message in {
        "1:rating 1500": "needs a pool",
        "1:beats e": "unknown bot 'e' in 'cup'. .*These are known: a, b, c",
        "1:loves b": "`beats BOT`",
        "1": "write MARK:CONDITION",
        "1:share 2": "share from 0 to 1",
        "1:rating nan": "number from 0",
        "1:share 0.5, 2:beats b, 3:share 0.5": "choose a share above 0.5",
    }.items():
        with pytest.raises(UsageError, match=message):
            marks_of(database, plugins, league, scheme)
