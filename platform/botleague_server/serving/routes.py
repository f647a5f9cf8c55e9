"""Routes of declared pages and endpoints, with access control before each; and error pages."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from botleague.errors import BotleagueError, UsageError
from botleague.people import PUBLIC, CurrentUser
from botleague.site import FEED_TYPE, MAX_QUERY_LENGTH, AccessRule, Page, Query, Reading
from botleague_server.serving.access_rules import ROUTE, SAFE, Gate
from botleague_server.serving.connections import QuietLog
from botleague_server.serving.event_streams import TooMany
from botleague_server.serving.page_cache import Answer
from botleague_server.serving.responses import streamed
from botleague_server.serving.server import (
    LINKS,
    Answering,
    Endpoint,
    Method,
    Server,
    address_of,
    cache_key,
    query_of,
)
from botleague_storage import ConnectionLost, NotFound, StorageError

logger = logging.getLogger(__name__)

MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "svg": "image/svg+xml",
    "feed": f"{FEED_TYPE}; charset=utf-8",
}

PICTURE_TRIES = 20
PICTURE_REST_S = 0.5
"""Seconds between two reads of a picture that is being made."""

Rules: TypeAlias = dict[tuple[Method, str], AccessRule]


def rules(pages: Iterable[Page[Any]], endpoints: Iterable[Endpoint]) -> Rules:
    """Return the rule of every method and address; HEAD has the rule of GET.

    Raises:
        ValueError: an address is declared twice, so it would have two rules.
    """
    rules_by_route: list[tuple[tuple[Method, str], AccessRule]] = [
        (("GET", path), rule) for page in pages for _, path, rule in page.addresses()
    ]
    rules_by_route += [((one.method, one.path), one.rule) for one in endpoints]
    if len(dict(rules_by_route)) < len(rules_by_route):
        raise ValueError("An address is declared twice.")
    return dict(rules_by_route)


def route_list(pages: Iterable[Page[Any]], endpoints: Iterable[Endpoint], server: Server) -> list[Route]:
    """Return the routes of all addresses, guarded by their rules."""
    gate = Gate(server)
    of_pages = [one for page in pages for one in _endpoints(page, server)]
    return [
        Route(one.path, gate.guarded(one.path, one.rule, one.answer), methods=[one.method])
        for one in (*of_pages, *endpoints)
    ]


def _endpoints(page: Page[Any], server: Server) -> Iterator[Endpoint]:
    """Yield the endpoints of a page: one for each of its forms."""
    made = {"html": html_of, "json": _objects, "text": _text}
    written = {"csv": page.csv, "svg": page.svg, "feed": page.feed}
    answered = partial(server.answer, names=page.query, is_private=page.is_private, is_kept=page.is_kept)
    for form, path, rule in page.addresses():
        answer: Answering
        if form == "events":
            answer = partial(_stream, server, page)
        elif form == "png":
            answer = partial(_picture, server, page)
        elif write := written.get(form):
            answer = partial(answered, make=partial(_content, server, write, MEDIA_TYPES[form]))
        else:
            answer = partial(answered, make=partial(made[form], server, page))
        yield Endpoint("GET", path, answer, rule)


def html_of(server: Server, page: Page[Any], user: CurrentUser, query: Query, **more: Any) -> Answer:
    """Return a page as HTML for a user; ``more`` are further values for the template of a private page."""
    rendered = server.read(page.read, user, query)
    if page.is_private:
        main = server.renderer.main(page.template, rendered, LINKS, who=user, **more)
        text = server.renderer.framed(main, rendered.path, LINKS, handle=user.viewer.handle)
    else:
        main = server.renderer.main(page.template, rendered, LINKS)
        live = f"/{rendered.path}events?{urlencode({**query.filters, 'seen': main.digest})}"
        filters = f"?{urlencode(query.filters)}" if query.filters else ""
        text = server.renderer.framed(
            main, rendered.path, LINKS, live=live, query=filters, is_embedded="embed" in query.filters
        )
    return Answer(
        text.encode(),
        "text/html; charset=utf-8",
        main.update,
        main.digest,
        refresh_s=rendered.refresh_s,
        is_embedded="embed" in query.filters and user.viewer == PUBLIC,
    )


def _objects(server: Server, page: Page[Any], user: CurrentUser, query: Query) -> Answer:
    rendered = server.read(page.read, user, query)
    return Answer(msgspec.json.encode(rendered.value) + b"\n", "application/json")


def _text(server: Server, page: Page[Any], user: CurrentUser, query: Query) -> Answer:
    assert page.text is not None
    text = page.text.write(server.read(page.read, user, query))
    return Answer(text.encode(), "text/plain; charset=utf-8")


def _content(
    server: Server, write: Callable[[Reading, Query], bytes], media_type: str, user: CurrentUser, query: Query
) -> Answer:
    return Answer(server.read(write, user, query), media_type)


async def _picture(server: Server, page: Page[Any], request: Request) -> Response:
    """Answer with a picture once it is made: programs that show links request it once, often before any visitor."""
    assert page.png is not None
    draw = page.png

    def make(user: CurrentUser, query: Query) -> Answer:
        picture = server.read(draw, user, query)
        if picture is None:
            raise _NotMade
        return Answer(picture, "image/png")

    if not server.waiting.locked():
        async with server.waiting:
            for _ in range(PICTURE_TRIES):
                with suppress(_NotMade):
                    return await server.answer(request, make, page.query, is_private=page.is_private)
                await asyncio.sleep(PICTURE_REST_S)
    return PlainTextResponse("This picture is being made. Try again.", 503, {"Retry-After": "10"})


class _NotMade(NotFound):
    """A picture that is being made."""


async def _stream(server: Server, page: Page[Any], request: Request) -> Response:
    """Answer with the event stream of a page; viewers with the same permissions share its readings."""
    query = query_of(request.path_params, request.query_params, page.query)
    user, mark = await server.seen_by(request)
    key = cache_key(request.url.path.removesuffix("events"), query, mark)
    make = partial(html_of, server, page, user, query)
    await server.cache.get(key, make)  # raises NotFound for an unknown page
    look = partial(server.cache.look, key, make)
    try:
        may_see = server.still_sees(request, user)
        events = server.streams.open(address_of(request), key, last_event_id(request), look, may_see)
    except TooMany:
        return PlainTextResponse("Too many pages are open. This page will reload automatically.", 503)
    return streamed(request, events)


def last_event_id(request: Request) -> str:
    """Return the id of the last event that a stream's viewer has."""
    last_event = request.headers.get("last-event-id") or request.query_params.get("seen", "")
    return last_event[:MAX_QUERY_LENGTH]


def error_handlers(server: Server) -> Mapping[Any, Callable[[Request, Exception], Awaitable[Response]]]:
    """Return the handlers of errors, by kind of error or by status."""
    failures = QuietLog()

    async def missing(request: Request, error: Exception) -> Response:
        what = str(error) if isinstance(error, NotFound) else "There is no such page here."
        return server.refused(request, "Not found", what, 404, " Start from the list of leagues.")

    async def refused(request: Request, error: Exception) -> Response:
        return server.refused(request, "Request refused", str(error), 400)

    async def failed(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            status = error.status_code
            what = error.detail
            # The address bar or a bookmark, after a form was sent.
            if status == 405 and request.method in SAFE:
                what = "This address only receives a form. Go back to the page of the form."
            refusal = server.refused(request, f"Refused ({status})", what, status)
            refusal.headers.update(error.headers or {})
            return refusal
        failures.note(f"{request.scope.get(ROUTE)}: {error}", logging.ERROR)
        title, what = "Pages not available", "The server is being updated or cannot read its database."
        if request.method not in SAFE:
            title, what = "Nothing was stored", "The database is not accepting writes at the moment."
            if isinstance(error, ConnectionLost):  # perhaps after the commit
                title = "Check whether it was stored"
                what = "The database did not answer, so this may have been stored or not: check that first."
        return server.refused(request, title, f"{what} Try again in a few minutes.", 503)

    async def broken(request: Request, error: Exception) -> Response:
        logger.error("%s failed: %s", request.scope.get(ROUTE), "".join(traceback.format_exception(error)))
        what = "The server could not create this page. See the server log for details."
        return server.refused(request, "Server error", what, 500)

    return {
        404: missing,
        NotFound: missing,
        UsageError: refused,
        HTTPException: failed,
        StorageError: failed,
        BotleagueError: failed,
        500: broken,
    }
