"""Matches of practice beside rated ones: how many there are, and that nothing of the league shows them."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from botleague.executors import MatchOrder, MatchOutcome
from botleague.league import LeagueSettings, Runner, Transactions, create_league, open_season, runner_name
from botleague.league.season.hash_chain import fingerprint
from botleague.plugins import PluginHost
from botleague.rules import Variant
from botleague_server.operating.shared_executor import LEASE_S, RATED, SharedExecutor
from botleague_storage import Database, leagues, practice_matches

from ..league.scripted_league import ScriptedHosts, ScriptedLeague, by_chance, entered, ignore


class CountingHosts(ScriptedHosts):
    """Refuses more orders than it has places for, and notes how many rated matches came before each of practice."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity, by_chance)
        self.before: list[int] = []

    @property
    def rated(self) -> int:
        return len(self.held) - len(self.before)

    def submit(self, order: MatchOrder) -> None:
        assert len(self._orders) < self.capacity, "no place is free"
        super().submit(order)

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        outcomes = super().wait(timeout_s)
        self.before += [self.rated for outcome in outcomes if outcome.fixture < 0]
        return outcomes


@pytest.fixture
def ladder(tmp_path: Path, plugins: PluginHost, guessing: Variant) -> Callable[[str], Database]:
    """Makes a league without end in a database of its own."""

    def make(name: str) -> Database:
        database = Database(str(tmp_path / f"{name}.db"))
        settings = LeagueSettings(seed=5, format="ladder", table="batch")
        with database.writing() as connection:
            versions = [entered(connection, letter) for letter in "abcdef"]
            create_league(connection, plugins, "cup", guessing, settings, versions)
        return database

    return make


def ask(database: Database, number: int) -> None:
    with database.writing() as connection:
        league = leagues.find(connection, "cup").id
        for seat in range(number):
            practice_matches.add(connection, league, "ann", (1, 2), seat % 2, seat, 0.0)


def played(database: Database) -> int:
    with database.reading() as connection:
        league = leagues.find(connection, "cup").id
        return sum(row.state == "played" for row in practice_matches.matches(connection, league, "ann", 99))


def play(database: Database, plugins: PluginHost, hosts: CountingHosts, matches: int) -> list[Any]:
    """Play a league without end until so many rated matches are over, and return everything that counts."""
    shared = SharedExecutor(hosts, Transactions(database), plugins, ())
    Runner(database, plugins, shared, runner_name()).run(
        "cup", ignore, is_over=lambda: hosts.rated >= matches
    )
    with database.reading() as connection:
        season = open_season(connection, plugins, "cup")
        return [str(fingerprint(season)), *ScriptedLeague(database, plugins, season.league.name).account()]


@pytest.mark.parametrize("capacity", [1, 3])
def test_one_match_in_twenty_is_of_practice_and_no_table_shows_it(
    ladder: Callable[[str], Database], plugins: PluginHost, capacity: int
) -> None:
    with closing(ladder("with")) as database, closing(ladder("without")) as calm:
        ask(database, 5)
        hosts, others = CountingHosts(capacity), CountingHosts(capacity)
        accounts = [play(database, plugins, hosts, 80), play(calm, plugins, others, 80)]
        assert len(hosts.before) == played(database) == 80 // RATED
        for number, before in enumerate(hosts.before, 1):
            assert number * RATED <= before <= (number + 1) * RATED
        assert others.before == []
    assert accounts[0] == accounts[1]


@pytest.mark.parametrize(
    ("holder", "ahead_s", "is_free"),
    [
        (runner_name(), 0, True),
        (f"{runner_name().split('/')[0]}/999999999/1", 0, True),
        ("elsewhere/1/1", 0, False),
        ("elsewhere/1/1", -7200, True),
        ("elsewhere/1/1", 7200, True),
    ],
    ids=["own, before", "dead here", "elsewhere", "long ago", "by a clock that was set back"],
)
def test_practice_that_nobody_plays_is_played(
    ladder: Callable[[str], Database], plugins: PluginHost, holder: str, ahead_s: float, is_free: bool
) -> None:
    with closing(ladder("cup")) as database:
        ask(database, 3)
        with database.writing() as connection:
            claimed = practice_matches.claim(connection, holder, time.time() + ahead_s, LEASE_S, 3, ())
            assert len(claimed) == 3
        shared = SharedExecutor(CountingHosts(2), Transactions(database), plugins, ())
        while shared.play_waiting(lambda: False):
            pass
        assert played(database) == (3 if is_free else 0)
        assert shared.capacity == 2
