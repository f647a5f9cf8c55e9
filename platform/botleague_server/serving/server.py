"""The server's parts that handlers use; and endpoints: addresses other than pages."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias, TypeVar
from urllib.parse import urlencode

import anyio.to_thread
import msgspec
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response

from botleague.errors import Problem, UsageError
from botleague.league.season import horizons
from botleague.people import NOBODY, PUBLIC, CurrentUser, Viewer
from botleague.site import (
    FLAGS,
    MAX_QUERY_LENGTH,
    AccessRule,
    Films,
    Query,
    Reading,
    Renderer,
    ServedLinks,
    Site,
)
from botleague_server.serving.event_streams import MaySee, Streams
from botleague_server.serving.live_streams import Live
from botleague_server.serving.page_cache import Answer, Cache, PageReader
from botleague_server.serving.responses import PRIVATE, bearer, refusal, response, wants_json
from botleague_storage import Database, NotFound, StorageError

T = TypeVar("T")

Method: TypeAlias = Literal["GET", "POST"]

Answering: TypeAlias = Callable[[Request], Awaitable[Response]]

LINKS = ServedLinks()

CODES_BY_STATUS = {
    401: "login",
    403: "permission",
    404: "not-found",
    429: "limit",
    500: "machine",
    503: "database-away",
}
"""Codes of refusals by HTTP status; all others have that of a usage error."""

MAX_WAITING = 8
"""Requests that wait for a picture at a time."""

WRITERS = 8
"""Requests of authors stored at a time."""


class Endpoint(msgspec.Struct, frozen=True):
    """Address other than a page: a form, a file, or a live stream.

    Attributes:
        answer: called with the object it is bound to (:func:`bound`) and the request.
        rule: its access rule.
    """

    method: Method
    path: str
    answer: Callable[..., Awaitable[Response]]
    rule: AccessRule


def bound(views: object, endpoints: Iterable[Endpoint]) -> list[Endpoint]:
    """Return endpoints bound to the object that answers them: the views of a feature, or the server."""
    return [msgspec.structs.replace(one, answer=partial(one.answer, views)) for one in endpoints]


@dataclass
class Server:
    """Readers and caches of pages, and the users of requests.

    Attributes:
        visitor: the user of a request without a login.
        identify: returns the user of a token, "" for none, or else of cookies; None on a server without logins.
        people: the database, opened for writing, on a server with logins; else None.
        writers: limits the threads that store requests of authors.
        waiting: limits the requests that wait for a picture.
    """

    reader: PageReader
    films: Films
    streams: Streams
    live: Live
    renderer: Renderer
    visitor: CurrentUser = NOBODY
    identify: Callable[[str, Mapping[str, str]], Awaitable[CurrentUser]] | None = None
    people: Database | None = None
    cache: Cache = field(init=False)
    writers: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(WRITERS))
    waiting: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_WAITING))
    _changed: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Create the cache."""
        self.cache = Cache(self.reader)

    def read_again(self, team: str = "") -> None:
        """Read private pages of a team again, or of all teams for "": an author sees a change at once."""
        self._changed[team] += 1

    @cached_property
    def site(self) -> Site:
        """Values that the readers of pages share."""
        workspace = self.reader.workspace
        return Site(
            workspace.plugins,
            LINKS,
            self.films,
            self.reader.only,
            self.live.is_possible,
            database=self.people,
            profile=workspace.settings.sandbox,
            public_url=workspace.settings.public_url,
        )

    async def user_of(self, request: Request) -> CurrentUser:
        """Return the user of a request."""
        token = bearer(request)
        if self.identify is None or not (token or request.cookies):
            return self.visitor
        return await self.identify(token, request.cookies)

    def read(self, work: Callable[[Reading, Query], T], user: CurrentUser, query: Query) -> T:
        """Return what is read of an address in a transaction of its own, limited to what the user may see.

        Raises:
            StorageError: the database cannot be read.
        """
        now = self.reader.now()
        limits = partial(horizons, viewer=user.viewer, now=now)
        return self.reader.read(partial(self.site.read, work, user, query, now), limits)

    async def answer(
        self,
        request: Request,
        make: Callable[[CurrentUser, Query], Answer],
        names: tuple[str, ...] = (),
        *,
        is_private: bool,
        is_kept: bool = True,
    ) -> Response:
        """Answer a request for a user with a new or cached answer, made in a thread.

        Args:
            names: parameters of the query that it depends on.
            is_private: made for this user only; else shared with all who have the same permissions.
            is_kept: it may come from the cache.
        """
        query = query_of(request.path_params, request.query_params, names)
        user, mark = await self.seen_by(request, is_private=is_private)
        if is_kept:
            answer = await self.cache.get(
                cache_key(request.url.path, query, mark), partial(make, user, query)
            )
        else:
            answer = await anyio.to_thread.run_sync(make, user, query)
        return response(request, answer, PRIVATE if mark else "no-cache")

    async def seen_by(self, request: Request, *, is_private: bool = False) -> tuple[CurrentUser, str]:
        """Return the user that a page is read for, and its key among pages for other users: "" for public ones."""
        user = current_user(request)
        if is_private:
            return user, f" {user} {self._changed['']} {self._changed[user.viewer.team]}"
        sight = await self._sight(user.viewer)
        return CurrentUser(sight), "" if sight == PUBLIC else f" {sight}"

    async def _sight(self, viewer: Viewer) -> Viewer:
        return PUBLIC if viewer == PUBLIC else await anyio.to_thread.run_sync(self.reader.sight, viewer)

    def still_sees(self, request: Request, user: CurrentUser) -> MaySee:
        """Return a function that returns whether the sender of a request may still see what they saw."""

        async def may_see() -> bool:
            if user.viewer == PUBLIC:
                return True
            try:
                who = request.state.who = await self.user_of(request)
                return await self._sight(who.viewer) == user.viewer
            except (NotFound, StorageError):
                return False

        return may_see

    async def league_name(self, slug: str) -> str:
        """Return the name of the league of an address, "" for an unknown one."""
        work = partial(self.site.read, Reading.league, NOBODY, Query({"league": slug}), self.reader.now())
        return await anyio.to_thread.run_sync(self.reader.read, work, None)

    def page(self, template: str, who: CurrentUser, status: int, **values: Any) -> Response:
        """Return a page for one user, which is not cached."""
        text = self.renderer.of_people(template, LINKS, who, **values)
        return Response(text, status, {"Cache-Control": "no-store"}, "text/html")

    def error_page(self, title: str, what: str, status: int, came_from: str = "") -> Response:
        """Return a page with an error and its remedy.

        Args:
            came_from: path of the page with the refused form, to which a login leads back.
        """
        back = f"?{urlencode({'then': came_from})}" if came_from else ""
        login = f"/login/{back}" if status == 401 else ""
        text = self.renderer.error(title, what, LINKS, login=login)
        return Response(text, status, media_type="text/html")

    def refused(self, request: Request, title: str, what: str, status: int, more: str = "") -> Response:
        """Return an error as a page, with ``more`` as a hint, or as JSON."""
        if wants_json(request):
            return refusal(Problem(CODES_BY_STATUS.get(status, UsageError.code), what), status)
        _, slash, path = request.headers.get("referer", "").partition("://")[2].partition("/")
        return self.error_page(title, f"{what}{more}", status, slash + path.partition("?")[0])


def file(path: str, read: Callable[[Reading, Query], Answer], rule: AccessRule) -> Endpoint:
    """Declare a file that is read and cached for one user. It is bound to the server."""

    async def answer(server: Server, request: Request) -> Response:
        return await server.answer(request, partial(server.read, read), is_private=True)

    return Endpoint("GET", path, answer, rule)


def query_of(path: Mapping[str, str], values: Mapping[str, str], names: Iterable[str]) -> Query:
    """Return the parameters of an address; of its query only ``names``."""
    filters = {name: values[name][: MAX_QUERY_LENGTH + 1] for name in names if values.get(name)}
    flags = {name: "1" for name in FLAGS if name in names and name in values}
    return Query(path, filters | flags)


def cache_key(path: str, query: Query, mark: str) -> str:
    """Return the key of an answer in the cache; ``mark`` is that of its user."""
    return f"{path}?{urlencode(query.filters)}{mark}"


def current_user(request: Request) -> CurrentUser:
    """Return the user of a request, as access control has identified them."""
    user: CurrentUser = request.state.who
    return user


def requested_league(request: Request) -> str:
    """Return the name of the league of a request's address, as access control has read it.

    Raises:
        NotFound: no such league.
    """
    name: str = request.state.league
    if not name:
        raise NotFound("There is no such league here.")
    return name


def address_of(request: Request) -> str:
    """Return the address of a request's client, "" if it is unknown."""
    return request.client.host if request.client else ""
