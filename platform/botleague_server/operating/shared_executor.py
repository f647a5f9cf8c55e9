"""Executor that rated matches share with unrated ones.

Unrated matches are played while no rated match runs. While rated matches leave no idle time, one match in twenty is
unrated. Callers with rated matches only notice a slightly smaller capacity now and then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from sqlalchemy.engine import Connection

from botleague.errors import BotleagueError
from botleague.executors import Executor, MatchOrder, MatchOutcome
from botleague.league import Transactions, is_dead, open_season, runner_name
from botleague.league.running import MatchOrders
from botleague.league.season import paused_leagues
from botleague.plugins import PluginHost
from botleague_storage import SourceErased, practice_matches
from botleague_storage.people_rows.practice_matches import UnratedMatchRow

RATED = 19
"""Rated matches per unrated match while both wait."""

ATTEMPTS = 3
"""Attempts at a match that fails because of the machine."""

LEASE_S = 600.0
"""Longer than a match. Claims of dead processes on the same machine are taken over at once."""

WAIT_S = 0.5


class SharedExecutor:
    """Executor of rated matches that plays unrated ones in between.

    Args:
        executor: plays all matches.
        transactions: to claim and store unrated matches.
        plugins: the games.
        only: names of leagues; empty for all.
    """

    def __init__(
        self, executor: Executor, transactions: Transactions, plugins: PluginHost, only: Sequence[str]
    ) -> None:
        self._executor = executor
        self._transactions = transactions
        self._plugins = plugins
        self._only = only
        self._practice: dict[int, UnratedMatchRow] = {}
        self._rated = 0
        self._played = 0
        self._due = 0

    @property
    def capacity(self) -> int:
        """Number of rated matches at a time; due unrated matches reserve places."""
        return max(0, self._executor.capacity - len(self._practice) - self._due)

    def submit(self, order: MatchOrder) -> None:
        """Start a rated match."""
        self._rated += 1
        self._executor.submit(order)

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        """Return the outcomes of finished rated matches."""
        free = self._executor.capacity - self._rated - len(self._practice)
        if self._due and free > 0:
            self._start(min(self._due, free))
        rated = self._collect(timeout_s)
        self._played += len(rated)
        self._rated -= len(rated)
        self._update_due()
        return rated

    def close(self) -> None:
        """End all matches."""
        self._executor.close()

    def play_waiting(self, is_over: Callable[[], bool]) -> bool:
        """Play one batch of waiting unrated matches; return whether there were any.

        Only valid while no rated match runs.
        """
        if self._is_any_waiting():
            self._start(self._executor.capacity - len(self._practice))
        has_any = bool(self._practice)
        while self._practice and not is_over():
            self._collect(WAIT_S)
        return has_any

    def _update_due(self) -> None:
        """Compute the number of due unrated matches."""
        due = self._played // RATED
        if due > self._due:
            is_any = self._is_any_waiting()
            self._due = due if is_any else 0
            # Places without requests do not accumulate.
            self._played = self._played if is_any else RATED

    def _start(self, most: int) -> None:
        rows = self._transactions.write(lambda connection: self._claim(connection, most))
        self._played = max(0, self._played - RATED * len(rows))
        self._due = self._due - len(rows) if len(rows) == most else 0
        for row in rows:
            try:
                order = self._transactions.read(partial(_order, plugins=self._plugins, row=row))
            except (BotleagueError, SourceErased) as error:
                self._give_up(row, str(error))
                continue
            self._practice[order.fixture] = row
            self._executor.submit(order)

    def _collect(self, timeout_s: float) -> list[MatchOutcome]:
        """Store finished unrated matches, and return the outcomes of rated ones."""
        rated = []
        for outcome in self._executor.wait(timeout_s):
            row = self._practice.pop(outcome.fixture, None)
            if row is None:
                rated.append(outcome)
            else:
                self._store(row, outcome)
        return rated

    def _is_any_waiting(self) -> bool:
        def is_any(connection: Connection) -> bool:
            now = time.time()
            return bool(self._lost(connection)) or practice_matches.is_any_waiting(
                connection, now, LEASE_S, self._only, paused_leagues(connection)
            )

        return self._transactions.read(is_any)

    def _lost(self, connection: Connection) -> list[str]:
        """Return the processes that claim unrated matches without playing them."""
        return [
            name
            for name in practice_matches.claimants(connection)
            # Claims of this process were lost with the previous executor.
            if is_dead(name) or (name == runner_name() and not self._practice)
        ]

    def _claim(self, connection: Connection, most: int) -> list[UnratedMatchRow]:
        practice_matches.release(connection, self._lost(connection))
        paused = paused_leagues(connection)
        return practice_matches.claim(
            connection, runner_name(), time.time(), LEASE_S, most, self._only, paused
        )

    def _store(self, row: UnratedMatchRow, outcome: MatchOutcome) -> None:
        report = outcome.report
        if report is not None:
            journal = report.seats[row.seat].journal
            self._transactions.write(
                lambda connection: practice_matches.finish(
                    connection, row.id, report.record, journal, time.time()
                )
            )
        elif outcome.is_final or row.tries + 1 >= ATTEMPTS:
            self._give_up(row, outcome.failure)
        else:
            self._transactions.write(lambda connection: practice_matches.give_back(connection, row.id))

    def _give_up(self, row: UnratedMatchRow, why: str) -> None:
        self._transactions.write(
            lambda connection: practice_matches.fail(connection, row.id, why, time.time())
        )


def _order(connection: Connection, plugins: PluginHost, row: UnratedMatchRow) -> MatchOrder:
    season = open_season(connection, plugins, row.league)
    orders = MatchOrders(season)
    orders.load(connection, {row.version_id, row.opponent_id})
    seats = range(season.variant.seats.least)
    versions = [row.version_id if seat == row.seat else row.opponent_id for seat in seats]
    # Numbers below zero are no fixtures: these matches have no live view.
    return orders.make(-row.id, row.tries, row.seed, versions)
