"""Access control before every route, by the rule of its page or endpoint.

A rule names a role, which is needed in the league of the address if it has one, and the scopes that allow a token.
Requests from pages of other sites change nothing.
"""

from __future__ import annotations

from urllib.parse import quote, urlsplit

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from botleague.people import LOOPBACK, NOBODY, CurrentUser, is_at_least
from botleague.site import AccessRule, OwnerOf, Query
from botleague_server.serving.responses import bearer, redirect, wants_json
from botleague_server.serving.server import Answering, Server
from botleague_storage import NotFound

SAFE = ("GET", "HEAD")

ROUTE = "botleague.route"
"""Key of a request's scope with the declared path of its route."""


class Gate:
    """Checks the access rule of each request before its handler."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def guarded(self, path: str, rule: AccessRule, answer: Answering) -> Answering:
        """Return a handler that first checks the rule of its address."""

        async def guarded(request: Request) -> Response:
            request.scope[ROUTE] = path
            if request.method not in SAFE and is_forged(request):
                return self._no(
                    request,
                    "Request refused",
                    "This request came from another site, or from a program without a token. Repeat it on this site, "
                    "or send a token.",
                    403,
                )
            who = request.state.who = await self._server.user_of(request)
            if who is NOBODY and bearer(request):
                return self._no(request, "Unknown token", "This token is invalid or was revoked.", 401)
            if rule.is_for_machine and is_from_this_machine(request):
                return await answer(request)
            if rule.who != "everybody" and who is NOBODY:
                return self._login_first(request)
            if who.viewer.scopes is not None and not set(rule.scopes) & set(who.viewer.scopes):
                may = " or ".join(rule.scopes)
                need = (
                    f"This action needs a token with the scope {may}."
                    if may
                    else "This action needs a login in a browser."
                )
                return self._no(request, "Not with this token", need, 403)
            if not await self._may(request, who, rule):
                need = f"Only {_ROLES[rule.who]} can do this. If you need access, ask the organiser."
                return self._no(request, "No permission", need, 403)
            if rule.owner is not None and not await self._is_theirs(request, who, rule.owner):
                # The same answer as for a number that does not exist, so that it shows nothing.
                return self._no(request, "Not found", "Not found, or it belongs to another team.", 404)
            return await answer(request)

        return guarded

    async def _is_theirs(self, request: Request, who: CurrentUser, owner: OwnerOf) -> bool:
        query = Query(request.path_params)
        try:
            owned = await anyio.to_thread.run_sync(self._server.read, owner, NOBODY, query)
        except NotFound:
            return False
        may_look = request.method in SAFE and is_at_least(who.viewer.role_in(owned.league), "helper")
        return may_look or who.viewer.owns(owned.owner)

    async def _may(self, request: Request, who: CurrentUser, rule: AccessRule) -> bool:
        """Return whether a user has the role in the league of the address, or in any league for one without."""
        if rule.who == "everybody" or rule.who == "account":
            return True
        if "league" in request.path_params:
            league = request.state.league = await self._server.league_name(request.path_params["league"])
            role = who.viewer.role_in(league)
        else:
            # Pages about the machine show all leagues on it, so they need the role in all of them.
            is_general = rule.is_for_machine or rule.is_everywhere
            role = who.viewer.role if is_general else who.viewer.highest
        return is_at_least(role, rule.who)

    def _login_first(self, request: Request) -> Response:
        if request.method in SAFE and not wants_json(request):
            return redirect(f"/login/?then={quote(request.url.path)}")
        return self._no(request, "Login needed", "You are not logged in, or your session has expired.", 401)

    def _no(self, request: Request, title: str, what: str, status: int) -> Response:
        answer = self._server.refused(request, title, what, status)
        answer.headers["Cache-Control"] = "no-store"
        if status == 401:
            answer.headers["WWW-Authenticate"] = "Bearer"
        return answer


_ROLES = {"author": "authors of the league", "helper": "helpers and organisers", "organiser": "organisers"}


def is_from_this_machine(request: Request) -> bool:
    """Return whether a request comes from a program on this machine, and through no proxy.

    A proxy names its client or its own host; a proxy that names neither looks like a program on this machine.
    """
    asks_for_others = any(
        name in request.headers for name in ("x-forwarded-for", "forwarded", "via", "x-real-ip")
    )
    client = request.client.host if request.client else ""
    return not asks_for_others and client in ("127.0.0.1", "::1") and request.url.hostname in LOOPBACK


def is_forged(request: Request) -> bool:
    """Return whether a page of another site may have sent a request in a user's name.

    Browsers name the site a request comes from; on plain http, where they do not, they name the page's origin. A
    request with neither comes from a program, which must send a token: pages of other sites have none.

    Source: W3C, Fetch Metadata Request Headers; OWASP Cross-Site Request Forgery Prevention.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    if origin is not None:
        return not _is_here(origin, request)
    return not bearer(request)


def _is_here(origin: str, request: Request) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    # The host was checked against this server's names, which also decide the scheme.
    return parts.scheme == request.url.scheme and parts.netloc == request.headers.get("host")
