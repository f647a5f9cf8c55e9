"""Event streams, which send changes of a page as HTML to its viewers.

One task polls the database. A changed page is read and rendered once for all its viewers, and less often the more
reading and sending it costs. Nothing is queued: a slow viewer gets the newest state when ready for it. Before each
event, the stream checks that its viewer may still see what they saw at its start.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from botleague_server.serving.page_cache import SHARE, STREAMED_SHARE, Answer, CachedAnswer, PageReader

Events: TypeAlias = AsyncGenerator[bytes, None]
"""Events of a stream."""

MaySee: TypeAlias = Callable[[], Awaitable[bool]]
"""Returns whether a stream's viewer still has the same permissions; if not, it ends, and the viewer opens another."""

POLL_INTERVAL_S = 0.1
"""Seconds between polls of the database."""

PAUSE_S = 0.4
"""Minimum seconds between two states of a page: more would only keep browsers busy."""

ALIVE_S = 15.0
"""Seconds without a change until a stream sends a sign of life: proxies end silent ones."""

TIMED_S = 5.0
"""Seconds until a page is read again although nothing has changed: estimates depend on the time."""

SEND_S = 0.00006
"""CPU seconds of sending a compressed state of 200 kB to one viewer, as measured."""

AN_ADDRESS = 256
"""Streams per address: a class may share one."""

IN_ALL = 2_000


GONE = "gone", b"event: gone\ndata:\n\n"
"""Digest and event of a page that does not exist any longer for its viewers, as at the start of a freeze."""


class TooMany(Exception):
    """Too many streams are open, in total or from one address."""


@dataclass
class _Subscription:
    """Page with viewers, and its newest state as an event.

    Attributes:
        mark: of the database when the page was last read; at first one that no reader has.
        looked, again_at: times of the last and of the earliest next reading, on the monotonic clock.
        woken: time when its viewers were last woken.
    """

    read: Callable[[], Awaitable[CachedAnswer]]
    watchers: int = 0
    digest: str = ""
    event: bytes = b""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    mark: object = field(default_factory=object)
    looked: float = 0.0
    again_at: float = 0.0
    reading: asyncio.Task[None] | None = None
    woken: float = field(default_factory=time.monotonic)

    def is_due(self, mark: object) -> bool:
        """Return whether the page must be read, as the database has this mark now."""
        now = time.monotonic()
        if now < self.again_at or (self.reading is not None and not self.reading.done()):
            return False
        return mark != self.mark or now - self.looked > TIMED_S

    async def look(self, mark: object) -> bool:
        """Read the page, and wake its viewers if it has changed; return whether it has."""
        self.mark, self.looked = mark, time.monotonic()
        with suppress(Exception):  # a request for the page itself reports the error
            entry = await self.read()
            # The cache may have read it just before: then it is read again as soon as it may be.
            self.mark, self.again_at = entry.mark, max(entry.again_at, self.looked + PAUSE_S)
            digest, event = (
                (entry.answer.digest, _event(entry.answer)) if isinstance(entry.answer, Answer) else GONE
            )
            if digest != self.digest:
                self.digest, self.event = digest, event
                self.wake()
                return True
        return False

    def wake(self) -> None:
        """Wake the viewers: to a new state, or to send a sign of life."""
        self.changed.set()
        self.changed, self.woken = asyncio.Event(), time.monotonic()


class Streams:
    """All open event streams of a server.

    Args:
        most: streams at a time.
    """

    def __init__(self, reader: PageReader, most: int = IN_ALL) -> None:
        self._reader = reader
        self._most = min(IN_ALL, most)
        self._watched: dict[str, _Subscription] = {}
        self._by_address: Counter[str] = Counter()
        self._watching: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    @property
    def is_stopping(self) -> bool:
        """Whether all streams must end."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """End all streams, and refuse new ones."""
        self._stopping.set()
        for page in self._watched.values():
            page.changed.set()

    def open(
        self,
        address: str,
        page: str,
        digest: str,
        read: Callable[[], Awaitable[CachedAnswer]],
        may_see: MaySee,
    ) -> Events:
        """Return a new stream.

        Args:
            page: key of the page.
            digest: of the state that the viewer has.
            may_see: called before each event.

        Raises:
            TooMany: too many streams are open.
        """
        return self.counted(address, self._stream(page, digest, read), may_see)

    def counted(self, address: str, events: Events, may_see: MaySee) -> Events:
        """Return a stream that counts as an open one.

        Args:
            may_see: called before each event.

        Raises:
            TooMany: too many streams are open.
        """
        if self._by_address[address] >= AN_ADDRESS or self._by_address.total() >= self._most:
            raise TooMany
        return self._counted(address, events, may_see)

    async def pause(self, seconds: float) -> None:
        """Wait for some seconds, or until streams must end."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    async def _counted(self, address: str, events: Events, may_see: MaySee) -> Events:
        self._by_address[address] += 1
        try:
            async with aclosing(events):
                async for event in events:
                    if not await may_see():
                        return
                    yield event
        finally:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]

    async def _stream(self, key: str, digest: str, read: Callable[[], Awaitable[CachedAnswer]]) -> Events:
        page = self._watched.setdefault(key, _Subscription(read))
        page.watchers += 1
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            yield b"retry: 1000\nevent: alive\ndata:\n\n"
            while not self._stopping.is_set():
                changed = page.changed
                if page.event and page.digest != digest:
                    digest = page.digest
                    yield page.event
                    continue
                await changed.wait()
                if not page.event or page.digest == digest:
                    yield b"event: alive\ndata:\n\n"
        finally:
            page.watchers -= 1
            if not page.watchers and self._watched.get(key) is page:
                del self._watched[key]

    async def _watch(self) -> None:
        """Read the pages again when the database has changed, as long as they have viewers."""
        self._reader.pace.share = STREAMED_SHARE
        while self._watched and not self._stopping.is_set():
            mark = await self._reader.marked()
            for key, page in self._watched.items():
                if page.is_due(mark):
                    page.reading = asyncio.create_task(self._look(key, page, mark))
                # Here and not in each stream: a timer of its own costs more than an event.
                if time.monotonic() - page.woken > ALIVE_S:
                    page.wake()
            await self.pause(POLL_INTERVAL_S)
        self._reader.pace.share = SHARE

    async def _look(self, key: str, page: _Subscription, mark: object) -> None:
        if await page.look(mark):
            self._reader.pace.spent(f"sent: {key}", SEND_S * page.watchers)


def _event(answer: Answer) -> bytes:
    lines = "".join(f"data: {line}\n" for line in answer.main.splitlines())
    return f"id: {answer.digest}\n{lines}\n".encode()
