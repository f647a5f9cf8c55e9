"""Proof that the server can write, every few seconds and for each health check.

A value is stored in the database, and room for a few uploads is reserved on its disk and released: replacing a value
succeeds on a full disk, too. The value is the time, from which a restarted server computes the length of its outage.
"""

from __future__ import annotations

import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from botleague_server.monitoring.availability import note_alive, note_start
from botleague_storage import Database, StorageError, server_notes

logger = logging.getLogger(__name__)

BEAT_S = 10.0

FRESH_S = 2.0
"""Seconds for which a proof is valid: frequent health checks must not cause more writes."""

ROOM_BYTES = 4_000_000


class Heartbeat(threading.Thread):
    """Writes every few seconds, until it is stopped.

    Args:
        database: opened for writing.
        erased: called after a person was erased, with the stored time of that; and at the start.
    """

    def __init__(self, database: Database, erased: Callable[[str], None]) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self._database = database
        self._erased = erased
        self._lock = threading.Lock()
        self._beaten: tuple[float, bool] | None = None
        self._has_begun = False
        self._last_erased: str | None = None
        self._is_over = threading.Event()

    def run(self) -> None:
        """Write until stopped."""
        while not self._is_over.wait(BEAT_S):
            self.can_write()

    def stop(self) -> None:
        """End soon, and store that the server was running until now."""
        self._is_over.set()
        self.can_write(at_once=True)

    def can_write(self, *, at_once: bool = False) -> bool:
        """Write, unless the last proof is still valid, and return whether it worked."""
        with self._lock:
            now = time.monotonic()
            if self._beaten is None or at_once or now - self._beaten[0] > FRESH_S:
                worked = self._write()
                if self._beaten is None or worked != self._beaten[1]:
                    logger.log(
                        logging.INFO if worked else logging.ERROR,
                        "The server can store data." if worked else "The server cannot store data now.",
                    )
                self._beaten = time.monotonic(), worked  # a database server that is silent takes long
            return self._beaten[1]

    def _write(self) -> bool:
        try:
            with self._database.writing() as connection:
                (note_alive if self._has_begun else note_start)(connection, time.time())
                erased = server_notes.find(connection, "erased-at")
            self._has_begun = True
            place = Path(self._database.place or "")
            if place.is_file():
                with tempfile.TemporaryFile(dir=place.parent) as file:
                    os.posix_fallocate(file.fileno(), 0, ROOM_BYTES)
        except (StorageError, OSError) as error:
            logger.debug("Not written: %s", error)
            return False
        if erased != self._last_erased:
            self._last_erased = erased
            self._erased(erased)
        return True
