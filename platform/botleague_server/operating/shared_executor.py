"""An executor that rated matches share with matches of practice.

Matches of practice are played while nothing else is, and where rated matches leave no idle time one match in twenty is
one of practice. Whoever orders rated matches sees nothing of them but a little less capacity now and then.
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
from botleague.plugins import PluginHost
from botleague_storage import SourceErased, practice_matches
from botleague_storage.people_rows.practice_matches import PracticeRow

RATED = 19
"""Rated matches for each match of practice, where both wait."""

ATTEMPTS = 3
"""How often a match is begun that this machine fails to hold."""

LEASE_S = 600.0
"""Longer than a match; what somebody held who is gone is taken over at once on the same machine."""

WAIT_S = 0.5


class SharedExecutor:
    """Executor of rated matches that plays matches of practice in between.

    Args:
        executor: where all of them are held.
        transactions: in which matches of practice are claimed and stored.
        plugins: the games.
        only: names of leagues; none for all.
    """

    def __init__(
        self, executor: Executor, transactions: Transactions, plugins: PluginHost, only: Sequence[str]
    ) -> None:
        self._executor = executor
        self._transactions = transactions
        self._plugins = plugins
        self._only = only
        self._practice: dict[int, PracticeRow] = {}
        self._rated = 0
        self._played = 0
        self._due = 0

    @property
    def capacity(self) -> int:
        """How many rated matches can be under way at once; places are left for matches of practice that are due."""
        return max(0, self._executor.capacity - len(self._practice) - self._due)

    def submit(self, order: MatchOrder) -> None:
        """Begin a rated match."""
        self._rated += 1
        self._executor.submit(order)

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        """Return the outcomes of rated matches that have come in."""
        free = self._executor.capacity - self._rated - len(self._practice)
        if self._due and free > 0:
            self._begin(min(self._due, free))
        rated = self._take_in(timeout_s)
        self._played += len(rated)
        self._rated -= len(rated)
        self._look()
        return rated

    def close(self) -> None:
        """End everything that runs."""
        self._executor.close()

    def play_waiting(self, is_over: Callable[[], bool]) -> bool:
        """Play some of the matches of practice that wait, as many as go at a time; return whether there were any.

        No rated match is under way.
        """
        if self._is_any_waiting():
            self._begin(self._executor.capacity - len(self._practice))
        has_any = bool(self._practice)
        while self._practice and not is_over():
            self._take_in(WAIT_S)
        return has_any

    def _look(self) -> None:
        """Find out how many matches of practice are due."""
        due = self._played // RATED
        if due > self._due:
            is_any = self._is_any_waiting()
            self._due = due if is_any else 0
            # What nobody asked for is not saved up.
            self._played = self._played if is_any else RATED

    def _begin(self, most: int) -> None:
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

    def _take_in(self, timeout_s: float) -> list[MatchOutcome]:
        """Store the matches of practice that have come in, and return the outcomes of rated ones."""
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
                connection, now, LEASE_S, self._only
            )

        return self._transactions.read(is_any)

    def _lost(self, connection: Connection) -> list[str]:
        """Return who holds matches of practice without playing them."""
        return [
            name
            for name in practice_matches.claimants(connection)
            # What this process holds was lost with the executor before this one.
            if is_dead(name) or (name == runner_name() and not self._practice)
        ]

    def _claim(self, connection: Connection, most: int) -> list[PracticeRow]:
        practice_matches.release(connection, self._lost(connection))
        return practice_matches.claim(connection, runner_name(), time.time(), LEASE_S, most, self._only)

    def _store(self, row: PracticeRow, outcome: MatchOutcome) -> None:
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

    def _give_up(self, row: PracticeRow, why: str) -> None:
        self._transactions.write(
            lambda connection: practice_matches.fail(connection, row.id, why, time.time())
        )


def _order(connection: Connection, plugins: PluginHost, row: PracticeRow) -> MatchOrder:
    season = open_season(connection, plugins, row.league)
    orders = MatchOrders(season)
    orders.load(connection, {row.version_id, row.opponent_id})
    seats = range(season.variant.seats.least)
    versions = [row.version_id if seat == row.seat else row.opponent_id for seat in seats]
    # Below zero, where no fixture is: nobody watches it while it is played.
    return orders.make(-row.id, row.tries, row.seed, versions)
