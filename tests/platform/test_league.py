"""A league on a real database: what is recorded, in which order it counts, and what failures do to it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import new_class
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.errors import MachineryError, PluginError, UsageError
from botleague.executors import MatchOrder, MatchOutcome
from botleague.formats import RoundRobin
from botleague.league import (
    LeagueSettings,
    Runner,
    count_in,
    create_league,
    open_season,
    runner_name,
)
from botleague.league.running.leases import RENEW_S
from botleague.league.running.match_runner import match_row
from botleague.league.scheduling.planning import season_entrants
from botleague.league.season.journal_access import readable_seats
from botleague.league.tables.standings import read_standings
from botleague.plugins import PluginHost
from botleague.ratings import Elo
from botleague.referee import MatchReport, Player, SeatReport, printed_in
from botleague.referee.journal import JournalWriter
from botleague.rules import Outcome, Variant, hookimpl
from botleague.rules.formats import Pairing, Plan
from botleague_sandbox import Notes
from botleague_storage import (
    Database,
    DatabaseUnusable,
    bots,
    fixtures,
    journals,
    leagues,
    matches,
    problems,
    ratings,
    results,
    table_queries,
)
from botleague_storage.league_rows.leagues import LeagueRow


class ScriptedExecutor:
    """Holds matches by a script: the lower version number wins, unless the script says that something fails.

    Outcomes come back in an order of chance, as they do from several processes.
    """

    def __init__(
        self, capacity: int = 1, seed: int = 0, failures: Sequence[MatchOutcome | None] = ()
    ) -> None:
        self.capacity = capacity
        self.held: list[MatchOrder] = []
        self._orders: list[MatchOrder] = []
        self._failures = list(failures)
        self._rng = random.Random(seed)

    def submit(self, order: MatchOrder) -> None:
        assert order.fixture not in {waiting.fixture for waiting in self._orders}, "it is under way"
        self._orders.append(order)

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        self._rng.shuffle(self._orders)
        order = self._orders.pop()
        if self._failures:
            failure = self._failures.pop(0)
            if failure is not None:
                return [MatchOutcome(order.fixture, order.epoch, None, failure.failure, failure.is_final)]
        self.held.append(order)
        names = [player.name for player in order.players]
        best = min(names)
        places = tuple(1 if name == best else 2 for name in names)
        seat = SeatReport({}, 1.0, 1.0, 1)
        outcome = Outcome(places, tuple(float(place == 1) for place in places), "scripted")
        return [
            MatchOutcome(
                order.fixture,
                order.epoch,
                MatchReport(repr(order.seed).encode(), outcome, (seat,) * len(places), ("script",), 1, 1.0),
            )
        ]

    def close(self) -> None:
        self._orders = []


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(str(tmp_path / "league.db"))
    yield database
    database.close()


@pytest.fixture
def open_league(database: Database, plugins: PluginHost, guessing: Variant) -> Callable[..., LeagueRow]:
    def make(names: str = "abcd", rounds: int = 1, host: PluginHost = plugins) -> LeagueRow:
        settings = LeagueSettings(format_options={"rounds": rounds, "seats": 2}, seed=5)
        with database.writing() as connection:
            entrants = [
                bots.submit(
                    connection, "guessing", name, "", bots.Source({"bot.py": name.encode()}, "bot.py")
                )[0].id
                for name in names
            ]
            return create_league(connection, host, "cup", guessing, settings, entrants).league

    return make


def ignore(_: object) -> None:
    pass


def table_of(database: Database, plugins: PluginHost, league: LeagueRow) -> list[Any]:
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        return [
            read_standings(open_season(connection, plugins, league.name)),
            ratings.ratings(connection, season.id),
            ratings.changes(connection, season.id),
        ]


def test_a_league_is_played_to_its_end_and_rated(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league()
    seen: list[Any] = []
    Runner(database, plugins, ScriptedExecutor(), runner_name()).run(league.name, seen.append)
    table = table_of(database, plugins, league)[0]
    assert [row.bot for row in table] == ["a", "b", "c", "d"]
    assert [(row.wins, row.losses) for row in table] == [(6, 0), (4, 2), (2, 4), (0, 6)]
    assert (seen[-1].done, seen[-1].planned) == (12, 12)
    assert problems(database) == []


def test_ratings_do_not_depend_on_which_match_finished_first(
    tmp_path: Path, plugins: PluginHost, guessing: Variant
) -> None:
    tables = []
    for seed in range(4):
        database = Database(str(tmp_path / f"{seed}.db"))
        settings = LeagueSettings(format_options={"rounds": 2, "seats": 2}, seed=5)
        with database.writing() as connection:
            ids = [
                bots.submit(
                    connection, "guessing", name, "", bots.Source({"bot.py": name.encode()}, "bot.py")
                )[0].id
                for name in "abcde"
            ]
            league = create_league(connection, plugins, "cup", guessing, settings, ids).league
        Runner(database, plugins, ScriptedExecutor(capacity=1 + 2 * seed, seed=seed), "r").run(
            league.name, ignore
        )
        tables.append(table_of(database, plugins, league))
        database.close()
    assert tables[0] == tables[1] == tables[2] == tables[3]


def test_a_rebuild_gives_the_same_bits(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league(rounds=3)
    Runner(database, plugins, ScriptedExecutor(capacity=4, seed=1), "r").run(league.name, ignore)
    before = table_of(database, plugins, league)
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        connection.exec_driver_sql("update rating set value = value + 1")
        assert len(count_in(season, anew=True)) == 0
    assert table_of(database, plugins, league) == before


@pytest.mark.parametrize("name", ["", "x" * 65, "two\nlines", "nul\0"])
def test_a_name_that_not_every_database_can_keep_is_refused(
    database: Database, plugins: PluginHost, guessing: Variant, name: str
) -> None:
    with database.writing() as connection, pytest.raises(UsageError, match="cannot be a league's name"):
        create_league(connection, plugins, name, guessing, LeagueSettings(), [])


def test_ratings_of_another_fold_are_folded_anew_before_they_go_on(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league()
    Runner(database, plugins, ScriptedExecutor(), "r").run(league.name, ignore)
    before = table_of(database, plugins, league)
    with database.writing() as connection:
        connection.exec_driver_sql("update rating set value = value + 1")
        connection.exec_driver_sql("update season set fold_version = fold_version - 1")
    Runner(database, plugins, ScriptedExecutor(), "r").run(league.name, ignore)
    assert table_of(database, plugins, league) == before


def test_a_failure_of_the_machinery_is_nobodys_loss(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league()
    undisturbed = ScriptedExecutor()
    lost = MatchOutcome(0, 0, failure="The process that held the match died (SIGKILL).")
    Runner(database, plugins, ScriptedExecutor(failures=[lost, lost, None, lost]), "r").run(
        league.name, ignore
    )
    table = table_of(database, plugins, league)[0]
    assert [(row.wins, row.losses, row.faults) for row in table] == [
        (6, 0, {}),
        (4, 2, {}),
        (2, 4, {}),
        (0, 6, {}),
    ]
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        assert len(results.voids(connection, season.id)) == 3
    assert undisturbed.held == []


def test_a_match_that_never_can_be_held_stops_the_run_and_loses_nothing(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league()
    lost = MatchOutcome(0, 0, failure="no sandbox")
    with pytest.raises(MachineryError, match="3 attempts: no sandbox"):
        Runner(database, plugins, ScriptedExecutor(failures=[None, None, *[lost] * 3]), "r").run(
            league.name, ignore
        )
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        assert fixtures.counts(connection, season.id) == (12, 2)
        assert fixtures.claimants(connection, season.id) == set()
    # The cause was mended, but this machine still fails now and then.
    Runner(database, plugins, ScriptedExecutor(failures=[lost, lost]), "r").run(league.name, ignore, rounds=1)
    assert [row.wins for row in table_of(database, plugins, league)[0]] == [6, 4, 2, 0]


class Chatty(ScriptedExecutor):
    """Every bot prints its seat."""

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        (outcome,) = super().wait(timeout_s)
        assert outcome.report is not None
        seats = []
        for number, seat in enumerate(outcome.report.seats):
            writer = JournalWriter()
            writer.said(0, Notes(f"I am seat {number}", b"", is_cut=False))
            seats.append(msgspec.structs.replace(seat, journal=writer.encode()))
        report = msgspec.structs.replace(outcome.report, seats=tuple(seats))
        return [MatchOutcome(outcome.fixture, outcome.epoch, report)]


class FullDisk(Database):
    def free_share(self) -> float:
        return 0.04


def test_journals_are_stored_with_the_results(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league("ab")
    Runner(database, plugins, Chatty(), "r").run(league.name, ignore)
    with database.reading() as connection:
        for number in (1, 2):
            kept = journals.find(connection, number)
            assert {seat: printed_in(content) for seat, content in kept.items()} == {
                0: "I am seat 0",
                1: "I am seat 1",
            }


def test_no_journals_are_kept_where_the_disk_is_nearly_full_and_that_is_said_once(
    tmp_path: Path,
    plugins: PluginHost,
    open_league: Callable[..., LeagueRow],
    database: Database,
    caplog: pytest.LogCaptureFixture,
) -> None:
    league = open_league("ab", rounds=2)
    full = FullDisk(str(tmp_path / "league.db"))
    Runner(full, plugins, Chatty(), "r").run(league.name, ignore)
    with full.reading() as connection:
        assert [journals.find(connection, number) for number in range(1, 5)] == [{}] * 4
        assert results.find(connection, 4).turns == 1
    full.close()
    assert [record.message for record in caplog.records if "free" in record.message] == [
        f"Less than 5 % of the disk of {tmp_path / 'league.db'} is free, so what bots print and draw is not kept. "
        "Make room; matches go on."
    ]


def test_journals_are_their_owners_until_a_public_season_is_closed(
    database: Database, plugins: PluginHost, guessing: Variant
) -> None:
    settings = LeagueSettings(format_options={"rounds": 1, "seats": 2}, journals="public")
    with database.writing() as connection:
        versions = [
            bots.submit(
                connection, "guessing", name, owner, bots.Source({"bot.py": name.encode()}, "bot.py")
            )[0].id
            for name, owner in (("a", "ann"), ("b", "bob"))
        ]
        season = create_league(connection, plugins, "cup", guessing, settings, versions)

        def readers() -> list[list[int]]:
            asked = [("ann", False), ("bob", False), ("carl", False), (None, False), (None, True)]
            return [sorted(readable_seats(season, versions, who, organises=does)) for who, does in asked]

        assert readers() == [[0], [1], [], [], [0, 1]]
        season.log("closed", matches=0, reason="over")
        assert readers() == [[0, 1]] * 5


class FailingRules(ScriptedExecutor):
    """The rules raise in some matches, or for None in all, until somebody mends them."""

    def __init__(self, matches: Sequence[int] | None, capacity: int = 1) -> None:
        super().__init__(capacity)
        self._matches = matches

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        (outcome,) = super().wait(timeout_s)
        if self._matches is None or outcome.fixture in self._matches:
            return [MatchOutcome(outcome.fixture, outcome.epoch, None, "IndexError (game.py, line 7)", True)]
        return [outcome]


@pytest.mark.parametrize(
    ("broken", "said"), [([3], "Match .*/3 could"), ([3, 5, 6, 7], "4 matches, the first")]
)
@pytest.mark.parametrize("capacity", [1, 4])
def test_rules_that_fail_in_some_matches_leave_everything_else_played(
    database: Database,
    plugins: PluginHost,
    open_league: Callable[..., LeagueRow],
    broken: list[int],
    said: str,
    capacity: int,
) -> None:
    league = open_league()
    with pytest.raises(
        PluginError, match=rf"{said}.* 3 attempts each: IndexError \(game.py, line 7\) Everything"
    ):
        Runner(database, plugins, FailingRules(broken, capacity), "r").run(league.name, ignore)
    with database.reading() as connection:
        season = open_season(connection, plugins, league.name)
        assert fixtures.counts(connection, season.id) == (12, 12 - len(broken))
        assert len(results.voids(connection, season.id)) == 3 * len(broken)
        assert fixtures.claimants(connection, season.id) == set()
    Runner(database, plugins, ScriptedExecutor(), "r").run(league.name, ignore)
    assert [row.wins for row in table_of(database, plugins, league)[0]] == [6, 4, 2, 0]


def test_rules_that_fail_in_every_match_end_the_run_after_three(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league()
    executor = FailingRules(None)
    with pytest.raises(PluginError, match=r"3 matches, the first of them .* Nothing else was tried"):
        Runner(database, plugins, executor, "r").run(league.name, ignore)
    assert len(executor.held) == 9
    Runner(database, plugins, ScriptedExecutor(), "r").run(league.name, ignore)
    assert [row.wins for row in table_of(database, plugins, league)[0]] == [6, 4, 2, 0]


def broken(base: type[Any], **methods: Any) -> type[Any]:
    """A format or rating system that fails where it is told to; everything else is that of ``base``."""
    return new_class("Broken", (base,), {"frozen": True}, lambda space: space.update(methods))


def fails(*_: object) -> Any:
    raise LookupError("no such luck")


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (fails, "format round-robin failed: LookupError: no such luck"),
        (lambda *_: None, "format round-robin failed: AttributeError"),
        (lambda *_: Plan((Pairing((0, 99), 1, 1, ""),), True), r"a match of entrants \(0, 99\), of 4"),
        (lambda *_: Plan((Pairing((), 1, 1, ""),), True), r"a match of entrants \(\)"),
        (lambda *_: Plan((Pairing((0, 1), 1, 1, "", 7),), True), "where draws_seeds is False"),
    ],
)
def test_a_format_that_breaks_its_contract_is_named(
    plugin_file: Path, open_league: Callable[..., LeagueRow], plan: Any, told: str
) -> None:
    host = PluginHost.load([plugin_file])
    host.formats.add({"round-robin": broken(RoundRobin, plan=plan)})
    with pytest.raises((PluginError, UsageError), match=told):
        open_league(host=host)


@pytest.mark.parametrize("method", ["step", "display", "dump"])
def test_a_rating_system_that_breaks_its_contract_is_named_and_nothing_is_lost(
    database: Database,
    plugins: PluginHost,
    plugin_file: Path,
    open_league: Callable[..., LeagueRow],
    method: str,
) -> None:
    league = open_league()
    host = PluginHost.load([plugin_file])
    host.ratings.add({"elo": broken(Elo, **{method: fails})})
    with pytest.raises(PluginError, match=r"rating system elo failed: LookupError: .*test_league.py, line"):
        Runner(database, host, ScriptedExecutor(), "r").run(league.name, ignore)
    Runner(database, plugins, ScriptedExecutor(), "r").run(league.name, ignore)
    assert [row.wins for row in table_of(database, plugins, league)[0]] == [6, 4, 2, 0]


def test_error_of_the_database_is_not_reported_as_one_of_the_rating_system(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league()

    def plan_without_ratings() -> None:
        with database.writing() as connection:
            season = open_season(connection, plugins, league.name)
            assert len(season_entrants(season, "online")) == 4
            connection.exec_driver_sql("drop table rating")
            season_entrants(season, "online")

    with pytest.raises(DatabaseUnusable, match="no such table: rating"):
        plan_without_ratings()
    with database.reading() as connection:
        assert len(season_entrants(open_season(connection, plugins, league.name), "online")) == 4


def test_an_observer_that_fails_is_told_of_once_and_changes_nothing(
    database: Database,
    plugins: PluginHost,
    open_league: Callable[..., LeagueRow],
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Observer:
        @hookimpl
        def botleague_match_finished(self, league: str) -> None:
            raise LookupError("no such luck")

        @hookimpl
        def botleague_rating_changed(self, bot: str) -> None:
            seen.append(bot)

    seen: list[str] = []
    observer = Observer()
    plugins.manager.register(observer)
    try:
        Runner(database, plugins, ScriptedExecutor(), "r").run(open_league().name, ignore)
    finally:
        plugins.manager.unregister(observer)
    assert [record.getMessage() for record in caplog.records] == [
        "A plugin that observes botleague_match_finished failed: LookupError: no such luck"
    ]
    assert len(seen) == 24


def test_a_damaged_row_is_explained_and_found(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league()
    Runner(database, plugins, ScriptedExecutor(), "r").run(league.name, ignore)
    with database.writing() as connection:
        connection.exec_driver_sql('update rating set state = \'{"rating": "much"}\' where version_id = 1')
    with pytest.raises(UsageError, match="stored rating cannot be read"):
        table_of(database, plugins, league)
    with database.writing() as connection:
        connection.exec_driver_sql("update standing set faults = '{' where version_id = 1")
        connection.exec_driver_sql("update season set settings = '{'")
    with pytest.raises(UsageError, match="settings in the database cannot be read"):
        table_of(database, plugins, league)
    with pytest.raises(DatabaseUnusable, match="a row that cannot be read"), database.reading() as connection:
        table_queries.totals(connection, 1)
    found = problems(database)
    assert len(found) == 2
    assert found[0].startswith("The settings of table season at id 1 cannot be read")
    assert found[1].startswith("The faults of table standing at season_id 1, version_id 1 cannot be read")


def test_a_match_that_lost_a_seat_is_explained_and_found(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league()
    Runner(database, plugins, ScriptedExecutor(), "r").run(league.name, ignore)
    with database.writing() as connection:
        connection.exec_driver_sql("delete from seat where fixture_id = 3 and seat = 1")
    with database.reading() as connection, pytest.raises(DatabaseUnusable, match="for 2 seats, but not all"):
        list(matches.matches(connection, 1))
    assert "Match 3 was planned for 2 seats, but 1 is stored." in problems(database)


def test_a_dead_runners_claims_are_taken_over_at_once(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league()
    machine = runner_name().split("/")[0]
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        fixtures.claim(connection, season.id, f"{machine}/999999999/1", 10**12, 5)
    Runner(database, plugins, ScriptedExecutor(), runner_name()).run(league.name, ignore)
    assert [row.wins for row in table_of(database, plugins, league)[0]] == [6, 4, 2, 0]


class Stopped(Chatty):
    """Something happens while its first orders are played; then one outcome comes back, and then all at once."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        super().__init__(capacity=4)
        self._meanwhile: Callable[[], None] | None = meanwhile

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        if self._meanwhile is not None:
            self._meanwhile()
            self._meanwhile = None
            return super().wait(timeout_s)
        return [outcome for _ in list(self._orders) for outcome in super(Stopped, self).wait(timeout_s)]


class Patient(Chatty):
    """A steady clock goes on by a renewal's time whenever there is nothing to play."""

    def __init__(self, capacity: int = 1) -> None:
        super().__init__(capacity)
        self.now = 0.0

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        self.now += RENEW_S
        return super().wait(timeout_s) if self._orders else []


def journals_of(database: Database) -> dict[int, list[int]]:
    with database.reading() as connection:
        return {number: sorted(journals.find(connection, number)) for number in range(1, 13)}


def test_runner_never_claims_what_it_has_under_way(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    """Another runner took it for dead and gave back what it held; nobody else has claimed that since."""
    league = open_league()

    def give_back() -> None:
        with database.writing() as connection:
            assert fixtures.release(connection, ["a"]) == 4

    executor = Stopped(give_back)
    Runner(database, plugins, executor, "a").run(league.name, ignore)
    assert len(executor.held) == 12 + 4, "what was given back is played again, once its first outcome is in"
    assert [row.wins for row in table_of(database, plugins, league)[0]] == [6, 4, 2, 0]
    assert journals_of(database) == {number: [0, 1] for number in range(1, 13)}
    assert problems(database) == []


def test_runner_that_was_taken_over_leaves_nothing_of_what_it_held(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league()
    other = Patient()

    def take_over() -> None:
        Runner(database, plugins, other, "b", steady=lambda: other.now).run(league.name, ignore)

    late = Stopped(take_over)
    Runner(database, plugins, late, "a").run(league.name, ignore)
    assert (len(late.held), len(other.held)) == (4, 12)
    assert [row.wins for row in table_of(database, plugins, league)[0]] == [6, 4, 2, 0]
    assert journals_of(database) == {number: [0, 1] for number in range(1, 13)}
    with database.reading() as connection:
        epochs = sorted(match.epoch for match in matches.matches(connection, 1))
        assert epochs == [1] * 8 + [2] * 4
        assert results.voids(connection, 1) == []


def test_late_report_of_a_lost_claim_is_refused(
    database: Database, plugins: PluginHost, open_league: Callable[..., LeagueRow]
) -> None:
    league = open_league()
    executor = Patient()
    with database.writing() as connection:
        season = open_season(connection, plugins, league.name)
        (stale,) = fixtures.claim(connection, season.id, "sleeper", 0.0, 1)
    Runner(database, plugins, executor, "r", steady=lambda: executor.now).run(league.name, ignore)
    report = MatchReport(
        b"late", Outcome((2, 1), (0.0, 1.0), "late"), (SeatReport({}, 0, 0, 0),) * 2, (), 1, 1
    )
    with database.writing() as connection:
        assert not results.add(connection, stale.fixture_id, stale.epoch, match_row(stale, report))
    assert [row.wins for row in table_of(database, plugins, league)[0]] == [6, 4, 2, 0]


def test_a_league_of_one_bot_is_refused_and_not_made(
    database: Database, open_league: Callable[..., LeagueRow]
) -> None:
    with pytest.raises(UsageError, match="only 1 entered"):
        open_league("a")
    with database.reading() as connection:
        assert leagues.leagues(connection) == []


@given(order=st.permutations(range(12)))
@settings(max_examples=12, deadline=None)
def test_whatever_the_order_of_arrival_the_ratings_cover_the_longest_prefix(
    tmp_path_factory: pytest.TempPathFactory, plugins: PluginHost, guessing: Variant, order: list[int]
) -> None:
    database = Database(str(tmp_path_factory.mktemp("prefix") / "league.db"))
    with database.writing() as connection:
        ids = [
            bots.submit(connection, "guessing", name, "", bots.Source({"bot.py": name.encode()}, "bot.py"))[
                0
            ].id
            for name in "abcd"
        ]
        terms = LeagueSettings(format_options={"rounds": 1, "seats": 2}, seed=5)
        league = create_league(connection, plugins, "cup", guessing, terms, ids).league
        season = open_season(connection, plugins, league.name)
        claims = fixtures.claim(connection, season.id, "r", 10, 12)
        done: set[int] = set()
        for ordinal in order:
            executor = ScriptedExecutor()
            claim = claims[ordinal]
            names = [bots.versions(connection, [version])[version].bot for version in claim.versions]
            executor.submit(MatchOrder(1, 1, "", "", claim.seed, tuple(map(_player, names))))
            (outcome,) = executor.wait(0)
            assert outcome.report is not None
            assert results.add(connection, claim.fixture_id, claim.epoch, match_row(claim, outcome.report))
            count_in(season)
            done.add(ordinal)
            prefix = next(number for number in range(13) if number not in done)
            assert ratings.coverage(connection, season.id)[0] == prefix
            assert {change.ordinal for change in ratings.changes(connection, season.id)} == set(range(prefix))
    database.close()


def _player(name: str) -> Player:
    return Player(name, "", {}, "")
