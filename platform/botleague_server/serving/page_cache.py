"""What a server reads: one page at a time, each in a short transaction, kept until the database changes.

Pages that many ask for at once are read once, and however often the database changes, reading them again takes no more
than a share of one processor: matches need the rest. Nothing is held open between two reads, so a league that runs is
never kept waiting, and a database file that is replaced is opened anew.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from sqlalchemy.engine import Connection

from botleague.application import Workspace
from botleague.league.season import horizons, is_any_blind, sight
from botleague.people import PUBLIC, Viewer
from botleague_storage import Database, DatabaseUnusable, Horizon, NotFound

logger = logging.getLogger(__name__)

T = TypeVar("T")

READERS = 4
"""Pages read at a time: more would only share the same processors."""

KEPT = 64 * 1024 * 1024
"""Bytes of pages that are kept."""

FRESH_S = 5.0
"""How long a page is kept at most: whether a season is being played follows from the time, too."""

LEAST_REST_S = 0.25
"""Runners record what was played within half a second together, so a page seldom changes more often."""

SHARE = 0.05
"""Of one processor: for reading again what changes, and for telling who looks at it."""

COMPRESSED = 1024
"""Bytes from which on an answer is compressed for who can read it."""


@dataclass(frozen=True)
class Answer:
    """What is answered: content, its type, and what tells it from another content.

    Attributes:
        main: of a page that is kept up to date, what changes of it; with its digest.
        filename: of what is to be kept as a file, "" for what is looked at.
        refresh_s: after so many seconds a browser asks again by itself, 0 for never.
    """

    content: bytes
    media_type: str
    main: str = ""
    digest: str = ""
    filename: str = ""
    refresh_s: int = 0

    @cached_property
    def etag(self) -> str:
        """The content's digest: it tells nothing that the content does not."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:24]}"'

    @cached_property
    def compressed(self) -> bytes:
        """The content as gzip, or empty if that is not worth it."""
        return gzip.compress(self.content, 6, mtime=0) if len(self.content) >= COMPRESSED else b""


class Pace:
    """How often pages are read again, so that all of them together cost no more than :data:`SHARE`."""

    def __init__(self) -> None:
        self._spent: dict[str, tuple[float, float]] = {}

    def spent(self, what: str, cpu_s: float) -> None:
        """Note what was done, which is likely to be done again, and what it cost."""
        self._spent[what] = time.monotonic(), cpu_s

    def rest_s(self) -> float:
        """Return for how long a page rests that has just been read: all the others have their turn meanwhile."""
        since = time.monotonic() - 2 * FRESH_S
        self._spent = {what: (at, cpu_s) for what, (at, cpu_s) in self._spent.items() if at > since}
        wanted_s = sum(cpu_s for _, cpu_s in self._spent.values()) / SHARE
        return max(LEAST_REST_S, min(FRESH_S, wanted_s))


class PageReader:
    """A database as a server reads it; opened when first needed, and anew when it was away.

    Args:
        workspace: where it is, and the plugins.
        only: the leagues that are shown; none for all.
        clock: says what time it is, in seconds since the epoch; calendars go by it.
    """

    def __init__(
        self,
        workspace: Workspace,
        only: tuple[str, ...] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.workspace = workspace
        self.only = only
        self.pace = Pace()
        self.touched = 0
        self.forgotten = 0
        self._clock = clock
        self._blind: tuple[object, bool] = (None, False)
        self._lock = threading.Lock()
        self._database: Database | None = None

    def read(self, work: Callable[[Connection], T], viewer: Viewer = PUBLIC) -> T:
        """Return what ``work`` reads in a transaction of its own, which holds nothing but what the viewer may see.

        Raises:
            StorageError: the database cannot be read.
        """
        return self._read(work, lambda connection: horizons(connection, viewer, self.now()))

    def read_all(self, work: Callable[[Connection], T]) -> T:
        """Return what ``work`` reads for whoever looks after the server; raises as :meth:`read` does."""
        return self._read(work, None)

    def _read(
        self, work: Callable[[Connection], T], limits: Callable[[Connection], list[Horizon]] | None
    ) -> T:
        database = self._open()
        try:
            with database.reading(limits) as connection:
                return work(connection)
        except DatabaseUnusable:
            # Deleted and made anew, restored from a backup, or a server that was restarted.
            self._forget(database)
            with self._open().reading(limits) as connection:
                return work(connection)

    def sight(self, viewer: Viewer) -> Viewer:
        """Return a viewer as far as it matters for what they see, so that who sees the same shares pages."""
        mark = self.mark(), int(self.now())
        if mark != self._blind[0]:
            self._blind = mark, self.read(lambda connection: is_any_blind(connection, self.now()))
        return sight(viewer, is_blind=self._blind[1])

    def now(self) -> float:
        """Return what time it is, in seconds since the epoch."""
        return self._clock()

    def mark(self) -> object:
        """Return a value that is another one as soon as anything that pages show has changed."""
        try:
            database = self._open()
            with self._lock:
                return database.change_mark(), self.touched
        except DatabaseUnusable:
            with self._lock:
                known = self._database
            if known is not None:
                self._forget(known)
            return None

    def touch(self) -> None:
        """Say that something beside the database has changed."""
        self.touched += 1

    def forget(self) -> None:
        """Have all pages read again: somebody was erased."""
        self.forgotten += 1
        self.touch()

    def close(self) -> None:
        """Let go of the database."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _open(self) -> Database:
        with self._lock:
            if self._database is None:
                self._database = Database(self.workspace.settings.database, create=False, reads_only=True)
            return self._database

    def _forget(self, database: Database) -> None:
        with self._lock:
            if self._database is database:
                self._database = None
                database.close()


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """An answer, or why there is none.

    Attributes:
        mark: of the database, just before the page was read.
        at, again_at: when that was, and when the page may be read again, in seconds of the monotonic clock.
    """

    answer: Answer | Exception
    mark: object
    at: float
    again_at: float


@dataclass
class Cache:
    """Answers by address, made when they are asked for and kept while nothing has changed."""

    reader: PageReader
    _kept: OrderedDict[str, CachedAnswer] = field(default_factory=OrderedDict)
    _size: int = 0
    _forgotten: int = 0
    _making: dict[str, asyncio.Lock] = field(default_factory=dict)
    _readers: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(READERS))

    async def get(self, address: str, make: Callable[[], Answer]) -> Answer:
        """Return what is answered at an address.

        Args:
            make: makes it, in a thread.

        Raises:
            NotFound: ``make`` says so.
        """
        answer = (await self.look(address, make)).answer
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def look(self, address: str, make: Callable[[], Answer]) -> CachedAnswer:
        """Do the same; that something does not exist is kept as well."""
        known = self._fresh(address)
        if known is None:
            lock = self._making.setdefault(address, asyncio.Lock())
            async with lock:
                known = self._fresh(address)
                if known is None:
                    known = await self._made(address, make)
            if not lock.locked():
                self._making.pop(address, None)
        return known

    def _fresh(self, address: str) -> CachedAnswer | None:
        if self._forgotten != self.reader.forgotten:
            self._forgotten, self._size = self.reader.forgotten, 0
            self._kept.clear()
        known, now = self._kept.get(address), time.monotonic()
        if known is None:
            return None
        if now >= known.again_at and (now - known.at > FRESH_S or known.mark != self.reader.mark()):
            return None
        self._kept.move_to_end(address)
        return known

    async def _made(self, address: str, make: Callable[[], Answer]) -> CachedAnswer:
        # Asked before the page is read: what changes meanwhile makes the next one be read again.
        mark, at = self.reader.mark(), time.monotonic()

        def timed() -> tuple[Answer | Exception, float]:
            begun = time.thread_time()
            try:
                made: Answer | Exception = make()
            except NotFound as error:
                made = error
            return made, time.thread_time() - begun

        made, cpu_s = await anyio.to_thread.run_sync(timed, limiter=self._readers)
        if address in self._kept:  # the first time may be the only one
            self.reader.pace.spent(address, cpu_s)
        kept = CachedAnswer(made, mark, at, time.monotonic() + self.reader.pace.rest_s())
        self._size += _size(made) - (_size(self._kept[address].answer) if address in self._kept else 0)
        self._kept[address] = kept
        self._kept.move_to_end(address)
        while self._size > KEPT and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._size -= _size(gone.answer)
        return kept


def _size(answer: Answer | Exception) -> int:
    # Compressed, decompressed, and what changes of it.
    return 3 * len(answer.content) + 512 if isinstance(answer, Answer) else 512
