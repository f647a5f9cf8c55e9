"""The server: all pages of the leagues of a database, live. This process only reads, and runs no code of plugins.

The address of a page is its path; below it, ``index.json`` has its data, and ``events`` the stream of its changes.
"""

from __future__ import annotations

import asyncio
import html
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp

from botleague.application import Workspace
from botleague.errors import UsageError
from botleague.people import NOBODY, PUBLIC, CurrentUser, Passwords, Viewer
from botleague.site import PUBLIC_PAGES, Films, Page, Renderer
from botleague_server.accounts import LOGIN_ENDPOINTS, FirstRun, LoginService, LoginViews
from botleague_server.monitoring import (
    MONITORING_ENDPOINTS,
    Heartbeat,
    Monitoring,
    RunnerProcess,
    Vitals,
)
from botleague_server.organiser import (
    CREATION_ENDPOINTS,
    NEW_LEAGUE_PAGE,
    ORGANISER_ENDPOINTS,
    ORGANISER_PAGES,
    LeagueCreation,
    OrganiserViews,
)
from botleague_server.practice import PRACTICE_ENDPOINTS, PRACTICE_PAGES
from botleague_server.serving import (
    IDLE_S,
    PUBLIC_ENDPOINTS,
    Connections,
    Endpoint,
    Guard,
    HttpConnection,
    Live,
    PageReader,
    QuietLog,
    Server,
    Streams,
    bound,
    error_handlers,
    raised_file_limit,
    route_list,
    rules,
)
from botleague_server.team import RECORDS, TEAM_ENDPOINTS, TEAM_PAGES
from botleague_server.uploads import (
    UPLOAD_ENDPOINTS,
    UPLOAD_PAGES,
    UploadChecks,
    UploadPages,
    refuse_where_unsafe,
)
from botleague_storage import Database
from botleague_storage.connection.database import RESPONSE_S

BACKLOG = 65_535
"""Connections that may wait to be accepted: the maximum of the system. Beyond it, clients wait for seconds."""

PAGES: tuple[Page[Any], ...] = (
    *PUBLIC_PAGES,
    *UPLOAD_PAGES,
    *TEAM_PAGES,
    *PRACTICE_PAGES,
    *ORGANISER_PAGES,
    NEW_LEAGUE_PAGE,
)

SHOWN_ENDPOINTS: tuple[tuple[Endpoint, ...], ...] = ((*PUBLIC_ENDPOINTS, *RECORDS), MONITORING_ENDPOINTS)
"""Endpoints of a server without logins, grouped by the object that answers them."""

ENDPOINTS: tuple[tuple[Endpoint, ...], ...] = (
    *SHOWN_ENDPOINTS,
    (*TEAM_ENDPOINTS, *PRACTICE_ENDPOINTS),
    LOGIN_ENDPOINTS,
    UPLOAD_ENDPOINTS,
    ORGANISER_ENDPOINTS,
    CREATION_ENDPOINTS,
)
"""Endpoints of a server with logins, grouped by the object that answers them."""

SHOWN_RULES = rules(PUBLIC_PAGES, chain(*SHOWN_ENDPOINTS))
RULES = rules(PAGES, chain(*ENDPOINTS))
"""Access rules by method and address."""


def make_app(
    reader: PageReader,
    films: Films,
    streams: Streams,
    live: Live,
    people: Database | None = None,
    viewer: Viewer = PUBLIC,
    vitals: Vitals = dict,
    limits: QuietLog | None = None,
) -> ASGIApp:
    """Return the application.

    Args:
        people: the database, opened for writing, on a server with logins; else None.
        viewer: of a server without logins.
        vitals: of the other parts of the server.
        limits: logs that a limit of the server is reached.
    """
    public_url = reader.workspace.settings.public_url
    renderer = Renderer(
        is_open=people is not None,
        has_live=live.is_possible,
        public_url=public_url,
        packages=("botleague.site", "botleague_server"),
    )
    visitor = NOBODY if viewer == PUBLIC else CurrentUser(viewer)
    server = Server(reader, films, streams, live, renderer, visitor, people=people)
    monitoring = Monitoring(reader, vitals)
    pages, declared = PUBLIC_PAGES, SHOWN_ENDPOINTS
    views: list[object] = [server, monitoring]
    if people is not None:
        logins = LoginService(people, Passwords(), reader.now, reader.only)
        login_views = LoginViews(logins, server.page, is_https=public_url.startswith("https:"))
        server.identify = login_views.identify
        pages, declared = PAGES, ENDPOINTS
        views += [
            server,
            login_views,
            UploadPages(server, limits or QuietLog()),
            OrganiserViews(server, people),
            LeagueCreation(server, people),
        ]
    endpoints = [one for each, by in zip(declared, views, strict=True) for one in bound(by, each)]

    def refuse_host(host: str) -> ASGIApp:
        return server.error_page(
            "Unknown host name",
            f"This server does not answer as {html.escape(host[:80])!r}. The administrator can set the public address: "
            "botleague serve --public-url URL.",
            421,
        )

    app: ASGIApp = Starlette(
        routes=route_list(pages, endpoints, server), exception_handlers=error_handlers(server)
    )
    if people is not None:
        what = (
            "This server is new. Its organiser sets it up with the link that `botleague serve --open` printed. "
            "After an hour, or if the link was lost, start the server again to get another."
        )
        app = FirstRun(app, people, server.error_page("Not set up yet", what, 503))
    # Around everything, so that answers about errors have its headers too.
    return monitoring.watch(Guard(app, public_url, refuse_host))


async def serve(
    workspace: Workspace,
    host: str,
    port: int,
    only: tuple[str, ...],
    ready: Callable[[str], None],
    *,
    is_open: bool = False,
    player: RunnerProcess | None = None,
) -> bool:
    """Serve pages until a signal; return whether it was Ctrl-C.

    Args:
        workspace: its database and plugins.
        host, port: to listen on; port 0 for any free one.
        only: names of the leagues that are shown; empty for all.
        ready: called with the server's address once it listens.
        is_open: allow logins.
        player: runner process; None for a server that only shows leagues.

    Raises:
        UsageError: cannot listen on the address.
    """
    reader = PageReader(workspace, only)
    films = Films(workspace, reader.touch)
    limits = QuietLog()
    connections = Connections(raised_file_limit() // 2, limits)
    streams = Streams(reader, connections.most // 2)
    live = Live(workspace, streams)
    writers = _Writers(workspace, reader, films) if is_open else None

    def vitals() -> dict[str, bool]:
        threads = {} if writers is None else writers.vitals()
        return threads if player is None else {**threads, "runner": player.is_alive}

    people = None if writers is None else writers.people
    app = make_app(reader, films, streams, live, people, vitals=vitals, limits=limits)

    def stop() -> None:
        streams.stop()
        live.stop()

    server = _Server(_config(app), connections, stop)
    try:
        listening = await asyncio.to_thread(_listen, host, port)
    except OSError as error:
        raise UsageError(
            f"Cannot listen on {host}:{port} ({error.strerror}). Choose another address with --host and --port."
        ) from error
    if writers is not None:
        await asyncio.to_thread(writers.heartbeat.can_write)
        writers.heartbeat.start()
    name = f"[{host}]" if ":" in host else host
    ready(f"http://{name}:{listening.getsockname()[1]}/")
    refusal = None if writers is None else _begin_when_safe(writers.checks, server.end)
    if player is not None:
        player.start()
    try:
        await server.serve([listening])
        if refusal is not None and refusal.done():
            refusal.result()
    finally:
        if writers is not None:
            await asyncio.to_thread(writers.heartbeat.stop)
        # Both at a time: a process that ends us may soon kill us.
        ending = [] if writers is None else [asyncio.to_thread(writers.checks.close)]
        await asyncio.gather(*ending, *([] if player is None else [player.stop()]))
        await live.close()
        films.close()
        reader.close()
        if people is not None:
            people.close()
    return server.is_interrupted


class _Writers:
    """The parts that only a server with logins has: its database, checks of uploads, and the heartbeat."""

    def __init__(self, workspace: Workspace, reader: PageReader, films: Films) -> None:
        self.people = Database(workspace.settings.database, create=False, response_s=RESPONSE_S)
        self.checks = UploadChecks(workspace, self.people, reader.touch)

        def forget(erased: str) -> None:
            workspace.forget_erased(erased)
            for cache in (reader, films, self.checks):
                cache.forget()

        self.heartbeat = Heartbeat(self.people, forget)

    def vitals(self) -> dict[str, bool]:
        """Return whether uploads are checked, and whether the database accepts writes."""
        return {"uploads": self.checks.is_alive, "storing": self.heartbeat.can_write()}


def _config(app: ASGIApp) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        # Only a proxy on this machine may name its client.
        forwarded_allow_ips=["127.0.0.1", "::1"],
        timeout_graceful_shutdown=1,
        timeout_keep_alive=int(IDLE_S),
        h11_max_incomplete_event_size=16 * 1024,
    )
    config.load()
    for talkative in ("uvicorn.error", "python_multipart"):
        # Errors of clients go into their responses, not into the log.
        logging.getLogger(talkative).setLevel(logging.ERROR)
    return config


def _begin_when_safe(checks: UploadChecks, end: Callable[[], None]) -> Future[None]:
    """Test the sandbox, which takes seconds, while pages are served and uploads stored; then start the checks.

    Args:
        end: called on a machine that cannot isolate bots; the future then has the reason.
    """
    tried: Future[None] = Future()
    loop = asyncio.get_running_loop()

    def begin() -> None:
        try:
            refuse_where_unsafe()
            checks.start()
        except Exception as error:
            tried.set_exception(error)
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(end)
        else:
            tried.set_result(None)

    threading.Thread(target=begin, name="sandbox test", daemon=True).start()
    return tried


def _listen(host: str, port: int) -> socket.socket:
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


class _Server(uvicorn.Server):
    """Server that ends at a signal, even with open streams; the signal has no further effect.

    Connections are accepted by :class:`Connections`, up to its limit.
    """

    def __init__(self, config: uvicorn.Config, connections: Connections, stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._connections = connections
        self._stop = stop
        self.is_interrupted = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and accept connections."""
        await super().startup(sockets=[])
        for listening in sockets or ():
            self._connections.accept(listening, self._connection)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting connections, and end."""
        self._connections.stop()
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Close late connections, once a second; return whether to end."""
        if not counter % 10:
            self._connections.sweep()
        return await super().on_tick(counter)

    def _connection(self) -> HttpConnection:
        return HttpConnection(
            self._connections,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        loop.add_signal_handler(signal.SIGTERM, self.end)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    def _interrupt(self) -> None:
        self.is_interrupted = True
        self.end()

    def end(self) -> None:
        """End soon."""
        # Cancelled requests are no news from now on.
        logging.getLogger("uvicorn.error").disabled = True
        self._stop()
        self.should_exit = True
