"""Pages read by a server, each in a short transaction, and cached until the database changes.

A page is read once for all requests at a time. Reading pages again after changes takes no more than a share of one
processor: matches need the rest. Nothing stays open between two reads, so the server never blocks a running league,
and it opens a replaced database file again.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TypeVar

import anyio.to_thread
import msgspec
from anyio import CapacityLimiter
from sqlalchemy.engine import Connection

from botleague.application import Workspace
from botleague.league.season import is_any_blind, sight
from botleague.people import Viewer
from botleague_storage import ConnectionLost, Database, DatabaseUnusable, Horizon, NotFound
from botleague_storage.connection.database import RESPONSE_S

T = TypeVar("T")

READERS = 4
"""Pages read at a time: more would only compete for the same processors."""

KEPT = 64 * 1024 * 1024
"""Bytes of cached pages."""

FRESH_S = 5.0
"""Maximum age of a cached page in seconds: the state of a season depends on the time, too."""

AWAY_S = 1.0
"""Seconds after a failed attempt to connect in which others fail, too: each attempt may take much longer."""

MIN_REST_S = 0.25
"""Minimum seconds between readings of a page: runners record results every half second."""

SHARE = 0.05
"""Share of one processor for reading changed pages."""

STREAMED_SHARE = 0.2
"""Share of one processor for reading changed pages and sending them, while pages have event streams."""

COMPRESSED = 1024
"""Bytes from which on an answer is compressed."""


@dataclass(frozen=True)
class Answer:
    """Answer to a request: content with its type.

    Attributes:
        main: of a page with an event stream, the part that changes; with its digest.
        filename: for a download, "" for a page.
        refresh_s: seconds until a browser reloads the page by itself, 0 for never.
        is_embedded: pages of other sites may show it in a frame.
    """

    content: bytes
    media_type: str
    main: str = ""
    digest: str = ""
    filename: str = ""
    refresh_s: int = 0
    is_embedded: bool = False

    @cached_property
    def etag(self) -> str:
        """The content's digest, which shows no more than the content."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:24]}"'

    @cached_property
    def compressed(self) -> bytes:
        """The content as gzip, or empty if that is not worth it."""
        return gzip.compress(self.content, 6, mtime=0) if len(self.content) >= COMPRESSED else b""


class Pace:
    """Intervals between readings of pages, so that all of them together cost no more than a share of one processor.

    Attributes:
        share: :data:`SHARE`, or :data:`STREAMED_SHARE` while pages have event streams.
    """

    def __init__(self) -> None:
        self.share = SHARE
        self._spent: dict[str, tuple[float, float]] = {}

    def spent(self, what: str, cpu_s: float) -> None:
        """Store the cost of work that is likely to be repeated."""
        self._spent[what] = time.monotonic(), cpu_s

    def rest_s(self) -> float:
        """Return the seconds from one reading of a page to its next: all others have their turn in between."""
        since = time.monotonic() - 2 * FRESH_S
        self._spent = {what: (at, cpu_s) for what, (at, cpu_s) in self._spent.items() if at > since}
        wanted_s = sum(cpu_s for _, cpu_s in self._spent.values()) / self.share
        return max(MIN_REST_S, min(FRESH_S, wanted_s))


class PageReader:
    """Reader of the server's database, which opens it on first use, and again after a failure.

    Args:
        workspace: its database and plugins.
        only: names of the leagues that are shown; empty for all.
        clock: seconds since the epoch; calendars depend on it.
    """

    def __init__(
        self, workspace: Workspace, only: tuple[str, ...] = (), clock: Callable[[], float] = time.time
    ) -> None:
        self.workspace = workspace
        self.only = only
        self.now = clock
        self.pace = Pace()
        self.touched = 0
        self.forgotten = 0
        self._blind: tuple[object, bool] = (None, False)
        self._lock = threading.Lock()
        self._marking = CapacityLimiter(1)  # no more threads than can ask at a time
        self._database: Database | None = None
        self._away = 0.0, ""

    def read(
        self, work: Callable[[Connection], T], limits: Callable[[Connection], list[Horizon]] | None
    ) -> T:
        """Return what ``work`` reads in a transaction of its own.

        Args:
            limits: returns the end of each season for a viewer; None for the server itself, which reads everything.

        Raises:
            StorageError: the database cannot be read.
        """
        database = self._open()
        try:
            with database.reading(limits) as connection:
                return work(connection)
        except DatabaseUnusable:
            # Deleted and created again, restored from a backup, or on a server that was restarted.
            self._forget(database)
            with self._open().reading(limits) as connection:
                return work(connection)

    def sight(self, viewer: Viewer) -> Viewer:
        """Return a viewer reduced to what decides what they see, so that equal viewers share pages."""
        mark = self.mark(), int(self.now())
        if mark != self._blind[0]:
            self._blind = mark, self.read(partial(is_any_blind, now=self.now()), None)
        return sight(viewer, is_blind=self._blind[1])

    def mark(self) -> object:
        """Return a value that changes whenever data of any page changes."""
        try:
            database = self._open()
            with self._lock:
                return database.change_mark(), self.touched
        except DatabaseUnusable:
            with self._lock:
                unusable = self._database
            if unusable is not None:
                self._forget(unusable)
            return None

    async def marked(self) -> object:
        """Return :meth:`mark`. Other requests are answered meanwhile: the server of a database may not respond."""
        if (database := self._database) is not None and database.is_sqlite:
            return self.mark()  # a thread takes ten times as long
        return await anyio.to_thread.run_sync(self.mark, abandon_on_cancel=True, limiter=self._marking)

    def touch(self) -> None:
        """Report a change outside the database."""
        self.touched += 1

    def forget(self) -> None:
        """Clear all cached pages, after a person was erased."""
        self.forgotten += 1
        self.touch()

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _open(self) -> Database:
        with self._lock:
            if self._database is None:
                if time.monotonic() < self._away[0]:
                    raise ConnectionLost(self._away[1])
                try:
                    self._database = Database(
                        self.workspace.settings.database, create=False, reads_only=True, response_s=RESPONSE_S
                    )
                except ConnectionLost as error:
                    self._away = time.monotonic() + AWAY_S, str(error)
                    raise
            return self._database

    def _forget(self, database: Database) -> None:
        with self._lock:
            if self._database is database:
                self._database = None
                database.close()


class CachedAnswer(msgspec.Struct, frozen=True):
    """Answer or error, with its age.

    Attributes:
        mark: of the database, from before the page was read.
        at, again_at: time of that mark, and earliest time of the next reading, in seconds of the monotonic clock.
    """

    answer: Answer | Exception
    mark: object
    at: float
    again_at: float


@dataclass
class Cache:
    """Answers by address, made on request and cached until something changes."""

    reader: PageReader
    _kept: OrderedDict[str, CachedAnswer] = field(default_factory=OrderedDict)
    _size: int = 0
    _forgotten: int = 0
    _making: dict[str, asyncio.Lock] = field(default_factory=dict)
    _readers: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(READERS))

    async def get(self, address: str, make: Callable[[], Answer]) -> Answer:
        """Return the answer of an address.

        Args:
            make: returns it; called in a thread.

        Raises:
            NotFound: raised by ``make``.
        """
        answer = (await self.look(address, make)).answer
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def look(self, address: str, make: Callable[[], Answer]) -> CachedAnswer:
        """Return the cached answer of an address, also for a page that does not exist."""
        entry = await self._fresh(address)
        if entry is None:
            lock = self._making.setdefault(address, asyncio.Lock())
            async with lock:
                entry = await self._fresh(address)
                if entry is None:
                    entry = await self._made(address, make)
            if not lock.locked():
                self._making.pop(address, None)
        return entry

    async def _fresh(self, address: str) -> CachedAnswer | None:
        if self._forgotten != self.reader.forgotten:
            self._forgotten, self._size = self.reader.forgotten, 0
            self._kept.clear()
        entry, now = self._kept.get(address), time.monotonic()
        if entry is None:
            return None
        if now >= entry.again_at and (now - entry.at > FRESH_S or entry.mark != await self.reader.marked()):
            return None
        if address in self._kept:  # others may have filled the cache meanwhile
            self._kept.move_to_end(address)
        return entry

    async def _made(self, address: str, make: Callable[[], Answer]) -> CachedAnswer:
        # The mark is from before the reading, so that a change meanwhile causes another one.
        at, mark = time.monotonic(), await self.reader.marked()

        def timed() -> tuple[Answer | Exception, float]:
            begun = time.thread_time()
            try:
                made: Answer | Exception = make()
            except NotFound as error:
                made = error
            return made, time.thread_time() - begun

        made, cpu_s = await anyio.to_thread.run_sync(timed, limiter=self._readers)
        if address in self._kept:  # a first request may be the only one
            self.reader.pace.spent(address, cpu_s)
        # The reading itself may take long on a busy machine; but those that wait for it get this answer.
        again_at = max(at + self.reader.pace.rest_s(), time.monotonic() + MIN_REST_S)
        entry = CachedAnswer(made, mark, at, again_at)
        self._size += _size(made) - (_size(self._kept[address].answer) if address in self._kept else 0)
        self._kept[address] = entry
        self._kept.move_to_end(address)
        while self._size > KEPT and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._size -= _size(gone.answer)
        return entry


def _size(answer: Answer | Exception) -> int:
    # The content, its compressed form, and its changing part.
    return 3 * len(answer.content) + 512 if isinstance(answer, Answer) else 512
