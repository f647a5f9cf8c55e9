"""An answer as it goes over the wire: what its reader has already is not sent again, and what is long is compressed."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from botleague.web.library import Answer

__all__ = ["PRIVATE", "response"]

PRIVATE = "private, no-cache"
"""Kept by the browser of who asks only, and asked for each time."""


def response(request: Request, answer: Answer, caching: str = "no-cache") -> Response:
    """Return an answer to a request."""
    headers = {
        "ETag": answer.etag,
        "Cache-Control": caching,
        "Vary": "Accept-Encoding, Cookie, Authorization",
    }
    if answer.refresh_s:
        headers["Refresh"] = str(answer.refresh_s)
    if answer.filename:
        headers["Content-Disposition"] = f'attachment; filename="{answer.filename}"'
    if request.headers.get("if-none-match") == answer.etag:
        return Response(status_code=304, headers=headers)
    content = answer.content
    if "gzip" in request.headers.get("accept-encoding", "") and answer.compressed:
        content, headers["Content-Encoding"] = answer.compressed, "gzip"
    return Response(content, media_type=answer.media_type, headers=headers)
