"""What an organiser can do to a league, on a real database with scripted matches."""

from __future__ import annotations

import csv
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from botleague.application.decisions import organiser_decisions
from botleague.application.pages.ranking_explained import what_ranks
from botleague.cli.commands.standings_command import show_table
from botleague.errors import UsageError
from botleague.executors import MatchOrder, MatchOutcome
from botleague.executors.match_hosting import MatchHost
from botleague.formats import Comparison, Swiss
from botleague.league import (
    LeagueSettings,
    Penalties,
    Runner,
    Season,
    TimeChanges,
    batch_report,
    count_in,
    create_league,
    group_seed,
    open_season,
)
from botleague.league.decisions import season_decisions, season_start
from botleague.league.results.new_versions import enter_newest
from botleague.league.running import retried_transactions
from botleague.league.running.match_runner import match_row
from botleague.league.scheduling import division_tables
from botleague.league.scheduling.planning import plan_more
from botleague.league.season.hash_chain import check_chain, fingerprint
from botleague.league.season_ratings import rating_cache
from botleague.league.season_ratings.batch_ratings import gather, prior_of, season_results
from botleague.league.season_ratings.rating_cache import read_state
from botleague.league.season_ratings.round_ratings import check_ranking
from botleague.league.tables.comparison_report import ComparisonReport, Decision, conclusion
from botleague.league.tables.comparison_watch import ComparisonWatch
from botleague.league.tables.mark_scheme import Mark, marks, read_scheme
from botleague.league.tables.match_history import history
from botleague.league.tables.standings import Standing, read_standings, standings_by
from botleague.league.tables.table_reader import WHOLE, FoldedTable, Part, StoredTable, TableReader
from botleague.league.verification.export_verification import Difference, check_export
from botleague.league.verification.provenance import check_entrants, check_events, check_marks, check_plan
from botleague.league.verification.replay_audit import audit
from botleague.league.verification.season_export import exported, write_csv
from botleague.league.verification.season_export import terms as export_terms
from botleague.league.verification.season_verification import check_fold, check_sums
from botleague.plugins import PluginHost
from botleague.ratings import fold
from botleague.referee import MatchReport, Player, Record, SeatName, SeatReport, config_digest
from botleague.referee.record import StoredReply, TurnRecord
from botleague.rules import Outcome, Variant, places_by_score
from botleague.rules.formats import TableKind
from botleague.workers.worker_setup import HostSetup
from botleague_server.team.team_page import bot_state
from botleague_storage import (
    ConnectionLost,
    DamagedRow,
    Database,
    bots,
    events,
    fixtures,
    matches,
    problems,
    ratings,
    results,
)
from botleague_storage.league_rows.leagues import LeagueRow

Strength = Callable[[str, random.Random], float]


class ScriptedHosts:
    """Holds matches by a script: who is stronger on the day wins, and the day follows from the match's seed.

    Args:
        strength: of a bot in a match; alphabetical order by default.
        broken: bots that fail to load.
        broken_digests: of versions that do.
        first: what broken bots reply to the first turn instead.
        capacity: matches at a time; reports come back in an order of chance.
    """

    def __init__(
        self,
        capacity: int = 1,
        strength: Strength | None = None,
        broken: Sequence[str] = (),
        changed: Mapping[int, Sequence[bytes]] | None = None,
        first: StoredReply | None = None,
        broken_digests: Set[str] = frozenset(),
    ) -> None:
        self.capacity = capacity
        self.held: list[MatchOrder] = []
        self._strength = strength or (lambda name, _: -ord(name[0]))
        self._broken = broken
        self._broken_digests = broken_digests
        self._first = first
        self._changed = {match: list(records) for match, records in (changed or {}).items()}
        self._orders: list[MatchOrder] = []
        self._rng = random.Random(capacity)

    def submit(self, order: MatchOrder) -> None:
        self._orders.append(order)

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        if not self._orders:
            return []
        self._rng.shuffle(self._orders)
        order = self._orders.pop()
        self.held.append(order)
        return [MatchOutcome(order.fixture, order.epoch, self._report(order))]

    def close(self) -> None:
        self._orders = []

    def _report(self, order: MatchOrder) -> MatchReport:
        names = [player.name for player in order.players]
        # The same draw for the same bot whatever seat it has: mirrored matches come out mirrored.
        form = {name: self._strength(name, random.Random(f"{order.seed}/{name}")) for name in names}
        out = tuple(
            seat
            for seat, player in enumerate(order.players)
            if player.name in self._broken or player.digest in self._broken_digests
        )
        keys = [(seat not in out, form[name]) for seat, name in enumerate(names)]
        outcome = Outcome(places_by_score(keys), tuple(form[name] for name in names), "scripted", out)
        record = Record(
            format=1,
            variant=order.variant,
            game="guessing",
            config={},
            seed=order.seed,
            seats=tuple(SeatName(player.name, player.digest) for player in order.players),
            declarations=tuple(
                StoredReply(fault="crash" if seat in out and self._first is None else "")
                for seat in range(len(names))
            ),
            turns=() if self._first is None else (TurnRecord(out, (self._first,) * len(out)),),
            outcome=outcome,
        )
        seats = tuple(
            SeatReport({"crash": 1} if seat in out else {}, 1.0, 1.0, 1) for seat in range(len(names))
        )
        content = record.encode()
        if self._changed.get(order.fixture):
            content = self._changed[order.fixture].pop(0)
        return MatchReport(content, outcome, seats, ("script",), 1, 1.0)


def by_chance(name: str, rng: random.Random) -> float:
    """Bots early in the alphabet are usually, not always, stronger; some matches are drawn."""
    return round((ord("z") - ord(name[0])) / 4 + rng.gauss(0, 1))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(str(tmp_path / "league.db"))
    yield database
    database.close()


@pytest.fixture
def opened(plugins: PluginHost, guessing: Variant) -> Callable[..., LeagueRow]:
    """Makes a league of bots called by single letters."""

    def make(
        database: Database,
        names: str = "abcd",
        name: str = "cup",
        divisions: Mapping[str, str] | None = None,
        starts: Sequence[events.StartRow] = (),
        **terms: Any,
    ) -> LeagueRow:
        options = terms.pop("format_options", {})
        settings = LeagueSettings(seed=5, format_options=options, **terms)
        with database.writing() as connection:
            versions = [entered(connection, letter) for letter in names]
            chosen = {versions[names.index(bot)]: where for bot, where in (divisions or {}).items()}
            return create_league(
                connection, plugins, name, guessing, settings, versions, divisions=chosen, starts=starts
            ).league

    return make


def entered(connection: Any, name: str) -> int:
    source = bots.Source({"bot.py": name.encode()}, "bot.py")
    return bots.submit(connection, "guessing", name, "", source)[0].id


def ignore(_: object) -> None:
    pass


def play(
    database: Database,
    plugins: PluginHost,
    league: LeagueRow,
    hosts: ScriptedHosts,
    more: int | None = None,
    is_over: Callable[[], bool] | None = None,
) -> None:
    """Run a league, or only so many rounds more."""
    rounds = None
    if more is not None:
        with database.reading() as connection:
            season = open_season(connection, plugins, league.name)
            last = matches.last_round(connection, season.id)
            rounds = last - fixtures.is_open(connection, season.id) + more
    Runner(database, plugins, hosts, "r").run(league.name, ignore, rounds=rounds, is_over=is_over)


def account_of(database: Database, plugins: PluginHost, league: LeagueRow) -> list[Any]:
    """Everything that must not depend on how a season was played; and whether the stored fold is the pure one."""
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        assert list(check_fold(season)) == list(check_sums(season)) == []
        assert [*check_events(season), *check_marks(season), *check_plan(season)] == []
        assert [*check_chain(season), *check_ranking(season)] == []
        return [
            read_standings(open_season(connection, plugins, league.name)),
            ratings.ratings(connection, season.id),
            ratings.changes(connection, season.id),
            [
                (match.versions, match.is_void, match.label)
                for match in matches.matches(connection, season.id)
            ],
        ]


def write_export(database: Database, plugins: PluginHost, league: LeagueRow, folder: Path) -> None:
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        for table in exported(season, ignore):
            with (folder / f"{table.name}.csv").open("w", newline="") as file:
                write_csv(file, table.columns, table.rows)
        (folder / "settings.json").write_bytes(msgspec.json.encode(export_terms(season)))


def export_findings(database: Database, plugins: PluginHost, league: LeagueRow) -> list[Difference]:
    """Export a season, and return what does not follow from its files."""
    with tempfile.TemporaryDirectory() as folder:
        write_export(database, plugins, league, Path(folder))
        return list(check_export(Path(folder), plugins))


def rows_of(database: Database, plugins: PluginHost, league: LeagueRow, **options: Any) -> dict[str, Any]:
    with database.reading() as connection:
        return {
            row.bot: row for row in read_standings(open_season(connection, plugins, league.name), **options)
        }


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
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
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
            left = rng.randrange(1, 8)

            def is_over(held: ScriptedHosts = hosts, until: int = len(hosts.held) + left) -> bool:
                return len(held.held) >= until

            play(database, plugins, league, hosts, is_over=is_over)
            hosts.close()
        play(database, plugins, league, hosts)
        with database.reading() as connection:
            known = fingerprint(open_season(connection, plugins, league.name))
        accounts.append([str(known), *account_of(database, plugins, league)])
        assert problems(database) == []
        database.close()
    assert accounts[0] == accounts[1] == accounts[2]


def test_matches_of_a_mirrored_set_weigh_less_in_plackett_luce(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", rating="plackett-luce")
    play(database, plugins, league, ScriptedHosts(2, by_chance))
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        played = season_results(season)
        stored = ratings.states(connection, season.id, season.roster.versions)
        states = {str(version): read_state(season.system, text) for version, text in stored.items()}
        system = season.system
    assert {result.set_size for result in played} == {2}
    assert fold(system, played).states == states
    assert fold(system, [replace(result, set_size=1) for result in played]).states != states


def test_a_glicko_period_follows_from_the_field_unless_it_is_said(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
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
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow], table: str, column: str
) -> None:
    league = opened(database, "abc", format_options={"rounds": 1})
    play(database, plugins, league, ScriptedHosts())
    with database.writing() as connection:
        connection.exec_driver_sql(f'update {table} set "{column}" = "{column}" + 1 where version_id = 2')
        season = open_season(connection, plugins, league.name)
        assert all(" b " in f" {problem}" for problem in check_fold(season))
        assert bool(list(check_fold(season)))
        assert bool(list(check_sums(season))) == (table == "standing")
        count_in(season, anew=True)
        assert list(check_fold(season)) == []


def test_faults_of_a_kind_and_rows_too_many_are_held_against_the_results(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abc", format_options={"rounds": 1})
    play(database, plugins, league, ScriptedHosts(), is_over=lambda: False)
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        connection.exec_driver_sql("update standing set faults = '{\"crash\": 1}' where version_id = 1")
        assert list(check_sums(season)) == [
            "a has faults {'crash': 1} in the table, but its matches add up to {}"
        ]
        count_in(season, anew=True)
        connection.exec_driver_sql("delete from rating_event where version_id = 3 and ordinal = 2")
        connection.exec_driver_sql("insert into rating_event values (1, 3, 99, 1500, 1501)")
        connection.exec_driver_sql("update season set settled = settled - 1")
        problems_found = list(check_fold(season))
    assert f"at match {league.name}/3 has nothing, but the results give" in problems_found[0]
    assert problems_found[1].endswith(
        f"at match {league.name}/100 has 1500.0 to 1501.0, but the results give nothing"
    )
    assert problems_found[2] == "ratings cover 5 matches, but they should cover 6"


def handed_in(connection: Any, name: str, text: str) -> int:
    """Store the next version of a bot, and return it."""
    source = bots.Source({"bot.py": text.encode()}, "bot.py")
    return bots.submit(connection, "guessing", name, "", source)[0].id


def hand_in(database: Database, name: str, text: str) -> int:
    with database.writing() as connection:
        return handed_in(connection, name, text)


def until(hosts: ScriptedHosts, number: int) -> Callable[[], bool]:
    """Return what ends a run when so many matches were held."""
    return lambda: len(hosts.held) >= number


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
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
    form: str,
    rating: str,
    terms: dict[str, Any],
) -> None:
    """The moment of a hand-in decides from which match on it counts; an event holds that, and all else follows."""

    def begin(name: str) -> tuple[Database, LeagueRow]:
        database = Database(str(tmp_path / name))
        return database, opened(
            database, "abcdef", format=form, rating=rating, new_versions="replace", **terms
        )

    def account(database: Database, league: LeagueRow) -> list[Any]:
        with database.reading() as connection:
            known = fingerprint(open_season(connection, plugins, league.name))
        return [str(known), *account_of(database, plugins, league)]

    rough, league = begin("rough.db")
    for number, (bot, text) in enumerate((("a", "2"), ("c", "2"), ("a", "3"))):
        hosts = ScriptedHosts(4, by_chance)
        play(rough, plugins, league, hosts, is_over=until(hosts, 5 + number))
        hosts.close()
        hand_in(rough, bot, text)
    play(rough, plugins, league, ScriptedHosts(3, by_chance))
    with rough.reading() as connection:
        season = open_season(connection, plugins, league.name)
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
    expected = account(rough, league)
    assert {row.bot: row.version for row in expected[1]} == {
        **dict.fromkeys("bdef", 1),
        "a": 3,
        "c": 2,
    }
    rough.close()

    calm, league = begin("calm.db")
    hosts = ScriptedHosts(1, by_chance)
    for (_, ordinal), (bot, text) in zip(entered, (("a", "2"), ("c", "2"), ("a", "3")), strict=True):
        play(calm, plugins, league, hosts, is_over=until(hosts, ordinal))
        hand_in(calm, bot, text)
    play(calm, plugins, league, hosts)
    assert account(calm, league) == expected
    assert problems(calm) == []
    calm.close()


@pytest.mark.parametrize("rating", ["elo", "glicko-2", "plackett-luce"])
@pytest.mark.parametrize("start", ["carried", "fresh"])
def test_a_new_version_starts_where_its_predecessor_stood_or_afresh(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow], rating: str, start: str
) -> None:
    terms = {
        "format": "ladder",
        "format_options": {"share": 1.0},
        "rating": rating,
        "new_versions": "replace",
    }
    league = opened(database, "abcd", version_start=start, **terms)
    play(database, plugins, league, ScriptedHosts(2, by_chance), more=4)
    before = rows_of(database, plugins, league)["a"]
    newer = hand_in(database, "a", "better")
    waiting = rows_of(database, plugins, league)["a"]
    assert (waiting.version, waiting.newest, waiting.rating) == (1, 2, before.rating)
    hosts = ScriptedHosts(2, by_chance)
    play(database, plugins, league, hosts, more=1, is_over=lambda: True)
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        with pytest.raises(UsageError, match="a is in this season already"):
            season_decisions.add_newcomers(season, [newer])
    play(database, plugins, league, hosts, more=1)
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        first = next(
            change for change in ratings.changes(connection, season.id) if change.version_id == newer
        )
        system = season.system
        states = ratings.states(connection, season.id, [1])
        entered = system.initial()
        if start == "carried":
            entered = system.succeed(read_state(system, states[1]), first.ordinal)
    row = rows_of(database, plugins, league)["a"]
    assert (row.version, row.matches, row.newest) == (2, 2, None)
    assert row.predecessor == (1 if start == "carried" else None)
    assert first.before == system.display(entered).value
    assert row.change is not None
    if start == "carried" and before.change is not None:
        assert row.change == pytest.approx(row.rating - (before.rating - before.change))


def test_a_bot_has_one_row_with_all_its_versions_points_and_its_own_strength(
    database: Database,
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
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
    play(database, plugins, league, ScriptedHosts(2, by_chance), more=3)
    with database.reading() as connection:
        assert batch_report(open_season(connection, plugins, league.name)).tie == 0, (
            "nobody has a predecessor"
        )
    for text in ("2", "3"):
        hand_in(database, "a", text)
        play(database, plugins, league, ScriptedHosts(2, by_chance), more=2)
    tables = []
    for _ in range(2):
        with database.writing() as connection:
            season = open_season(connection, plugins, league.name)
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
            show_table("cup", "guessing", rows, 2, wide=True)
            tables.append((report.tie, [row.strength for row in rows], capsys.readouterr().out))
            season_decisions.close(season)
            for end, number in ((12, 1), (13, 2), (20, 2), (21, 3)):
                then = {row.bot: row for row in read_standings(season.as_of(end))}
                assert (len(then), then["a"].version) == (4, number)
    (tied, while_it_runs, shown), (untied, at_the_end, final) = tables
    assert (tied, untied) == (4.0, 0.0)
    assert while_it_runs != at_the_end
    assert "from version 2" in shown
    assert "tied to its predecessor" in " ".join(shown.split())
    assert "The table is final" in " ".join(final.split())
    assert {matches for _, matches in points.values()} == {14}
    assert sum(points for points, _ in points.values() if points is not None) == 28
    ((division, cross),) = crosses
    assert sorted(division.names.values()) == ["a@3", "b", "c", "d"]
    assert {row.games for row in cross.rows} == {14}


def test_a_suspended_bot_comes_back_with_a_new_version_that_is_measured_whole(
    tmp_path: Path, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    accounts = []
    for capacity in (1, 3):
        database = Database(str(tmp_path / f"{capacity}.db"))
        league = opened(
            database, "abcd", format="gauntlet", format_options={"rounds": 2}, new_versions="replace"
        )
        play(database, plugins, league, ScriptedHosts(capacity, broken="a"))
        row = rows_of(database, plugins, league)["a"]
        assert (row.status, row.matches, row.newest) == ("suspended", 3, None)
        hand_in(database, "a", "mended")
        play(database, plugins, league, ScriptedHosts(capacity, by_chance))
        row = rows_of(database, plugins, league)["a"]
        whole = rows_of(database, plugins, league, kind="points")["a"]
        assert (row.version, row.status, row.matches, row.forfeits) == (2, "", 12, 0)
        assert (whole.matches, whole.forfeits) == (15, 3)
        # Broken once more, it is suspended by its own failures, and what the mended version has played stands.
        hand_in(database, "a", "broken again")
        play(database, plugins, league, ScriptedHosts(capacity, broken="a"))
        row = rows_of(database, plugins, league)["a"]
        assert (row.version, row.status, row.matches) == (2, "", 12)
        accounts.append(account_of(database, plugins, league)[0])
        database.close()
    assert accounts[0] == accounts[1]


def digest_of(text: str) -> str:
    """Return the digest of a version that was handed in with this text."""
    return bots.Source({"bot.py": text.encode()}, "bot.py").digest


@pytest.mark.parametrize(
    ("form", "terms"),
    [
        ("round-robin", {"format_options": {"rounds": 3}}),
        ("ladder", {"format_options": {"rounds": 9}, "table": "batch", "rating": "elo"}),
        ("swiss", {"format_options": {"rounds": 6}}),
        ("gauntlet", {"format_options": {"challengers": 2, "rounds": 2}}),
    ],
)
def test_the_version_before_plays_on_for_a_suspended_one_the_same_however_many_run(
    tmp_path: Path,
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
    form: str,
    terms: dict[str, Any],
) -> None:
    """Two new versions that never load enter at the same match; however many matches run, their suspensions do too."""
    broken = {digest_of("broken a"), digest_of("broken c")}
    accounts, has_set_aside = [], False
    for capacity in (1, 2, 6, 15):
        database = Database(str(tmp_path / f"{capacity}.db"))
        league = opened(database, "abcdef", format=form, new_versions="replace", **terms)
        hosts = ScriptedHosts(1, by_chance)
        play(database, plugins, league, hosts, is_over=until(hosts, 4))
        for bot in "ac":
            hand_in(database, bot, f"broken {bot}")
        play(database, plugins, league, ScriptedHosts(capacity, by_chance, broken_digests=broken))
        with database.reading() as connection:
            season = open_season(connection, plugins, league.name)
            known = fingerprint(season)
            has_set_aside = has_set_aside or bool(list(results.replaced(connection, season.id)))
            suspended = [row.content for row in events.events(connection, season.id, ["suspended"])]
            assert sorted(row["back"] for row in suspended) == [1, 3]
            played = [
                (version, match.ordinal)
                for match in matches.matches(connection, season.id)
                if match.places and not match.is_void
                for version in match.versions
            ]
            assert Counter(version for version, _ in played if version > 6) == {7: 3, 8: 3}
            if form != "gauntlet":
                last = dict(played)
                assert last[1] > last[7], "the version before has played since"
        accounts.append([str(known), *account_of(database, plugins, league)])
        assert export_findings(database, plugins, league) == []
        rows = rows_of(database, plugins, league)
        assert [(rows[bot].version, rows[bot].status, rows[bot].newest) for bot in "ac"] == [
            (1, "", None)
        ] * 2
        assert problems(database) == []
        with database.writing() as connection:
            season = open_season(connection, plugins, league.name)
            before = ratings.ratings(connection, season.id), ratings.changes(connection, season.id)
            count_in(season, anew=True)
            assert (ratings.ratings(connection, season.id), ratings.changes(connection, season.id)) == before
        database.close()
    assert accounts[0] == accounts[1] == accounts[2] == accounts[3]
    assert has_set_aside == (form == "round-robin")


FIRST_REPLIES = {
    "never loads": None,
    "stumbles over its briefing": StoredReply(fault="exception", asked=False),
    "crashes": StoredReply(fault="crash"),
    "times out": StoredReply(fault="timeout"),
}


@pytest.mark.parametrize("failure", FIRST_REPLIES)
def test_export_of_a_league_with_a_bot_that_forfeits_every_match_is_undamaged(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow], tmp_path: Path, failure: str
) -> None:
    """Whether three forfeits in a row suspend depends on how the bot failed, which only the record says."""
    league = opened(database, "abcd", table="points")
    play(database, plugins, league, ScriptedHosts(broken="d", first=FIRST_REPLIES[failure]))
    is_suspended = failure in ("never loads", "stumbles over its briefing")
    assert rows_of(database, plugins, league)["d"].status == ("suspended" if is_suspended else "")
    account_of(database, plugins, league)
    write_export(database, plugins, league, tmp_path)
    assert list(check_export(tmp_path, plugins)) == []

    with (tmp_path / "seats.csv").open(newline="") as file:
        seats = list(csv.DictReader(file))
    marked = [row for row in seats if row["not_started"] == "1"]
    assert [row["bot"] for row in marked] == ["d"] * (3 if is_suspended else 0)
    write_rows(tmp_path / "seats.csv", [{**row, "not_started": row["forfeit"]} for row in seats])
    told = list(check_export(tmp_path, plugins))
    assert bool(told) != is_suspended, "who never started must be suspended"

    old = [{name: cell for name, cell in row.items() if name != "not_started"} for row in seats]
    write_rows(tmp_path / "seats.csv", old)
    assert list(check_export(tmp_path, plugins)) == [], "older exports lack the column"


def write_rows(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def assert_told_to_its_owner(database: Database, plugins: PluginHost, league: LeagueRow) -> None:
    with database.reading() as connection:
        state = bot_state(open_season(connection, plugins, league.name), "a")
    assert (state.newest, state.playing, state.status, state.coming) == (2, 1, "", "")
    assert state.suspended == "failed to load in 3 matches in a row"
    assert state.since is not None


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
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_versions_come_and_go_everything_follows_from_events_and_results(
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
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
        for number, (more, what, bot) in enumerate(happens):
            play(database, plugins, league, hosts, is_over=until(hosts, len(hosts.held) + more))
            hosts.close()
            if what in ("broken", "sound"):
                hand_in(database, bot, f"{what} {number}")
                continue
            with suppress(UsageError), database.writing() as connection:
                decide(open_season(connection, plugins, league.name), what, bot)
        play(database, plugins, league, hosts)
        account_of(database, plugins, league)
        assert export_findings(database, plugins, league) == []
        assert problems(database) == []
        with database.reading() as connection:
            season = open_season(connection, plugins, league.name)
            assert len(read_standings(season)) == 4
            for member in season.roster.members.values():
                assert member.is_out or member.version not in member.suspended


def decide(season: Season, what: str, bot: str) -> None:
    """Let an organiser do something to a bot, or to its last match."""
    version = organiser_decisions.entrant(season, bot)
    match what:
        case "reinstate":
            season_decisions.reinstate(season, version)
        case "disqualify":
            season_decisions.disqualify(season, version, "", 5)
        case "retire":
            season_decisions.retire(season, version)
        case "undo":
            last = events.events(season.connection, season.id)[-1:]
            season_decisions.undo(season, last[0].number if last else 1)
        case "replay":
            played = [one for one in matches.matches(season.connection, season.id) if one.places]
            season_decisions.replay_match(season, played[-1].fixture_id if played else 0, "")


def test_an_examination_measures_a_new_version_whole_and_plays_nothing_else_again(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(
        database, "xyab", format="gauntlet", format_options=EXAM, table="batch", new_versions="replace"
    )
    hosts = ScriptedHosts(2, by_luck)
    play(database, plugins, league, hosts, is_over=until(hosts, 5))
    hosts.close()
    hand_in(database, "a", "in the middle")
    hand_in(database, "x", "of the staff")
    play(database, plugins, league, hosts)
    first, held = marks_of(database, plugins, league), len(hosts.held)
    assert [one.sets for row in first.values() for one in row.meetings] == [3] * 4
    assert 24 < held < 24 + 8
    hand_in(database, "b", "afterwards")
    play(database, plugins, league, hosts)
    second = marks_of(database, plugins, league)
    assert len(hosts.held) == held + 12
    assert second["a"] == first["a"]
    assert {name: row.version for name, row in second.items()} == {"a": 2, "b": 2}
    # The same luck for the same questions: only the version is another.
    assert second["b"] == msgspec.structs.replace(first["b"], version=2)
    account_of(database, plugins, league)
    assert rows_of(database, plugins, league)["x"].version == 1, "who examines stays as it is"


def test_failures_of_a_version_that_was_replaced_meanwhile_are_its_own(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    """The failures of the version before are counted only when the new one has entered."""
    league = opened(
        database, "abcdefgh", format="gauntlet", format_options={"rounds": 1}, new_versions="replace"
    )
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        fixtures.claim(connection, season.id, "r", 10**12, 8)
        handed_in(connection, "a", "mended")
        assert enter_newest(season)
        fixtures.release(connection, ["r"])
        (event,) = events.events(connection, season.id, ["updated"])
        assert event.content["ordinal"] == 8
    hosts = ScriptedHosts(1, by_chance, broken_digests={bots.Source({"bot.py": b"a"}, "bot.py").digest})
    play(database, plugins, league, hosts)
    account_of(database, plugins, league)
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        member = season.roster.member(1)
        assert (member.status, member.absences, member.annulled) == ("", [(3, 8)], [(3, 8)])
    assert rows_of(database, plugins, league)["a"].matches == 14
    assert rows_of(database, plugins, league, kind="points")["a"].matches == 17


def test_a_season_that_holds_its_versions_names_newer_ones_and_the_next_begins_with_them(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abc", rating="glicko-2", format_options={"rounds": 2})
    play(database, plugins, league, ScriptedHosts(1, by_chance))
    newer = hand_in(database, "a", "better")
    play(database, plugins, league, ScriptedHosts(1, by_chance))
    row = rows_of(database, plugins, league)["a"]
    assert (row.version, row.newest) == (1, 2)
    for term, start in (("carried", row.rating), ("fresh", 1500)):
        with database.writing() as connection, connection.begin_nested() as attempt:
            last = open_season(connection, plugins, league.name)
            terms = msgspec.structs.replace(last.settings, version_start=term)
            season = season_start.new_season(last, terms, [newer, 2, 3], carry=0.75)
            begun = {row.bot: row for row in read_standings(season)}
            assert (begun["a"].version, begun["a"].rating) == (2, start)
            assert list(check_entrants(season)) == []
            if term == "carried":
                kept = math.sqrt(row.deviation**2 + 0.25 * 350**2)
                assert begun["a"].deviation == pytest.approx(min(350, math.hypot(kept, 150)))
            seeded = {start.version_id: start.value for start in season_start.seeds(last, [newer, 2, 3])}
            assert seeded.keys() == {newer, 2, 3}
            attempt.rollback()


def test_a_version_enters_only_where_it_has_something_to_play_and_holds_no_table_in_place(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format_options={"rounds": 3}, new_versions="replace")
    with database.writing() as connection:
        season_decisions.anchor(open_season(connection, plugins, league.name), 2, 1500)
        handed_in(connection, "b", "2")
        handed_in(connection, "d", "2")
    hosts = ScriptedHosts(1)
    play(database, plugins, league, hosts, is_over=until(hosts, 3))
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.retire(season, 4)
        handed_in(connection, "c", "2")
    play(database, plugins, league, hosts)
    hand_in(database, "a", "late")
    play(database, plugins, league, hosts)
    rows = rows_of(database, plugins, league)
    assert {bot: (row.version, row.newest) for bot, row in rows.items()} == {
        "a": (1, 2),
        "b": (1, 2),
        "c": (2, None),
        "d": (2, None),
    }
    assert rows["d"].status == "retired", "the bot, whichever version was named"
    account_of(database, plugins, league)


def test_versions_that_do_not_follow_from_the_log_are_found(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format="ladder", new_versions="replace", format_options={"share": 1.0})
    play(database, plugins, league, ScriptedHosts(), more=2)
    newer = hand_in(database, "a", "better")
    play(database, plugins, league, ScriptedHosts(), more=2)
    account_of(database, plugins, league)

    def complaints(statement: str) -> list[str]:
        with database.writing() as connection, connection.begin_nested() as attempt:
            connection.exec_driver_sql(statement)
            season = open_season(connection, plugins, league.name)
            # As `verify` does: what the log says is followed only where it can be.
            try:
                found = list(check_events(season)) or [text for _, text in check_marks(season)]
            except DamagedRow as error:
                found = [str(error)]
            attempt.rollback()
        return found

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
    play(database, plugins, league, ScriptedHosts(broken_digests={digest_of("broken")}), more=4)
    account_of(database, plugins, league)
    back = f'"back": {newer}'
    assert complaints("select 1") == []
    for forged in (f'"back": {newest}', '"back": 2', '"back": 99', '"back": "x"', '"forth": 5'):
        found = complaints(
            f"update event set content = replace(content, '{back}', '{forged}') where kind = 'suspended'"
        )
        assert found, forged
        named = ("event 3 (suspended) ", "Row 3 of the table event (event 3 of its season, suspended) ")
        assert found[0].startswith(named) or "sits in it, but by the log" in found[0]
    assert (
        "sits in it, but by the log"
        in complaints(
            "update event set content = replace(content, '\"since\": ', '\"since\": 1') where kind = 'suspended'"
        )[0]
    )


class FailingServer(Database):
    """A database whose server is away now and then, before a transaction is committed or right after."""

    def __init__(self, path: str, seed: int) -> None:
        self._rng = random.Random(seed)
        self.losses = -1  # none yet
        super().__init__(path)

    @contextmanager
    def reading(self, limits: Any = None) -> Iterator[Any]:
        with super().reading(limits) as connection:
            self._lose()
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Any]:
        with super().writing() as connection:
            yield connection
            self._lose()
        self._lose()

    def _lose(self) -> None:
        if self.losses >= 0 and self._rng.random() < 0.15:
            self.losses += 1
            raise ConnectionLost("the server ended the connection")


def test_a_league_waits_for_a_server_that_comes_and_goes(
    tmp_path: Path, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    accounts = []
    for seed in range(4):
        database = FailingServer(str(tmp_path / f"{seed}.db"), seed)
        league = opened(database, "abcdefg", format="swiss", format_options={"rounds": 4}, audit=0.5)
        hosts, auditors = ScriptedHosts(3, by_chance, broken="f"), ScriptedHosts(2, by_chance, broken="f")
        waits: list[float] = []
        if seed:
            database.losses = 0
        Runner(database, plugins, hosts, "r", waits.append).run(league.name, ignore)
        assert audit(database, plugins, auditors, league.name, ignore, waits.append) == []
        assert len(waits) >= database.losses - 1, "only giving back what is held does not wait"
        assert database.losses > 10 or not seed
        database.losses = -1
        accounts.append(account_of(database, plugins, league))
        with database.reading() as connection:
            season = open_season(connection, plugins, league.name)
            log = [(row.kind, row.fixture_id) for row in events.events(connection, season.id)]
            assert len(set(log)) == len(log)
            assert fixtures.claimants(connection, season.id) <= {"r"}
        assert problems(database) == []
        database.close()
    assert accounts[0] == accounts[1] == accounts[2] == accounts[3]


class ForgetfulServer(Database):
    """A database whose server is gone whenever a transaction that planned matches has just been committed."""

    is_forgetful = False

    @contextmanager
    def writing(self) -> Iterator[Any]:
        with super().writing() as connection:
            before = self._planned(connection)
            yield connection
            after = self._planned(connection)
        if after != before:
            raise ConnectionLost("the server ended the connection")

    def _planned(self, connection: Any) -> int:
        count = connection.exec_driver_sql("select count(*) from fixture") if self.is_forgetful else None
        return 0 if count is None else int(count.scalar())


def test_a_batch_that_was_planned_and_not_heard_of_is_counted(
    tmp_path: Path, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    database = ForgetfulServer(str(tmp_path / "league.db"))
    league = opened(database, "abcdef", format="ladder", format_options={"share": 1.0})
    database.is_forgetful = True
    waits: list[float] = []
    Runner(database, plugins, ScriptedHosts(), "r", waits.append).run(league.name, ignore, rounds=4)
    assert len(waits) == 3
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        assert matches.last_round(connection, season.id) == 4
    database.close()


def test_a_server_that_stays_away_or_a_stop_ends_the_waiting(
    tmp_path: Path, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    database = FailingServer(str(tmp_path / "gone.db"), 1)
    league = opened(database, "ab")
    waits: list[float] = []

    class Gone(FailingServer):
        def _lose(self) -> None:
            raise ConnectionLost("nobody answers")

    database.__class__ = Gone
    with pytest.raises(ConnectionLost):
        Runner(database, plugins, ScriptedHosts(), "r", waits.append).run(league.name, ignore)
    assert sum(waits) == 300
    waits.clear()
    with pytest.raises(ConnectionLost):
        Runner(database, plugins, ScriptedHosts(), "r", waits.append).run(
            league.name, ignore, is_over=lambda: len(waits) >= 2
        )
    assert len(waits) == 2
    database.close()


def test_a_server_that_is_long_in_refusing_is_asked_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = FailingServer(str(tmp_path / "far.db"), 1)
    clock = itertools.count(0, 100)
    monkeypatch.setattr(retried_transactions, "time", SimpleNamespace(monotonic=lambda: next(clock)))

    def fail(connection: object) -> None:
        raise ConnectionLost("no answer in 100 seconds")

    waits: list[float] = []
    with pytest.raises(ConnectionLost):
        retried_transactions.Transactions(database, sleep=waits.append).read(fail)
    assert len(waits) == 2
    database.close()


def test_a_knockout_is_seeded_by_the_table_before_and_by_nothing_that_happens_in_it(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    cup = opened(database, "abcdefgh", format_options={"rounds": 1, "seats": 2})
    play(database, plugins, cup, ScriptedHosts())
    with database.reading() as connection:
        versions = [bots.find_version(connection, "guessing", name).id for name in "hgfedcba"]
        starts = season_start.seeds(open_season(connection, plugins, cup.name), versions)
    finals = opened(database, "hgfedcba", name="finals", format="knockout", starts=starts)
    play(database, plugins, finals, ScriptedHosts(2))
    with database.reading() as connection:
        season = open_season(connection, plugins, finals.name)
        ((division, bracket),) = division_tables.brackets(season)
    first = [
        tuple(division.names[side] for side in slot.sides if side is not None) for slot in bracket.slots[:4]
    ]
    assert first == [("a", "h"), ("d", "e"), ("b", "g"), ("c", "f")]
    assert [division.names[entrant] for entrant, place in bracket.places.items() if place == 1] == ["a"]


def test_a_ladder_plays_so_many_batches_and_takes_newcomers(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcdef", format="ladder", format_options={"share": 1.0})
    play(database, plugins, league, ScriptedHosts(), more=3)
    assert {row.matches for row in rows_of(database, plugins, league).values()} == {6}
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.add_newcomers(season, [entered(connection, "z")])
    play(database, plugins, league, ScriptedHosts(), more=3)
    table = rows_of(database, plugins, league)
    assert table["z"].matches > 0
    with database.reading() as connection:
        early = [match for match in matches.matches(connection, season.id) if match.round <= 3]
        assert season.within(connection).roster.members[7].joined == 4
    assert all(7 not in match.versions for match in early)


def by_luck_alone(_: str, rng: random.Random) -> float:
    """Near equals: nobody is stronger."""
    return round(rng.gauss(0, 1), 3)


def join(database: Database, plugins: PluginHost, league: LeagueRow, *names: str) -> list[int]:
    with database.writing() as connection:
        versions = [entered(connection, name) for name in names]
        season_decisions.add_newcomers(open_season(connection, plugins, league.name), versions)
        return versions


def play_to_target(
    database: Database, plugins: PluginHost, league: LeagueRow, hosts: ScriptedHosts, **options: Any
) -> int:
    """Play as `run` does, and return the last round that was planned."""
    with database.writing() as connection:
        rounds = season_decisions.set_target(
            open_season(connection, plugins, league.name), options.pop("asked", None)
        )
    Runner(database, plugins, hosts, "r", **options.pop("clocks", {})).run(
        league.name, ignore, rounds=rounds, **options
    )
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        return matches.last_round(connection, season.id)


def test_ladder_at_its_target_plays_ten_rounds_further_for_new_bots_however_it_is_played(
    tmp_path: Path, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    accounts = []
    for capacity, interruptions in ((1, 0), (4, 0), (3, 9)):
        database = Database(str(tmp_path / f"{capacity}.db"))
        league = opened(database, "abcdefgh", format="ladder", table="batch")
        hosts = ScriptedHosts(capacity, by_luck_alone)
        assert play_to_target(database, plugins, league, hosts, asked=3) == 3
        before = rows_of(database, plugins, league)
        join(database, plugins, league, "y", "z")
        rng = random.Random(2)
        for _ in range(interruptions):
            left = rng.randrange(1, 9)

            def is_over(held: ScriptedHosts = hosts, until: int = len(hosts.held) + left) -> bool:
                return len(held.held) >= until

            play_to_target(database, plugins, league, hosts, is_over=is_over)
            hosts.close()
        # Also with the command that was given first.
        assert play_to_target(database, plugins, league, hosts, asked=3) == 13
        held = len(hosts.held)
        assert play_to_target(database, plugins, league, hosts) == 13
        assert len(hosts.held) == held, "nobody waits any more"
        with database.reading() as connection:
            season = open_season(connection, plugins, league.name)
            assert [event.content for event in season.said(["target"])] == [
                {"rounds": 3, "asked": 3},
                {"rounds": 13, "asked": 3},
            ]
            known = str(fingerprint(season))
        after = rows_of(database, plugins, league)
        most = max(row.matches for row in before.values())
        assert min(after["y"].matches, after["z"].matches) > most, "more evidence than the target gave"
        accounts.append([known, *account_of(database, plugins, league)])
        database.close()
    assert accounts[0] == accounts[1] == accounts[2]


def test_bot_that_joins_in_the_last_round_plays_ten_rounds(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format="ladder", format_options={"share": 1.0})
    hosts = ScriptedHosts()
    play_to_target(database, plugins, league, hosts, asked=2, is_over=lambda: len(hosts.held) == 6)
    hosts.close()
    join(database, plugins, league, "z")
    assert play_to_target(database, plugins, league, hosts) == 12
    account_of(database, plugins, league)


def test_new_bot_that_crashes_in_every_match_is_suspended_and_the_ladder_ends(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format="ladder", format_options={"share": 1.0})
    hosts = ScriptedHosts(broken="z")
    play_to_target(database, plugins, league, hosts, asked=2)
    join(database, plugins, league, "z")
    assert play_to_target(database, plugins, league, hosts) == 12
    held = len(hosts.held)
    assert play_to_target(database, plugins, league, hosts) == 12
    assert len(hosts.held) == held
    row = rows_of(database, plugins, league)["z"]
    assert (row.status, row.matches) == ("suspended", 3)
    account_of(database, plugins, league)


def test_new_bot_with_nobody_to_play_waits_for_the_next_one(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "ab", format="ladder", format_options={"share": 1.0})
    hosts = ScriptedHosts()
    assert play_to_target(database, plugins, league, hosts, asked=1) == 1
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        for version in season.roster.versions:
            season_decisions.retire(season, version)
    join(database, plugins, league, "z")
    for _ in range(2):
        assert play_to_target(database, plugins, league, hosts) == 1
    join(database, plugins, league, "y")
    assert play_to_target(database, plugins, league, hosts) == 11
    assert [rows_of(database, plugins, league)[name].matches for name in "yz"] == [20, 20]
    account_of(database, plugins, league)


def test_new_bots_do_not_wait_in_a_season_that_is_over(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format="ladder", new_versions="hold")
    hosts = ScriptedHosts()
    assert play_to_target(database, plugins, league, hosts, asked=2) == 2
    with database.writing() as connection:
        source = bots.Source({"bot.py": b"better"}, "bot.py")
        bots.submit(connection, "guessing", "a", "", source)
    assert play_to_target(database, plugins, league, hosts) == 2, "versions are held back"
    join(database, plugins, league, "z")
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.set_calendar(season, {"ends": "2031-01-01 00:00"})
    after = {"clock": lambda: 2e9}
    assert play_to_target(database, plugins, league, hosts, clocks=after) == 2
    with database.reading() as connection:
        assert open_season(connection, plugins, league.name).is_closed
    account_of(database, plugins, league)


TABLES: tuple[TableKind, ...] = ("online", "batch")


@pytest.mark.parametrize("portion", [1, 3, 1000])
def test_a_rebuild_tables_the_rounds_that_its_fold_reads_in_portions(
    database: Database,
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
    monkeypatch: pytest.MonkeyPatch,
    portion: int,
) -> None:
    league = opened(database, "abcdefgh", format="ladder", table="batch")
    play(database, plugins, league, ScriptedHosts(3, by_chance), more=6)
    monkeypatch.setattr(rating_cache, "PORTION", portion)
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
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
        rebuilt = open_season(connection, plugins, league.name)
        count_in(rebuilt, anew=True)
        assert ratings.digest(connection, season.id) == before
        read = gather(open_season(connection, plugins, league.name), rebuilt.gathered.covered)
        assert rebuilt.gathered.games == read.games
        assert list(rebuilt.gathered.units.units()) == list(read.units.units())
        assert list(check_ranking(open_season(connection, plugins, league.name))) == []


@pytest.mark.parametrize("seats", [1, 2])
def test_a_batch_table_is_the_same_to_the_last_bit_whatever_was_read_before_it(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow], seats: int
) -> None:
    league = opened(database, "abcde", seats=seats, format_options={"seats": seats, "rounds": 2})
    play(database, plugins, league, ScriptedHosts(strength=by_chance))
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        planned, _ = fixtures.counts(connection, season.id)
        for end in [*range(3, planned, 3), planned]:  # sets and rounds are cut in two on the way
            anew = open_season(connection, plugins, league.name)
            assert read_standings(season.as_of(end), kind="batch") == read_standings(
                anew.as_of(end), kind="batch"
            )


@given(
    form=st.sampled_from(
        [
            ("round-robin", {"rounds": 2}, "glicko-2"),
            ("swiss", {"rounds": 4}, "elo"),
            ("knockout", {"best_of": 3}, "elo"),
            ("ladder", {"rounds": 4}, "plackett-luce"),
            ("ladder", {"rounds": 4}, "glicko-2"),
            ("gauntlet", {"challengers": 2}, "elo"),
        ]
    ),
    settled=st.sampled_from(["online", "batch", "points"]),
    begins=st.sampled_from(["carried", "fresh"]),
    happens=st.lists(
        st.tuples(
            st.integers(1, 9),
            st.sampled_from(["sound", "broken", "disqualify", "retire"]),
            st.sampled_from("ace"),
        ),
        max_size=3,
    ),
    is_whole=st.booleans(),
    parts=st.lists(
        st.builds(
            Part,
            st.integers(0, 5),
            st.none() | st.integers(0, 5),
            st.none() | st.frozensets(st.integers(1, 6), max_size=4),
        ),
        max_size=6,
    ),
)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_stored_table_is_the_one_that_its_results_make_whatever_part_is_asked_for(
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
    form: tuple[str, dict[str, Any], str],
    settled: TableKind,
    begins: str,
    happens: list[tuple[int, str, str]],
    is_whole: bool,
    parts: list[Part],
) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(Database(f"{folder}/league.db")) as database:
        name, options, rating = form
        terms = {"format": name, "format_options": options, "rating": rating, "table": settled}
        replacing = {"new_versions": "replace", "version_start": begins, "penalties": Penalties(failures=2)}
        league = opened(database, "abcdef", **terms, **replacing)
        broken = {digest_of(f"broken {number}") for number in range(len(happens))}
        hosts = ScriptedHosts(3, by_chance, broken_digests=broken)
        for number, (more, what, bot) in enumerate(happens):
            play(database, plugins, league, hosts, is_over=until(hosts, len(hosts.held) + more))
            hosts.close()
            if what in ("broken", "sound"):
                hand_in(database, bot, f"{what} {number}")
                continue
            with suppress(UsageError), database.writing() as connection:
                decide(open_season(connection, plugins, league.name), what, bot)
        more = None if is_whole else until(hosts, len(hosts.held) + 2)
        play(database, plugins, league, hosts, is_over=more)
        with database.reading() as connection:
            season = open_season(connection, plugins, league.name)
            season = season.as_of(ratings.coverage(connection, season.id)[0])
            is_over = not fixtures.is_open(connection, season.id)
            for kind in ("online", "batch", "points"):
                if kind == settled == "batch" and name == "ladder" and not is_over:
                    continue  # the stored table is that of the last round
                stored, folded = table_of(StoredTable(season), kind), table_of(FoldedTable(season), kind)
                assert stored == folded
                everybody = dict(zip(ordered(season, stored), stored, strict=True))
                for part in parts:
                    for reader in (StoredTable(season), FoldedTable(season)):
                        assert table_of(reader, kind, part) == part.of(everybody)


def table_of(reader: TableReader, kind: TableKind, part: Part = WHOLE) -> list[Standing]:
    """Return a table without what only a stored one tells: the round it is of, and versions that wait."""
    return [replace(row, as_of=None, newest=None) for row in standings_by(reader, part, kind=kind)]


def ordered(season: Season, table: Sequence[Standing]) -> list[int]:
    """Return the versions of a table's rows."""
    ids = {(row.bot, row.number): version for version, row in season.names.items()}
    return [ids[row.bot, row.version] for row in table]


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
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
    plugin_file: Path,
) -> None:
    league = opened(database, "abcdefgh", format="gauntlet", format_options={"rounds": 1})
    play(database, plugins, league, ScriptedHosts(strength=by_chance))
    found = {
        subprocess.run(
            [sys.executable, "-c", ON_ANOTHER_PROCESSOR, str(database.place), str(plugin_file)],
            env={**os.environ, "OPENBLAS_CORETYPE": processor, "NPY_DISABLE_CPU_FEATURES": features},
            check=True,
            capture_output=True,
        ).stdout
        for processor, features in (("Haswell", ""), ("Prescott", "AVX2,FMA3"))
    }
    (table,) = found
    assert len(table.splitlines()) == 8


def test_a_ladders_rounds_are_planned_again_from_the_results_before_them(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcdefgh", format="ladder", table="batch")
    play(database, plugins, league, ScriptedHosts(3, by_chance), more=6)
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.void_match(
            season, 3, "overheated"
        )  # of the first round: others had been paired by it
    play(database, plugins, league, ScriptedHosts(3, by_chance), more=3)
    account_of(database, plugins, league)
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        last = list(matches.matches(connection, season.id))[-1]
        for table in ("fixture_seat", "seat"):  # another opponent, in the last round
            absent = next(version for version in season.roster.versions if version not in last.versions)
            connection.exec_driver_sql(
                f"update {table} set version_id = {absent} where fixture_id = {last.fixture_id} and seat = 0"
            )
        told = list(check_plan(season.within(connection)))
    assert [match for match, _ in told] == [last.fixture_id]
    assert "its seats is" in told[0][1]


def test_a_ladder_of_which_too_few_are_left_ends_without_an_error(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "ab", format="ladder", format_options={"share": 1.0})
    play(database, plugins, league, ScriptedHosts(broken="b"), more=9)
    table = rows_of(database, plugins, league)
    assert (table["a"].wins, table["b"].status) == (3, "suspended")


def test_a_gauntlet_takes_newcomers_and_plays_only_what_they_add(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abc", format="gauntlet", format_options={"rounds": 2})
    play(database, plugins, league, ScriptedHosts())
    assert rows_of(database, plugins, league)["a"].matches == 8
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.add_newcomers(season, [entered(connection, "d")])
    play(database, plugins, league, ScriptedHosts())
    table = rows_of(database, plugins, league)
    assert [table[name].matches for name in "abcd"] == [12, 4, 4, 4]


def test_nobody_joins_a_format_that_is_fixed_from_the_start(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abc", format="knockout")
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        newcomer = entered(connection, "d")
        with pytest.raises(UsageError, match="fixed from the start"):
            season_decisions.add_newcomers(season, [newcomer])


def test_bots_that_play_alone_are_compared_by_their_scores_on_the_same_seed(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    options = {"rounds": 3, "seats": 1}
    league = opened(database, "abc", seats=1, format_options=options, table="points")
    hosts = ScriptedHosts(4)
    play(database, plugins, league, hosts)
    assert len(hosts.held) == 9
    assert len({order.seed for order in hosts.held}) == 3
    table = rows_of(database, plugins, league)
    assert [table[name].mean_score for name in "abc"] == [-97.0, -98.0, -99.0]
    assert [table[name].rank for name in "abc"] == [1, 2, 3]
    assert [table[name].wins for name in "abc"] == [0, 0, 0]
    assert table["a"].rating > table["b"].rating > table["c"].rating
    assert sum(row.rating for row in table.values()) == pytest.approx(4500)


@pytest.mark.parametrize(
    ("first", "status"),
    [
        (StoredReply(fault="timeout"), ""),
        (StoredReply(fault="exception"), ""),
        (StoredReply(fault="timeout", asked=False), "suspended"),
    ],
    ids=["too-late-for-the-first-question", "raised-at-the-first-question", "hung-in-its-briefing"],
)
def test_a_fault_at_a_question_is_not_a_failure_to_load(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow], first: StoredReply, status: str
) -> None:
    league = opened(database, "abc", format_options={"rounds": 2})
    play(database, plugins, league, ScriptedHosts(broken="c", first=first))
    assert rows_of(database, plugins, league)["c"].status == status


@pytest.mark.parametrize("broken", ["d", "cf", "bdf"])
def test_a_bot_that_fails_to_load_is_suspended_by_the_same_match_however_many_run(
    tmp_path: Path, plugins: PluginHost, opened: Callable[..., LeagueRow], broken: str
) -> None:
    accounts = []
    for capacity in (1, 2, 6, 15):
        database = Database(str(tmp_path / f"{capacity}.db"))
        league = opened(database, "abcdef", format_options={"rounds": 2})
        play(database, plugins, league, ScriptedHosts(capacity, by_chance, broken=broken))
        with database.reading() as connection:
            known = fingerprint(open_season(connection, plugins, league.name))
        accounts.append([str(known), *account_of(database, plugins, league)])
        table = rows_of(database, plugins, league)
        for name in broken:
            assert (table[name].forfeits, table[name].matches) == (3, 3)
            assert table[name].status == "suspended"
            assert table[name].reason == "failed to load in 3 matches in a row"
        failed = [1 + "abcdef".index(name) for name in broken]
        assert table["a"].matches == 4 * (5 - len(broken)) + sum(
            _against(database, plugins, league, 1, other) for other in failed
        )
        assert problems(database) == []
        with database.writing() as connection:
            season = open_season(connection, plugins, league.name)
            before = ratings.ratings(connection, season.id), ratings.changes(connection, season.id)
            count_in(season, anew=True)
            assert (ratings.ratings(connection, season.id), ratings.changes(connection, season.id)) == before
        database.close()
    assert accounts[0] == accounts[1] == accounts[2] == accounts[3]


def _against(database: Database, plugins: PluginHost, league: LeagueRow, one: int, other: int) -> int:
    """How many matches of two versions count."""
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        return sum(
            not match.is_void and {one, other} == set(match.versions)
            for match in matches.matches(connection, season.id)
        )


def test_a_retired_bots_matches_count_and_the_others_go_on(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcdef", format="swiss", format_options={"rounds": 4}, table="points")
    hosts = ScriptedHosts()
    play(database, plugins, league, hosts, is_over=lambda: len(hosts.held) >= 9)
    before = rows_of(database, plugins, league)["a"].matches
    assert before > 0
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.retire(season, 1, "moved away")
        with pytest.raises(UsageError, match="retired already"):
            season_decisions.retire(season, 1)
    hosts.close()
    play(database, plugins, league, hosts)
    table = rows_of(database, plugins, league)
    assert (table["a"].status, table["a"].reason) == ("retired", "moved away")
    assert table["a"].matches == before
    with database.reading() as connection:
        played = [match for match in matches.matches(connection, season.id) if match.round == 4]
    assert played
    assert all(1 not in match.versions for match in played)
    assert problems(database) == []


@pytest.mark.parametrize(
    ("leaving", "points"), [("forfeit", [6.0, 4.0, 2.0]), ("annul", [4.0, 2.0, 0.0]), (None, [4.0, 2.0, 0.0])]
)
def test_what_a_bot_that_leaves_does_to_the_others_is_a_term(
    database: Database,
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
    leaving: Any,
    points: list[float],
) -> None:
    """The first of four leaves before it has played: its six matches are walkovers, or nothing."""
    league = opened(database, "abcd", table="points", leaving=leaving)
    with database.writing() as connection:
        season_decisions.retire(open_season(connection, plugins, league.name), 1)
    play(database, plugins, league, ScriptedHosts())
    table = rows_of(database, plugins, league)
    ours = sorted((row.points for name, row in table.items() if name != "a"), reverse=True)
    assert ours == points
    assert (table["a"].points, table["a"].matches) == (0.0, 0)


def test_a_disqualified_bots_matches_stay_stored_and_change_no_rating(
    tmp_path: Path, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    database = Database(str(tmp_path / "with.db"))
    league = opened(database, "abcd", format_options={"rounds": 2})
    play(database, plugins, league, ScriptedHosts(1, by_chance))
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        third = [match for match in matches.matches(connection, season.id) if 4 in match.versions][2]
        assert season_decisions.disqualify(season, 4, "cheated", third.ordinal) == 10
    table = rows_of(database, plugins, league)
    assert list(table)[-1] == "d"
    assert table["d"].matches == 2
    with database.reading() as connection:
        pages = [
            read_standings(open_season(connection, plugins, league.name), Part(first, 1))
            for first in range(4)
        ]
        by_points = read_standings(open_season(connection, plugins, league.name), kind="points")
    assert [row for page in pages for row in page] == list(table.values())
    assert by_points[-1].bot == "d"
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        stored = list(matches.matches(connection, season.id))
        assert all(match.places for match in stored)
        rated = {change.ordinal for change in ratings.changes(connection, season.id)}
        late = [match for match in stored if 4 in match.versions and match.ordinal >= third.ordinal]
        assert {match.ordinal for match in late} == {match.ordinal for match in stored} - rated
        assert [event.kind for event in events.events(connection, season.id)] == ["disqualified"]
    with database.writing() as connection, pytest.raises(UsageError, match="disqualified already"):
        season_decisions.disqualify(season.within(connection), 4, "again")
    assert problems(database) == []
    database.close()


# A swiss of six in three rounds, a set of two games a round, worked by hand. The better seed, a before b and so on,
# wins both games of each set:
#
#   round 1   a-d 2:0   b-e 2:0   c-f 2:0    a 2  b 2  c 2  d 0  e 0  f 0
#   round 2   a-b 2:0   c-d 2:0   e-f 2:0    a 4  b 2  c 4  d 0  e 2  f 0
#   round 3   a-c 2:0   b-f 2:0   d-e 2:0    a 6  b 4  c 4  d 2  e 2  f 0   (b-e and e-f have met)
#
# A row is (bot, points, Buchholz, Sonneborn-Berger). In both a round won without playing counts as one against a
# virtual opponent with the bot's own points.

PLAYED = [
    ("a", 6, 2 + 4 + 4, 12 + 8),  # d, b, c: 2 (2 + 4 + 4)
    ("b", 4, 2 + 6 + 0, 4),  # e, a, f: 2 (2 + 0)
    ("c", 4, 0 + 2 + 6, 4),  # f, d, a: 2 (0 + 2); it shares the second place with b
    ("d", 2, 6 + 4 + 2, 4),  # a, c, e
    ("e", 2, 4 + 0 + 2, 0),  # b, f, d
    ("f", 0, 4 + 2 + 4, 0),  # c, e, b
]
WITHOUT_A = [  # d, b and c have a set each for the one that they lost to a, or did not play
    ("c", 6, 0 + 4 + 6, 2 * (0 + 4 + 6)),  # f, d, virtual
    ("b", 6, 2 + 6 + 0, 2 * (2 + 6 + 0)),  # e, virtual, f
    ("d", 4, 4 + 6 + 2, 2 * (4 + 2)),  # virtual, c, e
    ("e", 2, 6 + 0 + 4, 0),
    ("f", 0, 6 + 2 + 6, 0),
    ("a", 0, 0, 0),
]
ROUND_3_WITHOUT_A = [  # b-c 2:0, d-e 2:0 and a bye for f: paired by b 4, c 4, d 2, e 2, f 0
    ("b", 6, 2 + 6 + 4, 2 * (2 + 6 + 4)),  # e, virtual, c
    ("c", 4, 2 + 4 + 6, 2 * (2 + 4)),  # f, d, b
    ("d", 4, 4 + 4 + 2, 2 * (4 + 2)),  # virtual, c, e
    ("e", 2, 6 + 2 + 4, 2 * 2),  # b, f, d
    ("f", 2, 4 + 2 + 2, 2 * 2),  # c, e, virtual
    ("a", 0, 0, 0),
]
ANNULLED = [  # whoever met a has two rounds instead of three
    ("b", 4, 2 + 0, 2 * 2),  # e, f
    ("c", 4, 0 + 2, 2 * 2),  # f, d: shares the first place
    ("d", 2, 4 + 2, 2 * 2),  # c, e
    ("e", 2, 4 + 0 + 2, 0),  # b, f, d
    ("f", 0, 4 + 2 + 4, 0),
    ("a", 0, 0, 0),
]
EARLY = [  # a left after round 1 of 3, less than half. Round 2: b-c, d-e, f has a bye; round 3: b-f, c-d, e has a bye
    ("b", 6, 2 + 4 + 2, 2 * (2 + 4 + 2)),  # e, c, f
    ("c", 4, 2 + 6 + 2, 2 * (2 + 2)),  # f, b, d
    ("f", 2, 4 + 2 + 6, 2 * 2),  # c, virtual, b
    ("e", 2, 6 + 2 + 2, 2 * 2),  # b, d, virtual
    ("d", 2, 2 + 4, 2 * 2),  # e, c
    ("a", 0, 0, 0),
]
WITHOUT_A_AND_B = [  # who met each other in round 2: nobody has points of that
    ("c", 6, 2 + 4 + 6, 2 * (2 + 4 + 6)),  # f, d, virtual
    ("d", 4, 4 + 6 + 4, 2 * (4 + 4)),  # virtual, c, e
    ("e", 4, 4 + 2 + 4, 2 * (4 + 2)),  # virtual, f, d
    ("f", 2, 6 + 4 + 2, 2 * 2),  # c, e, virtual
    ("a", 0, 0, 0),
    ("b", 0, 0, 0),
]
RETIRED = [  # between pairing and play of round 3: c alone has a walkover
    ("c", 6, 0 + 2 + 6, 2 * (0 + 2 + 6)),  # f, d, virtual
    ("a", 4, 2 + 4 + 4, 2 * (2 + 4)),  # d, b, virtual
    ("b", 4, 2 + 5 + 0, 2 * (2 + 0)),  # e, a as if it had halved the last round, f
    ("d", 2, 5 + 6 + 2, 2 * 2),
    ("e", 2, 4 + 0 + 2, 0),
    ("f", 0, 6 + 2 + 4, 0),
]


def disqualify_a(season: Season) -> None:
    season_decisions.disqualify(season, 1, "copied")


def disqualify_both(season: Season) -> None:
    season_decisions.disqualify(season, 2, "copied")
    season_decisions.disqualify(season, 1, "copied")


def disqualify_both_and_undo(season: Season) -> None:
    disqualify_both(season)
    season_decisions.undo(season, 1, "appeal")


def pair_and_disqualify(season: Season) -> None:
    plan_more(season)
    disqualify_a(season)


def pair_and_retire(season: Season) -> None:
    plan_more(season)
    season_decisions.retire(season, 1)


def disqualify_and_undo(season: Season) -> None:
    disqualify_a(season)
    season_decisions.undo(season, 1, "appeal")


@pytest.mark.parametrize(
    ("leaving", "rounds", "decide", "table"),
    [
        ("forfeit", 3, ignore, PLAYED),
        (None, 3, disqualify_a, WITHOUT_A),
        ("forfeit", 3, disqualify_a, WITHOUT_A),
        ("forfeit", 2, pair_and_disqualify, WITHOUT_A),
        ("forfeit", 2, disqualify_a, ROUND_3_WITHOUT_A),
        ("forfeit", 2, pair_and_retire, RETIRED),
        ("forfeit", 3, disqualify_both, WITHOUT_A_AND_B),
        ("forfeit", 3, disqualify_both_and_undo, WITHOUT_A),
        ("forfeit", 3, disqualify_and_undo, PLAYED),
        ("forfeit", 2, disqualify_and_undo, PLAYED),
        ("annul", 3, disqualify_a, ANNULLED),
        ("annul", 3, disqualify_and_undo, PLAYED),
        ("half", 3, disqualify_a, WITHOUT_A),
        ("half", 2, disqualify_a, ROUND_3_WITHOUT_A),
        ("half", 1, disqualify_a, EARLY),
    ],
)
def test_disqualification_in_a_swiss_gives_the_points_worked_by_hand(
    database: Database,
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
    leaving: Any,
    rounds: int,
    decide: Callable[[Season], object],
    table: list[tuple[str, float, float, float]],
) -> None:
    seeds = [events.StartRow(number, None, 2000.0 - number) for number in range(1, 7)]
    league = opened(
        database,
        "abcdef",
        starts=seeds,
        format="swiss",
        format_options={"rounds": 3},
        table="points",
        leaving=leaving,
    )
    play(database, plugins, league, ScriptedHosts(), more=rounds)
    with database.writing() as connection:
        decide(open_season(connection, plugins, league.name))
    play(database, plugins, league, ScriptedHosts())
    rows = rows_of(database, plugins, league)
    found = [
        (bot, row.points, row.tie_breaks["buchholz"], row.tie_breaks["sonneborn_berger"])
        for bot, row in rows.items()
    ]
    assert found == table
    account_of(database, plugins, league)
    assert export_findings(database, plugins, league) == []
    assert problems(database) == []


def test_disqualification_in_mid_set_gives_the_opponent_the_full_set(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format="swiss", format_options={"rounds": 1}, table="points")
    hosts = ScriptedHosts()
    play(database, plugins, league, hosts, is_over=until(hosts, 1))
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        first = next(matches.matches(connection, season.id))
        winner, loser = sorted(first.versions)
        season_decisions.void_match(season, first.fixture_id, "overheated")
        season_decisions.disqualify(season, winner, "copied")
    play(database, plugins, league, hosts)
    rows = rows_of(database, plugins, league)
    assert [rows["abcd"[version - 1]].points for version in (winner, loser)] == [0, 2]
    account_of(database, plugins, league)
    assert export_findings(database, plugins, league) == []


def test_reinstated_bot_starts_without_points_and_its_opponents_keep_theirs(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    """Round 1: a-c and b-d. Round 2 without a: b 2, c 2 (walkover), d 0. Round 3: with a again, who has nothing."""
    seeds = [events.StartRow(number, None, 2000.0 - number) for number in range(1, 5)]
    league = opened(
        database, "abcd", starts=seeds, format="swiss", format_options={"rounds": 3, "mirrored": False}
    )
    play(database, plugins, league, ScriptedHosts(), more=1)
    with database.writing() as connection:
        season_decisions.disqualify(open_season(connection, plugins, league.name), 1, "copied")
    play(database, plugins, league, ScriptedHosts(), more=1)  # b-c 1:0, d has a bye
    with database.writing() as connection:
        season_decisions.reinstate(open_season(connection, plugins, league.name), 1, "appeal")
    play(database, plugins, league, ScriptedHosts())  # a-b 1:0, c-d 1:0: b and d met in round 1
    rows = rows_of(database, plugins, league, kind="points")
    assert {bot: row.points for bot, row in rows.items()} == {"b": 2, "c": 2, "a": 1, "d": 1}
    account_of(database, plugins, league)
    assert export_findings(database, plugins, league) == []


def test_disqualification_of_an_older_version_decides_nothing_about_sets(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    """Its event does not say what becomes of them, so tables and exports of that time stay as they were."""
    league = opened(database, "abcd", format="swiss", format_options={"rounds": 2}, table="points")
    play(database, plugins, league, ScriptedHosts())
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.disqualify(season, 1, "copied")
        before = read_standings(season)
        connection.exec_driver_sql("update event set content = json_remove(content, '$.sets')")
        after = read_standings(open_season(connection, plugins, league.name))
    assert sum(row.points or 0 for row in before) - sum(row.points or 0 for row in after) == 4
    assert export_findings(database, plugins, league) == []


def test_who_is_disqualified_in_a_knockout_hands_over_the_next_encounter(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format="knockout")
    hosts = ScriptedHosts()
    play(database, plugins, league, hosts, is_over=lambda: len(hosts.held) >= 4)
    hosts.close()
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.disqualify(season, 1, "cheated")
    play(database, plugins, league, hosts)
    with database.reading() as connection:
        ((division, bracket),) = division_tables.brackets(season.within(connection))
    champion = bracket.champion
    assert champion is not None
    assert division.names[champion] != "a"
    assert set(bracket.places.values()) == {1, 2, 3, 4}


def test_who_is_reinstated_is_paired_again(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format="ladder", format_options={"share": 1.0})
    play(database, plugins, league, ScriptedHosts(broken="d"), more=4)
    assert rows_of(database, plugins, league)["d"].status == "suspended"
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.reinstate(season, 4, "the bot was mended")
        with pytest.raises(UsageError, match="nothing to reinstate"):
            season_decisions.reinstate(season, 4)
    before = rows_of(database, plugins, league)["d"]
    assert before.status == ""
    play(database, plugins, league, ScriptedHosts(), more=3)
    after = rows_of(database, plugins, league)["d"]
    assert after.matches > before.matches
    assert after.status == ""


def test_a_return_that_an_older_version_logged_is_still_read(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "ab")
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.retire(season, 1)
        events.append(connection, season.id, "reinstated", version_id=1, content={"ordinal": 4})
        member = season.roster.members[1]
    assert (member.is_out, member.away, member.back_since) == (False, (), 4)


def play_without_for_a_round(
    database: Database, plugins: PluginHost, league: LeagueRow, hosts: ScriptedHosts, first: int
) -> Season:
    """Play a league to its end; version 1 is away in the round after the ``first`` ones."""
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
    play(database, plugins, league, hosts, more=first)
    with database.writing() as connection:
        season_decisions.retire(season.within(connection), 1)
    play(database, plugins, league, hosts, more=1)
    with database.writing() as connection:
        season_decisions.reinstate(season.within(connection), 1)
    play(database, plugins, league, hosts)
    return season


def test_who_missed_rounds_of_a_swiss_league_is_paired_from_the_next_one_on(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcdefg", format="swiss", format_options={"rounds": 5}, table="points")
    season = play_without_for_a_round(database, plugins, league, ScriptedHosts(1, by_chance), 2)
    with database.reading() as connection:
        rounds: dict[int, list[int]] = {}
        for match in matches.matches(connection, season.id):
            assert not match.is_void
            rounds.setdefault(match.round, []).extend(match.versions)
        (division,) = division_tables.divisions(season.within(connection))
        rests = Swiss(rounds=5).byes(division.entrants, division.results)
    assert [len(rounds[number]) for number in range(1, 6)] == [12, 12, 12, 12, 12]
    assert [1 in rounds[number] for number in (3, 4, 5)] == [False, True, True]
    assert all(max(map(seats.count, seats)) == 2 for seats in rounds.values()), "twice in one round"
    assert sum(bye.points for bye in rests) == 2.0 * 4, (
        "one rests in each round but the third, in which six were in"
    )


def test_who_rested_keeps_the_points_of_a_bye_when_another_match_of_the_round_is_void(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(
        database, "abcde", format="swiss", format_options={"rounds": 3}, table="points", leaving="annul"
    )
    play(database, plugins, league, ScriptedHosts(1, by_chance))
    before = rows_of(database, plugins, league)
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.disqualify(season, 1, "cheated")
    after = rows_of(database, plugins, league)

    def byes(table: Mapping[str, Any]) -> dict[str, float]:
        return {name: row.points - row.wins - row.draws / 2 for name, row in table.items()}

    assert sum(byes(before).values()) == 6.0
    assert byes(after) == byes(before)


def test_a_bracket_is_not_played_back_for_who_comes_in_again(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcdefgh", format="knockout", format_options={"bronze": False})
    season = play_without_for_a_round(database, plugins, league, ScriptedHosts(), 1)
    with database.reading() as connection:
        ((division, bracket),) = division_tables.brackets(season.within(connection))
        played = [match for match in matches.matches(connection, season.id) if 1 in match.versions]
    assert {match.round for match in played} == {1}
    assert bracket.champion is not None
    assert division.names[bracket.champion] == "b"


@pytest.mark.parametrize("decide", [season_decisions.retire, season_decisions.disqualify])
def test_who_leaves_in_the_middle_of_a_round_loses_what_it_had_not_played_in_it(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow], decide: Callable[..., int]
) -> None:
    league = opened(database, "ab", format="knockout")
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        first, second = fixtures.claim(connection, season.id, "r", 10**12, 2)
        assert (first.ordinal, second.ordinal) == (0, 1)
        # The second match is over before the first, and a has won it.
        report = MatchReport(
            b"{}",
            Outcome((2, 1), (0.0, 1.0), "scripted"),
            (SeatReport({}, 1.0, 1.0, 1),) * 2,
            ("script",),
            1,
            1.0,
        )
        assert second.versions == (2, 1)
        assert results.add(connection, second.fixture_id, second.epoch, match_row(second, report))
        decide(season, 1, "left")
    play(database, plugins, league, ScriptedHosts())
    with database.reading() as connection:
        ((division, bracket),) = division_tables.brackets(season.within(connection))
    assert bracket.champion is not None
    assert division.names[bracket.champion] == "b"


def test_a_season_that_was_closed_is_over_for_good(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcdef", format="ladder", format_options={"share": 1.0})
    hosts = ScriptedHosts()
    play(database, plugins, league, hosts, is_over=lambda: len(hosts.held) >= 3)
    hosts.close()
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        assert season_decisions.close(season, "out of time") == 3
        assert season_decisions.close(season, "again") == 0
    play(database, plugins, league, hosts, more=5)
    assert len(hosts.held) == 3
    with database.writing() as connection:
        assert fixtures.counts(connection, season.id) == (6, 6)
        assert [event.kind for event in events.events(connection, season.id)] == ["closed"]
        with pytest.raises(UsageError, match="season was closed"):
            season_decisions.add_newcomers(season.within(connection), [entered(connection, "z")])


def test_failures_that_waited_for_a_disqualified_bots_matches_suspend_at_once(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format_options={"rounds": 1})

    class Reluctant(ScriptedHosts):
        """Matches of d take longest."""

        def wait(self, timeout_s: float) -> list[MatchOutcome]:
            self._orders.sort(key=lambda order: all(player.name != "d" for player in order.players))
            order = self._orders.pop()
            self.held.append(order)
            return [MatchOutcome(order.fixture, order.epoch, self._report(order))]

    hosts = Reluctant(12, broken="c")
    play(database, plugins, league, hosts, is_over=lambda: len(hosts.held) >= 6)
    assert rows_of(database, plugins, league)["c"].status == ""
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.disqualify(season, 4, "cheated")
    table = rows_of(database, plugins, league)
    assert (table["c"].status, table["c"].forfeits) == ("suspended", 3)
    before = account_of(database, plugins, league)
    with database.writing() as connection:
        count_in(season.within(connection), anew=True)
    assert account_of(database, plugins, league) == before
    assert problems(database) == []


def test_a_void_match_counts_nowhere_and_is_voided_once(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "ab", format_options={"rounds": 2})
    play(database, plugins, league, ScriptedHosts())
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.void_match(season, 3, "overheated")
        with pytest.raises(UsageError, match="void already"):
            season_decisions.void_match(season, 3, "")
        with pytest.raises(UsageError, match="not a finished match"):
            season_decisions.void_match(season, 99, "")
    assert rows_of(database, plugins, league)["a"].wins == 3
    with database.reading() as connection:
        assert [change.ordinal for change in ratings.changes(connection, season.id)] == [0, 0, 1, 1, 3, 3]


def start(database: Database, plugins: PluginHost, league: LeagueRow, number: int, capacity: int) -> None:
    """Play ``number`` matches of a season; what is under way then is given up."""
    hosts = ScriptedHosts(capacity, by_chance)
    play(database, plugins, league, hosts, is_over=lambda: len(hosts.held) >= number)


@pytest.mark.parametrize(
    ("form", "options"), [("round-robin", {"rounds": 1}), ("swiss", {"rounds": 4}), ("ladder", {"rounds": 5})]
)
def test_a_match_that_is_played_again_gives_the_table_of_an_undisturbed_season_however_it_is_played(
    tmp_path: Path, plugins: PluginHost, opened: Callable[..., LeagueRow], form: str, options: dict[str, Any]
) -> None:
    accounts: list[list[Any]] = []
    for capacity, again in ((1, ()), (1, (3, 8)), (4, (3, 8))):
        database = Database(str(tmp_path / f"{len(accounts)}.db"))
        league = opened(database, "abcdefg", format=form, format_options=options, table="points")
        start(database, plugins, league, 9, 1)
        for match in again:
            play_again(database, plugins, league, match)
            start(database, plugins, league, 2, capacity)
        play(database, plugins, league, ScriptedHosts(capacity, by_chance))
        for match in again[:1]:
            play_again(database, plugins, league, match)
        play(database, plugins, league, ScriptedHosts(capacity, by_chance))
        accounts.append(account_of(database, plugins, league))
        with database.reading() as connection:
            kept = list(results.replaced(connection, open_season(connection, plugins).id))
            for number, _, row in kept:
                now = results.find(connection, number)
                assert replace(row, recorded_at=0) == replace(now, recorded_at=0)
        assert [number for number, _, _ in kept] == sorted([*again, *again[:1]])
        database.close()
    assert accounts[0] == accounts[1] == accounts[2]


def play_again(database: Database, plugins: PluginHost, league: LeagueRow, match: int) -> None:
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.replay_match(season, match, "the machine stood still")
        with pytest.raises(UsageError, match="not a finished match"):
            season_decisions.replay_match(season, match, "")
        assert list(check_fold(season)) == []
    assert problems(database) == []


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("form", "options"), [("round-robin", {"rounds": 2}), ("swiss", {"rounds": 3})])
def test_decisions_that_are_all_undone_leave_no_trace_but_the_log(
    tmp_path: Path,
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
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
        start(database, plugins, league, 7, rng.randrange(1, 4))
        with database.writing() as connection:
            season = open_season(connection, plugins, league.name)
            known = past_of(season)
            for _ in range(decisions):
                decide_by_chance(season, rng)
                assert list(check_fold(season)) == []
            entries = [row.number for row in events.events(connection, season.id)]
            while entries:
                rng.shuffle(entries)
                refusal = ""
                try:
                    season_decisions.undo(season, entries[-1], "a mistake")
                except UsageError as error:
                    refusal = str(error)
                assert refusal == "" or "is played again by entry" in refusal or "'reinstated'" in refusal
                if "is played again by entry" not in refusal:
                    entries.pop()
                assert list(check_fold(season)) == []
            assert past_of(season) == known
        assert problems(database) == []
        play(database, plugins, league, ScriptedHosts(rng.randrange(1, 4), by_chance))
        with database.reading() as connection:
            past = past_of(open_season(connection, plugins, league.name))
        accounts.append([*account_of(database, plugins, league), *past])
        database.close()
    assert accounts[0] == accounts[1]


def past_of(season: Season) -> list[Any]:
    """The tables as of earlier matches, and the history of each bot."""
    planned, _ = fixtures.counts(season.connection, season.id)
    return [
        *(read_standings(season.as_of(end)) for end in range(3, planned, 9)),
        *(history(season.connection, "guessing", bot, planned) for bot in "abcde"),
    ]


def test_what_a_season_keeps_of_its_log_is_what_was_committed(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database)
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
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


def test_what_cannot_be_undone_or_played_again_is_said(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format="knockout")
    hosts = ScriptedHosts()
    play(database, plugins, league, hosts, is_over=lambda: len(hosts.held) >= 4)
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        first = next(matches.matches(connection, season.id))
        copied = min({1, 2, 3, 4} - set(first.versions))
        season_decisions.replay_match(season, 1, "")  # nothing was planned from it
        season_decisions.disqualify(season, copied, "copied")
        with pytest.raises(UsageError, match="is disqualified"):
            season_decisions.replay_match(season, _matches_of(season, copied)[0], "")
        assert season_decisions.undo(season, 2)[1:] == (2, 0)
        with pytest.raises(UsageError, match="undone already"):
            season_decisions.undo(season, 2)
        with pytest.raises(UsageError, match="says 'undone', which cannot be undone"):
            season_decisions.undo(season, 3)
        with pytest.raises(UsageError, match="no entry 9"):
            season_decisions.undo(season, 9)
        season_decisions.retire(season, copied, "ill")
    play(database, plugins, league, hosts)
    with database.writing() as connection:
        season = season.within(connection)
        with pytest.raises(UsageError, match=f"match {league.name}/1 has been played again"):
            season_decisions.undo(season, 1)
        with pytest.raises(UsageError, match="Entry 4 of the log cannot be undone: the bracket went on"):
            season_decisions.undo(season, 4)
        with pytest.raises(
            UsageError, match=f"Match {league.name}/1 cannot be played again: the bracket went on"
        ):
            season_decisions.replay_match(season, 1, "")
        season_decisions.close(season)
        with pytest.raises(UsageError, match="season was closed"):
            season_decisions.replay_match(season, 1, "")
    assert problems(database) == []


def _matches_of(season: Season, version: int) -> list[int]:
    known = matches.matches(season.connection, season.id)
    return [match.fixture_id for match in known if version in match.versions]


def test_rounds_that_were_paired_without_a_bot_bring_it_no_bye_when_its_retirement_is_undone(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcdefg", format="swiss", format_options={"rounds": 5}, table="points")
    play(database, plugins, league, ScriptedHosts(), more=2)
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.retire(season, 1)
    play(database, plugins, league, ScriptedHosts(), more=1)
    with database.writing() as connection:
        season_decisions.undo(season.within(connection), 1)
    play(database, plugins, league, ScriptedHosts())
    with database.reading() as connection:
        rounds = {match.round for match in matches.matches(connection, season.id) if 1 in match.versions}
        (division,) = division_tables.divisions(season.within(connection))
        rests = Swiss(rounds=5).byes(division.entrants, division.results)
    assert rounds | {bye.round for bye in rests if not bye.entrant} == {1, 2, 4, 5}


def test_a_suspension_that_is_undone_gives_the_bot_as_many_tries_again_however_it_was_played(
    tmp_path: Path, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    accounts = []
    for capacity in (1, 2, 6, 15):
        database = Database(str(tmp_path / f"{capacity}.db"))
        league = opened(database, "abcdef", format_options={"rounds": 2})
        play(database, plugins, league, ScriptedHosts(capacity, by_chance, broken="c"))
        with database.writing() as connection:
            season = open_season(connection, plugins, league.name)
            assert season.roster.member(3).status == "suspended"
            season_decisions.undo(season, 1, "the disk was full")
        play(database, plugins, league, ScriptedHosts(capacity, by_chance, broken="c"))
        row = rows_of(database, plugins, league)["c"]
        assert (row.status, row.matches, row.forfeits) == ("suspended", 6, 6)
        accounts.append(account_of(database, plugins, league))
        assert problems(database) == []
        database.close()
    assert accounts[0] == accounts[1] == accounts[2] == accounts[3]


def test_the_batch_table_has_errors_an_anchor_and_says_what_is_not_connected(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format_options={"rounds": 4}, table="batch")
    play(database, plugins, league, ScriptedHosts(2, by_chance))
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        season_decisions.anchor(season, 4, 1000)
        with pytest.raises(UsageError, match="a rating is a number"):
            season_decisions.anchor(season, 4, math.nan)
        with pytest.raises(UsageError, match="Release it first"):
            season_decisions.retire(season, 4)
        report = batch_report(season)
    assert [row.rating for row in report.rows if row.bot == "d"] == [pytest.approx(1000)]
    assert [row.error for row in report.rows if row.bot == "d"] == [0.0]
    assert report.anchor == "d"
    assert report.rows == sorted(report.rows, key=lambda row: -row.rating)
    assert all(0.5 <= row.superiority <= 1 for row in report.rows if row.superiority is not None)
    table = rows_of(database, plugins, league)
    assert {bot: row.strength for bot, row in table.items()} == {row.bot: row.rating for row in report.rows}
    split = opened(database, "ab", name="split", format_options={"rounds": 1})
    play(database, plugins, split, ScriptedHosts())
    with database.reading() as connection:
        season = open_season(connection, plugins, split.name)
        assert batch_report(season).groups == [["a"], ["b"]]


@pytest.mark.parametrize("rating", ["elo", "glicko-2", "plackett-luce"])
def test_anchors_move_an_online_table_and_nothing_else(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow], rating: str
) -> None:
    league = opened(database, "abcdefg", format_options={"rounds": 4}, rating=rating)
    play(database, plugins, league, ScriptedHosts(2, by_chance))
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        digest, plain = ratings.digest(connection, season.id), read_standings(season)
        assert {row.shift for row in plain} == {0.0}
        for version, value in {2: 1900.0, 4: 1000.0, 6: 1650.0, 7: 0.0}.items():
            season_decisions.anchor(season, version, value)
        season_decisions.anchor(season, 4, 1700.0)
        season_decisions.anchor(season, 7, None)
        with pytest.raises(UsageError, match="nothing to release"):
            season_decisions.anchor(season, 7, None)
        assert season.roster.anchors == {2: 1900.0, 6: 1650.0, 4: 1700.0}
        moved = read_standings(season)
        assert ratings.digest(connection, season.id) == digest
        assert list(check_fold(season)) == list(check_sums(season)) == []
        shift = moved[0].shift
        system = season.system
        values = [
            system.centre(system.initial()) + (value - 1500) * system.scale / 400
            for value in season.roster.anchors.values()
        ]
        stand = [
            system.centre(read_state(system, text))
            for text in ratings.states(connection, season.id, list(season.roster.anchors)).values()
        ]
        assert shift == pytest.approx((sum(values) - sum(stand)) / 3) != 0
        for before, after in zip(plain, moved, strict=True):
            assert after.rating - before.rating == pytest.approx(shift)
            assert (after.rank, after.bot, after.change) == (before.rank, before.bot, before.change)
        assert {row.bot: row.online for row in batch_report(season).rows} == {
            row.bot: row.rating for row in moved
        }
        season_decisions.disqualify(season, 2, "copied", first=10)
        assert list(season.roster.anchors) == [6, 4]
        following = season_start.new_season(season, season.settings, [1, 3, 4, 5, 6], carry=1.0)
        assert following.roster.anchors == {6: 1650.0, 4: 1700.0}
        last = {row.bot: row.rating for row in read_standings(season)}
        for row in read_standings(following):
            if rating != "plackett-luce":  # its numbers fall as the doubt of a new season grows
                assert row.rating == pytest.approx(last[row.bot], abs=0.5)
        assert {row.shift for row in read_standings(following)} == {0.0}, (
            "no anchor has 30 matches in this season"
        )


def test_anchors_with_few_matches_hold_nothing(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format_options={"rounds": 4})
    play(database, plugins, league, ScriptedHosts(2, by_chance))
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        before = read_standings(season)
        season_decisions.anchor(season, 1, 2000)
        assert read_standings(season) == before


def test_penalties_cost_points_and_stand_beside_the_results(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    terms = Penalties(strikes={"crash": 2}, points=0.5, failures=0)
    league = opened(database, "abc", format_options={"rounds": 1}, penalties=terms, table="points")
    play(database, plugins, league, ScriptedHosts(broken="b"))
    table = rows_of(database, plugins, league)
    assert (table["b"].forfeits, table["b"].strikes, table["b"].penalty) == (4, 8, 4.0)
    assert [table[name].points for name in "acb"] == [4.0, 2.0, -4.0]
    with pytest.raises(UsageError, match="no fault 'lateness'"):
        Penalties(strikes={"lateness": 1})


@pytest.mark.parametrize(
    "make",
    [
        lambda: Penalties(points=math.nan),
        lambda: TimeChanges(move_ms=math.nan),
        lambda: TimeChanges(move_ms=math.inf),
        lambda: TimeChanges(move_ms=1e300),
        lambda: TimeChanges(bank_ms=1e300),
        lambda: TimeChanges(bank_ms=math.inf),
        lambda: LeagueSettings(audit=math.nan),
    ],
)
def test_terms_that_are_no_numbers_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(UsageError):
        make()


def test_crashes_in_a_row_suspend_as_the_league_says(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    terms = Penalties(crashes=2, failures=0)
    league = opened(database, "abc", format_options={"rounds": 2}, penalties=terms)
    play(database, plugins, league, ScriptedHosts(broken="c"))
    table = rows_of(database, plugins, league)
    assert (table["c"].matches, table["c"].reason) == (2, "crashed in 2 matches in a row")


def test_a_season_carries_ratings_as_its_own_record(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format_options={"rounds": 1})
    play(database, plugins, league, ScriptedHosts())
    with database.writing() as connection:
        last = open_season(connection, plugins, league.name)
        season_decisions.anchor(last, 4, 900)
        before = {row.version_id: row.value for row in ratings.ratings(connection, last.id)}
        terms = last.settings
        season = season_start.new_season(last, terms, [1, 2, 3, 4], carry=0.5)
        assert season.row.number == 2
        after = {row.version_id: row.value for row in ratings.ratings(connection, season.id)}
        assert after == {version: 1500 + 0.5 * (value - 1500) for version, value in before.items()}
        assert season.roster.anchors == {4: 900.0}
    play(database, plugins, league, ScriptedHosts(3))
    account = account_of(database, plugins, league)
    with database.writing() as connection:
        count_in(season.within(connection), anew=True)
    assert account_of(database, plugins, league) == account
    with database.reading() as connection:
        first = read_standings(last.within(connection))
    assert [row.rating for row in first] == sorted(before.values(), reverse=True)


def test_a_season_begins_only_when_the_last_is_over_and_its_ratings_fit(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "ab", format_options={"rounds": 1})
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        terms = season.settings
        with pytest.raises(UsageError, match="2 matches to play"):
            season_start.new_season(season, terms, [1, 2])
        assert season_decisions.close(season) == 2
        other = LeagueSettings(rating="glicko-2", seed=1)
        with pytest.raises(UsageError, match="same rating system"):
            season_start.new_season(season, other, [1, 2], carry=0.5)
        with pytest.raises(UsageError, match="above 0 and up to 1"):
            season_start.new_season(season, terms, [1, 2], carry=1.5)
        assert season_start.new_season(season, other, [1, 2]).row.number == 2
        assert not fixtures.is_open(connection, season.id)


def test_divisions_do_not_meet_and_exchange_their_first_and_last(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    where = dict.fromkeys("abcd", "one") | dict.fromkeys("efgh", "two")
    league = opened(database, "abcdefgh", divisions=where, format_options={"rounds": 1})
    play(database, plugins, league, ScriptedHosts(3))
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        roster = season.roster
        for match in matches.matches(connection, season.id):
            assert len({roster.members[version].division for version in match.versions}) == 1
        moved = season_start.moved(season, 1)
    names = dict(zip("abcdefgh", moved.values(), strict=True))
    assert [bot for bot, division in names.items() if division == "one"] == ["a", "b", "c", "e"]
    crosses = []
    with database.reading() as connection:
        crosses = division_tables.cross_tables(season.within(connection))
    assert [[division.name, len(table.rows)] for division, table in crosses] == [["one", 4], ["two", 4]]


def test_a_leagues_own_clock_travels_with_every_order(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow], guessing: Variant
) -> None:
    hosts = ScriptedHosts()
    play(database, plugins, opened(database, "ab"), hosts)
    assert {order.time for order in hosts.held} == {None}
    own = ScriptedHosts()
    time = TimeChanges(move_ms=10, bank_ms=500, clock="wall")
    play(database, plugins, opened(database, "ab", name="blitz", time=time), own)
    (control,) = {order.time for order in own.held}
    assert control is not None
    assert (control.move_ms, control.bank_ms, control.clock) == (10, 500, "wall")
    assert control.load_ms == guessing.time.load_ms


@pytest.mark.parametrize(("capacity", "stops"), [(1, ()), (4, ()), (3, (5, 17, 40))])
def test_a_comparison_comes_to_its_decision_however_it_was_played(
    database: Database,
    plugins: PluginHost,
    opened: Callable[..., LeagueRow],
    capacity: int,
    stops: Sequence[int],
) -> None:
    options = {"elo0": 0.0, "elo1": 40.0, "alpha": 0.05, "beta": 0.05, "max_pairs": 400, "seats": 2}
    league = opened(database, "ab", format="comparison", format_options=options)
    form = Comparison(**options)  # type: ignore[arg-type]  # numbers as they are stored

    def even_with_a_lead(name: str, rng: random.Random) -> float:
        return round((name == "a") * 0.6 + rng.gauss(0, 1))

    hosts = ScriptedHosts(capacity, even_with_a_lead)
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
    for stop in (*stops, None):
        watch = ComparisonWatch(form, season.id, ("a", "b"))

        def is_over(watch: ComparisonWatch = watch, stop: int | None = stop) -> bool:
            with database.reading() as connection:
                watch.refresh(connection)
            return watch.is_over or (stop is not None and len(hosts.held) >= stop)

        play(database, plugins, league, hosts, is_over=is_over)
        hosts.close()
    report = watch.report()
    forms = [
        [even_with_a_lead(name, random.Random(f"{group_seed(5, group)}/{name}")) for name in "ab"]
        for group in range(1, 401)
    ]
    expected = form.test().run(2 + 2 * (one > other) - 2 * (one < other) for one, other in forms)
    assert (report.decision, report.pairs, report.counts) == ("H1", expected.units, expected.counts)
    assert report.llr == expected.llr >= report.upper
    assert report.is_biased
    fresh = ComparisonWatch(form, season.id, ("a", "b"))
    with database.reading() as connection:
        fresh.refresh(connection)
    assert fresh.report() == report


def test_a_comparison_without_a_decision_ends_undecided(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    options = {"elo0": 0.0, "elo1": 10.0, "max_pairs": 5}
    league = opened(database, "ab", format="comparison", format_options=options)
    play(database, plugins, league, ScriptedHosts(strength=lambda name, rng: 0))
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        watch = ComparisonWatch(Comparison(max_pairs=5), season.id, ("a", "b"))
        watch.refresh(connection)
    assert watch.report().decision == "undecided"
    assert watch.report().elo == 0.0
    assert not watch.report().is_biased


def report_of(**fields: Any) -> ComparisonReport:
    """Return a report with these fields, and any others."""
    usual = {
        "bots": ("a", "b"),
        "decision": "open",
        "pairs": 1,
        "max_pairs": 1,
        "counts": (0, 0, 0, 0, 1),
        "llr": 0.0,
        "lower": -3.0,
        "upper": 3.0,
        "elo0": 0.0,
        "elo1": 10.0,
        "alpha": 0.05,
        "beta": 0.02,
        "elo": None,
        "elo_error": None,
        "nelo": None,
        "nelo_error": None,
        "los": None,
        "is_biased": False,
        "median_elo": None,
        "median_nelo": None,
        "lasting_low": None,
        "lasting_high": None,
        "openings": None,
        "repeats": None,
    }
    return ComparisonReport(**{**usual, **fields})


@pytest.mark.parametrize(
    ("bounds", "decision", "told"),
    [
        ((0, 10), "H1", "a is stronger than b by more than 0 nElo (error rate 5 %)"),
        ((0, 10), "H0", "no gain of 10 nElo found (error rate 2 %)"),
        ((-5, 5), "H1", "no loss of 5 nElo found (error rate 5 %)"),
        ((-10, 0), "H0", "b is stronger than a by more than 0 nElo (error rate 2 %)"),
        ((-20, -10), "H0", "b is stronger than a by more than 10 nElo (error rate 2 %)"),
        ((0, 10), "undecided", "undecided after 1 pair, the most that were allowed"),
        ((0, 10), "open", "not decided yet"),
    ],
)
def test_a_comparison_claims_what_its_test_ruled_out(
    bounds: tuple[float, float], decision: Decision, told: str
) -> None:
    assert conclusion(report_of(elo0=bounds[0], elo1=bounds[1], decision=decision)) == told


@pytest.mark.parametrize(
    ("pairs", "low", "high", "told"),
    [
        (25, 10.0, 50.0, "a is stronger than b: a has a lead of +10 to +50 Elo"),
        (25, -50.0, -10.0, "b is stronger than a: a has a lead of -50 to -10 Elo"),
        (25, -17.0, 23.0, "a and b cannot be told apart: a has a lead of -17 to +23 Elo"),
        (25, 30.0, None, "a is stronger than b: a has a lead of +30 or more Elo"),
        (19, None, None, "too few to tell: a got 38 of 38 points in 19 pairs, and it takes 20"),
    ],
)
def test_a_quick_look_claims_what_its_interval_holds(
    pairs: int, low: float | None, high: float | None, told: str
) -> None:
    found = report_of(
        decision="interval", pairs=pairs, counts=(0, 0, 0, 0, pairs), lasting_low=low, lasting_high=high
    )
    beyond = f" (95 %, however often one looks; {pairs} pairs)" if pairs >= 20 else ""
    assert conclusion(found) == told + beyond


@pytest.mark.parametrize(
    ("openings", "advice"),
    [
        (0, "These bots draw no lots. Openings make other games: --openings 2."),
        (2, "Most openings are used up. Longer ones make other games: --openings 3."),
        (None, "These bots draw no lots, and more pairs would tell nothing new."),
    ],
)
def test_a_repeated_pair_says_what_to_do(openings: int | None, advice: str) -> None:
    found = report_of(decision="repeated", repeats=(3, 1), pairs=2, counts=(0, 1, 0, 0, 1), openings=openings)
    assert conclusion(found) == (
        f"undecided: pair 3 repeats pair 1 move for move. a got 2.5 of 4 points in 2 pairs. {advice}"
    )


def test_an_audit_voids_what_comes_out_otherwise_twice_and_excuses_clocks(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abc", format_options={"rounds": 1}, audit=1.0)
    play(database, plugins, league, ScriptedHosts())
    changed = {2: [b"otherwise", b"otherwise"], 4: [b"once so", b"once otherwise"]}
    auditors = ScriptedHosts(2, changed=changed)
    found = audit(database, plugins, auditors, league.name, ignore)
    assert sorted((finding.match, finding.verdict) for finding in found) == [
        (f"{league.name}/2", "differs"),
        (f"{league.name}/4", "clock"),
    ]
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        void = [match.fixture_id for match in matches.matches(connection, season.id) if match.is_void]
        verdicts = {row.fixture_id: row.content["verdict"] for row in events.events(connection, season.id)}
    assert void == [2]
    assert verdicts == {1: "same", 2: "differs", 3: "same", 4: "clock", 5: "same", 6: "same"}
    assert len(auditors.held) == 8
    assert audit(database, plugins, ScriptedHosts(), league.name, ignore) == []


def test_settings_that_are_stored_without_new_fields_still_read() -> None:
    old = {"format": "round-robin", "format_options": {"rounds": 2, "seats": 2}, "seed": 7, "seats": 2}
    settings = LeagueSettings.decode(json.dumps(old))
    assert settings.table == "online"
    assert settings.penalties.failures == 3
    assert LeagueSettings.decode(settings.encode()) == settings


def test_a_match_host_gives_bots_the_time_that_the_order_says(plugins: PluginHost, guessing: Variant) -> None:
    slow = b"def move(observation):\n    for number in range(3_000_000):\n        pass\n    return 5\n"
    quick = b"def move(observation):\n    return 5\n"
    players = tuple(
        Player(name, "0" * 64, {"bot.py": text}, "bot.py") for name, text in (("a", slow), ("b", quick))
    )
    order = MatchOrder(1, 1, guessing.name, config_digest(guessing.config), 7, players)
    hurry, patience = (
        msgspec.structs.replace(order, time=TimeChanges(move_ms=limit).apply(guessing.time))
        for limit in (5, 20_000)
    )
    with MatchHost(HostSetup(), plugins) as host:
        hurried, waited = host.hold(hurry).report, host.hold(patience).report
    assert hurried is not None
    assert waited is not None
    # On a busy machine the bot may not get to yield in time, is killed, and crashes from then on.
    assert hurried.seats[0].faults["timeout"] >= 1
    assert sum(hurried.seats[0].faults.values()) == 6
    assert waited.seats[0].faults == {}


EXAM = {"staff": 2, "rounds": 3}
SCHEME = "50:beats x, 60:score 0.55, 80:beats y, 90:rating 1650"


def marks_of(
    database: Database, plugins: PluginHost, league: LeagueRow, scheme: str = SCHEME
) -> dict[str, Mark]:
    with database.reading() as connection:
        return {
            row.bot: row for row in marks(open_season(connection, plugins, league.name), read_scheme(scheme))
        }


def by_luck(name: str, rng: random.Random) -> float:
    return round({"x": 0.0, "y": 1.0, "a": 2.5}.get(name, 0.6) + rng.gauss(0, 1), 1)


def test_a_mark_does_not_depend_on_who_else_is_examined_or_when(
    tmp_path: Path, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    found = []
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
        found.append(marks_of(database, plugins, league))
        database.close()
    for others in found[1:]:
        assert {name: found[0][name] for name in others} == others
    assert found[0]["a"].mark == "90"
    assert len({row.mark for row in found[0].values()}) > 1
    for row in found[0].values():
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
    assert [(row.mark, row.open, row.score, row.because) for row in before.values()] == [
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
    for scheme, said in {
        "1:rating 1500": "needs a pool",
        "1:beats e": "no bot in 'cup' is called 'e'. .*These are known: a, b, c",
        "1:loves b": "`beats` BOT",
        "1": "write MARK:CONDITION",
        "1:score 2": "share from 0 to 1",
        "1:rating nan": "number from 0",
    }.items():
        with pytest.raises(UsageError, match=said):
            marks_of(database, plugins, league, scheme)


SEEDS = [events.StartRow(version, None, 1500.0 + version) for version in range(1, 5)]


@pytest.mark.parametrize(
    ("terms", "prior"),
    [
        ({"format": "round-robin"}, "estimated"),
        ({"format": "gauntlet"}, "estimated"),
        ({"format": "swiss"}, "estimated"),
        ({"format": "knockout"}, "estimated"),
        ({"format": "ladder"}, "estimated"),
        ({"format": "ladder", "format_options": {"pairing": "online"}}, "estimated"),
        ({"format": "round-robin", "starts": SEEDS}, "estimated"),
        ({"format": "ladder", "starts": SEEDS}, "estimated"),
        ({"format": "swiss", "starts": SEEDS}, 2.0),
        ({"format": "knockout", "starts": SEEDS}, 2.0),
        ({"format": "ladder", "format_options": {"pairing": "online"}, "starts": SEEDS}, 2.0),
        ({"format": "round-robin", "divisions": {"a": "up", "b": "up", "c": "low", "d": "low"}}, 2.0),
        ({"format": "round-robin", "divisions": dict.fromkeys("abcd", "all")}, "estimated"),
    ],
)
def test_terms_name_the_prior_that_who_meets_whom_allows(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow], terms: Any, prior: Any
) -> None:
    league = opened(database, **terms)
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        assert (season.settings.prior, prior_of(season)) == (prior, (prior, prior == 2.0))
        assert prior_of(season, 0.5) == (0.5, False)
        # Whoever asks for it gets it only where it is valid.
        assert prior_of(season, "estimated") == (prior, prior == 2.0)


@pytest.mark.parametrize("form", ["round-robin", "ladder", "gauntlet"])
def test_a_table_by_batch_tells_the_spread_that_its_strengths_rest_on(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow], form: str
) -> None:
    league = opened(database, "abcdef", format=form, format_options={"rounds": 4}, table="batch")
    play(database, plugins, league, ScriptedHosts(2, by_chance))
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        rows, report = read_standings(season), batch_report(season)
        assert report.prior == "estimated"
        assert report.spread is not None
        assert f"Spread of the field estimated: {report.spread:.0f} Elo." in what_ranks(rows)
        assert {row.spread for row in rows} == {report.spread}
        assert [row.strength for row in rows] == [row.rating for row in report.rows]
        at_two = batch_report(season, 2.0)
        assert (at_two.prior, at_two.spread) == (2.0, None)
        assert [row.rating for row in at_two.rows] != [row.rating for row in report.rows]
        columns = next(one.columns for one in exported(season, ignore) if one.name == "ratings")
        assert {"spread", "is_informed"} <= set(columns)


def test_a_table_whose_pairings_knew_more_is_at_two_virtual_draws_and_says_so(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(
        database, "abcd", format="swiss", format_options={"rounds": 2}, starts=SEEDS, table="batch"
    )
    play(database, plugins, league, ScriptedHosts(2, by_chance))
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        rows = read_standings(season)
        assert "Pairings used other knowledge: spread not estimated." in what_ranks(rows)
        assert batch_report(season) == batch_report(season, "estimated")
        at_two = batch_report(season, 2.0)
        assert [row.strength for row in rows] == [row.rating for row in at_two.rows]
        assert [row.error for row in rows] == [row.error for row in at_two.rows]


def test_a_stored_spread_is_held_against_the_results(
    database: Database, plugins: PluginHost, opened: Callable[..., LeagueRow]
) -> None:
    league = opened(database, "abcd", format="ladder", format_options={"rounds": 3}, table="batch")
    play(database, plugins, league, ScriptedHosts(2, by_chance))
    with database.writing() as connection:
        connection.exec_driver_sql("update season set ranked_spread = ranked_spread + 1")
    with database.reading() as connection:
        (problem,) = check_ranking(open_season(connection, plugins, league.name))
    assert "the spread of the field is stored as" in problem
