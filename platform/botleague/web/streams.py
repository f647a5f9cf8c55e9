"""Event streams: who looks at a page is sent what changes of it, as HTML, a moment after it has changed.

One task looks whether the database has changed. What changed is rendered once a page, however many look at it, and
nothing is queued: who is slow is sent the newest state when ready for it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from botleague.web.library import Answer, Library

__all__ = ["Streams", "TooMany"]

logger = logging.getLogger(__name__)

LOOK_S = 0.1
"""Between two looks at the database."""

PAUSE_S = 0.4
"""At least between two states of a page: more would only keep browsers busy."""

ALIVE_S = 15.0
"""A stream that has nothing to say says so after this time: proxies end those that are silent."""

TIMED_S = 5.0
"""Pages are looked at again after this time even if nothing has changed: estimates follow from the time."""

AN_ADDRESS = 256
"""Streams for one address: a class may sit behind it."""

IN_ALL = 2_000


class TooMany(Exception):
    """An address, or everybody together, has as many streams as there may be."""


@dataclass
class _Watched:
    """A page that somebody looks at, with its newest state."""

    read: Callable[[], Awaitable[Answer]]
    watchers: int = 0
    answer: Answer | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class Streams:
    """All open event streams of a server."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._watched: dict[str, _Watched] = {}
        self._by_address: Counter[str] = Counter()
        self._watching: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End all streams, and refuse new ones."""
        self._stopping.set()
        for page in self._watched.values():
            page.changed.set()

    def open(
        self, address: str, page: str, seen: str, read: Callable[[], Awaitable[Answer]]
    ) -> AsyncIterator[bytes]:
        """Return a new stream.

        Args:
            address: whose it is.
            page: which page, a key.
            seen: the digest of the state that its reader has.
            read: reads the page.

        Raises:
            TooMany: there are too many already.
        """
        if self._by_address[address] >= AN_ADDRESS or self._by_address.total() >= IN_ALL:
            raise TooMany
        self._by_address[address] += 1
        return self._stream(address, page, seen, read)

    async def _stream(
        self, address: str, key: str, seen: str, read: Callable[[], Awaitable[Answer]]
    ) -> AsyncIterator[bytes]:
        page = self._watched.setdefault(key, _Watched(read))
        page.watchers += 1
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            yield b"retry: 1000\nevent: alive\ndata:\n\n"
            while not self._stopping.is_set():
                answer = page.answer
                if answer is not None and answer.digest != seen:
                    seen = answer.digest
                    yield _event(answer)
                    continue
                try:
                    await asyncio.wait_for(page.changed.wait(), ALIVE_S)
                except TimeoutError:
                    yield b"event: alive\ndata:\n\n"
        finally:
            page.watchers -= 1
            if not page.watchers and self._watched.get(key) is page:
                del self._watched[key]
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]

    async def _watch(self) -> None:
        """Read the watched pages again when the database has changed, until nobody watches."""
        mark: object = object()
        looked = -TIMED_S
        while self._watched and not self._stopping.is_set():
            began = time.monotonic()
            now = self._library.mark()
            is_new = any(page.answer is None for page in self._watched.values())
            if now != mark or is_new or began - looked > TIMED_S:
                mark, looked = now, began
                for page in list(self._watched.values()):
                    with suppress(Exception):  # what is wrong with it, whoever asks for the page is told
                        self._show(page, await page.read())
                await self._pause(max(PAUSE_S, time.monotonic() - began))
            else:
                await self._pause(LOOK_S)

    def _show(self, page: _Watched, answer: Answer) -> None:
        if page.answer is None or page.answer.digest != answer.digest:
            page.answer = answer
            page.changed.set()
            page.changed = asyncio.Event()

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)


def _event(answer: Answer) -> bytes:
    lines = "".join(f"data: {line}\n" for line in answer.main.splitlines())
    return f"id: {answer.digest}\n{lines}\n".encode()
