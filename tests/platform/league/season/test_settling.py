"""Results are counted in order, the same however they came and whatever is undone."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from botleague.application.pages import brackets_of
from botleague.errors import UsageError
from botleague.league import Season, count_in, open_season
from botleague.league.decisions import season_decisions
from botleague.league.season_ratings import rating_cache
from botleague.league.season_ratings.batch_ratings import gather
from botleague.league.season_ratings.rating_cache import as_result, contests, read_state
from botleague.league.season_ratings.round_ratings import check_ranking
from botleague.league.tables.match_history import history
from botleague.league.tables.standings import read_standings
from botleague.league.tables.table_reader import Part
from botleague.league.verification.replay_audit import audit
from botleague.league.verification.season_verification import check_fold, check_sums
from botleague.plugins import PluginHost
from botleague.ratings import fold
from botleague.rules.formats import TableKind
from botleague_storage import Database, events, fixtures, matches, problems, ratings, results

from ..scripted_league import MakeLeague, ScriptedHosts, ScriptedLeague, by_chance, entered, ignore, until


@pytest.mark.parametrize(
    ("form", "options", "rating"),
    [
        ("round-robin", {"rounds": 1}, "glicko-2"),
        ("swiss", {"rounds": 4}, "elo"),
        ("knockout", {"best_of": 3}, "plackett-luce"),
        ("double-knockout", {}, "elo"),
        ("gauntlet", {"challengers": 2}, "elo"),
        ("ladder", {"rounds": 6}, "glicko-2"),
    ],
)
def test_every_format_ends_with_the_same_table_however_it_was_played(
    tmp_path: Path,
    opened: MakeLeague,
    form: str,
    options: dict[str, Any],
    rating: str,
) -> None:
    accounts = []
    for capacity, interruptions in ((1, 0), (5, 0), (3, 4)):
        database = Database(str(tmp_path / f"{capacity}.db"))
        table = "batch" if form == "ladder" else "points"
        league = opened(database, "abcdefg", format=form, format_options=options, rating=rating, table=table)
        hosts = ScriptedHosts(capacity, by_chance)
        rng = random.Random(1)
        for _ in range(interruptions):
            league.play(hosts, is_over=until(hosts, len(hosts.held) + rng.randrange(1, 8)))
            hosts.close()
        league.play(hosts)
        accounts.append(league.proof())
        assert problems(database) == []
        database.close()
    assert accounts[0] == accounts[1] == accounts[2]


def test_matches_of_a_mirrored_set_weigh_less_in_plackett_luce(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abcd", rating="plackett-luce")
    league.play(ScriptedHosts(2, by_chance))
    with league.reading() as season:
        played = [as_result(contest) for contest in contests(season)]
        stored = ratings.states(season.connection, season.id, season.roster.versions)
        states = {str(version): read_state(season.system, text) for version, text in stored.items()}
        system = season.system
    assert {result.set_size for result in played} == {2}
    assert fold(system, played).states == states
    assert fold(system, [structs.replace(result, set_size=1) for result in played]).states != states


def test_glicko_period_depends_on_the_field_by_default(
    database: Database, plugins: PluginHost, opened: MakeLeague
) -> None:
    for name, options, period in (("derived", {}, 45), ("said", {"period": 7}, 7)):
        opened(database, "abcdefghi", name=name, rating="glicko-2", rating_options=options)
        with database.reading() as connection:
            season = open_season(connection, plugins, name)
            assert season.settings.rating_options == {"period": period, "counts_absence": True}


@pytest.mark.parametrize(
    ("table", "column"),
    [
        *(
            ("standing", name)
            for name in ("matches", "wins", "draws", "losses", "forfeits", "score", "cpu_ms")
        ),
        *(("rating", name) for name in ("value", "games", "through")),
        *(("rating_event", name) for name in ("before", "after")),
    ],
)
def test_every_number_of_a_table_is_held_against_the_results(
    database: Database, opened: MakeLeague, table: str, column: str
) -> None:
    league = opened(database, "abc", format_options={"rounds": 1})
    league.play(ScriptedHosts())
    with database.writing() as connection:
        connection.exec_driver_sql(f'update {table} set "{column}" = "{column}" + 1 where version_id = 2')
        season = league.open(connection)
        assert all(" b " in f" {problem}" for problem in check_fold(season))
        assert bool(list(check_fold(season)))
        assert bool(list(check_sums(season))) == (table == "standing")
        count_in(season, recompute=True)
        assert list(check_fold(season)) == []


def test_faults_of_a_kind_and_rows_too_many_are_held_against_the_results(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abc", format_options={"rounds": 1})
    league.play(ScriptedHosts(), is_over=lambda: False)
    with database.writing() as connection:
        season = league.open(connection)
        connection.exec_driver_sql("update standing set faults = '{\"crash\": 1}' where version_id = 1")
        assert list(check_sums(season)) == [
            "a has faults {'crash': 1} in the table, but its matches add up to {}"
        ]
        count_in(season, recompute=True)
        connection.exec_driver_sql("delete from rating_event where version_id = 3 and ordinal = 2")
        connection.exec_driver_sql("insert into rating_event values (1, 3, 99, 1500, 1501)")
        connection.exec_driver_sql("update season set settled = settled - 1")
        problems_found = list(check_fold(season))
    assert f"at match {league.name}/3 has nothing, but the results give" in problems_found[0]
    assert problems_found[1].endswith(
        f"at match {league.name}/100 has 1500.0 to 1501.0, but the results give nothing"
    )
    assert problems_found[2] == "ratings cover 5 matches, but they should cover 6"


TABLES: tuple[TableKind, ...] = ("online", "batch")


@pytest.mark.parametrize("portion", [1, 3, 1000])
def test_a_rebuild_tables_the_rounds_that_its_fold_reads_in_portions(
    database: Database,
    opened: MakeLeague,
    monkeypatch: pytest.MonkeyPatch,
    portion: int,
) -> None:
    league = opened(database, "abcdefgh", format="ladder", table="batch")
    league.play(ScriptedHosts(3, by_chance), more=6)
    monkeypatch.setattr(rating_cache, "PORTION", portion)
    with database.writing() as connection:
        season = league.open(connection)
        season_decisions.void_match(season, 3, "overheated")
        before = ratings.digest(connection, season.id)
        for kind in TABLES:
            # A row by itself is the row of the whole table, read from the stored one or not.
            whole = read_standings(season, kind=kind)
            alone = [
                read_standings(season, Part(only=frozenset({version})), kind=kind)
                for version in season.roster.versions
            ]
            assert sorted((row for (row,) in alone), key=whole.index) == whole
        rebuilt = league.open(connection)
        count_in(rebuilt, recompute=True)
        assert ratings.digest(connection, season.id) == before
        read = gather(league.open(connection), rebuilt.gathered.covered)
        assert rebuilt.gathered.games == read.games
        assert list(rebuilt.gathered.units.units()) == list(read.units.units())
        assert list(check_ranking(league.open(connection))) == []


@pytest.mark.parametrize("seats", [1, 2])
def test_a_batch_table_is_the_same_to_the_last_bit_whatever_was_read_before_it(
    database: Database, opened: MakeLeague, seats: int
) -> None:
    league = opened(database, "abcde", seats=seats, format_options={"seats": seats, "rounds": 2})
    league.play(ScriptedHosts(strength=by_chance))
    with database.reading() as connection:
        season = league.open(connection)
        planned, _ = fixtures.counts(connection, season.id)
        for end in [*range(3, planned, 3), planned]:  # sets and rounds are cut in two on the way
            anew = league.open(connection)
            assert read_standings(season.as_of(end), kind="batch") == read_standings(
                anew.as_of(end), kind="batch"
            )


ON_ANOTHER_PROCESSOR = """
import sys
from pathlib import Path

from botleague.league import open_season
from botleague.league.tables import read_standings
from botleague.plugins import PluginHost
from botleague_storage import Database

with Database(sys.argv[1], create=False).reading() as connection:
    season = open_season(connection, PluginHost.load([Path(sys.argv[2])]))
    for row in read_standings(season, kind="batch"):
        print(row.bot, row.strength, row.error)
"""


def test_a_batch_table_is_the_same_to_the_last_bit_on_another_processor(
    database: Database,
    opened: MakeLeague,
    plugin_file: Path,
) -> None:
    league = opened(database, "abcdefgh", format="gauntlet", format_options={"rounds": 1})
    league.play(ScriptedHosts(strength=by_chance))
    tables = {
        subprocess.run(
            [sys.executable, "-c", ON_ANOTHER_PROCESSOR, str(database.place), str(plugin_file)],
            env={**os.environ, "OPENBLAS_CORETYPE": processor, "NPY_DISABLE_CPU_FEATURES": features},
            check=True,
            capture_output=True,
        ).stdout
        for processor, features in (("Haswell", ""), ("Prescott", "AVX2,FMA3"))
    }
    (table,) = tables
    assert len(table.splitlines()) == 8


def test_a_season_that_was_closed_is_over_for_good(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcdef", format="ladder", format_options={"share": 1.0})
    hosts = ScriptedHosts()
    league.play(hosts, is_over=until(hosts, 3))
    hosts.close()
    with league.writing() as season:
        assert season_decisions.close(season, "out of time") == 3
        assert season_decisions.close(season, "again") == 0
    league.play(hosts, more=5)
    assert len(hosts.held) == 3
    with database.writing() as connection:
        assert fixtures.counts(connection, season.id) == (6, 6)
        assert [event.kind for event in events.events(connection, season.id)] == ["closed"]
        with pytest.raises(UsageError, match="season is closed"):
            season_decisions.add_newcomers(season.within(connection), [entered(connection, "z")])


def test_a_void_match_counts_nowhere_and_is_voided_once(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "ab", format_options={"rounds": 2})
    league.play(ScriptedHosts())
    with league.writing() as season:
        season_decisions.void_match(season, 3, "overheated")
        with pytest.raises(UsageError, match="already void"):
            season_decisions.void_match(season, 3, "")
        with pytest.raises(UsageError, match="not a finished match"):
            season_decisions.void_match(season, 99, "")
    assert league.rows()["a"].wins == 3
    with database.reading() as connection:
        assert [change.ordinal for change in ratings.each_change(connection, season.id)] == [0, 0, 1, 1, 3, 3]


@pytest.mark.parametrize(
    ("form", "options"), [("round-robin", {"rounds": 1}), ("swiss", {"rounds": 4}), ("ladder", {"rounds": 5})]
)
def test_a_match_that_is_played_again_gives_the_table_of_an_undisturbed_season_however_it_is_played(
    tmp_path: Path,
    plugins: PluginHost,
    opened: MakeLeague,
    form: str,
    options: dict[str, Any],
) -> None:
    accounts: list[list[Any]] = []
    for capacity, again in ((1, ()), (1, (3, 8)), (4, (3, 8))):
        database = Database(str(tmp_path / f"{len(accounts)}.db"))
        league = opened(database, "abcdefg", format=form, format_options=options, table="points")
        league.start(9, 1)
        for match in again:
            play_again(league, match)
            league.start(2, capacity)
        league.play(ScriptedHosts(capacity, by_chance))
        for match in again[:1]:
            play_again(league, match)
        league.play(ScriptedHosts(capacity, by_chance))
        accounts.append(league.account())
        with database.reading() as connection:
            replaced = list(results.replaced(connection, open_season(connection, plugins).id))
            for number, _, row in replaced:
                now = results.find(connection, number)
                assert msgspec.structs.replace(row, recorded_at=0) == msgspec.structs.replace(
                    now, recorded_at=0
                )
        assert [number for number, _, _ in replaced] == sorted([*again, *again[:1]])
        database.close()
    assert accounts[0] == accounts[1] == accounts[2]


def play_again(league: ScriptedLeague, match: int) -> None:
    with league.writing() as season:
        season_decisions.replay_match(season, match, "the machine stood still")
        with pytest.raises(UsageError, match="not a finished match"):
            season_decisions.replay_match(season, match, "")
        assert list(check_fold(season)) == []
    assert problems(league.database) == []


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("form", "options"), [("round-robin", {"rounds": 2}), ("swiss", {"rounds": 3})])
def test_decisions_that_are_all_undone_leave_no_trace_but_the_log(
    tmp_path: Path,
    opened: MakeLeague,
    seed: int,
    form: str,
    options: dict[str, Any],
) -> None:
    """Whatever was decided in the middle of a round, in whatever order it is undone, and however it was played."""
    accounts = []
    for decisions in (0, 8):
        database = Database(str(tmp_path / f"{decisions}.db"))
        league = opened(database, "abcde", format=form, format_options=options, rating="glicko-2")
        rng = random.Random(seed)
        league.start(7, rng.randrange(1, 4))
        with league.writing() as season:
            past_before = past_of(season)
            for _ in range(decisions):
                decide_by_chance(season, rng)
                assert list(check_fold(season)) == []
            entries = [row.number for row in events.events(season.connection, season.id)]
            while entries:
                rng.shuffle(entries)
                refusal = ""
                try:
                    season_decisions.undo(season, entries[-1], "a mistake")
                except UsageError as error:
                    refusal = str(error)
                assert refusal == "" or "reran match" in refusal or "'reinstated'" in refusal
                if "reran match" not in refusal:
                    entries.pop()
                assert list(check_fold(season)) == []
            assert past_of(season) == past_before
        assert problems(database) == []
        league.play(ScriptedHosts(rng.randrange(1, 4), by_chance))
        with league.reading() as season:
            past = past_of(season)
        accounts.append([*league.account(), *past])
        database.close()
    assert accounts[0] == accounts[1]


def past_of(season: Season) -> list[Any]:
    """The tables as of earlier matches, and the history of each bot."""
    planned, _ = fixtures.counts(season.connection, season.id)
    return [
        *(read_standings(season.as_of(end)) for end in range(3, planned, 9)),
        *(history(season.connection, "guessing", bot, planned) for bot in "abcde"),
    ]


def test_season_caches_only_committed_events(database: Database, opened: MakeLeague) -> None:
    league = opened(database)
    with database.writing() as connection:
        season = league.open(connection)
        season.kept = ()
        before = season.said()
        with connection.begin_nested() as attempt:
            season.log("target", rounds=7)
            assert [event.content["rounds"] for event in season.said(["target"])] == [7]
            attempt.rollback()
        season.unread()
        season.log("target", rounds=8)
        assert season.said(after=len(before)) == events.events(connection, season.id, after=len(before))
    again = season.within(connection)
    assert again.kept == season.kept
    with database.writing() as connection:
        later = season.within(connection)
        later.log("target", rounds=9)
        assert [event.content["rounds"] for event in later.said(["target"])] == [8, 9]
        assert later.said() == events.events(connection, season.id)


def decide_by_chance(season: Season, rng: random.Random) -> None:
    """Take one of the decisions that can be undone, or one that follows upon those."""
    played = [match.fixture_id for match in matches.matches(season.connection, season.id) if match.places]
    bot, match = rng.choice(season.roster.versions), rng.choice(played)
    decide: list[Callable[[], object]] = [
        lambda: season_decisions.retire(season, bot),
        lambda: season_decisions.disqualify(season, bot, "", rng.randrange(5)),
        lambda: season_decisions.reinstate(season, bot),
        lambda: season_decisions.void_match(season, match, ""),
        lambda: season_decisions.replay_match(season, match, ""),
        lambda: season_decisions.close(season),
    ]
    with suppress(UsageError):
        rng.choice(decide)()


def test_impossible_undo_or_rerun_is_reported(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcd", format="knockout")
    hosts = ScriptedHosts()
    league.play(hosts, is_over=until(hosts, 4))
    with league.writing() as season:
        first = next(matches.matches(season.connection, season.id))
        copied = min({1, 2, 3, 4} - set(first.versions))
        season_decisions.replay_match(season, 1, "")  # nothing was planned from it
        season_decisions.disqualify(season, copied, "copied")
        with pytest.raises(UsageError, match="is disqualified"):
            season_decisions.replay_match(season, _matches_of(season, copied)[0], "")
        assert season_decisions.undo(season, 2)[1:] == (2, 0)
        with pytest.raises(UsageError, match="already undone"):
            season_decisions.undo(season, 2)
        with pytest.raises(UsageError, match="is 'undone', which cannot be undone"):
            season_decisions.undo(season, 3)
        with pytest.raises(UsageError, match="no entry 9"):
            season_decisions.undo(season, 9)
        season_decisions.retire(season, copied, "ill")
    league.play(hosts)
    with database.writing() as connection:
        season = season.within(connection)
        with pytest.raises(UsageError, match=f"match {league.name}/1 has been played again"):
            season_decisions.undo(season, 1)
        with pytest.raises(UsageError, match="Entry 4 of the log cannot be undone: later bracket rounds"):
            season_decisions.undo(season, 4)
        with pytest.raises(
            UsageError, match=f"Match {league.name}/1 cannot be played again: later rounds of the bracket"
        ):
            season_decisions.replay_match(season, 1, "")
        season_decisions.close(season)
        with pytest.raises(UsageError, match="season is closed"):
            season_decisions.replay_match(season, 1, "")
    assert problems(database) == []


def test_only_the_newest_match_of_a_tournament_that_depends_on_all_before_is_rerun(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abcde", format="pelita-tournament", table="points")
    hosts = ScriptedHosts()
    league.play(hosts)
    assert [row.place for row in league.rows().values()] == [1, 2, 3, 4, 4]
    with league.writing() as season:
        (bracket,) = brackets_of(season)
        assert [len(one.matches) for one in bracket.encounters] == [1, 1, 1, 1]
        planned = [match.fixture_id for match in matches.matches(season.connection, season.id)]
        for match in planned[:-1]:
            with pytest.raises(UsageError, match="later rounds of the bracket depend on its result"):
                season_decisions.replay_match(season, match, "")
        season_decisions.replay_match(season, planned[-1], "")
    league.play(hosts)
    assert problems(database) == []


def _matches_of(season: Season, version: int) -> list[int]:
    rows = matches.matches(season.connection, season.id)
    return [match.fixture_id for match in rows if version in match.versions]


def test_an_audit_voids_what_comes_out_otherwise_twice_and_excuses_clocks(
    database: Database, plugins: PluginHost, opened: MakeLeague
) -> None:
    league = opened(database, "abc", format_options={"rounds": 1}, audit=1.0)
    league.play(ScriptedHosts())
    changed = {2: [b"otherwise", b"otherwise"], 4: [b"once so", b"once otherwise"]}
    auditors = ScriptedHosts(2, changed=changed)
    audited = audit(database, plugins, auditors, league.name, ignore)
    assert sorted((finding.match, finding.verdict) for finding in audited) == [
        (f"{league.name}/2", "differs"),
        (f"{league.name}/4", "clock"),
    ]
    with database.reading() as connection:
        season = league.open(connection)
        void = [match.fixture_id for match in matches.matches(connection, season.id) if match.is_void]
        verdicts = {row.fixture_id: row.content["verdict"] for row in events.events(connection, season.id)}
    assert void == [2]
    assert verdicts == {1: "same", 2: "differs", 3: "same", 4: "clock", 5: "same", 6: "same"}
    assert len(auditors.held) == 8
    assert audit(database, plugins, ScriptedHosts(), league.name, ignore) == []
