"""Transactions that are retried while the database is unavailable.

A server may be restarted, or end a connection, while a league runs for days; another program may hold the lock of a
database for as long as a backup takes. Only uncommitted changes are lost then, so the transaction is repeated once the
database is back. Whether the last one was committed is unknown: all work here must be idempotent.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from sqlalchemy.engine import Connection

from botleague_storage import Database, DatabaseAway

logger = logging.getLogger(__name__)

DB_RETRY_S = 300.0
"""Seconds that a database may be unavailable: enough for a restart of its machine."""

RETRY_S = 1.0

T = TypeVar("T")


def outlast(
    work: Callable[[], T],
    is_over: Callable[[], bool] = lambda: False,
    sleep: Callable[[float], None] = time.sleep,
    note: Callable[[], None] = lambda: None,
) -> T:
    """Return the result of ``work``, which is repeated while the database is unavailable.

    Args:
        work: an idempotent function.
        is_over: called while the database is unavailable; if it returns true, waiting ends.
        sleep: waits for a number of seconds.
        note: called after each failed attempt.

    Raises:
        DatabaseAway: it stayed unavailable, or waiting was ended.
    """
    attempts_left = round(DB_RETRY_S / RETRY_S)
    # An attempt may itself wait, for a machine that never answers.
    give_up_at = time.monotonic() + DB_RETRY_S
    reported: type[DatabaseAway] | None = None
    while True:
        try:
            return work()
        except DatabaseAway as error:
            note()
            if not attempts_left or time.monotonic() >= give_up_at or is_over():
                raise
            if type(error) is not reported:
                logger.warning("%s Trying again for %d minutes.", error, DB_RETRY_S // 60)
            reported = type(error)
            attempts_left -= 1
            sleep(RETRY_S)


class Transactions:
    """Transactions of a database that wait while it is unavailable.

    Args:
        database: to read and write.
        is_over: called while the database is unavailable; if it returns true, waiting ends.
        sleep: waits for a number of seconds.

    Attributes:
        was_lost: whether the database was unavailable since this was last set to False, so that a transaction may have
            been repeated.
    """

    def __init__(
        self,
        database: Database,
        is_over: Callable[[], bool] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.was_lost = False
        self._database = database
        self._is_over = is_over
        self._sleep = sleep

    def read(self, work: Callable[[Connection], T]) -> T:
        """Return what ``work`` finds in one consistent state.

        Raises:
            DatabaseAway: the database stayed unavailable.
        """
        return self._done(self._database.reading, work)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Return what ``work`` returns; what it writes is written completely or not at all.

        Raises:
            DatabaseAway: the database stayed unavailable.
        """
        return self._done(self._database.writing, work)

    def is_over(self) -> bool:
        """Whether to end; not while the database is away, if the answer needs it."""
        try:
            return self._is_over is not None and self._is_over()
        except DatabaseAway:
            return False

    def _done(
        self, begin: Callable[[], AbstractContextManager[Connection]], work: Callable[[Connection], T]
    ) -> T:
        def attempt() -> T:
            with begin() as connection:
                return work(connection)

        return outlast(attempt, self.is_over, self._sleep, self._note_loss)

    def _note_loss(self) -> None:
        self.was_lost = True
