"""What a server is made of, as all that answers on it takes it; and an endpoint: an address that is no page's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from sqlalchemy.engine import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from botleague.people import NOBODY, PUBLIC, CurrentUser, Viewer
from botleague.site import AccessRule, Films, Query, Reading, Renderer, ServedLinks
from botleague_server.serving.event_streams import MaySee, Streams
from botleague_server.serving.live_streams import Live
from botleague_server.serving.page_cache import Answer, Cache, PageReader
from botleague_server.serving.responses import PRIVATE, response, wants_json
from botleague_storage import Database, NotFound, StorageError

T = TypeVar("T")

Method: TypeAlias = Literal["GET", "POST"]

Answering: TypeAlias = Callable[[Request], Awaitable[Response]]

LINKS = ServedLinks()

WRITERS = 8
"""Authors whose requests are stored at a time."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What answers at an address that is no page's: a form that is sent, a file, a film while its match is played.

    Attributes:
        answer: takes what it is bound to (:func:`bound`) and the request.
        rule: who may use it.
    """

    method: Method
    path: str
    answer: Callable[..., Awaitable[Response]]
    rule: AccessRule


def bound(views: object, endpoints: Iterable[Endpoint]) -> list[Endpoint]:
    """Return what is declared, with what it answers by: the views of a feature, or the server."""
    return [replace(one, answer=partial(one.answer, views)) for one in endpoints]


@dataclass
class Server:
    """Reads pages, keeps them, and knows whom a request comes from.

    Attributes:
        whose: tells whom a request comes from; in a server that nobody logs in to, everybody is the same.
        people: the database, opened for writing, where people can log in; else None.
        writers: of the threads that store what authors send.
    """

    reader: PageReader
    films: Films
    streams: Streams
    live: Live
    renderer: Renderer
    whose: Callable[[Request], Awaitable[CurrentUser]]
    people: Database | None = None
    cache: Cache = field(init=False)
    writers: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(WRITERS))
    _changed: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Keep pages from now on."""
        self.cache = Cache(self.reader)

    def read_anew(self, team: str = "") -> None:
        """Read private pages again, those of a team or all: whoever changes something sees it at once."""
        self._changed[team] += 1

    def reading(self, connection: Connection, user: CurrentUser) -> Reading:
        """Return what reads in a transaction."""
        workspace = self.reader.workspace
        return Reading(
            connection,
            workspace.plugins,
            user,
            self.reader.now(),
            LINKS,
            self.films,
            self.reader.only,
            self.live.is_possible,
            database=self.people,
            profile=workspace.settings.sandbox,
        )

    def read(self, work: Callable[[Reading], T], user: CurrentUser) -> T:
        """Return what is read in a transaction of its own, which holds nothing but what somebody may see.

        Raises:
            StorageError: the database cannot be read.
        """
        return self.reader.read(lambda connection: work(self.reading(connection, user)), user.viewer)

    async def answer(
        self,
        request: Request,
        make: Callable[[CurrentUser, Query], Answer],
        names: tuple[str, ...] = (),
        *,
        is_private: bool,
        is_kept: bool = True,
    ) -> Response:
        """Answer with what is made, in a thread, for who asks; or was made before.

        Args:
            names: what of the query is looked at.
            is_private: it is made for who asks alone; else it is shared with all who see the same.
            is_kept: it may have been made a moment ago.
        """
        query = Query.of(request.path_params, request.query_params, names)
        user, mark = await self.seen_by(request, is_private=is_private)
        if is_kept:
            found = await self.cache.get(f"{request.url.path}?{query}{mark}", lambda: make(user, query))
        else:
            found = await anyio.to_thread.run_sync(make, user, query)
        return response(request, found, PRIVATE if mark else "no-cache")

    async def seen_by(self, request: Request, *, is_private: bool = False) -> tuple[CurrentUser, str]:
        """Return for whom pages are read, and what tells these from pages for others: "" for what everybody sees."""
        user = who_asks(request)
        if is_private:
            return user, f" {user} {self._changed['']} {self._changed[user.viewer.team]}"
        sight = await self._sight(user.viewer)
        return CurrentUser(sight), "" if sight == PUBLIC else f" {sight}"

    async def _sight(self, viewer: Viewer) -> Viewer:
        return PUBLIC if viewer == PUBLIC else await anyio.to_thread.run_sync(self.reader.sight, viewer)

    def still_sees(self, request: Request, user: CurrentUser) -> MaySee:
        """Return what tells whether who asked may still see what they saw."""

        async def may_see() -> bool:
            if user.viewer == PUBLIC:  # what everybody sees
                return True
            try:
                who = request.state.who = await self.whose(request)
                return await self._sight(who.viewer) == user.viewer
            except (NotFound, StorageError):
                return False

        return may_see

    async def league_name(self, slug: str) -> str:
        """Return the name of a league that an address names, "" if there is none."""

        query = Query({"league": slug})
        return await anyio.to_thread.run_sync(
            self.reader.read_all, lambda connection: self.reading(connection, NOBODY).league(query)
        )

    def page(self, template: str, who: CurrentUser, status: int, **values: Any) -> Response:
        """Return a page that is made for one person, and not kept."""
        text = self.renderer.of_people(template, LINKS, who, **values)
        return Response(text, status, {"Cache-Control": "no-store"}, "text/html")

    def error_page(self, title: str, what: str, status: int) -> Response:
        """Return a page that says what is wrong and what to do."""
        return Response(self.renderer.error(title, what, LINKS), status, media_type="text/html")

    def refused(self, request: Request, title: str, what: str, status: int, more: str = "") -> Response:
        """Say what is wrong, as a page or to a program; to people also what more there is to do."""
        if wants_json(request):
            return JSONResponse({"error": what}, status)
        return self.error_page(title, f"{what}{more}", status)


def file(path: str, read: Callable[[Reading, Query], Answer], rule: AccessRule) -> Endpoint:
    """Declare a file, which is read for who asks and kept for them alone. It is bound to the server."""

    async def answer(server: Server, request: Request) -> Response:
        def make(user: CurrentUser, query: Query) -> Answer:
            return server.read(lambda reading: read(reading, query), user)

        return await server.answer(request, make, is_private=True)

    return Endpoint("GET", path, answer, rule)


def who_asks(request: Request) -> CurrentUser:
    """Return whom the gate has found a request to come from."""
    found: CurrentUser = request.state.who
    return found


def league_asked(request: Request) -> str:
    """Return the name of the league in which the gate has found that a request's sender may do this.

    Raises:
        NotFound: there is none.
    """
    name: str = request.state.league
    if not name:
        raise NotFound("There is no such league here.")
    return name


def address_of(request: Request) -> str:
    """Return from where a request comes, "" where that is not known."""
    return request.client.host if request.client else ""
