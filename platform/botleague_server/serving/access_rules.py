"""The gate before every address: it obeys the rule that stands at the page or endpoint.

An address is allowed to roles, in the league that it names if it does; to a token only for the scopes of its rule.
Nothing that changes anything is done for a page of another site.
"""

from __future__ import annotations

from urllib.parse import quote, urlsplit

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from botleague.people import NOBODY, CurrentUser, is_at_least
from botleague.site import AccessRule, OwnerOf, Query
from botleague_server.serving.middleware import LOOPBACK
from botleague_server.serving.responses import bearer, wants_json
from botleague_server.serving.server import Answering, Server
from botleague_storage import NotFound

SAFE = ("GET", "HEAD")

ROUTE = "botleague.route"
"""Where a request holds the address, as it is declared, that it was let through to."""


class Gate:
    """Lets requests through to what answers them, as the rule says."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def guarded(self, path: str, rule: AccessRule, answer: Answering) -> Answering:
        """Return what answers at an address only who may use it."""

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
            who = request.state.who = await self._server.whose(request)
            if who is NOBODY and bearer(request):
                return self._no(request, "Unknown token", "This token is void, or never was one.", 401)
            if rule.is_for_machine and is_from_this_machine(request):
                return await answer(request)
            if rule.who != "everybody" and who is NOBODY:
                return self._login_first(request)
            if who.viewer.scopes is not None and not set(rule.scopes) & set(who.viewer.scopes):
                may = " or ".join(rule.scopes)
                need = f"It needs a token with the scope {may}." if may else "It needs somebody at a browser."
                return self._no(request, "Not with this token", need, 403)
            if not await self._may(request, who, rule):
                need = f"Only {_ROLES[rule.who]} may do this. If you should be one, ask the organiser."
                return self._no(request, "Not yours", need, 403)
            if rule.owner is not None and not await self._is_theirs(request, who, rule.owner):
                # As if there were none: its number tells nothing.
                return self._no(
                    request, "Not found", "There is no such thing here, or it is another team's.", 404
                )
            return await answer(request)

        return guarded

    async def _is_theirs(self, request: Request, who: CurrentUser, owner: OwnerOf) -> bool:
        query = Query(request.path_params)
        try:
            found = await anyio.to_thread.run_sync(
                self._server.read, lambda reading: owner(reading, query), NOBODY
            )
        except NotFound:
            return False
        may_look = request.method in SAFE and is_at_least(who.viewer.role_in(found.league), "helper")
        return may_look or who.viewer.owns(found.owner)

    async def _may(self, request: Request, who: CurrentUser, rule: AccessRule) -> bool:
        """Return whether somebody has a role in the league that the address names, or in any if it names none."""
        if rule.who == "everybody" or rule.who == "account":
            return True
        # What is for whoever runs the machine is for organisers of all that is on it.
        role = who.viewer.role if rule.is_for_machine else who.viewer.highest
        if "league" in request.path_params:
            league = request.state.league = await self._server.league_name(request.path_params["league"])
            role = who.viewer.role_in(league)
        return is_at_least(role, rule.who)

    def _login_first(self, request: Request) -> Response:
        if request.method in SAFE and not wants_json(request):
            then = request.url.path
            return RedirectResponse(f"/login/?then={quote(then)}", 303, {"Cache-Control": "no-store"})
        return self._no(request, "Log in first", "Your session has ended, or there was none.", 401)

    def _no(self, request: Request, title: str, what: str, status: int) -> Response:
        answer = self._server.refused(request, title, what, status)
        answer.headers["Cache-Control"] = "no-store"
        if status == 401:
            answer.headers["WWW-Authenticate"] = "Bearer"
        return answer


_ROLES = {"author": "authors of the league", "helper": "helpers and organisers", "organiser": "organisers"}


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
    return not bearer(request)


def _is_here(origin: str, request: Request) -> bool:
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    # The host was checked against the names under which this server answers, and the scheme follows from it.
    return found.scheme == request.url.scheme and found.netloc == request.headers.get("host")
