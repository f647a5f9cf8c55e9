"""Event streams: who looks at a page is sent what changes of it, as HTML, a moment after it has changed.

One task looks whether the database has changed. What changed is read and rendered once a page, however many look at it,
and the more seldom the more that and telling all of them costs. Nothing is queued: who is slow is sent the newest state
when ready for it. Before anything is sent it is asked whether its reader may still see what they saw when they began.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from botleague_server.serving.page_cache import Answer, CachedAnswer, PageReader

Events: TypeAlias = AsyncGenerator[bytes, None]
"""What is sent."""

MaySee: TypeAlias = Callable[[], Awaitable[bool]]
"""Says whether a stream's reader is still who they were; where not, it ends, and its reader opens another one."""

logger = logging.getLogger(__name__)

LOOK_S = 0.1
"""Between two looks at the database."""

PAUSE_S = 0.4
"""At least between two states of a page: more would only keep browsers busy."""

ALIVE_S = 15.0
"""A stream that has nothing to say says so after this time: proxies end those that are silent."""

TIMED_S = 5.0
"""Pages are looked at again after this time even if nothing has changed: estimates follow from the time."""

TELL_S = 0.00016
"""CPU time of sending a state of 100 kB to one who looks, as measured."""

AN_ADDRESS = 256
"""Streams for one address: a class may sit behind it."""

IN_ALL = 2_000


class TooMany(Exception):
    """An address, or everybody together, has as many streams as there may be."""


@dataclass
class _Watched:
    """A page that somebody looks at, with its newest state as an event.

    Attributes:
        mark: of the library when the page was last read; at first one that no reader has.
        looked, again_at: when it was last looked at, and when it may be read again, on the monotonic clock.
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

    def is_due(self, mark: object) -> bool:
        """Tell whether the page is to be read, now that the library has this mark."""
        now = time.monotonic()
        if now < self.again_at or (self.reading is not None and not self.reading.done()):
            return False
        return mark != self.mark or now - self.looked > TIMED_S

    async def look(self, mark: object) -> bool:
        """Read the page, and wake its watchers if it is another one; return whether it is."""
        self.mark, self.looked = mark, time.monotonic()
        with suppress(Exception):  # what is wrong with it, whoever asks for the page is told
            kept = await self.read()
            # It may have been read for somebody else, a moment ago: then it is read again as soon as it may be.
            self.mark, self.again_at = kept.mark, max(kept.again_at, self.looked + PAUSE_S)
            if isinstance(kept.answer, Answer) and kept.answer.digest != self.digest:
                self.digest, self.event = kept.answer.digest, _event(kept.answer)
                self.changed.set()
                self.changed = asyncio.Event()
                return True
        return False


class Streams:
    """All open event streams of a server.

    Args:
        most: streams at a time.
    """

    def __init__(self, reader: PageReader, most: int = IN_ALL) -> None:
        self._reader = reader
        self._most = min(IN_ALL, most)
        self._watched: dict[str, _Watched] = {}
        self._by_address: Counter[str] = Counter()
        self._watching: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    @property
    def is_stopping(self) -> bool:
        """Whether all streams are to end."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """End all streams, and refuse new ones."""
        self._stopping.set()
        for page in self._watched.values():
            page.changed.set()

    def open(
        self, address: str, page: str, seen: str, read: Callable[[], Awaitable[CachedAnswer]], may_see: MaySee
    ) -> Events:
        """Return a new stream.

        Args:
            address: whose it is.
            page: which page, a key.
            seen: the digest of the state that its reader has.
            read: reads the page.
            may_see: asked before each event.

        Raises:
            TooMany: there are too many already.
        """
        return self.counted(address, self._stream(page, seen, read), may_see)

    def counted(self, address: str, events: Events, may_see: MaySee) -> Events:
        """Return a stream that counts as one of those that are open.

        Args:
            address: whose it is.
            events: what is sent.
            may_see: asked before each of them.

        Raises:
            TooMany: there are too many already.
        """
        if self._by_address[address] >= AN_ADDRESS or self._by_address.total() >= self._most:
            raise TooMany
        return self._counted(address, events, may_see)

    async def pause(self, seconds: float) -> None:
        """Wait so long, or until streams are to end."""
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

    async def _stream(self, key: str, seen: str, read: Callable[[], Awaitable[CachedAnswer]]) -> Events:
        page = self._watched.setdefault(key, _Watched(read))
        page.watchers += 1
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            yield b"retry: 1000\nevent: alive\ndata:\n\n"
            while not self._stopping.is_set():
                if page.event and page.digest != seen:
                    seen = page.digest
                    yield page.event
                    continue
                try:
                    await asyncio.wait_for(page.changed.wait(), ALIVE_S)
                except TimeoutError:
                    yield b"event: alive\ndata:\n\n"
        finally:
            page.watchers -= 1
            if not page.watchers and self._watched.get(key) is page:
                del self._watched[key]

    async def _watch(self) -> None:
        """Read the watched pages again when the database has changed, until nobody watches."""
        while self._watched and not self._stopping.is_set():
            mark = self._reader.mark()
            for key, page in self._watched.items():
                if page.is_due(mark):
                    page.reading = asyncio.create_task(self._look(key, page, mark))
            await self.pause(LOOK_S)

    async def _look(self, key: str, page: _Watched, mark: object) -> None:
        if await page.look(mark):
            self._reader.pace.spent(f"told: {key}", TELL_S * page.watchers)


def _event(answer: Answer) -> bytes:
    lines = "".join(f"data: {line}\n" for line in answer.main.splitlines())
    return f"id: {answer.digest}\n{lines}\n".encode()
