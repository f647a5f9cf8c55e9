"""Matches that are watched while they are played: one film for all who watch, sent part by part.

Where the match is held its turns are written to a spool as long as we ask for it
(:mod:`botleague.executors.turn_spool`); a process of its own makes parts of a film of them. Here bytes are passed on,
and nothing is queued: who is slow, or comes later, is sent the film until now.
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

LOOK_S = 0.25
"""Between two looks into a spool."""

LONGEST_S = 20.0
"""For making one part."""

MOST_MATCHES = 20
"""Matches that are watched at a time."""

MOST_PARTS = 200
"""That are kept for those who were away for a moment."""

MOST_FAILURES = 3
"""Attempts at filming a match, should the process die that does it."""

LINGERS_S = 5.0
"""A match is followed so long after the last one left: a page that is loaded again finds its film."""

MOST_BYTES = 16 * 1024 * 1024
"""Of one film while its match is played."""


@dataclass
class _Watched:
    """A match that somebody watches.

    Attributes:
        watchers: how many; ``left_at`` is when the last one left, on the monotonic clock.
        attempt: tells this film from one of another attempt at the match, or of another server.
        film: until now; None before the first part.
        parts: the newest ones as JSON; ``number`` is how many there have been, ``size`` their bytes.
        failures: how often parts could not be made.
        changed: that there is a new part.
    """

    watchers: int = 0
    left_at: float = 0.0
    attempt: str = ""
    film: Film | None = None
    parts: deque[bytes] = field(default_factory=lambda: deque(maxlen=MOST_PARTS))
    number: int = 0
    size: int = 0
    failures: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    _allowed: dict[Viewer, tuple[int, bool]] = field(default_factory=dict)

    async def is_for(self, viewer: Viewer, may_watch: Callable[[], Awaitable[bool]]) -> bool:
        """Tell whether a viewer may see the newest part: asked once a part, however many there are of their kind."""
        number, allowed = self._allowed.get(viewer, (-1, False))
        if number != self.number:
            number = self.number
            allowed = await may_watch()
            self._allowed[viewer] = (number, allowed)
        return allowed

    @property
    def is_watched(self) -> bool:
        """Whether anybody watches, or may come back in a moment."""
        return self.watchers > 0 or time.monotonic() - self.left_at < LINGERS_S

    @property
    def is_shown(self) -> bool:
        """Whether more of it is filmed."""
        return self.failures < MOST_FAILURES and self.size < MOST_BYTES

    def begin(self) -> None:
        """Forget everything: the match is told anew."""
        self.attempt = secrets.token_hex(8)
        self.film, self.number, self.size = None, 0, 0
        self.parts.clear()

    def add(self, part: bytes) -> None:
        """Add a part."""
        read = read_film(part)
        self.film = read if self.film is None else self.film.extended(read)
        self.number += 1
        self.size += len(part)
        self.parts.append(part)
        self.changed.set()
        self.changed = asyncio.Event()

    def next(self, seen: str) -> tuple[bytes, str]:
        """Return the next event for whoever has seen so much, and how much that is then; b"" if that was all."""
        if self.film is None:
            return b"", seen
        attempt, _, number = seen.partition(".")
        is_known = attempt == self.attempt and number.isdecimal()
        behind = self.number - int(number) if is_known else self.number + 1
        if behind == 0:
            return b"", seen
        if 0 < behind <= len(self.parts):
            name, content, now_seen = b"part", self.parts[-behind], self.number - behind + 1
        else:
            name, content, now_seen = b"film", self.film.encode(), self.number
        mark = f"{self.attempt}.{now_seen}"
        return b"id: %s\nevent: %s\ndata: %s\n\n" % (mark.encode(), name, content), mark


class Live:
    """All matches that are watched on a server.

    Args:
        workspace: says where matches are told, and which plugins there are.
        streams: who watches has one.
    """

    def __init__(self, workspace: Workspace, streams: Streams) -> None:
        self._folder = workspace.spool
        self._host = FilmHost(workspace.host_setup, LONGEST_S)
        self._streams = streams
        self._watched: dict[int, _Watched] = {}
        self._following: set[asyncio.Task[None]] = set()
        if self._folder is not None:
            sweep(self._folder)

    @property
    def is_possible(self) -> bool:
        """Whether matches can be told to us: runners write to a folder beside the database."""
        return self._folder is not None

    def open(
        self,
        address: str,
        match: int,
        seen: str,
        viewer: Viewer,
        may_watch: Callable[[], Awaitable[bool]],
        may_see: MaySee,
    ) -> Events:
        """Return a new stream of a match's film.

        Args:
            address: whose it is.
            match: its number.
            seen: the id of the last event that its reader has.
            viewer: who watches.
            may_watch: says whether such a viewer still may; the stream ends when not. Asked once a part for a kind.
            may_see: says whether this one is still such a viewer.

        Raises:
            TooMany: streams, or matches that are watched.
        """
        if match not in self._watched and len(self._watched) >= MOST_MATCHES:
            raise TooMany
        return self._streams.counted(address, self._stream(match, seen, viewer, may_watch), may_see)

    def stop(self) -> None:
        """Wake those who watch, now that all streams end."""
        for watched in self._watched.values():
            watched.changed.set()

    async def close(self) -> None:
        """Ask for nothing any more."""
        self._host.close()
        await asyncio.gather(*self._following, return_exceptions=True)

    async def _stream(
        self, match: int, seen: str, viewer: Viewer, may_watch: Callable[[], Awaitable[bool]]
    ) -> Events:
        known = self._watched.get(match)
        if known is None:
            assert self._folder is not None
            known = self._watched[match] = _Watched()
            task = asyncio.create_task(self._follow(match, known, self._folder))
            self._following.add(task)
            task.add_done_callback(self._following.discard)
        known.watchers += 1
        try:
            yield b"retry: 1000\nevent: alive\ndata:\n\n"
            while not self._streams.is_stopping:
                changed = known.changed
                event, seen = known.next(seen)
                if event:
                    if not await known.is_for(viewer, may_watch):
                        return
                    yield event
                    continue
                try:
                    await asyncio.wait_for(changed.wait(), ALIVE_S)
                except TimeoutError:
                    yield b"event: alive\ndata:\n\n"
        finally:
            known.watchers -= 1
            known.left_at = time.monotonic()

    async def _follow(self, match: int, watched: _Watched, folder: Path) -> None:
        """Have a match told and filmed until nobody watches it."""
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
                await self._streams.pause(LOOK_S)
        del self._watched[match]
        reader.close()
        await self._forget(watched)

    async def _forget(self, watched: _Watched) -> None:
        if watched.attempt and not self._streams.is_stopping:
            with suppress(BotleagueError):
                await asyncio.to_thread(self._host.make, LiveOrder(watched.attempt, is_over=True))
