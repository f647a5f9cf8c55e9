"""The server: every page of the leagues of a database, live. It reads only, and runs no plugin's code.

An address is a page's path; below it ``index.json`` holds its objects, and ``events`` the stream that keeps it up to
date.
"""

from __future__ import annotations

import asyncio
import html
import logging
import signal
import socket
import threading
import traceback
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlencode

import anyio.to_thread
import msgspec
import uvicorn
from sqlalchemy.engine import Connection
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from botleague.application import Workspace, pages
from botleague.errors import BotleagueError, UsageError
from botleague.league import Season
from botleague.league.season import Visible
from botleague.people import NOBODY, PUBLIC, CurrentUser, Passwords, Viewer
from botleague.site import ASSETS, Films, Renderer, ServedLinks, asset, table_csv, urls
from botleague_server.accounts import LoginService, LoginViews
from botleague_server.organiser import OrganiserViews
from botleague_server.practice import Practising
from botleague_server.serving import (
    IDLE_S,
    MATCH,
    PRIVATE,
    ROUTE,
    SAFE,
    SEASON,
    Answer,
    Asked,
    Cache,
    Connections,
    Endpoint,
    Gate,
    Guard,
    Heartbeat,
    HttpConnection,
    LimitLog,
    Live,
    MaySee,
    Method,
    Monitoring,
    Owned,
    PageReader,
    Player,
    PrivatePages,
    Streams,
    TooMany,
    Vitals,
    raised_file_limit,
    response,
    streamed,
    url_lookup,
    wants_json,
)
from botleague_server.team import TeamViews, records
from botleague_server.uploads import HandingIn, UploadChecks, refuse_where_unsafe
from botleague_storage import Database, NotFound, StorageError, results

logger = logging.getLogger(__name__)

BACKLOG = 65_535
"""Connections that may wait to be accepted: as many as the system allows. Beyond, clients wait for seconds."""

LONGEST_QUERY = 64
"""Characters of what a list is restricted to: no name is longer."""

NOT_KEPT = {"Cache-Control": "no-store"}

MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "LICENSE": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A page as it was read: its object, where it is, and what else its template takes."""

    page: Any
    path: str
    more: dict[str, Any]


class Site:
    """Reads pages by address."""

    def __init__(self, reader: PageReader, films: Films, live: Live, *, is_open: bool = False) -> None:
        self._reader = reader
        self._films = films
        self._live = live
        self._renderer = Renderer(is_open=is_open, packages=("botleague.site", "botleague_server"))
        self._links = ServedLinks()
        self._viewer = PUBLIC

    def seen_by(self, viewer: Viewer) -> Site:
        """Return the site as somebody sees it."""
        again = copy(self)
        again._viewer = viewer
        return again

    def page(self, read: Reader, asked: Asked) -> Answer:
        """Return a page as HTML."""
        shown = self._read(read, asked)
        main = self._renderer.main(
            shown.page,
            shown.path,
            self._links,
            match_address=partial(self._match_address, shown.page),
            **shown.more,
        )
        query = _query(asked)
        events = f"/{shown.path}events?{urlencode({**dict(_queried(asked)), 'seen': main.digest})}"
        text = self._renderer.framed(main, shown.path, self._links, live=events, query=query)
        return Answer(text.encode(), "text/html; charset=utf-8", main.main, main.digest)

    def objects(self, read: Reader, asked: Asked) -> Answer:
        """Return a page's objects."""
        return Answer(msgspec.json.encode(self._read(read, asked).page) + b"\n", "application/json")

    def csv(self, asked: Asked) -> Answer:
        """Return the whole table of a season."""

        def read(connection: Connection) -> Answer:
            season, seen = self._season(connection, asked)
            page = pages.read_table_page(season, seen, self._reader.now(), limit=None)
            return Answer(table_csv(page.rows), "text/csv; charset=utf-8")

        return self._reader.read(read, self._viewer)

    def error(self, title: str, what: str) -> str:
        """Return a page that says what is wrong and what to do."""
        return self._renderer.error(title, what, self._links)

    def of_people(self, name: str, who: CurrentUser, status: int, **values: Any) -> Response:
        """Return a page that is made for one person."""
        return Response(
            self.text_for(name, who, **values), status, {"Cache-Control": "no-store"}, "text/html"
        )

    def text_for(self, name: str, who: CurrentUser, **values: Any) -> str:
        """Return the same as HTML."""
        return self._renderer.of_people(name, self._links, who, **values)

    def league_name(self, slug: str) -> str:
        """Return the name of a league that an address names, "" if there is none."""
        return self._reader.read_all(partial(url_lookup.league_name, self._reader, slug=slug)) or ""

    def _match_address(self, page: Any, called: str) -> str:
        return self._links.page(urls.match(page.head.league, page.head.season, called))

    def _read(self, read: Reader, asked: Asked) -> Shown:
        return self._reader.read(lambda connection: read(self, connection, asked), self._viewer)

    def home(self, connection: Connection, asked: Asked) -> Shown:
        """Read the list of leagues."""
        plugins, only = self._reader.workspace.plugins, self._reader.only
        return Shown(
            pages.home_page(connection, plugins, self._viewer, self._reader.now(), only),
            urls.home(),
            {},
        )

    def about(self, connection: Connection, asked: Asked) -> Shown:
        """Read how numbers come about."""
        plugins, only = self._reader.workspace.plugins, self._reader.only
        return Shown(pages.about_page(connection, plugins, self._viewer, only), urls.about(), {})

    def variant(self, connection: Connection, asked: Asked) -> Shown:
        """Read what is played in a variant."""
        plugins, only = self._reader.workspace.plugins, self._reader.only
        variant = plugins.variant(asked["variant"])
        page = pages.variant_page(connection, plugins, variant, only)
        return Shown(page, urls.variant(page.variant), {"still": self._films.sample(variant)})

    def table(self, connection: Connection, asked: Asked) -> Shown:
        """Read a season's table, or the current season's of a league."""
        season, seen = self._season(connection, asked)
        first = url_lookup.number(asked, "from") or 1
        page = pages.read_table_page(season, seen, self._reader.now(), first)
        path = urls.season(season.league.name, season.row.number)
        return Shown(page, path if "season" in asked else urls.league(season.league.name), {})

    def cross(self, connection: Connection, asked: Asked) -> Shown:
        """Read everyone against everyone."""
        season, seen = self._season(connection, asked)
        return self._part(season, "cross-table", pages.cross_page(season, seen, self._reader.now()))

    def rounds(self, connection: Connection, asked: Asked) -> Shown:
        """Read brackets or rounds."""
        season, seen = self._season(connection, asked)
        return self._part(season, "bracket", pages.rounds_page(season, seen, self._reader.now()))

    def matches(self, connection: Connection, asked: Asked) -> Shown:
        """Read a portion of the matches."""
        season, seen = self._season(connection, asked)
        page = pages.matches_page(
            season,
            seen,
            self._reader.now(),
            bot=asked.get("bot") or None,
            opponent=asked.get("opponent") or None,
            fault=asked.get("fault") or None,
            round=url_lookup.number(asked, "round"),
            before=url_lookup.number(asked, "before"),
        )
        path = urls.part(season.league.name, season.row.number, "matches")
        older = self._links.page(
            path, bot=page.bot, opponent=page.opponent, fault=page.fault, round=page.round, before=page.older
        )
        return Shown(page, path, {"older_address": older})

    def queue(self, connection: Connection, asked: Asked) -> Shown:
        """Read what is planned."""
        season, seen = self._season(connection, asked)
        page = pages.queue_page(season, seen, self._reader.now(), url_lookup.number(asked, "first") or 0)
        return self._part(season, "queue", page)

    def bot(self, connection: Connection, asked: Asked) -> Shown:
        """Read a bot's page."""
        season, seen = self._season(connection, asked)
        name = url_lookup.bot_name(season, asked["bot_slug"])
        page = pages.read_bot_page(season, seen, self._reader.now(), name)
        return Shown(page, urls.bot(season.league.name, season.row.number, name), {})

    def reveal(self, connection: Connection, asked: Asked) -> Shown:
        """Read a step of the reveal."""
        season, seen = self._season(connection, asked)
        page = pages.read_reveal_page(season, seen, self._reader.now(), url_lookup.number(asked, "step") or 0)
        return self._part(season, "reveal", page)

    def match(self, connection: Connection, asked: Asked) -> Shown:
        """Read one match; its film is asked for, and is in the page once it is made."""
        season, seen = self._season(connection, asked)
        number = url_lookup.number(asked, "match") or 0
        page = pages.match_page(season, seen, self._reader.now(), number)
        film, says = None, ""
        if page.match is not None:
            film, says = self._films.get(
                page.match,
                season.league.game,
                lambda: results.find(connection, season.match_id(number)).content,
            )
        path = urls.match(season.league.name, season.row.number, season.match_number(number - 1))
        live = f"/{path}live" if page.is_live and self._live.is_possible else ""
        return Shown(page, path, {"film": film, "film_says": says, "live": live})

    def watchable(self, asked: Asked) -> int:
        """Return the id of a match that can be watched while it is played.

        Raises:
            NotFound: there is none, or it is not for who asks.
        """

        def read(connection: Connection) -> int:
            page = self.match(connection, asked)
            if not page.more["live"]:
                raise NotFound(
                    f"Match {asked['match']} cannot be watched now. Its page shows it when it is recorded."
                )
            season, _ = self._season(connection, asked)
            return season.match_id(int(asked["match"]))

        return self._reader.read(read, self._viewer)

    def match_in_league(self, asked: Asked) -> str:
        """Return the address of a match of a league's current season; raises NotFound if there is no such league."""

        def read(connection: Connection) -> str:
            season, _ = self._season(connection, asked)
            called = season.match_number((url_lookup.number(asked, "match") or 0) - 1)
            return self._links.page(urls.match(season.league.name, season.row.number, called))

        return self._reader.read(read, self._viewer)

    def match_by_id(self, asked: Asked, viewer: Viewer) -> str | None:
        """Return the address of the match with an id in the database, for organisers; None for everybody else."""

        def read(connection: Connection) -> str | None:
            where = url_lookup.season_of_id(self._reader, connection, url_lookup.number(asked, "match") or 0)
            may_see = viewer.scopes is None or "organise" in viewer.scopes
            if where is None or not may_see or viewer.role_in(where[0]) != "organiser":
                return None
            league, season, ordinal = where
            return self._links.page(urls.match(league, season, str(ordinal + 1)))

        return self._reader.read(read, viewer)

    def _part(self, season: Season, name: str, page: object) -> Shown:
        return Shown(page, urls.part(season.league.name, season.row.number, name), {})

    def _season(self, connection: Connection, asked: Asked) -> tuple[Season, Visible]:
        return url_lookup.season(self._reader, connection, self._viewer, asked)


Reader: TypeAlias = Callable[[Site, Connection, Asked], Shown]

PAGES: dict[str, Reader] = {
    "/": Site.home,
    "/about/": Site.about,
    "/variants/{variant}/": Site.variant,
    "/leagues/{league}/": Site.table,
    SEASON: Site.table,
    f"{SEASON}cross-table/": Site.cross,
    f"{SEASON}bracket/": Site.rounds,
    f"{SEASON}matches/": Site.matches,
    f"{SEASON}queue/": Site.queue,
    f"{SEASON}reveal/": Site.reveal,
    f"{SEASON}bots/{{bot_slug}}/": Site.bot,
    MATCH: Site.match,
}
"""Every page by its address."""

QUERY = ("from", "bot", "opponent", "fault", "round", "before", "first", "step")
"""What may restrict a list; whatever else stands in an address is not looked at."""


def make_app(
    reader: PageReader,
    films: Films,
    streams: Streams,
    live: Live,
    people: Database | None = None,
    viewer: Viewer = PUBLIC,
    vitals: Vitals = dict,
    limits: LimitLog | None = None,
) -> ASGIApp:
    """Return the application.

    Args:
        people: the database, opened for writing, where people can log in; else None.
        viewer: who looks, where nobody can log in.
        vitals: of what runs beside it.
        limits: logs that a limit of the server is reached.
    """
    site, cache = Site(reader, films, live, is_open=people is not None), Cache(reader)
    public_url = reader.workspace.settings.public_url

    async def sight_of(request: Request) -> Viewer:
        viewer: Viewer = request.state.who.viewer
        return PUBLIC if viewer == PUBLIC else await anyio.to_thread.run_sync(reader.sight, viewer)

    def seeing(request: Request, sight: Viewer) -> MaySee:
        async def may_see() -> bool:
            if sight == PUBLIC:  # what everybody sees
                return True
            try:
                request.state.who = await gate.whose(request)
                return await sight_of(request) == sight
            except (NotFound, StorageError):
                return False

        return may_see

    def answering(make: Callable[..., Answer]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            asked, sight = _asked(request), await sight_of(request)
            key = _key(request.url.path, asked, sight)
            found = await cache.get(key, partial(make, site.seen_by(sight), asked=asked))
            return response(request, found, "no-cache" if sight == PUBLIC else PRIVATE)

        return answer

    def streaming(read: Reader) -> Callable[[Request], Awaitable[Response]]:
        async def stream(request: Request) -> Response:
            asked, sight = _asked(request), await sight_of(request)
            key = _key(request.url.path.removesuffix("events"), asked, sight)

            make = partial(site.seen_by(sight).page, read, asked)
            await cache.get(key, make)  # whoever asks for a page that does not exist is told so
            try:
                look = partial(cache.look, key, make)
                events = streams.open(_address(request), key, _seen(request), look, seeing(request, sight))
            except TooMany:
                return PlainTextResponse("Too many pages are open. This one asks again by itself.", 503)
            return streamed(request, events)

        return stream

    async def watching(request: Request) -> Response:
        asked, sight = _asked(request), await sight_of(request)
        watchable = partial(site.seen_by(sight).watchable, asked)
        number = await anyio.to_thread.run_sync(watchable)

        async def may_watch() -> bool:
            try:
                await anyio.to_thread.run_sync(watchable)
            except (NotFound, StorageError):
                return False
            return True

        try:
            may_see = seeing(request, sight)
            events = live.open(_address(request), number, _seen(request), sight, may_watch, may_see)
            return streamed(request, events)
        except TooMany:
            return PlainTextResponse(
                "Too many matches are watched. This page shows it when it is recorded.", 503
            )

    async def in_current_season(request: Request) -> Response:
        sight = await sight_of(request)
        address = await anyio.to_thread.run_sync(site.seen_by(sight).match_in_league, _asked(request))
        return RedirectResponse(address, 303, NOT_KEPT)

    async def by_id(request: Request) -> Response:
        viewer = request.state.who.viewer
        address = await anyio.to_thread.run_sync(site.match_by_id, _asked(request), viewer)
        if address is None:
            raise HTTPException(404)  # as if there were no such address: ids tell how much was played in all
        return RedirectResponse(address, 303, NOT_KEPT)

    async def static(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in (*ASSETS, "icon.svg"):
            raise HTTPException(404)
        found = Answer(asset(name), MEDIA_TYPES[name.rsplit(".", 1)[-1]])
        # The address changes with the content.
        return response(request, found, "public, max-age=31536000, immutable")

    endpoints: list[tuple[Method, str, Endpoint]] = [
        ("GET", "/static/{name}", static),
        ("GET", f"{SEASON}table.csv", answering(Site.csv)),
        ("GET", f"{MATCH}live", watching),
        ("GET", "/leagues/{league}/matches/{match}/", in_current_season),
        ("GET", "/matches/{match}/", by_id),
    ]
    for path, read in PAGES.items():
        endpoints += [
            ("GET", path, answering(partial(Site.page, read=read))),
            ("GET", f"{path}index.json", answering(partial(Site.objects, read=read))),
            ("GET", f"{path}events", streaming(read)),
        ]

    def page_of(title: str, what: str, status: int) -> Response:
        return Response(site.error(title, what), status, media_type="text/html")

    def answer(request: Request, title: str, what: str, status: int, more: str = "") -> Response:
        if wants_json(request):
            return JSONResponse({"error": what}, status)
        return page_of(title, f"{what}{more}", status)

    async def missing(request: Request, error: Exception) -> Response:
        what = str(error) if isinstance(error, NotFound) else "There is no such page here."
        return answer(request, "Not found", what, 404, " The list of leagues leads to every page.")

    async def refused(request: Request, error: Exception) -> Response:
        return answer(request, "This cannot be shown", str(error), 400)

    async def failed(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            refusal = answer(request, f"Refused ({error.status_code})", error.detail, error.status_code)
            refusal.headers.update(error.headers or {})
            return refusal
        logger.error("%s: %s", request.scope.get(ROUTE), error)
        title, what = "The league cannot be read", "Its database is away or was exchanged a moment ago."
        if request.method not in SAFE:
            title, what = "Nothing was stored", "The server's database takes nothing at the moment."
        return answer(request, title, f"{what} Try again; the server's log says more.", 503)

    async def broken(request: Request, error: Exception) -> Response:
        logger.error("%s failed: %s", request.scope.get(ROUTE), "".join(traceback.format_exception(error)))
        what = "This page could not be made, and that is not your doing. The server's log says what happened."
        return answer(request, "Something went wrong here", what, 500)

    def refuse_host(host: str) -> Callable[..., Awaitable[None]]:
        return page_of(
            "Not under this name",
            f"This server does not answer as {html.escape(host[:80])!r}. Whoever runs it names the address under which "
            "it is reached: botleague serve --public-url URL.",
            421,
        )

    async def league_name(slug: str) -> str:
        return await anyio.to_thread.run_sync(site.league_name, slug)

    signed_in = NOBODY if viewer == PUBLIC else CurrentUser(viewer)

    async def whose(request: Request) -> CurrentUser:
        return signed_in

    async def owned(request: Request) -> Owned | None:
        return None

    gate = Gate(whose, league_name, page_of, owned)
    private = PrivatePages(reader, cache, site.text_for)
    monitoring = Monitoring(reader, vitals)
    endpoints += [*records(private), *monitoring.endpoints()]
    if people is not None:
        logins = LoginService(people, Passwords(), reader.now)
        login_views = LoginViews(logins, site.of_people, is_https=public_url.startswith("https:"))
        handing_in = HandingIn(people, site.of_people, reader.now, limits or LimitLog())
        inside = TeamViews(private, films, people, page_of)
        practising = Practising(private, people, page_of)
        desk = OrganiserViews(private, people, site.of_people)
        for each in (login_views, handing_in, inside, practising, desk):
            endpoints += each.endpoints()

        async def owned_by(request: Request) -> Owned | None:
            by_name = {"upload": handing_in.owned, "practice": practising.owned}
            found = next((by_name[name] for name in request.path_params if name in by_name), inside.owned)
            return await found(request)

        gate = Gate(login_views.whose, league_name, page_of, owned_by)
    app = Starlette(
        routes=gate.routes(endpoints),
        exception_handlers={
            404: missing,
            NotFound: missing,
            UsageError: refused,
            HTTPException: failed,
            StorageError: failed,
            BotleagueError: failed,
            500: broken,
        },
    )
    # Around everything, so that answers about errors have its headers too.
    return monitoring.watch(Guard(app, public_url, refuse_host))


def serve(
    workspace: Workspace,
    host: str,
    port: int,
    only: tuple[str, ...],
    ready: Callable[[str], None],
    *,
    is_open: bool = False,
    player: Player | None = None,
) -> None:
    """Serve until a signal ends it.

    Args:
        workspace: where the database and the plugins are.
        host, port: to listen at; port 0 for any that is free.
        only: the leagues that are shown; none for all.
        ready: called with the server's address once it listens.
        is_open: people can log in.
        player: keeps the leagues playing meanwhile; None for a server that only shows them.

    Raises:
        UsageError: the address cannot be listened at.
    """
    asyncio.run(_serve(workspace, host, port, only, ready, is_open, player))


async def _serve(
    workspace: Workspace,
    host: str,
    port: int,
    only: tuple[str, ...],
    ready: Callable[[str], None],
    is_open: bool,
    player: Player | None,
) -> None:
    reader = PageReader(workspace, only)
    films = Films(workspace, reader.touch)
    limits = LimitLog()
    connections = Connections(raised_file_limit() // 2, limits)
    streams = Streams(reader, connections.most // 2)
    live = Live(workspace, streams)
    people = Database(workspace.settings.database, create=False) if is_open else None
    checks = None if people is None else UploadChecks(workspace, people, reader.touch)

    def forget(erased: str) -> None:
        workspace.forget_erased(erased)
        reader.forget()
        films.forget()
        if checks is not None:
            checks.forget()

    heartbeat = None if people is None else Heartbeat(people, forget)

    def vitals() -> dict[str, bool]:
        found = {} if checks is None else {"uploads": checks.is_alive}
        if heartbeat is not None:
            found["storing"] = heartbeat.can_write()
        return found if player is None else {**found, "runner": player.is_alive}

    app = make_app(reader, films, streams, live, people, vitals=vitals, limits=limits)

    def stop() -> None:
        streams.stop()
        live.stop()

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        # A proxy on this machine says for whom it asks; of nobody else that is believed.
        forwarded_allow_ips=["127.0.0.1", "::1"],
        timeout_graceful_shutdown=1,
        timeout_keep_alive=int(IDLE_S),
        h11_max_incomplete_event_size=16 * 1024,
    )
    config.load()
    for talkative in ("uvicorn.error", "python_multipart"):
        # What a client does wrong, the client is told.
        logging.getLogger(talkative).setLevel(logging.ERROR)
    try:
        listening = await asyncio.to_thread(_listen, host, port)
    except OSError as error:
        raise UsageError(
            f"{host} port {port} cannot be listened at ({error.strerror}). Choose another with --host and --port."
        ) from error
    server = _Server(config, connections, stop)
    if heartbeat is not None:
        await asyncio.to_thread(heartbeat.can_write)
        heartbeat.start()
    shown = f"[{host}]" if ":" in host else host
    ready(f"http://{shown}:{listening.getsockname()[1]}/")
    refusal = None if checks is None else _begin_when_safe(checks, server.end)
    if player is not None:
        player.start()
    try:
        await server.serve([listening])
        if refusal is not None and refusal.done():
            refusal.result()
    finally:
        if heartbeat is not None:
            await asyncio.to_thread(heartbeat.stop)
        # Both at a time: whoever ends us has little patience.
        ending = [] if checks is None else [asyncio.to_thread(checks.close)]
        await asyncio.gather(*ending, *([] if player is None else [player.stop()]))
        await live.close()
        films.close()
        reader.close()
        if people is not None:
            people.close()


def _begin_when_safe(checks: UploadChecks, end: Callable[[], None]) -> Future[None]:
    """Try the sandbox, which takes seconds, while pages are shown and uploads are stored; then begin to check these.

    Args:
        end: called where strangers' programs cannot be isolated; the future then says why.
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
    """Ends at a signal, with open streams too; the signal is then dealt with and ends nothing else.

    Connections are accepted by :class:`Connections`, up to its limit.
    """

    def __init__(self, config: uvicorn.Config, connections: Connections, stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._connections = connections
        self._stop = stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and accept connections."""
        await super().startup(sockets=[])
        for listening in sockets or ():
            self._connections.accept(listening, self._connection)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and end."""
        self._connections.stop()
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Close connections that are late, once a second; return whether to end."""
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
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.end)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    def end(self) -> None:
        """End soon."""
        # What is cancelled from now on is no news: whoever asked for it is sent away.
        logging.getLogger("uvicorn.error").disabled = True
        self._stop()
        self.should_exit = True


def _asked(request: Request) -> Asked:
    asked = {name: str(value) for name, value in request.path_params.items()}
    for name in QUERY:
        value = request.query_params.get(name, "")
        if value:
            asked[name] = value[: LONGEST_QUERY + 1]
    return asked


def _queried(asked: Asked) -> Iterator[tuple[str, str]]:
    return ((name, asked[name]) for name in QUERY if name in asked)


def _query(asked: Asked) -> str:
    given = dict(_queried(asked))
    return f"?{urlencode(given)}" if given else ""


def _key(path: str, asked: Asked, sight: Viewer) -> str:
    return f"{path}?{_query(asked)}" + ("" if sight == PUBLIC else f" {sight}")


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _seen(request: Request) -> str:
    """Return the id of the last event that a stream's reader has."""
    seen = request.headers.get("last-event-id") or request.query_params.get("seen", "")
    return seen[:LONGEST_QUERY]
