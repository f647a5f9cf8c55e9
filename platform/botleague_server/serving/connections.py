"""Open connections of the server: their number, and the deadlines of each.

Headers must arrive within a deadline, answers must be read at a minimum rate, and an idle connection is closed.
Bodies of requests have deadlines of their own, in :mod:`botleague_server.serving.form_body`.

At most half of the process's file limit are connections; the database and child processes need files, too. At that
limit, connections that still wait for a request or its body are closed: the oldest of the network that has most of
them. A person who sends a request at once is therefore answered, however many half-open connections there are.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
import resource
import socket
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from botleague.people import network_of

logger = logging.getLogger(__name__)

HEADERS_S = 10.0
"""Seconds for the headers of a request."""

IDLE_S = 30.0
"""Seconds after an answer until an idle connection is closed."""

STALL_S = 30.0
MIN_BYTES_PER_S = 500
"""Bytes per second, on average over ``STALL_S`` seconds, below which a reader of an answer is disconnected."""

WANTED_FILES = 16_384
"""Open files that the server asks for: a usual limit of 1,024 is too small for 500 spectators."""

ACCEPTED_AT_ONCE = 64
"""Connections accepted before their data is read."""

PAUSE_S = 0.5
"""Seconds without accepting, after the system could not open another file."""

QUIET_S = 600.0
"""Seconds without a message after which it is logged again."""


class QuietLog:
    """Logs a reached limit or a failed page once, until it has not occurred for a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._noted: dict[str, float] = {}

    def note(self, message: str, level: int = logging.WARNING) -> None:
        """Log a message, unless the same was noted less than :data:`QUIET_S` ago."""
        now, last = self._clock(), self._noted.get(message)
        self._noted[message] = now
        if last is None or now - last > QUIET_S:
            logger.log(level, "%s", message)


def raised_file_limit() -> int:
    """Raise the soft limit of open files, as far as the hard limit and :data:`WANTED_FILES` go, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    limit = WANTED_FILES if hard == unlimited else min(WANTED_FILES, hard)
    if soft != unlimited and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
        return limit
    return WANTED_FILES if soft == unlimited else soft


class HttpConnection(H11Protocol):
    """One connection: HTTP/1.1 as uvicorn speaks it, with deadlines.

    Attributes:
        network: of the client.
        late_at: deadline, in seconds of the loop's clock; it does not apply while a request is answered.
    """

    def __init__(self, connections: Connections, **options: Any) -> None:
        super().__init__(**options)
        self._all = connections
        self._is_idle = False
        self._stalled: tuple[float, int] | None = None
        self.network = ""
        self.late_at = self.loop.time() + HEADERS_S

    @property
    def is_answering(self) -> bool:
        """Whether a request has arrived and its answer is not complete."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def gives_way(self) -> bool:
        """Whether it still waits for a request, or for the rest of its body."""
        return not self.is_answering or (self.cycle.more_body and not self.cycle.response_started)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for headers."""
        super().connection_made(transport)
        self.network = network_of(self.client[0]) if self.client else ""
        self._all.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting it."""
        super().connection_lost(exc)
        self._all.closed(self)

    def data_received(self, data: bytes) -> None:
        """Read data; the first byte after a pause starts the deadline of the headers."""
        if self._is_idle and not self.is_answering:
            self._is_idle, self.late_at = False, self.loop.time() + HEADERS_S
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._is_idle, self.late_at = True, self.loop.time() + IDLE_S
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Store the time and the unread bytes of the answer."""
        super().pause_writing()
        self._stalled = self.loop.time(), self.transport.get_write_buffer_size()

    def resume_writing(self) -> None:
        """Clear the stored time: the answer is read."""
        super().resume_writing()
        self._stalled = None

    def is_late(self, now: float) -> bool:
        """Return whether a deadline has passed."""
        if self._stalled is None:
            return not self.is_answering and now > self.late_at
        if now - self._stalled[0] < STALL_S:
            return False
        left = self.transport.get_write_buffer_size()
        read = self._stalled[1] - left
        self._stalled = now, left
        return read < STALL_S * MIN_BYTES_PER_S


class Connections:
    """All open connections of a server, up to a limit.

    Args:
        most: connections at a time.
        limits: logs that the limit is reached.
    """

    def __init__(self, most: int, limits: QuietLog) -> None:
        self.most = most
        self._limits = limits
        self._open: dict[HttpConnection, None] = {}  # by age
        self._coming: set[asyncio.Task[Any]] = set()
        self._listening: socket.socket | None = None
        self._make: Callable[[], HttpConnection]
        self._is_accepting = False

    def accept(self, listening: socket.socket, make: Callable[[], HttpConnection]) -> None:
        """Start to accept connections. Needs a running loop.

        Args:
            make: returns the protocol of a new connection.
        """
        listening.setblocking(False)
        self._listening, self._make = listening, make
        self._resume()

    def stop(self) -> None:
        """Stop accepting connections."""
        self._pause()
        self._listening = None

    def opened(self, connection: HttpConnection) -> None:
        """Count a connection."""
        self._open[connection] = None

    def closed(self, connection: HttpConnection) -> None:
        """Stop counting a connection."""
        self._open.pop(connection, None)
        self._resume()

    def sweep(self) -> None:
        """Close the connections whose deadline has passed."""
        now = asyncio.get_running_loop().time()
        for connection in [one for one in self._open if one.is_late(now)]:
            connection.transport.abort()
        self._resume()

    def _resume(self) -> None:
        if self._listening is not None and not self._is_accepting and self._has_room():
            self._is_accepting = True
            asyncio.get_running_loop().add_reader(self._listening, self._accept_some)

    def _pause(self) -> None:
        if self._listening is not None and self._is_accepting:
            self._is_accepting = False
            asyncio.get_running_loop().remove_reader(self._listening)

    def _has_room(self) -> bool:
        return len(self._open) + len(self._coming) < self.most

    def _accept_some(self) -> None:
        """Accept waiting connections. asyncio's own method has no limit, and logs a traceback for each failure."""
        loop = asyncio.get_running_loop()
        for _ in range(ACCEPTED_AT_ONCE):
            if not self._has_room():
                self._limits.note(
                    f"{self.most} connections are open, half of the limit of open files. Connections that wait for a "
                    "request are closed to make room for new ones."
                )
                self._make_room()
                # The closed connections are only counted out after this function has returned.
                self._pause()
                loop.call_soon(self._resume)
                return
            assert self._listening is not None
            try:
                accepted, _ = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionError):
                return
            except OSError as error:  # too many open files, here or on the whole machine; no memory
                self._limits.note(f"Connections cannot be accepted at the moment ({error.strerror}).")
                self._pause()
                loop.call_later(PAUSE_S, self._resume)
                return
            accepted.setblocking(False)
            coming = loop.create_task(self._connect(accepted))
            self._coming.add(coming)
            coming.add_done_callback(self._coming.discard)

    async def _connect(self, accepted: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(self._make, accepted)
        except OSError:
            accepted.close()

    def _make_room(self) -> None:
        """Close some waiting connections: the oldest of the networks with most of them."""
        of_network: Counter[str] = Counter()
        waiting: list[tuple[int, int]] = []
        connections = list(self._open)
        for index in range(len(connections) - 1, -1, -1):  # the newest first
            connection = connections[index]
            if connection.gives_way and not connection.transport.is_closing():
                of_network[connection.network] += 1
                waiting.append((of_network[connection.network], index))
        for _, index in heapq.nlargest(max(1, self.most // 4), waiting):
            connections[index].transport.abort()
