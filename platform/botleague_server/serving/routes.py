"""From what is declared to what answers: the routes of pages and endpoints, with the gate before each; and errors."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from botleague.errors import BotleagueError, UsageError
from botleague.people import CurrentUser
from botleague.site import LONGEST_QUERY, AccessRule, Page, Query, RenderedPage
from botleague_server.serving.access_rules import ROUTE, SAFE, Gate
from botleague_server.serving.event_streams import TooMany
from botleague_server.serving.page_cache import Answer
from botleague_server.serving.responses import streamed
from botleague_server.serving.server import LINKS, Answering, Endpoint, Method, Server, address_of
from botleague_storage import NotFound, StorageError

logger = logging.getLogger(__name__)

Rules: TypeAlias = dict[tuple[Method, str], AccessRule]


def rules(pages: Iterable[Page[Any]], endpoints: Iterable[Endpoint]) -> Rules:
    """Return every address with the method and who may use it; HEAD is GET without what it returns.

    Raises:
        ValueError: an address is declared twice, so that two rules would stand for it.
    """
    found: list[tuple[tuple[Method, str], AccessRule]] = [
        (("GET", path), rule) for page in pages for _, path, rule in page.addresses()
    ]
    found += [((one.method, one.path), one.rule) for one in endpoints]
    if len(dict(found)) < len(found):
        raise ValueError("An address is declared twice.")
    return dict(found)


def route_list(pages: Iterable[Page[Any]], endpoints: Iterable[Endpoint], server: Server) -> list[Route]:
    """Return what answers at every address, guarded by its rule."""
    gate = Gate(server)
    found = [one for page in pages for one in _endpoints(page, server)]
    return [
        Route(one.path, gate.guarded(one.path, one.rule, one.answer), methods=[one.method])
        for one in (*found, *endpoints)
    ]


def _endpoints(page: Page[Any], server: Server) -> Iterator[Endpoint]:
    """Yield what answers at the addresses of a page: one for each of its forms."""
    made = {"html": html_of, "json": _objects, "csv": _csv}
    for form, path, rule in page.addresses():
        answer: Answering = (
            partial(_stream, server, page)
            if form == "events"
            else partial(_answer, server, page, make=partial(made[form], server, page))
        )
        yield Endpoint("GET", path, answer, rule)


async def _answer(
    server: Server, page: Page[Any], request: Request, make: Callable[[CurrentUser, Query], Answer]
) -> Response:
    return await server.answer(request, make, page.query, is_private=page.is_private, is_kept=page.is_kept)


def _read(server: Server, page: Page[Any], user: CurrentUser, query: Query) -> RenderedPage[Any]:
    return server.read(lambda reading: page.read(reading, query), user)


def html_of(server: Server, page: Page[Any], user: CurrentUser, query: Query, **more: Any) -> Answer:
    """Return a page as HTML, made for a user; ``more`` is what else the template of a private page takes."""
    shown = _read(server, page, user, query)
    if page.is_private:
        main = server.renderer.main(page.template, shown, LINKS, who=user, **more)
        text = server.renderer.framed(main, shown.path, LINKS, handle=user.viewer.handle)
    else:
        main = server.renderer.main(page.template, shown, LINKS)
        live = f"/{shown.path}events?{urlencode({**query.given, 'seen': main.digest})}"
        text = server.renderer.framed(main, shown.path, LINKS, live=live, query=str(query))
    return Answer(
        text.encode(), "text/html; charset=utf-8", main.main, main.digest, refresh_s=shown.refresh_s
    )


def _objects(server: Server, page: Page[Any], user: CurrentUser, query: Query) -> Answer:
    shown = _read(server, page, user, query)
    return Answer(msgspec.json.encode(shown.value) + b"\n", "application/json")


def _csv(server: Server, page: Page[Any], user: CurrentUser, query: Query) -> Answer:
    assert page.csv is not None
    write = page.csv
    return Answer(server.read(lambda reading: write(reading, query), user), "text/csv; charset=utf-8")


async def _stream(server: Server, page: Page[Any], request: Request) -> Response:
    """Answer with the stream that keeps a page up to date; all who see the same share what is read."""
    query = Query.of(request.path_params, request.query_params, page.query)
    user, mark = await server.seen_by(request)
    key = f"{request.url.path.removesuffix('events')}?{query}{mark}"
    make = partial(html_of, server, page, user, query)
    await server.cache.get(key, make)  # whoever asks for a page that does not exist is told so
    look = partial(server.cache.look, key, make)
    try:
        may_see = server.still_sees(request, user)
        events = server.streams.open(address_of(request), key, seen_event(request), look, may_see)
    except TooMany:
        return PlainTextResponse("Too many pages are open. This one asks again by itself.", 503)
    return streamed(request, events)


def seen_event(request: Request) -> str:
    """Return the id of the last event that a stream's reader has."""
    seen = request.headers.get("last-event-id") or request.query_params.get("seen", "")
    return seen[:LONGEST_QUERY]


def error_handlers(server: Server) -> Mapping[Any, Callable[[Request, Exception], Awaitable[Response]]]:
    """Return what answers where something is wrong, by the kind of error or the status."""

    async def missing(request: Request, error: Exception) -> Response:
        what = str(error) if isinstance(error, NotFound) else "There is no such page here."
        return server.refused(request, "Not found", what, 404, " The list of leagues leads to every page.")

    async def refused(request: Request, error: Exception) -> Response:
        return server.refused(request, "This cannot be shown", str(error), 400)

    async def failed(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            status = error.status_code
            refusal = server.refused(request, f"Refused ({status})", error.detail, status)
            refusal.headers.update(error.headers or {})
            return refusal
        logger.error("%s: %s", request.scope.get(ROUTE), error)
        title, what = "The league cannot be read", "Its database is away or was exchanged a moment ago."
        if request.method not in SAFE:
            title, what = "Nothing was stored", "The server's database takes nothing at the moment."
        return server.refused(request, title, f"{what} Try again; the server's log says more.", 503)

    async def broken(request: Request, error: Exception) -> Response:
        logger.error("%s failed: %s", request.scope.get(ROUTE), "".join(traceback.format_exception(error)))
        what = "This page could not be made, and that is not your doing. The server's log says what happened."
        return server.refused(request, "Something went wrong here", what, 500)

    return {
        404: missing,
        NotFound: missing,
        UsageError: refused,
        HTTPException: failed,
        StorageError: failed,
        BotleagueError: failed,
        500: broken,
    }
