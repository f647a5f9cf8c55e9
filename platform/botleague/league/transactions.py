"""Transactions that outlast a database server's absence.

A server may be restarted, or end a connection, while a league runs for days. What a transaction had not committed is
then gone, and nothing else, so it is done again once the server is back. Whether the last one was committed cannot be
known: whatever is done here must come to the same when it is done twice.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from sqlalchemy.engine import Connection

from botleague_storage import ConnectionLost, Database

__all__ = ["Transactions"]

logger = logging.getLogger(__name__)

PATIENCE_S = 300.0
"""So long a server may be away: enough for a restart of its machine."""

RETRY_S = 1.0

T = TypeVar("T")


class Transactions:
    """Reads and writes a database, and waits for its server when it is away.

    Args:
        database: to read and write.
        is_over: asked while the server is away, whether there is any use in waiting.
        sleep: waits for so many seconds.

    Attributes:
        was_lost: a connection was lost since this was last set to False, so a transaction may have been done twice.
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
            ConnectionLost: the server stayed away.
        """
        return self._done(self._database.reading, work)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Return what ``work`` returns; what it writes is written completely or not at all.

        Raises:
            ConnectionLost: the server stayed away.
        """
        return self._done(self._database.writing, work)

    def is_over(self) -> bool:
        """Whether to end; not while the server is away, if the answer needs it."""
        try:
            return self._is_over is not None and self._is_over()
        except ConnectionLost:
            return False

    def _done(
        self, begin: Callable[[], AbstractContextManager[Connection]], work: Callable[[Connection], T]
    ) -> T:
        attempts_left = round(PATIENCE_S / RETRY_S)
        # An attempt may itself wait, for a machine that never answers.
        give_up_at = time.monotonic() + PATIENCE_S
        while True:
            try:
                with begin() as connection:
                    return work(connection)
            except ConnectionLost as error:
                if not attempts_left or time.monotonic() >= give_up_at or self.is_over():
                    raise
                if not self.was_lost:
                    logger.warning("%s Trying again for %d minutes.", error, PATIENCE_S // 60)
                self.was_lost = True
                attempts_left -= 1
                self._sleep(RETRY_S)
