"""Pages for one person: read for who asks, with their horizon, kept for them alone, and never followed by a stream.

Every page has a twin with its objects, at ``index.json`` below it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec
from sqlalchemy.engine import Connection
from starlette.requests import Request
from starlette.responses import Response

from botleague.people import CurrentUser
from botleague_server.serving.access_rules import Endpoint, Method
from botleague_server.serving.page_cache import Answer, Cache, PageReader
from botleague_server.serving.responses import PRIVATE, response
from botleague_server.serving.url_lookup import Asked

QUERY = ("one", "other", "before", "first", "near")
"""What may restrict a page; whatever else stands in an address is not looked at."""

LONGEST = 64


@dataclass(frozen=True, slots=True)
class Private:
    """A page for one person.

    Attributes:
        page: its object.
        path: where it is.
        more: what else its template takes.
        refresh_s: after so many seconds a browser asks again by itself, 0 for never.
    """

    page: Any
    path: str
    more: dict[str, Any] = field(default_factory=dict)
    refresh_s: int = 0


Read: TypeAlias = Callable[[Connection, CurrentUser, Asked], Private]


class PrivatePages:
    """Answers with pages for one person.

    Args:
        reader: reads them.
        cache: keeps them.
        text: makes HTML of a template's name, who looks, and what the template takes.
    """

    def __init__(self, reader: PageReader, cache: Cache, text: Callable[..., str]) -> None:
        self.reader = reader
        self._cache = cache
        self._text = text
        self._changed = 0

    def read_anew(self) -> None:
        """Let no page be answered that was read before: whoever changes something sees it at once."""
        self._changed += 1

    def endpoints(self, path: str, template: str, read: Read) -> list[tuple[Method, str, Endpoint]]:
        """Return what answers at an address: the page and its objects."""

        def page(who: CurrentUser, asked: Asked) -> Answer:
            found = self._read(read, who, asked)
            text = self._text(template, who, page=found.page, path=found.path, **found.more)
            return Answer(text.encode(), "text/html; charset=utf-8", refresh_s=found.refresh_s)

        def objects(who: CurrentUser, asked: Asked) -> Answer:
            return Answer(msgspec.json.encode(self._read(read, who, asked).page) + b"\n", "application/json")

        return [
            ("GET", path, self.answering(page)),
            ("GET", f"{path}index.json", self.answering(objects)),
        ]

    def answering(self, make: Callable[[CurrentUser, Asked], Answer]) -> Endpoint:
        """Return what answers with what ``make`` makes, in a thread, for who asks."""

        async def answer(request: Request) -> Response:
            who, asked = who_asks(request), _asked(request)
            key = f"{request.url.path}?{sorted(asked.items())} {who} {self._changed}"
            return response(request, await self._cache.get(key, lambda: make(who, asked)), PRIVATE)

        return answer

    def _read(self, read: Read, who: CurrentUser, asked: Asked) -> Private:
        return self.reader.read(lambda connection: read(connection, who, asked), who.viewer)


def who_asks(request: Request) -> CurrentUser:
    """Return whom the gate has found a request to come from."""
    found: CurrentUser = request.state.who
    return found


def _asked(request: Request) -> Asked:
    asked = {name: str(value) for name, value in request.path_params.items()}
    given = {name: request.query_params.get(name, "")[: LONGEST + 1] for name in QUERY}
    return asked | {name: value for name, value in given.items() if value}
