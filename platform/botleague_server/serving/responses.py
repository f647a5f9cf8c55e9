"""Responses as they are sent: unchanged content is not sent again, and long content is compressed."""

from __future__ import annotations

import functools
import zlib
from contextlib import aclosing
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from botleague.errors import Problem
from botleague_server.serving.event_streams import Events
from botleague_server.serving.middleware import EMBEDDED_POLICY
from botleague_server.serving.page_cache import Answer

PRIVATE = "private, no-cache"
"""Header for content that only the user's browser caches, and revalidates each time."""

GZIP_HEADER = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
"""First bytes of a compressed stream. Source: https://www.rfc-editor.org/rfc/rfc1952#section-2.3"""


def response(request: Request, answer: Answer, caching: str = "no-cache") -> Response:
    """Return the response to a request."""
    headers = {
        "ETag": answer.etag,
        "Cache-Control": caching,
        "Vary": "Accept-Encoding, Cookie, Authorization",
    }
    if answer.refresh_s:
        headers["Refresh"] = str(answer.refresh_s)
    if answer.is_embedded:
        headers["Content-Security-Policy"] = EMBEDDED_POLICY
    if answer.filename:
        headers["Content-Disposition"] = f'attachment; filename="{answer.filename}"'
    if _has_newest(request, answer.etag):
        return Response(status_code=304, headers=headers)
    content = answer.content
    if _takes_gzip(request) and answer.compressed:
        content, headers["Content-Encoding"] = answer.compressed, "gzip"
    return Response(content, media_type=answer.media_type, headers=headers)


def _has_newest(request: Request, etag: str) -> bool:
    """Return whether the client has the content. Source: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2"""
    # Proxies that compress mark the tag as weak.
    tags = {one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")}
    return etag in tags or "*" in tags


def streamed(request: Request, events: Events) -> StreamingResponse:
    """Return a response that stays open while there are events."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Vary": "Accept-Encoding"}
    if _takes_gzip(request):
        headers["Content-Encoding"] = "gzip"
        events = _gzipped(events)
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def _gzipped(events: Events) -> Events:
    yield GZIP_HEADER
    async with aclosing(events):
        async for event in events:
            yield _deflated(event)


@functools.lru_cache(maxsize=64)
def _deflated(event: bytes) -> bytes:
    """Return an event as part of any compressed stream. It depends on no earlier data, so all viewers get one copy."""
    packing = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packing.compress(event) + packing.flush(zlib.Z_FULL_FLUSH)


def _takes_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


def redirect(where: str) -> RedirectResponse:
    """Return a redirect to a page; browsers do not cache it."""
    return RedirectResponse(where, 303, {"Cache-Control": "no-store"})


def wants_json(request: Request) -> bool:
    """Return whether a request comes from a program, which needs JSON instead of a page."""
    is_asked = request.headers.get("accept", "").startswith("application/json")
    return is_asked or request.url.path.endswith(".json") or bool(bearer(request))


def refusal(problem: Problem, status: int) -> JSONResponse:
    """Return a refusal for a program, as the command line prints it."""
    return JSONResponse({"error": asdict(problem), "findings": []}, status)


def bearer(request: Request) -> str:
    """Return the token of a request, "" for none."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""
