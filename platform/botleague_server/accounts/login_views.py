"""Login pages: login and logout, one-time links, invites, registration, and one's own account.

Every form works without scripts: it is sent, and answered with another page or with what is wrong, above the form. The
cookie of a session is readable by no script and sent by no other site.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from botleague.errors import UsageError
from botleague.people import MIN_LENGTH, NOBODY, SCOPES, CurrentUser
from botleague.site import AccessRule
from botleague_server.accounts.login_service import (
    CLOSED,
    SESSION_DAYS,
    CodeGiven,
    LoginService,
    TooManyTries,
    Wrong,
)
from botleague_server.serving import Endpoint, address_of, fields, wants_json, with_wait

T = TypeVar("T")

Page = Callable[..., Response]
"""Makes a page: of a template's name, who looks, a status, and what the template takes."""

_Form: TypeAlias = tuple[str, dict[str, Any]]
"""The template of a form, and what it takes."""

_Read: TypeAlias = Callable[[Request, Mapping[str, str]], _Form]
"""Reads a form, with what was sent before, or raises UsageError where it lets nobody in. Blocking."""

LONGEST_FIELD = 400

WORKERS = 8
"""Threads for people. Passwords, two at a time, wait in others."""

QUEUE = 200
"""Logins that may wait for their passwords to be computed."""

_LOCAL = re.compile(r"/(?![/\\])[A-Za-z0-9_.~%/-]*")


class LoginViews:
    """Answers the login pages.

    Args:
        logins: lets them in.
        page: makes pages.
        is_https: whether browsers reach this server by https.
    """

    def __init__(self, logins: LoginService, page: Page, *, is_https: bool) -> None:
        self._logins = logins
        self._page = page
        self._is_https = is_https
        # Only over https may a cookie say that nobody but this very host may have set it.
        self._cookie = "__Host-botleague" if is_https else "botleague"
        self._workers = CapacityLimiter(WORKERS)
        self._passwords = CapacityLimiter(2)

    async def whose(self, request: Request) -> CurrentUser:
        """Return whom a request comes from: whoever's token it shows, else whoever's session."""
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return await self._in_thread(self._logins.whose_token, secret.strip()[:LONGEST_FIELD])
        session = request.cookies.get(self._cookie, "")
        return (
            await self._in_thread(self._logins.whose_session, session[:LONGEST_FIELD]) if session else NOBODY
        )

    async def login(self, request: Request) -> Response:
        """Show the form; whoever is logged in is sent on."""
        then = _then(request.query_params.get("then", ""))
        if request.state.who is not NOBODY:
            return _go(then)
        registers = bool(await self._in_thread(self._logins.registrations))
        return self._page("login.html", NOBODY, 200, then=then, handle="", problem="", registers=registers)

    async def log_in(self, request: Request) -> Response:
        """Let somebody in who has a password; send on whoever has a one-time code."""
        form = await _texts(request, "handle", "password", "then")
        then = _then(form["then"])
        try:
            secret = await self._with_password(
                partial(
                    self._logins.log_in,
                    form["handle"],
                    form["password"],
                    address_of(request),
                    _agent(request),
                )
            )
        except CodeGiven as given:
            return _go(f"/welcome/{given.code}/")
        except UsageError as error:
            values = {"then": then, "handle": form["handle"], "problem": str(error), "registers": False}
            return self._no(request, error, _status(error), "login.html", **values)
        await self._in_thread(self._logins.log_out, request.state.who)
        return self._let_in(then, secret)

    async def log_out(self, request: Request) -> Response:
        """End the session, or the token."""
        await self._in_thread(self._logins.log_out, request.state.who)
        answer = _go("/")
        answer.delete_cookie(self._cookie, secure=self._is_https, httponly=True, samesite="lax")
        return answer

    async def welcome(self, request: Request) -> Response:
        """Show whom a one-time link is for. It is not used by that: programs look at links in messages, too."""
        return await self._form(request, self._welcomed)

    async def choose(self, request: Request) -> Response:
        """Use a one-time link up."""
        form = await _texts(request, "password")
        enter = partial(self._logins.welcome, _code(request), form["password"])
        return await self._enter(request, enter, self._welcomed, form)

    def _welcomed(self, request: Request, form: Mapping[str, str]) -> _Form:
        code = _code(request)
        handle = self._logins.who_is_welcome(code, address_of(request))
        return "welcome.html", {"code": code, "handle": handle}

    async def invited(self, request: Request) -> Response:
        """Show what an invite is for."""
        return await self._form(request, self._invited)

    async def join(self, request: Request) -> Response:
        """Make an account with an invite."""
        form = await _texts(request, "handle", "password")
        enter = partial(self._logins.join, _code(request), form["handle"], form["password"])
        return await self._enter(request, enter, self._invited, form)

    def _invited(self, request: Request, form: Mapping[str, str]) -> _Form:
        code = _code(request)
        invite = self._logins.who_is_invited(code, address_of(request))
        return "join.html", {"code": code, "invite": invite, "handle": form.get("handle", "")}

    async def registration(self, request: Request) -> Response:
        """Show the form in which anybody makes an account, where an organiser has opened that."""
        if request.state.who is not NOBODY:
            return _go("/me/")
        return await self._form(request, self._registering)

    async def register(self, request: Request) -> Response:
        """Make an account without an invite."""
        form = await _texts(request, "handle", "password", "invite")
        enter = partial(self._logins.register, _whole(form["invite"]), form["handle"], form["password"])
        return await self._enter(request, enter, self._registering, form)

    def _registering(self, request: Request, form: Mapping[str, str]) -> _Form:
        invites = self._logins.registrations()
        if not invites:
            raise Wrong(CLOSED)
        chosen, handle = _whole(form.get("invite", "")), form.get("handle", "")
        return "register.html", {"invites": invites, "chosen": chosen, "handle": handle}

    async def _enter(
        self, request: Request, enter: Callable[[str, str], str], read: _Read, form: Mapping[str, str]
    ) -> Response:
        """Let somebody in for whom ``enter`` opens a session; else show the form again, or why it is of no use."""
        try:
            secret = await self._with_password(partial(enter, address_of(request), _agent(request)))
        except (Wrong, TooManyTries) as error:
            return self._dead(request, error)
        except UsageError as error:
            return await self._form(request, read, form, error)
        return self._let_in("/me/", secret)

    async def _form(
        self,
        request: Request,
        read: _Read,
        form: Mapping[str, str] | None = None,
        error: UsageError | None = None,
    ) -> Response:
        """Show a form, above it what was wrong with what was sent; or that its code lets nobody in."""
        try:
            template, values = await self._in_thread(read, request, form or {})
        except UsageError as void:
            return self._dead(request, void)
        values = {**values, "least": LEAST_LENGTH, "problem": str(error or "")}
        if error is None:
            return self._page(template, NOBODY, 200, **values)
        return self._no(request, error, _status(error), template, **values)

    async def me(self, request: Request) -> Response:
        """Show somebody's own account."""
        return await self._me(request, 200)

    async def me_objects(self, request: Request) -> Response:
        """Return who somebody is: what programs ask first."""
        who: CurrentUser = request.state.who
        return JSONResponse(
            {
                "handle": who.viewer.handle,
                "team": who.viewer.team,
                "role": who.viewer.role,
                "roles": [{"league": league, "role": role} for league, role in who.viewer.roles],
                "scopes": None if who.viewer.scopes is None else list(who.viewer.scopes),
            },
            headers={"Cache-Control": "no-store"},
        )

    async def export(self, request: Request) -> Response:
        """Return all that is stored of somebody."""
        archive = await self._in_thread(self._logins.export, request.state.who, str(request.base_url))
        name = f"{request.state.who.viewer.handle}.zip"
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Length": str(archive.seek(0, 2)),
        }
        archive.seek(0)
        pieces = iter(partial(archive.read, 1 << 16), b"")
        done = BackgroundTask(archive.close)
        return StreamingResponse(pieces, 200, headers, "application/zip", background=done)

    async def change_password(self, request: Request) -> Response:
        """Store another password."""
        form = await _texts(request, "old", "new")
        ask = partial(
            self._logins.change_password, request.state.who, form["old"], form["new"], address_of(request)
        )
        try:
            await self._with_password(ask)
        except UsageError as error:
            return await self._me(request, _status(error), password_problem=str(error))
        return await self._me(request, 200, password_done=True)

    async def end_session(self, request: Request) -> Response:
        """End one session; if it is the one that asks, it was a logout."""
        number = _number(request)
        if number == request.state.who.session:
            return await self.log_out(request)
        await self._in_thread(self._logins.end_session, request.state.who, number)
        return _go("/me/#sessions")

    async def make_token(self, request: Request) -> Response:
        """Make a token, and show it: now and never again."""
        form = await fields(request)
        scopes = [scope for scope in SCOPES if form.get(scope)]
        name = form.get("name", "")[:LONGEST_FIELD].strip()
        try:
            secret = await self._in_thread(self._logins.make_token, request.state.who, name, scopes)
        except UsageError as error:
            if wants_json(request):
                return JSONResponse({"error": str(error)}, 422)
            return await self._me(request, 422, token_problem=str(error))
        if wants_json(request):
            return JSONResponse({"token": secret, "name": name, "scopes": scopes}, 201)
        return await self._me(request, 200, token=secret)

    async def end_token(self, request: Request) -> Response:
        """Void a token."""
        await self._in_thread(self._logins.end_token, request.state.who, _number(request))
        return _go("/me/#tokens")

    async def _me(self, request: Request, status: int, **said: Any) -> Response:
        who: CurrentUser = request.state.who
        return self._page(
            "me.html",
            who,
            status,
            leagues=await self._in_thread(self._logins.leagues_of, who),
            sessions=await self._in_thread(self._logins.sessions, who),
            tokens=await self._in_thread(self._logins.tokens, who),
            scopes=SCOPES,
            address=str(request.base_url).rstrip("/"),
            least=MIN_LENGTH,
            **{"password_problem": "", "password_done": False, "token_problem": "", "token": "", **said},
        )

    def _let_in(self, then: str, secret: str) -> Response:
        answer = _go(then)
        answer.set_cookie(
            self._cookie,
            secret,
            max_age=SESSION_DAYS * 86_400,
            path="/",
            secure=self._is_https,
            httponly=True,
            samesite="lax",
        )
        return answer

    def _dead(self, request: Request, error: UsageError) -> Response:
        """Answer a code that lets nobody in, or not any more."""
        status = 429 if isinstance(error, TooManyTries) else 404
        return self._no(request, error, status, "message.html", title="This cannot be used", what=str(error))

    def _no(self, request: Request, error: UsageError, status: int, template: str, **values: Any) -> Response:
        if wants_json(request):
            answer: Response = JSONResponse({"error": str(error)}, status)
        else:
            answer = self._page(template, NOBODY, status, **values)
        return with_wait(answer, error)

    async def _in_thread(self, work: Callable[..., T], *values: Any) -> T:
        return await anyio.to_thread.run_sync(partial(work, *values), limiter=self._workers)

    async def _with_password(self, work: Callable[[], T]) -> T:
        """Do what computes a password. Whoever waits here keeps nobody else waiting.

        Raises:
            TooManyTries: too many wait already.
        """
        if self._passwords.statistics().tasks_waiting >= QUEUE:
            raise TooManyTries(30.0)
        return await anyio.to_thread.run_sync(work, limiter=self._passwords)


async def _texts(request: Request, *names: str) -> dict[str, str]:
    form = await fields(request)
    return {name: form.get(name, "")[:LONGEST_FIELD] for name in names}


def _code(request: Request) -> str:
    code: str = request.path_params["code"]
    return code[:LONGEST_FIELD]


def _then(text: str) -> str:
    """Return where to go after a login: a page of this site, and nowhere else."""
    return text if _LOCAL.fullmatch(text) else "/me/"


def _go(where: str) -> RedirectResponse:
    return RedirectResponse(where, 303, {"Cache-Control": "no-store"})


def _number(request: Request) -> int:
    return _whole(request.path_params["number"])


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _status(error: UsageError) -> int:
    return 429 if isinstance(error, TooManyTries) else 403 if isinstance(error, Wrong) else 422


def _agent(request: Request) -> str:
    return request.headers.get("user-agent", "")[:LONGEST_FIELD]


ANYBODY = AccessRule("everybody")
"""At a browser."""

OWNER = AccessRule("account")
"""A token cannot make tokens, nor change what lets people in; it only ends itself."""

LOGIN_ENDPOINTS = (
    Endpoint("GET", "/login/", LoginViews.login, ANYBODY),
    Endpoint("POST", "/login/", LoginViews.log_in, ANYBODY),
    Endpoint(
        "POST", "/logout/", LoginViews.log_out, AccessRule("account", ("submit", "read-own", "organise"))
    ),
    Endpoint("GET", "/welcome/{code}/", LoginViews.welcome, ANYBODY),
    Endpoint("POST", "/welcome/{code}/", LoginViews.choose, ANYBODY),
    Endpoint("GET", "/join/{code}/", LoginViews.invited, ANYBODY),
    Endpoint("POST", "/join/{code}/", LoginViews.join, ANYBODY),
    Endpoint("GET", "/register/", LoginViews.registration, ANYBODY),
    Endpoint("POST", "/register/", LoginViews.register, ANYBODY),
    Endpoint("GET", "/me/", LoginViews.me, OWNER),
    Endpoint("GET", "/me/index.json", LoginViews.me_objects, AccessRule("account", ("read-own", "submit"))),
    Endpoint("GET", "/me/export.zip", LoginViews.export, OWNER),
    Endpoint("POST", "/me/password/", LoginViews.change_password, OWNER),
    Endpoint("POST", "/me/sessions/{number}/end/", LoginViews.end_session, OWNER),
    Endpoint("POST", "/me/tokens/", LoginViews.make_token, OWNER),
    Endpoint("POST", "/me/tokens/{number}/end/", LoginViews.end_token, OWNER),
)
