"""What every server answers beside pages: files of pages, films of matches while they are played, short addresses."""

from __future__ import annotations

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from botleague.site import ASSETS, EVERYBODY, MATCH, Query, Reading, asset, read_match, urls
from botleague_server.serving.event_streams import TooMany
from botleague_server.serving.page_cache import Answer
from botleague_server.serving.responses import response, streamed
from botleague_server.serving.routes import seen_event
from botleague_server.serving.server import LINKS, Endpoint, Server, address_of, who_asks
from botleague_storage import NotFound, StorageError, page_queries

MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "LICENSE": "text/plain; charset=utf-8",
}

NOT_KEPT = {"Cache-Control": "no-store"}


async def _static(server: Server, request: Request) -> Response:
    name = request.path_params["name"]
    if name not in (*ASSETS, "icon.svg"):
        raise HTTPException(404)
    found = Answer(asset(name), MEDIA_TYPES[name.rsplit(".", 1)[-1]])
    # The address changes with the content.
    return response(request, found, "public, max-age=31536000, immutable")


async def _watch(server: Server, request: Request) -> Response:
    """Answer with the film of a match while it is played."""
    query = Query(request.path_params)
    user, _ = await server.seen_by(request)

    def watchable() -> int:
        return server.read(lambda reading: _watchable(reading, query), user)

    number = await anyio.to_thread.run_sync(watchable)

    async def may_watch() -> bool:
        try:
            await anyio.to_thread.run_sync(watchable)
        except (NotFound, StorageError):
            return False
        return True

    try:
        may_see = server.still_sees(request, user)
        seen = seen_event(request)
        events = server.live.open(address_of(request), number, seen, user.viewer, may_watch, may_see)
        return streamed(request, events)
    except TooMany:
        return PlainTextResponse("Too many matches are watched. This page shows it when it is recorded.", 503)


def _watchable(reading: Reading, query: Query) -> int:
    """Return the id of a match that can be watched while it is played.

    Raises:
        NotFound: there is none, or it is not for who asks.
    """
    number = query.path["match"]
    if not read_match(reading, query).more["live"]:
        raise NotFound(f"Match {number} cannot be watched now. Its page shows it when it is recorded.")
    season, _ = reading.season(query)
    return season.match_id(int(number))


async def _in_current_season(server: Server, request: Request) -> Response:
    """Lead on to a match of a league's current season."""
    query = Query(request.path_params)
    user, _ = await server.seen_by(request)

    def read(reading: Reading) -> str:
        season, _ = reading.season(query)
        called = season.match_number((query.number("match") or 0) - 1)
        return LINKS.page(urls.match(season.league.name, season.row.number, called))

    address = await anyio.to_thread.run_sync(server.read, read, user)
    return RedirectResponse(address, 303, NOT_KEPT)


async def _by_id(server: Server, request: Request) -> Response:
    """Lead on to the match with an id in the database, for organisers; it does not exist for anybody else."""
    user, query = who_asks(request), Query(request.path_params)
    address = await anyio.to_thread.run_sync(server.read, lambda reading: _organised(reading, query), user)
    if address is None:
        raise HTTPException(404)  # as if there were no such address: ids tell how much was played in all
    return RedirectResponse(address, 303, NOT_KEPT)


def _organised(reading: Reading, query: Query) -> str | None:
    where = page_queries.where(reading.connection, query.number("match") or 0)
    if where is None or (reading.only and where[0] not in reading.only):
        return None
    league, season, ordinal = where
    scopes = reading.viewer.scopes
    if (scopes is not None and "organise" not in scopes) or reading.viewer.role_in(league) != "organiser":
        return None
    return LINKS.page(urls.match(league, season, str(ordinal + 1)))


PUBLIC_ENDPOINTS = (
    Endpoint("GET", "/static/{name}", _static, EVERYBODY),
    Endpoint("GET", f"{MATCH}live", _watch, EVERYBODY),
    # Other addresses of a match: in the current season; and by its id, which leads organisers on and nobody else.
    Endpoint("GET", "/leagues/{league}/matches/{match}/", _in_current_season, EVERYBODY),
    Endpoint("GET", "/matches/{match}/", _by_id, EVERYBODY),
)
"""Bound to the server."""
