"""Requests that store something: their answers, and the wait after a limit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import anyio.to_thread
from sqlalchemy.engine import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from botleague.errors import UsageError
from botleague.site import Page, Query
from botleague_server.serving.responses import redirect, wants_json
from botleague_server.serving.routes import html_of
from botleague_server.serving.server import Server, current_user


class LimitReached(UsageError):
    """A limit is reached for now.

    Attributes:
        wait_s: seconds until the next request is allowed.
    """

    code = "limit"

    def __init__(self, message: str, wait_s: float = 0.0) -> None:
        super().__init__(message)
        self.wait_s = wait_s


def with_wait(answer: Response, error: UsageError) -> Response:
    """Return a refusal, with the time of the next attempt if a limit is the reason."""
    if isinstance(error, LimitReached):
        answer.headers["Retry-After"] = str(int(error.wait_s) + 1)
    return answer


async def stored(
    server: Server,
    request: Request,
    key: str,
    folder: str,
    store: Callable[[Connection], int],
    title: str,
    form: Page[Any] | None = None,
    **sent: str,
) -> Response:
    """Store a request and redirect to its page, or refuse it.

    Args:
        server: of a database that is opened for writing.
        key: name of the number in JSON.
        folder: first part of the address of its page; the second part is its number.
        store: returns the number. Called in a thread, in a write transaction.
        title: of a refusal.
        form: page of the form, which is shown again with the reason for a refusal as ``problem`` and ``sent``.
    """

    def write() -> int:
        assert server.people is not None
        with server.people.writing() as connection:
            return store(connection)

    try:
        number = await anyio.to_thread.run_sync(write, limiter=server.writers)
    except UsageError as error:
        status = 429 if isinstance(error, LimitReached) else 422
        if form is None or wants_json(request):
            return with_wait(server.refused(request, title, str(error), status), error)
        query = Query(request.path_params)
        again = await form_again(server, request, form, query, status, problem=str(error), sent=sent)
        return with_wait(again, error)
    server.read_again(current_user(request).viewer.team)
    url = f"/{folder}/{number}/"
    if wants_json(request):
        return JSONResponse({key: number, "url": url}, 202)
    return redirect(url)


async def form_again(
    server: Server, request: Request, form: Page[Any], query: Query, status: int, **more: Any
) -> Response:
    """Return the page of a form again after a refusal; ``more`` are further values for its template."""
    again = partial(html_of, server, form, current_user(request), query, **more)
    page = await anyio.to_thread.run_sync(again)
    return Response(page.content, status, {"Cache-Control": "no-store"}, page.media_type)
