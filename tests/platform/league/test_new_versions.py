"""Newer versions replace those that play, and all follows from events and results."""

from __future__ import annotations

import math
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from botleague.cli.commands.standings_command import show_standings
from botleague.errors import UsageError
from botleague.league import Penalties, batch_report
from botleague.league.decisions import season_decisions, season_start
from botleague.league.results import enter_newest
from botleague.league.scheduling import division_tables, plan_more
from botleague.league.season_ratings.rating_cache import read_state
from botleague.league.tables.standings import read_standings
from botleague.league.verification.provenance import check_entrants, check_events, check_marks
from botleague_storage import DamagedRow, Database, events, matches, problems, ratings

from .scripted_league import (
    EXAM,
    MakeLeague,
    ScriptedHosts,
    ScriptedLeague,
    by_chance,
    by_luck,
    digest_of,
    hand_in,
    handed_in,
    until,
)


@pytest.mark.parametrize(
    ("form", "rating", "terms"),
    [
        ("ladder", "elo", {"format_options": {"rounds": 8}}),
        ("ladder", "glicko-2", {"format_options": {"rounds": 8}, "table": "batch"}),
        ("gauntlet", "plackett-luce", {"format_options": {"challengers": 2, "rounds": 2}, "table": "batch"}),
        ("swiss", "elo", {"format_options": {"rounds": 5}, "table": "points"}),
    ],
)
def test_a_version_that_replaces_another_gives_the_same_season_however_it_is_played(
    tmp_path: Path,
    opened: MakeLeague,
    form: str,
    rating: str,
    terms: dict[str, Any],
) -> None:
    """The moment of a hand-in decides from which match on it counts; an event holds that, and all else follows."""

    def begin(name: str) -> tuple[Database, ScriptedLeague]:
        database = Database(str(tmp_path / name))
        return database, opened(
            database, "abcdef", format=form, rating=rating, new_versions="replace", **terms
        )

    rough, league = begin("rough.db")
    for number, (bot, text) in enumerate((("a", "2"), ("c", "2"), ("a", "3"))):
        hosts = ScriptedHosts(4, by_chance)
        league.play(hosts, is_over=until(hosts, 5 + number))
        hosts.close()
        hand_in(rough, bot, text)
    league.play(ScriptedHosts(3, by_chance))
    with rough.reading() as connection:
        season = league.open(connection)
        entered = [
            (season.names[event.version_id or 0].bot, event.content["ordinal"])
            for event in events.events(connection, season.id, ["updated"])
        ]
        assert [bot for bot, _ in entered] == ["a", "c", "a"]
        assert len(season.roster.members) == 6
        played = [
            (season.names[version].bot, season.names[version].number, match.ordinal)
            for match in matches.matches(connection, season.id)
            for version in match.versions
        ]
        numbers = [number for bot, number, _ in played if bot == "a"]
        assert numbers == sorted(numbers)
        assert set(numbers) == {1, 2, 3}
        assert min(ordinal for bot, number, ordinal in played if (bot, number) == ("a", 2)) >= entered[0][1]
    expected = league.proof()
    assert {row.bot: row.version for row in expected[1]} == {
        **dict.fromkeys("bdef", 1),
        "a": 3,
        "c": 2,
    }
    rough.close()

    calm, league = begin("calm.db")
    hosts = ScriptedHosts(1, by_chance)
    for (_, ordinal), (bot, text) in zip(entered, (("a", "2"), ("c", "2"), ("a", "3")), strict=True):
        league.play(hosts, is_over=until(hosts, ordinal))
        hand_in(calm, bot, text)
    league.play(hosts)
    assert league.proof() == expected
    assert problems(calm) == []
    calm.close()


@pytest.mark.parametrize("rating", ["elo", "glicko-2", "plackett-luce"])
@pytest.mark.parametrize("start", ["carried", "fresh"])
def test_a_new_version_starts_where_its_predecessor_stood_or_afresh(
    database: Database, opened: MakeLeague, rating: str, start: str
) -> None:
    terms = {
        "format": "ladder",
        "format_options": {"share": 1.0},
        "rating": rating,
        "new_versions": "replace",
    }
    league = opened(database, "abcd", version_start=start, **terms)
    league.play(ScriptedHosts(2, by_chance), more=4)
    before = league.rows()["a"]
    newer = hand_in(database, "a", "better")
    waiting = league.rows()["a"]
    assert (waiting.version, waiting.newest, waiting.rating) == (1, 2, before.rating)
    hosts = ScriptedHosts(2, by_chance)
    league.play(hosts, more=1, is_over=lambda: True)
    with league.writing() as season, pytest.raises(UsageError, match="a is already in this season"):
        season_decisions.add_newcomers(season, [newer])
    league.play(hosts, more=1)
    with database.reading() as connection:
        season = league.open(connection)
        first = next(
            change for change in ratings.each_change(connection, season.id) if change.version_id == newer
        )
        system = season.system
        states = ratings.states(connection, season.id, [1])
        entered = system.initial()
        if start == "carried":
            entered = system.succeed(read_state(system, states[1]), first.ordinal)
    row = league.rows()["a"]
    assert (row.version, row.matches, row.newest) == (2, 2, None)
    assert row.predecessor == (1 if start == "carried" else None)
    assert first.before == system.display(entered).value
    assert row.change is not None
    if start == "carried" and before.change is not None:
        assert row.change == pytest.approx(row.rating - (before.rating - before.change))


def test_a_bot_has_one_row_with_all_its_versions_points_and_its_own_strength(
    database: Database,
    opened: MakeLeague,
    capsys: pytest.CaptureFixture[str],
) -> None:
    league = opened(
        database,
        "abcd",
        format="ladder",
        format_options={"share": 1.0},
        table="batch",
        new_versions="replace",
    )
    league.play(ScriptedHosts(2, by_chance), more=3)
    with league.reading() as season:
        assert batch_report(season).tie == 0, "nobody has a predecessor"
    for text in ("2", "3"):
        hand_in(database, "a", text)
        league.play(ScriptedHosts(2, by_chance), more=2)
    tables = []
    for _ in range(2):
        with league.writing() as season:
            report, rows = batch_report(season), read_standings(season)
            assert sorted((row.bot, row.version, row.predecessor) for row in rows) == [
                ("a", 3, 2),
                *((bot, 1, None) for bot in "bcd"),
            ]
            assert {row.tie for row in rows} == {report.tie}
            assert {(row.bot, row.version): row.strength for row in rows} == pytest.approx(
                {(row.bot, row.version): row.rating for row in report.rows}, abs=0.006
            )
            points = {row.bot: (row.points, row.matches) for row in read_standings(season, kind="points")}
            crosses = division_tables.cross_tables(season)
            show_standings("cup", "guessing", rows, 2, json=False, wide=True)
            tables.append((report.tie, [row.strength for row in rows], capsys.readouterr().out))
            season_decisions.close(season)
            for end, number in ((12, 1), (13, 2), (20, 2), (21, 3)):
                then = {row.bot: row for row in read_standings(season.as_of(end))}
                assert (len(then), then["a"].version) == (4, number)
    (tied, while_it_runs, running_table), (untied, at_the_end, final) = tables
    assert (tied, untied) == (4.0, 0.0)
    assert while_it_runs != at_the_end
    assert "from version 2" in running_table
    assert "tied to its previous version" in " ".join(running_table.split())
    assert "The standings are final" in " ".join(final.split())
    assert {matches for _, matches in points.values()} == {14}
    assert sum(points for points, _ in points.values() if points is not None) == 28
    ((division, cross),) = crosses
    assert sorted(division.names.values()) == ["a@3", "b", "c", "d"]
    assert {row.games for row in cross.rows} == {14}


@given(
    form=st.sampled_from(
        [
            ("round-robin", {"rounds": 2}),
            ("ladder", {"rounds": 8}),
            ("swiss", {"rounds": 5}),
            ("knockout", {"best_of": 3}),
            ("gauntlet", {"challengers": 2}),
        ]
    ),
    capacity=st.sampled_from([1, 4]),
    happens=st.lists(
        st.tuples(
            st.integers(1, 8),
            # Mostly what matters here: the first of a list comes in every other draw.
            st.sampled_from(["broken", "reinstate"])
            | st.sampled_from(["sound", "replay", "disqualify", "undo", "retire"]),
            st.sampled_from("ac"),
        ),
        min_size=2,
        max_size=9,
    ),
)
@example(
    ("gauntlet", {"challengers": 2}), 1, [(1, "disqualify", "a"), (4, "broken", "c"), (1, "reinstate", "a")]
)
@example(
    ("gauntlet", {"challengers": 2}), 1, [(8, "disqualify", "c"), (1, "broken", "a"), (1, "reinstate", "c")]
)
@example(("ladder", {"rounds": 8}), 1, [(3, "disqualify", "a"), (1, "undo", "a")])
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_versions_come_and_go_everything_follows_from_events_and_results(
    opened: MakeLeague,
    form: tuple[str, dict[str, Any]],
    capacity: int,
    happens: list[tuple[int, str, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(Database(f"{folder}/league.db")) as database:
        name, options = form
        penalties = Penalties(failures=2)
        league = opened(
            database, "abcd", format=name, format_options=options, new_versions="replace", penalties=penalties
        )
        broken = {digest_of(f"broken {number}") for number in range(len(happens))}
        hosts = ScriptedHosts(capacity, by_chance, broken_digests=broken)
        league.unfold(hosts, happens)
        league.play(hosts)
        league.account()
        assert league.export_findings() == []
        assert problems(database) == []
        with league.reading() as season:
            assert len(read_standings(season)) == 4
            for member in season.roster.members.values():
                assert member.is_out or member.version not in member.suspended


def test_an_examination_measures_a_new_version_whole_and_plays_nothing_else_again(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(
        database, "xyab", format="gauntlet", format_options=EXAM, table="batch", new_versions="replace"
    )
    hosts = ScriptedHosts(2, by_luck)
    league.play(hosts, is_over=until(hosts, 5))
    hosts.close()
    hand_in(database, "a", "in the middle")
    hand_in(database, "x", "of the staff")
    league.play(hosts)
    first, held = league.marks(), len(hosts.held)
    assert [one.sets for row in first.values() for one in row.meetings] == [3] * 4
    assert 24 < held < 24 + 8
    hand_in(database, "b", "afterwards")
    league.play(hosts)
    second = league.marks()
    assert len(hosts.held) == held + 12
    assert second["a"] == first["a"]
    assert {name: row.version for name, row in second.items()} == {"a": 2, "b": 2}
    # The same luck for the same questions: only the version is another.
    assert second["b"] == msgspec.structs.replace(first["b"], version=2)
    league.account()
    assert league.rows()["x"].version == 1, "who examines stays as it is"


def test_a_season_that_holds_its_versions_names_newer_ones_and_the_next_begins_with_them(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abc", rating="glicko-2", format_options={"rounds": 2})
    league.play(ScriptedHosts(1, by_chance))
    newer = hand_in(database, "a", "better")
    league.play(ScriptedHosts(1, by_chance))
    row = league.rows()["a"]
    assert (row.version, row.newest) == (1, 2)
    for term, start in (("carried", row.rating), ("fresh", 1500)):
        with database.writing() as connection, connection.begin_nested() as attempt:
            last = league.open(connection)
            terms = msgspec.structs.replace(last.settings, version_start=term)
            season = season_start.new_season(last, terms, [newer, 2, 3], carry=0.75)
            begun = {row.bot: row for row in read_standings(season)}
            assert (begun["a"].version, begun["a"].rating) == (2, start)
            assert list(check_entrants(season)) == []
            if term == "carried":
                spread = math.sqrt(row.deviation**2 + 0.25 * 350**2)
                assert begun["a"].deviation == pytest.approx(min(350, math.hypot(spread, 150)))
            seeded = {start.version_id: start.value for start in season_start.seeds(last, [newer, 2, 3])}
            assert seeded.keys() == {newer, 2, 3}
            attempt.rollback()


def test_a_version_enters_only_where_it_has_something_to_play_and_holds_no_table_in_place(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abcd", format_options={"rounds": 3}, new_versions="replace")
    with database.writing() as connection:
        season_decisions.anchor(league.open(connection), 2, 1500)
        handed_in(connection, "b", "2")
        handed_in(connection, "d", "2")
    hosts = ScriptedHosts(1)
    league.play(hosts, is_over=until(hosts, 3))
    with league.writing() as season:
        season_decisions.retire(season, 4)
        handed_in(season.connection, "c", "2")
    league.play(hosts)
    hand_in(database, "a", "late")
    league.play(hosts)
    rows = league.rows()
    assert {bot: (row.version, row.newest) for bot, row in rows.items()} == {
        "a": (1, 2),
        "b": (1, 2),
        "c": (2, None),
        "d": (2, None),
    }
    assert rows["d"].status == "retired", "the bot, whichever version was named"
    league.account()


def test_versions_that_do_not_follow_from_the_log_are_found(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcd", format="ladder", new_versions="replace", format_options={"share": 1.0})
    league.play(ScriptedHosts(), more=2)
    newer = hand_in(database, "a", "better")
    league.play(ScriptedHosts(), more=2)
    league.account()

    def complaints(statement: str) -> list[str]:
        with database.writing() as connection, connection.begin_nested() as attempt:
            connection.exec_driver_sql(statement)
            season = league.open(connection)
            # As `verify` does: what the log says is followed only where it can be.
            try:
                complaints_found = list(check_events(season)) or [text for _, text in check_marks(season)]
            except DamagedRow as error:
                complaints_found = [str(error)]
            attempt.rollback()
        return complaints_found

    assert (
        complaints(f"update fixture_seat set version_id = 1 where version_id = {newer}")
        == ["a sits in it, but by the log a@2 plays"] * 4
    )
    for forged in (f'"predecessor": {newer}', '"predecessor": 2', '"predecessor": 99', '"predecessor": "x"'):
        (first, *_) = complaints(
            f"update event set content = replace(content, '\"predecessor\": 1', '{forged}') where kind = 'updated'"
        )
        assert first.startswith(
            ("event 1 (updated) ", "Row 1 of the table event (event 1 of its season, updated) ")
        )
    # Suspended, so that the version before plays: that it is, and from when on, cannot be told otherwise.
    newest = hand_in(database, "a", "broken")
    league.play(ScriptedHosts(broken_digests={digest_of("broken")}), more=4)
    league.account()
    back = f'"back": {newer}'
    assert complaints("select 1") == []
    for forged in (f'"back": {newest}', '"back": 2', '"back": 99', '"back": "x"', '"forth": 5'):
        complaints_found = complaints(
            f"update event set content = replace(content, '{back}', '{forged}') where kind = 'suspended'"
        )
        assert complaints_found, forged
        named = ("event 3 (suspended) ", "Row 3 of the table event (event 3 of its season, suspended) ")
        assert complaints_found[0].startswith(named) or "sits in it, but by the log" in complaints_found[0]
    assert (
        "sits in it, but by the log"
        in complaints(
            "update event set content = replace(content, '\"since\": ', '\"since\": 1') where kind = 'suspended'"
        )[0]
    )


@pytest.mark.parametrize("form", ["ladder", "swiss"])
def test_version_that_comes_between_the_plan_of_a_round_and_its_first_match_did_not_plan_it(
    database: Database, opened: MakeLeague, form: str
) -> None:
    """It plays from the first match of the round on, but the plan took the strength of its predecessor."""
    pairing = {"pairing": "batch"} if form == "ladder" else {}
    league = opened(
        database, "abcdefgh", format=form, new_versions="replace", format_options={"rounds": 6} | pairing
    )
    hosts = ScriptedHosts(2, by_chance)
    for number in range(1, 5):
        league.play(hosts, more=1)
        with league.writing() as season:
            planned = plan_more(season)
        for bot in "abc":
            hand_in(database, bot, f"sound {number} {bot}")
        with league.writing() as season:
            assert planned > 0
            assert enter_newest(season)
    league.play(hosts)
    league.account()
    with league.reading() as season:
        starts = {matches.round_start(season.connection, season.id, number) for number in range(2, 6)}
        assert len([row for row in season.said(["updated"]) if row.content["ordinal"] in starts]) > 2
