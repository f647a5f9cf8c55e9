"""Live matches: one replay for all viewers, sent in parts while the match is played.

The host of a match writes its turns to a spool while there is a request for it
(:mod:`botleague.executors.turn_spool`); another process makes parts of a replay of them. This module only passes bytes
on and queues nothing: a slow or late viewer gets the whole replay so far.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from botleague.application import Workspace
from botleague.errors import BotleagueError
from botleague.executors.turn_spool import SpoolReader, sweep
from botleague.film import Film, FilmHost, LiveOrder, read_film
from botleague.people import Viewer
from botleague_server.serving.event_streams import ALIVE_S, Events, MaySee, Streams, TooMany

logger = logging.getLogger(__name__)

POLL_INTERVAL_S = 0.25
"""Seconds between polls of a spool."""

MAX_FILM_S = 20.0
"""Seconds for making one part."""

MAX_MATCHES = 20
"""Matches watched at a time."""

MAX_PARTS = 200
"""Parts stored for viewers that lose their connection for a short time."""

MAX_FAILURES = 3
"""Attempts at making parts of a match whose process dies."""

LINGERS_S = 5.0
"""Seconds that a match is followed after its last viewer left: a page that is loaded again finds its replay."""

MAX_BYTES = 16 * 1024 * 1024
"""Bytes of a match's parts."""


@dataclass
class _Subscription:
    """Match with viewers.

    Attributes:
        watchers: number of viewers; ``left_at`` is when the last one left, on the monotonic clock.
        attempt: identifies this attempt at the match and this server.
        replay: of all parts so far; None before the first one.
        parts: the newest ones as JSON; ``number`` counts all parts, ``size`` their bytes.
        failures: number of parts that could not be made.
        changed: set by a new part.
    """

    watchers: int = 0
    left_at: float = 0.0
    attempt: str = ""
    replay: Film | None = None
    parts: deque[bytes] = field(default_factory=lambda: deque(maxlen=MAX_PARTS))
    number: int = 0
    size: int = 0
    failures: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    _allowed: dict[Viewer, tuple[int, bool]] = field(default_factory=dict)

    async def is_for(self, viewer: Viewer, may_watch: Callable[[], Awaitable[bool]]) -> bool:
        """Return whether a viewer may see the newest part. Asks once per part for all viewers of the same kind."""
        number, allowed = self._allowed.get(viewer, (-1, False))
        if number != self.number:
            number = self.number
            allowed = await may_watch()
            self._allowed[viewer] = (number, allowed)
        return allowed

    @property
    def is_watched(self) -> bool:
        """Whether it has viewers, or had until just now."""
        return self.watchers > 0 or time.monotonic() - self.left_at < LINGERS_S

    @property
    def is_shown(self) -> bool:
        """Whether more parts of it are made."""
        return self.failures < MAX_FAILURES and self.size < MAX_BYTES

    def begin(self) -> None:
        """Remove all parts: the match starts again."""
        self.attempt = secrets.token_hex(8)
        self.replay, self.number, self.size = None, 0, 0
        self.parts.clear()

    def add(self, part: bytes) -> None:
        """Add a part."""
        read = read_film(part)
        self.replay = read if self.replay is None else self.replay.extended(read)
        self.number += 1
        self.size += len(part)
        self.parts.append(part)
        self.changed.set()
        self.changed = asyncio.Event()

    def next(self, last_event: str) -> tuple[bytes, str]:
        """Return the next event after an event's id, and its own id; b"" for no new event."""
        if self.replay is None:
            return b"", last_event
        attempt, _, number = last_event.partition(".")
        is_known = attempt == self.attempt and number.isdecimal()
        behind = self.number - int(number) if is_known else self.number + 1
        if behind == 0:
            return b"", last_event
        if 0 < behind <= len(self.parts):
            name, content, now_seen = b"part", self.parts[-behind], self.number - behind + 1
        else:
            name, content, now_seen = b"film", self.replay.encode(), self.number
        mark = f"{self.attempt}.{now_seen}"
        return b"id: %s\nevent: %s\ndata: %s\n\n" % (mark.encode(), name, content), mark


class Live:
    """Live matches of a server.

    Args:
        workspace: its folder of spools, and its plugins.
        streams: counts the viewers.
    """

    def __init__(self, workspace: Workspace, streams: Streams) -> None:
        self._folder = workspace.spool
        self._host = FilmHost(workspace.host_setup, MAX_FILM_S)
        self._streams = streams
        self._watched: dict[int, _Subscription] = {}
        self._following: set[asyncio.Task[None]] = set()
        if self._folder is not None:
            sweep(self._folder)

    @property
    def is_possible(self) -> bool:
        """Whether matches can be watched: runners write to a folder next to the database."""
        return self._folder is not None

    def open(
        self,
        address: str,
        match: int,
        last_event: str,
        viewer: Viewer,
        may_watch: Callable[[], Awaitable[bool]],
        may_see: MaySee,
    ) -> Events:
        """Return a new stream of a match.

        Args:
            last_event: id of the last event that the viewer has.
            viewer: of the match.
            may_watch: returns whether such a viewer may still watch; if not, the stream ends. Called once per part.
            may_see: returns whether the user of the request is still such a viewer.

        Raises:
            TooMany: too many streams, or watched matches.
        """
        if match not in self._watched and len(self._watched) >= MAX_MATCHES:
            raise TooMany
        return self._streams.counted(address, self._stream(match, last_event, viewer, may_watch), may_see)

    def stop(self) -> None:
        """Wake all viewers, as all streams end."""
        for watched in self._watched.values():
            watched.changed.set()

    async def close(self) -> None:
        """Stop following matches."""
        self._host.close()
        await asyncio.gather(*self._following, return_exceptions=True)

    async def _stream(
        self, match: int, last_event: str, viewer: Viewer, may_watch: Callable[[], Awaitable[bool]]
    ) -> Events:
        subscription = self._watched.get(match)
        if subscription is None:
            assert self._folder is not None
            subscription = self._watched[match] = _Subscription()
            task = asyncio.create_task(self._follow(match, subscription, self._folder))
            self._following.add(task)
            task.add_done_callback(self._following.discard)
        subscription.watchers += 1
        try:
            yield b"retry: 1000\nevent: alive\ndata:\n\n"
            while not self._streams.is_stopping:
                changed = subscription.changed
                event, last_event = subscription.next(last_event)
                if event:
                    if not await subscription.is_for(viewer, may_watch):
                        return
                    yield event
                    continue
                try:
                    await asyncio.wait_for(changed.wait(), ALIVE_S)
                except TimeoutError:
                    yield b"event: alive\ndata:\n\n"
        finally:
            subscription.watchers -= 1
            subscription.left_at = time.monotonic()

    async def _follow(self, match: int, watched: _Subscription, folder: Path) -> None:
        """Follow a match while it has viewers."""
        reader = SpoolReader(folder, match)
        while not self._streams.is_stopping and watched.is_watched:
            content, begins = await asyncio.to_thread(reader.read)
            if begins:
                await self._forget(watched)
                watched.begin()
            if (content or begins) and watched.is_shown:
                try:
                    order = LiveOrder(watched.attempt, content, begins)
                    if part := await asyncio.to_thread(self._host.make, order):
                        watched.add(part)
                except BotleagueError as error:
                    watched.failures += 1
                    if not self._streams.is_stopping:
                        logger.warning("Match %d cannot be watched: %s", match, error)
                    reader.rewind()
            if not content:
                await self._streams.pause(POLL_INTERVAL_S)
        del self._watched[match]
        reader.close()
        await self._forget(watched)

    async def _forget(self, watched: _Subscription) -> None:
        if watched.attempt and not self._streams.is_stopping:
            with suppress(BotleagueError):
                await asyncio.to_thread(self._host.make, LiveOrder(watched.attempt, is_over=True))
