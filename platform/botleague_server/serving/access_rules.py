"""Who may use which address of a server, and with what: one table, and the gate that obeys it.

What the table does not name does not exist. An address is allowed to roles, in the league that it names if it does; to
a token only for the scopes of its line. Nothing that changes anything is done for a page of another site.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from botleague.people import NOBODY, CurrentUser, Scope, is_at_least
from botleague_server.serving.middleware import LOOPBACK

Who: TypeAlias = Literal["everybody", "account", "author", "helper", "organiser"]
"""Whoever comes along; whoever is logged in; whoever has this role or a later one."""

Method: TypeAlias = Literal["GET", "POST"]

SAFE = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class Line:
    """Who may use an address.

    Attributes:
        who: with a session.
        scopes: with a token, which has one of these and belongs to somebody who may; none for no token.
        is_own: it names something that is a team's own: besides, only that team may; whoever sees everything may look.
    """

    who: Who
    scopes: tuple[Scope, ...] = ()
    is_own: bool = False
    is_for_machine: bool = False


@dataclass(frozen=True, slots=True)
class Owned:
    """Whose something is, and in which league; "" for none in particular."""

    owner: str
    league: str


EVERYBODY = Line("everybody", ("submit", "read-own", "organise"))

SEASON = "/leagues/{league}/seasons/{season}/"

MATCH = f"{SEASON}matches/{{match}}/"

DESK = "/leagues/{league}/desk/"

INSIDE = "/leagues/{league}/inside/{bot_slug}/"

PAGES = (
    *("/", "/about/", "/variants/{variant}/", "/leagues/{league}/", MATCH),
    *(
        f"{SEASON}{name}"
        for name in ("", "cross-table/", "bracket/", "matches/", "queue/", "reveal/", "bots/{bot_slug}/")
    ),
)

TABLE: Mapping[tuple[Method, str], Line] = {
    # What every server shows: each page, its objects, and the stream that keeps it up to date.
    **{("GET", f"{page}{name}"): EVERYBODY for page in PAGES for name in ("", "index.json", "events")},
    ("GET", f"{SEASON}table.csv"): EVERYBODY,
    ("GET", "/leagues/{league}/history/{bot_slug}/index.json"): EVERYBODY,
    ("GET", f"{MATCH}record"): EVERYBODY,
    ("GET", f"{MATCH}live"): EVERYBODY,
    # Other addresses of a match: in the current season; and by its id, which leads organisers on and nobody else.
    ("GET", "/leagues/{league}/matches/{match}/"): EVERYBODY,
    ("GET", "/matches/{match}/"): EVERYBODY,
    ("GET", "/static/{name}"): EVERYBODY,
    # Looking after the server. Everybody is told whether it is well, and nothing else.
    ("GET", "/healthz"): EVERYBODY,
    ("GET", "/metrics"): Line("organiser", ("organise",), is_for_machine=True),
    # Logins.
    ("GET", "/login/"): Line("everybody"),
    ("POST", "/login/"): Line("everybody"),
    ("GET", "/welcome/{code}/"): Line("everybody"),
    ("POST", "/welcome/{code}/"): Line("everybody"),
    ("GET", "/join/{code}/"): Line("everybody"),
    ("POST", "/join/{code}/"): Line("everybody"),
    ("GET", "/register/"): Line("everybody"),
    ("POST", "/register/"): Line("everybody"),
    ("POST", "/logout/"): Line("account", ("submit", "read-own", "organise")),
    # One's own account. A token cannot make tokens, nor change what lets people in; it only ends itself.
    ("GET", "/me/"): Line("account"),
    ("GET", "/me/index.json"): Line("account", ("read-own", "submit")),
    ("GET", "/me/export.zip"): Line("account"),
    ("POST", "/me/password/"): Line("account"),
    ("POST", "/me/sessions/{number}/end/"): Line("account"),
    ("POST", "/me/tokens/"): Line("account"),
    ("POST", "/me/tokens/{number}/end/"): Line("account"),
    # Handing in.
    ("GET", "/leagues/{league}/hand-in/"): Line("author"),
    ("GET", "/leagues/{league}/hand-in/index.json"): Line("author", ("submit", "read-own")),
    ("POST", "/leagues/{league}/hand-in/"): Line("author", ("submit",)),
    ("GET", "/uploads/{upload}/"): Line("account", is_own=True),
    ("GET", "/uploads/{upload}/index.json"): Line("account", ("submit", "read-own"), is_own=True),
    # Practice.
    ("POST", "/leagues/{league}/practice/"): Line("author", ("submit",)),
    **{
        ("GET", f"/practice/{{practice}}/{name}"): Line("account", ("submit", "read-own"), is_own=True)
        for name in ("", "index.json", "record")
    },
    # One's own bots, from inside.
    **{
        ("GET", f"{path}{name}"): Line("account", ("read-own",), is_own=path.startswith(INSIDE))
        for path in (
            *("/me/bots/", INSIDE, f"{INSIDE}versions/{{version}}/"),
            *(f"{MATCH}inside/", f"{MATCH}inside/{{turn}}/"),
        )
        for name in ("", "index.json")
    },
    ("GET", f"{INSIDE}versions/{{version}}/source.zip"): Line("account", ("read-own",), is_own=True),
    ("POST", f"{INSIDE}versions/{{version}}/again/"): Line("account", ("submit",), is_own=True),
    # The desk: helpers see, organisers decide.
    **{
        ("GET", f"{DESK}{page}{name}"): Line("helper", ("organise",))
        for page in ("", "playing/", "people/", "likeness/")
        for name in ("", "index.json")
    },
    **{
        ("GET", f"{DESK}{name}"): Line("organiser", ("organise",))
        for name in ("sources.zip", "likeness/{one}/{other}/", "likeness/{one}/{other}/index.json")
    },
    ("POST", f"{DESK}likeness/"): Line("helper", ("organise",)),
    ("POST", f"{DESK}backup/"): Line("organiser", ("organise",)),
    ("POST", f"{DESK}decide/{{decision}}/"): Line("organiser", ("organise",)),
}
"""Every address with the method; HEAD is GET without what it returns."""

ROUTE = "botleague.route"
"""Where a request holds the address, as the table has it, that it was let through to."""

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


class Gate:
    """Lets requests through to what answers them, as the table says.

    Args:
        whose: tells whom a request comes from; in a server that nobody logs in to, everybody is nobody.
        league_name: the name of a league by what stands for it in an address.
        refuse: makes a page of a title, what is wrong, and a status.
        owned: whose the thing is that an address names; None if there is no such thing.
    """

    def __init__(
        self,
        whose: Callable[[Request], Awaitable[CurrentUser]],
        league_name: Callable[[str], Awaitable[str]],
        refuse: Callable[[str, str, int], Response],
        owned: Callable[[Request], Awaitable[Owned | None]],
        table: Mapping[tuple[Method, str], Line] = TABLE,
    ) -> None:
        self.whose = whose
        self._league_name = league_name
        self._refuse = refuse
        self._owned = owned
        self._table = table

    def routes(self, endpoints: Iterable[tuple[Method, str, Endpoint]]) -> list[Route]:
        """Return routes that are guarded.

        Raises:
            KeyError: an address is not in the table, so nobody may use it.
        """
        return [
            Route(path, self._guarded(path, self._table[method, path], endpoint), methods=[method])
            for method, path, endpoint in endpoints
        ]

    def _guarded(self, path: str, line: Line, endpoint: Endpoint) -> Endpoint:
        async def guarded(request: Request) -> Response:
            request.scope[ROUTE] = path
            if request.method not in SAFE and is_forged(request):
                return self._no(
                    request,
                    "Not from here",
                    "This was sent by another site's page, or by a program that does not say what it is. If you meant "
                    "it, do it again on this site's own page; programs show a token.",
                    403,
                )
            who = request.state.who = await self.whose(request)
            if who is NOBODY and _bearer(request):
                return self._no(request, "Unknown token", "This token is void, or never was one.", 401)
            if line.is_for_machine and is_from_this_machine(request):
                return await endpoint(request)
            if line.who != "everybody" and who is NOBODY:
                return self._login_first(request)
            if who.viewer.scopes is not None and not set(line.scopes) & set(who.viewer.scopes):
                may = " or ".join(line.scopes)
                need = f"It needs a token with the scope {may}." if may else "It needs somebody at a browser."
                return self._no(request, "Not with this token", need, 403)
            if not await self._may(request, who, line.who, is_of_all=line.is_for_machine):
                need = f"Only {_ROLES[line.who]} may do this. If you should be one, ask the organiser."
                return self._no(request, "Not yours", need, 403)
            if line.is_own and not await self._is_theirs(request, who):
                # As if there were none: its number tells nothing.
                return self._no(
                    request, "Not found", "There is no such thing here, or it is another team's.", 404
                )
            return await endpoint(request)

        return guarded

    async def _is_theirs(self, request: Request, who: CurrentUser) -> bool:
        found = await self._owned(request)
        may_look = request.method in SAFE
        return found is not None and (
            who.viewer.owns(found.owner)
            or (may_look and is_at_least(who.viewer.role_in(found.league), "helper"))
        )

    async def _may(self, request: Request, who: CurrentUser, wanted: Who, *, is_of_all: bool) -> bool:
        """Return whether somebody has a role in the league that the address names, or in any if it names none."""
        if wanted == "everybody" or wanted == "account":
            return True
        # What is for whoever runs the machine is for organisers of all that is on it.
        role = who.viewer.role if is_of_all else who.viewer.highest
        if "league" in request.path_params:
            league = request.state.league = await self._league_name(request.path_params["league"])
            role = who.viewer.role_in(league)
        return is_at_least(role, wanted)

    def _login_first(self, request: Request) -> Response:
        if request.method in SAFE and not wants_json(request):
            then = request.url.path
            return RedirectResponse(f"/login/?then={quote(then)}", 303, {"Cache-Control": "no-store"})
        return self._no(request, "Log in first", "Your session has ended, or there was none.", 401)

    def _no(self, request: Request, title: str, what: str, status: int) -> Response:
        answer = (
            JSONResponse({"error": what}, status)
            if wants_json(request)
            else self._refuse(title, what, status)
        )
        answer.headers["Cache-Control"] = "no-store"
        if status == 401:
            answer.headers["WWW-Authenticate"] = "Bearer"
        return answer


_ROLES = {"author": "authors of the league", "helper": "helpers and organisers", "organiser": "organisers"}


def wants_json(request: Request) -> bool:
    """Return whether a program asks, which wants objects and no page."""
    is_asked = request.headers.get("accept", "").startswith("application/json")
    return is_asked or request.url.path.endswith(".json") or bool(_bearer(request))


def is_from_this_machine(request: Request) -> bool:
    """Return whether a request comes from a program on this machine, and through no proxy.

    A proxy says for whom it asks, and under which name; one that keeps both to itself cannot be told from this machine.
    """
    asks_for_others = any(
        name in request.headers for name in ("x-forwarded-for", "forwarded", "via", "x-real-ip")
    )
    client = request.client.host if request.client else ""
    return not asks_for_others and client in ("127.0.0.1", "::1") and request.url.hostname in LOOPBACK


def is_forged(request: Request) -> bool:
    """Return whether a request may have been sent by a page of another site, in the name of who looks at it.

    Browsers say from which site a request comes; on plain http, where they do not, they name the page's origin. What
    says neither is no browser, and shows a token, which no other site's page has.

    Source: W3C, Fetch Metadata Request Headers; OWASP Cross-Site Request Forgery Prevention.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    if origin is not None:
        return not _is_here(origin, request)
    return not _bearer(request)


def _is_here(origin: str, request: Request) -> bool:
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    # The host was checked against the names under which this server answers, and the scheme follows from it.
    return found.scheme == request.url.scheme and found.netloc == request.headers.get("host")


def _bearer(request: Request) -> str:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""
