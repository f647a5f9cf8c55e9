"""Continuous play of leagues, one after the other, until stopped.

Unrated matches are played while no rated match is waiting, and now and then in between.

All state is in the database, so the process may be killed at any moment.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.leagues import play_season
from botleague.application.workspace import Workspace
from botleague.errors import PluginError, UsageError
from botleague.executors import Executor
from botleague.league import Runner, Season, Transactions, open_season, outlast, runner_name
from botleague.league.decisions import season_decisions
from botleague.league.season import LeaguePaused, paused_leagues
from botleague_server.operating.shared_executor import SharedExecutor
from botleague_storage import Database, bots, events, extensions, fixtures, leagues

logger = logging.getLogger(__name__)

T = TypeVar("T")

SLICE_S = 60.0
"""Seconds for which a league plays before another one's turn; started matches are finished."""

POLL_INTERVAL_S = 0.5
"""Seconds between polls of the database while nothing is waiting."""

TIMED_S = 10.0
"""Maximum seconds between checks of the calendars."""

RETRY_S = 300.0
"""Seconds until a league whose plugin failed or is missing is tried again, unless something changes in it."""


class _Player(msgspec.Struct):
    """Player of leagues.

    Attributes:
        rested: state in which each league had nothing to play, and the time of the next attempt regardless.
    """

    workspace: Workspace
    database: Database
    only: Sequence[str]
    is_over: Callable[[], bool]
    rested: dict[str, tuple[object, float]] = msgspec.field(default_factory=dict)

    def play(self, executor: Executor) -> None:
        """Play until stopped; raises PluginError or UsageError if the executor may still run unneeded matches."""
        plugins, transactions = self.workspace.plugins, Transactions(self.database, self.is_over)
        shared = SharedExecutor(executor, transactions, plugins, self.only)
        with Runner(self.database, plugins, shared, runner_name()) as runner:
            while not self.is_over():
                runner.report()
                mark = self._mark()
                waiting = self._read(self._waiting)
                for name in waiting:
                    self._play_one(runner, shared, name, is_alone=len(waiting) == 1)
                if not waiting and not shared.play_waiting(self.is_over):
                    self._wait(mark)

    def _play_one(self, runner: Runner, executor: Executor, name: str, *, is_alone: bool) -> None:
        state = self._read(lambda connection: self._state(self._open(connection, name)))
        begun = time.monotonic()

        def is_pausing() -> bool:
            return not is_alone and time.monotonic() - begun > SLICE_S

        try:
            result = play_season(
                self.workspace,
                self.database,
                runner,
                executor,
                name,
                lambda _: None,
                rounds=self._rounds(name),
                is_over=self.is_over,
                is_pausing=is_pausing,
            )
        except LeaguePaused:
            return
        except (PluginError, UsageError) as error:  # also a variant or format that is not installed
            logger.error("%s: %s It is tried again in %d minutes.", name, error, RETRY_S // 60)
            self.rested[name] = state, time.monotonic() + RETRY_S
            raise
        for deviation in result:
            logger.warning("%s: %s", name, deviation.text)
        if not is_pausing():
            # The state before: what has changed since, also by others, is looked at once more.
            self.rested[name] = state, float("inf")

    def _waiting(self, connection: Connection) -> list[str]:
        """Return the leagues with possible matches to play."""
        leagues_to_play, paused = [], paused_leagues(connection)
        for row in leagues.leagues(connection):
            if self.only and row.name not in self.only:
                continue
            season = self._open(connection, row.name)
            opens = season.calendar.at("opens")
            if season.is_closed or row.name in paused or (opens is not None and season.clock() < opens):
                continue
            state, until = self.rested.get(row.name, (None, 0.0))
            if state != self._state(season) or time.monotonic() >= until:
                leagues_to_play.append(row.name)
        return leagues_to_play

    def _state(self, season: Season) -> object:
        """Return a value that changes whenever a season may have new matches."""
        connection = season.connection
        return (
            season.id,
            events.last(connection, season.id),
            bots.last_version(connection),
            extensions.extensions(connection, season.id),
            fixtures.counts(connection, season.id),
            season.calendar.has_come("ends", season.clock()),
            season.frozen is None,  # audits wait for the reveal
        )

    def _rounds(self, name: str) -> int | None:
        """Return the last round to play: None for a season that its calendar or format ends, else the target."""

        def decide(connection: Connection) -> int | None:
            season = self._open(connection, name)
            if not season.format.is_endless or season.calendar.ends is not None:
                return None
            return season_decisions.set_target(season, None)

        return Transactions(self.database, self.is_over).write(decide)

    def _open(self, connection: Connection, name: str) -> Season:
        return open_season(connection, self.workspace.plugins, name)

    def _read(self, work: Callable[[Connection], T]) -> T:
        return Transactions(self.database, self.is_over).read(work)

    def _mark(self) -> object:
        return outlast(self.database.change_mark, self.is_over)

    def _wait(self, mark: object) -> None:
        until = time.monotonic() + TIMED_S
        while not self.is_over() and time.monotonic() < until and self._mark() == mark:
            time.sleep(POLL_INTERVAL_S)


def keep_playing(
    workspace: Workspace, database: Database, only: Sequence[str], is_over: Callable[[], bool]
) -> None:
    """Play the current seasons of all leagues whenever matches are waiting.

    Args:
        only: names of leagues; empty for all, including new ones.
        is_over: called now and then; started matches are then given up, and played again by the next runner.

    Raises:
        MachineryError: a match could not be played in several attempts.
        StorageError: the database failed, or stayed unavailable.
    """
    player = _Player(workspace, database, only, is_over)
    while not is_over():
        with workspace.executor(is_watched=True) as executor:
            try:
                player.play(executor)
            except (PluginError, UsageError):
                continue  # with new processes: the old ones may still run matches that are no longer needed
