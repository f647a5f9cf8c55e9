"""Endpoints of every server other than pages: static files, live matches, short addresses."""

from __future__ import annotations

from functools import partial

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from botleague.site import ASSETS, EVERYBODY, MATCH, Query, Reading, asset, read_match, urls
from botleague_server.serving.event_streams import TooMany
from botleague_server.serving.page_cache import Answer
from botleague_server.serving.responses import redirect, response, streamed
from botleague_server.serving.routes import last_event_id
from botleague_server.serving.server import LINKS, Endpoint, Server, address_of, current_user
from botleague_storage import NotFound, StorageError, match_numbers

MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "LICENSE": "text/plain; charset=utf-8",
}


async def _static(server: Server, request: Request) -> Response:
    name = request.path_params["name"]
    if name not in (*ASSETS, "icon.svg"):
        raise HTTPException(404)
    answer = Answer(asset(name), MEDIA_TYPES[name.rsplit(".", 1)[-1]])
    # The address changes with the content.
    return response(request, answer, "public, max-age=31536000, immutable")


async def _watch(server: Server, request: Request) -> Response:
    """Answer with the live stream of a match."""
    query = Query(request.path_params)
    user, _ = await server.seen_by(request)
    watchable = partial(server.read, _watchable, user, query)
    number = await anyio.to_thread.run_sync(watchable)

    async def may_watch() -> bool:
        try:
            await anyio.to_thread.run_sync(watchable)
        except (NotFound, StorageError):
            return False
        return True

    try:
        may_see = server.still_sees(request, user)
        last_event = last_event_id(request)
        events = server.live.open(address_of(request), number, last_event, user.viewer, may_watch, may_see)
        return streamed(request, events)
    except TooMany:
        return PlainTextResponse(
            "Too many live matches are open. The match appears here once it is finished.", 503
        )


def _watchable(reading: Reading, query: Query) -> int:
    """Return the id of a match that can be watched live.

    Raises:
        NotFound: no such match, or it is hidden from the viewer.
    """
    number = query.path["match"]
    if not read_match(reading, query).more["live"]:
        raise NotFound(f"Match {number} cannot be watched now. Its page shows it once it is finished.")
    season, _ = reading.season(query)
    return season.match_id(int(number))


async def _in_current_season(server: Server, request: Request) -> Response:
    """Redirect to a match of a league's current season."""
    user, _ = await server.seen_by(request)

    def read(reading: Reading, query: Query) -> str:
        season, _ = reading.season(query)
        called = season.match_number(query.path_number("match") - 1)
        return LINKS.page(urls.match(season.league.name, season.row.number, called))

    address = await anyio.to_thread.run_sync(server.read, read, user, Query(request.path_params))
    return redirect(address)


async def _by_id(server: Server, request: Request) -> Response:
    """Redirect an organiser to the match with an id in the database; others get "not found"."""
    user, query = current_user(request), Query(request.path_params)
    address = await anyio.to_thread.run_sync(server.read, _organised, user, query)
    if address is None:
        raise HTTPException(404)  # as for an unknown address: ids show how much was played in total
    return redirect(address)


def _organised(reading: Reading, query: Query) -> str | None:
    where = match_numbers.where(reading.connection, query.path_number("match"))
    if where is None or (reading.site.only and where[0] not in reading.site.only):
        return None
    league, season, ordinal = where
    scopes = reading.viewer.scopes
    if (scopes is not None and "organise" not in scopes) or reading.viewer.role_in(league) != "organiser":
        return None
    return LINKS.page(urls.match(league, season, str(ordinal + 1)))


PUBLIC_ENDPOINTS = (
    Endpoint("GET", "/static/{name}", _static, EVERYBODY),
    Endpoint("GET", f"{MATCH}live", _watch, EVERYBODY),
    # Other addresses of a match: in the current season; and by its id, for organisers only.
    Endpoint("GET", "/leagues/{league}/matches/{match}/", _in_current_season, EVERYBODY),
    Endpoint("GET", "/matches/{match}/", _by_id, EVERYBODY),
)
"""Bound to the server."""
