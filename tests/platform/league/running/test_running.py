"""A league runs through whatever its server and its match hosts do."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from sqlalchemy import event

from botleague.executors import MatchOrder, MatchOutcome
from botleague.executors.match_worker import MatchHost
from botleague.league import Runner, TimeChanges
from botleague.league.running import retried_transactions
from botleague.league.season_ratings import check_ranking
from botleague.league.verification.replay_audit import audit
from botleague.plugins import PluginHost
from botleague.referee import Player, config_digest
from botleague.rules import Variant
from botleague.workers.worker_setup import HostSetup
from botleague_storage import ConnectionLost, Database, events, fixtures, matches, problems, strengths

from ..scripted_league import MakeLeague, ScriptedHosts, by_chance, ignore


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
    tmp_path: Path, plugins: PluginHost, opened: MakeLeague
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
        accounts.append(league.account())
        with database.reading() as connection:
            season = league.open(connection)
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
    tmp_path: Path, plugins: PluginHost, opened: MakeLeague
) -> None:
    database = ForgetfulServer(str(tmp_path / "league.db"))
    league = opened(database, "abcdef", format="ladder", format_options={"share": 1.0})
    database.is_forgetful = True
    waits: list[float] = []
    Runner(database, plugins, ScriptedHosts(), "r", waits.append).run(league.name, ignore, rounds=4)
    assert len(waits) == 3
    with league.reading() as season:
        assert matches.last_round(season.connection, season.id) == 4
    database.close()


def test_batch_table_that_takes_long_lags_until_the_season_is_over(
    tmp_path: Path, plugins: PluginHost, opened: MakeLeague
) -> None:
    database = Database(str(tmp_path / "league.db"))
    options = {"share": 1.0, "rounds": 12}
    league = opened(database, "abcdef", format="ladder", format_options=options, table="batch")
    lags: list[int] = []

    class Watched(ScriptedHosts):
        def wait(self, timeout_s: float) -> list[MatchOutcome]:
            with database.reading() as connection:
                season = league.open(connection)
                assert list(check_ranking(season)) == []
                due = matches.round_start(connection, season.id, matches.last_round(connection, season.id))
                lags.append(due - strengths.coverage(connection, season.id)[0])
            return super().wait(timeout_s)

    seconds = itertools.count()
    Runner(database, plugins, Watched(), "r", steady=lambda: float(next(seconds))).run(league.name, ignore)
    assert 0 < sum(lag > 0 for lag in lags) < len(lags)
    with database.reading() as connection:
        season = league.open(connection)
        planned, _ = fixtures.counts(connection, season.id)
        assert strengths.coverage(connection, season.id)[0] == planned == len(lags)
    database.close()


def test_a_server_that_stays_away_or_a_stop_ends_the_waiting(
    tmp_path: Path, plugins: PluginHost, opened: MakeLeague
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


def test_a_leagues_own_clock_travels_with_every_order(
    database: Database, opened: MakeLeague, guessing: Variant
) -> None:
    hosts = ScriptedHosts()
    opened(database, "ab").play(hosts)
    assert {order.time for order in hosts.held} == {None}
    own = ScriptedHosts()
    time = TimeChanges(move_ms=10, bank_ms=500, clock="wall")
    opened(database, "ab", name="blitz", time=time).play(own)
    (control,) = {order.time for order in own.held}
    assert control is not None
    assert (control.move_ms, control.bank_ms, control.clock) == (10, 500, "wall")
    assert control.load_ms == guessing.time.load_ms


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
    with closing(MatchHost(HostSetup(), plugins)) as host:
        hurried, waited = host.hold(hurry).report, host.hold(patience).report
    assert hurried is not None
    assert waited is not None
    # On a busy machine the bot may not get to yield in time, is killed, and crashes from then on.
    assert hurried.seats[0].faults["timeout"] >= 1
    assert sum(hurried.seats[0].faults.values()) == 6
    assert waited.seats[0].faults == {}


def test_each_transaction_of_a_runner_reads_the_log_once_or_again_at_a_savepoint(
    database: Database, opened: MakeLeague
) -> None:
    """Most of a runner's time with short matches is its statements, and most questions are about the log."""
    league = opened(database, "abcdefgh", format="ladder", table="batch")
    reads: list[int] = []

    def note(statement: str) -> None:
        if statement.startswith("begin"):
            reads.append(0)
        elif "FROM event" in statement and "JOIN" not in statement:  # a pause is asked of the whole league
            reads[-1] += 1

    event.listen(database.engine, "before_cursor_execute", lambda *call: note(call[2]))
    league.play(ScriptedHosts(), more=5)
    assert len(reads) > 10
    assert max(reads) == 2
