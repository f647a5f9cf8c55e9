"""Marks of an examination."""

from __future__ import annotations

from pathlib import Path

import pytest

from botleague.errors import UsageError
from botleague.league.decisions import season_decisions
from botleague_storage import Database, matches

from ..scripted_league import EXAM, MakeLeague, ScriptedHosts, by_luck, entered


def test_a_mark_does_not_depend_on_who_else_is_examined_or_when(tmp_path: Path, opened: MakeLeague) -> None:
    marks = []
    for number, (first, later) in enumerate([("abcd", ""), ("db", ""), ("b", "ad")]):
        database = Database(str(tmp_path / f"{number}.db"))
        league = opened(database, f"xy{first}", format="gauntlet", format_options=EXAM, table="batch")
        league.play(ScriptedHosts(number + 1, by_luck))
        for name in later:
            with league.writing() as season:
                season_decisions.add_newcomers(season, [entered(season.connection, name)])
            league.play(ScriptedHosts(1, by_luck))
        league.account()
        marks.append(league.marks())
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


def test_marks_rest_on_whole_sets_that_count(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "xyab", format="gauntlet", format_options=EXAM, table="batch")
    before = league.marks()
    assert [(row.mark, row.open, row.share, row.because) for row in before.values()] == [
        ("", 12, None, "not 50: x no complete set")
    ] * 2
    league.play(ScriptedHosts(strength=by_luck))
    with league.writing() as season:
        mine = [
            one
            for one in matches.matches(season.connection, season.id)
            if season.roster.versions[2] in one.versions
        ]
        season_decisions.void_match(season, mine[0].fixture_id, "")
        season_decisions.disqualify(season, season.roster.versions[3], "copied")
    after = league.marks()
    assert sum(one.sets for one in after["a"].meetings) == 5
    assert sum(one.games for one in after["a"].meetings) == 10
    assert (after["b"].mark, after["b"].status, after["b"].because) == ("", "disqualified", "")


def test_any_league_gives_marks_for_beating_somebody_and_only_one_with_staff_by_numbers(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abc")
    league.play(ScriptedHosts())
    assert {name: row.mark for name, row in league.marks("pass:beats b").items()} == {
        "a": "pass",
        "c": "",
    }
    for scheme, message in {
        "1:rating 1500": "needs a pool",
        "1:beats e": "unknown bot 'e' in 'cup'. .*These are known: a, b, c",
        "1:loves b": "`beats BOT`",
        "1": "write MARK:CONDITION",
        "1:share 2": "a share must be a number from 0 to 1",
        "1:rating nan": "number from 0",
        "1:share 0.5, 2:beats b, 3:share 0.5": "choose a share above 0.5",
    }.items():
        with pytest.raises(UsageError, match=message):
            league.marks(scheme)
