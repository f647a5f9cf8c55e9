"""Login pages: login and logout, one-time links, invites, registration, and the user's account.

Every form works without scripts: the answer is another page, or the form again with an error above it. No script can
read the cookie of a session, and no other site can send it.
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
from starlette.responses import JSONResponse, Response, StreamingResponse

from botleague.errors import UsageError, problem_of
from botleague.people import MIN_LENGTH, NOBODY, SCOPES, CurrentUser
from botleague.site import AccessRule
from botleague_server.accounts.login_service import (
    CLOSED,
    SESSION_DAYS,
    CodeGiven,
    LoginFailed,
    LoginService,
    TooManyAttempts,
)
from botleague_server.serving import Endpoint, address_of, fields, redirect, refusal, wants_json, with_wait

T = TypeVar("T")

Page = Callable[..., Response]
"""Renders a page: template name, user, status, and values of the template."""

_Form: TypeAlias = tuple[str, dict[str, Any]]
"""Template of a form, and its values."""

_Read: TypeAlias = Callable[[Request, Mapping[str, str]], _Form]
"""Returns a form, with the values sent before; raises UsageError for an unusable code. Blocking."""

MAX_FIELD_LENGTH = 400

LINK_REQUESTED = (
    "If there is an account with this handle, its organisers now see your request. Contact them, too, so that they "
    "know that it is from you. They will give you a link to choose a new password."
)
"""Answer to a request for a login link, whether or not there is such an account."""

WORKERS = 8
"""Threads for logins. Password checks, two at a time, have threads of their own."""

QUEUE = 200
"""Logins that may wait for their password checks."""

_LOCAL = re.compile(r"/(?![/\\])[A-Za-z0-9_.~%/-]*")


class LoginViews:
    """Login pages and their forms.

    Args:
        logins: checks passwords, codes, sessions and tokens.
        page: renders pages.
        is_https: whether browsers reach this server by https.
    """

    def __init__(self, logins: LoginService, page: Page, *, is_https: bool) -> None:
        self._logins = logins
        self._page = page
        self._is_https = is_https
        # Browsers accept this prefix over https only, and then refuse cookies that another host has set.
        self._cookie = "__Host-botleague" if is_https else "botleague"
        self._workers = CapacityLimiter(WORKERS)
        self._passwords = CapacityLimiter(2)

    async def identify(self, token: str, cookies: Mapping[str, str]) -> CurrentUser:
        """Return the user of a token, "" for none, or else of the session in cookies."""
        find = self._logins.user_of_token if token else self._logins.user_of_session
        secret = token or cookies.get(self._cookie, "")
        return await self._in_thread(find, secret[:MAX_FIELD_LENGTH]) if secret else NOBODY

    async def login(self, request: Request) -> Response:
        """Show the login form; redirect users who are logged in."""
        then = _then(request.query_params.get("then", ""))
        if request.state.who is not NOBODY:
            return redirect(then)
        registers = bool(await self._in_thread(self._logins.registrations))
        return self._page("login.html", NOBODY, 200, then=then, handle="", problem="", registers=registers)

    async def log_in(self, request: Request) -> Response:
        """Log in by password; redirect to the choice of a password after a one-time code."""
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
        except CodeGiven as login:
            return redirect(f"/welcome/{login.code}/")
        except UsageError as error:
            registers = bool(await self._in_thread(self._logins.registrations))
            values = {"then": then, "handle": form["handle"], "problem": str(error), "registers": registers}
            return self._no(request, error, _status(error), "login.html", **values)
        await self._in_thread(self._logins.log_out, request.state.who)
        return self._let_in(then, secret)

    async def forgotten(self, request: Request) -> Response:
        """Show the form that asks for a login link."""
        return self._page("forgotten.html", NOBODY, 200, handle="", problem="", is_done=False)

    async def ask_for_link(self, request: Request) -> Response:
        """Ask the organisers for a login link. The answer is the same for every handle, and so is its time."""
        handle = (await _texts(request, "handle"))["handle"]
        try:
            await self._in_thread(self._logins.count_link_request, address_of(request))
        except TooManyAttempts as error:
            return self._no(
                request, error, 429, "forgotten.html", handle=handle, problem=str(error), is_done=False
            )
        answer: Response = (
            JSONResponse({"done": LINK_REQUESTED}, headers={"Cache-Control": "no-store"})
            if wants_json(request)
            else self._page(
                "forgotten.html", NOBODY, 200, handle=handle, problem="", is_done=True, done=LINK_REQUESTED
            )
        )
        answer.background = BackgroundTask(self._in_thread, self._logins.ask_for_link, handle)
        return answer

    async def log_out(self, request: Request) -> Response:
        """End the session, or the token."""
        await self._in_thread(self._logins.log_out, request.state.who)
        answer = redirect("/")
        answer.delete_cookie(self._cookie, secure=self._is_https, httponly=True, samesite="lax")
        return answer

    async def welcome(self, request: Request) -> Response:
        """Show the form of a one-time link without using it up: mail programs open links, too."""
        return await self._form(request, self._welcomed)

    async def choose(self, request: Request) -> Response:
        """Use up a one-time link, and log in with the chosen password."""
        form = await _texts(request, "password")
        enter = partial(self._logins.welcome, _code(request), form["password"])
        return await self._enter(request, enter, self._welcomed, form)

    def _welcomed(self, request: Request, form: Mapping[str, str]) -> _Form:
        code = _code(request)
        handle = self._logins.handle_of_code(code, address_of(request))
        return "welcome.html", {"code": code, "handle": handle}

    async def invited(self, request: Request) -> Response:
        """Show the form of an invite."""
        return await self._form(request, self._invited)

    async def join(self, request: Request) -> Response:
        """Create an account with an invite."""
        form = await _texts(request, "handle", "password")
        enter = partial(self._logins.join, _code(request), form["handle"], form["password"])
        return await self._enter(request, enter, self._invited, form)

    def _invited(self, request: Request, form: Mapping[str, str]) -> _Form:
        code = _code(request)
        invite = self._logins.invite_of_code(code, address_of(request))
        return "join.html", {"code": code, "invite": invite, "handle": form.get("handle", "")}

    async def registration(self, request: Request) -> Response:
        """Show the registration form, where registration is open."""
        if request.state.who is not NOBODY:
            return redirect("/me/")
        return await self._form(request, self._registering)

    async def register(self, request: Request) -> Response:
        """Create an account without an invite."""
        form = await _texts(request, "handle", "password", "invite")
        enter = partial(self._logins.register, _whole(form["invite"]), form["handle"], form["password"])
        return await self._enter(request, enter, self._registering, form)

    def _registering(self, request: Request, form: Mapping[str, str]) -> _Form:
        invites = self._logins.registrations()
        if not invites:
            raise LoginFailed(CLOSED)
        chosen, handle = _whole(form.get("invite", "")), form.get("handle", "")
        return "register.html", {"invites": invites, "chosen": chosen, "handle": handle}

    async def _enter(
        self, request: Request, enter: Callable[[str, str], str], read: _Read, form: Mapping[str, str]
    ) -> Response:
        """Log in with the session that ``enter`` opens; else show the form again, or why its code is unusable."""
        try:
            secret = await self._with_password(partial(enter, address_of(request), _agent(request)))
        except (LoginFailed, TooManyAttempts) as error:
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
        """Show a form with the last error above it, or why its code is unusable."""
        try:
            template, values = await self._in_thread(read, request, form or {})
        except UsageError as refusal:
            return self._dead(request, refusal)
        values = {**values, "least": MIN_LENGTH, "problem": str(error or "")}
        if error is None:
            return self._page(template, NOBODY, 200, **values)
        return self._no(request, error, _status(error), template, **values)

    async def me(self, request: Request) -> Response:
        """Show the user's account."""
        return await self._me(request, 200)

    async def me_objects(self, request: Request) -> Response:
        """Return the user's handle, team, roles and scopes, which programs ask first."""
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
        """Return an archive of the data stored about the user."""
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
        """Store a new password."""
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
        """End a session; for the session of the request this is a logout."""
        number = _number(request)
        if number == request.state.who.session:
            return await self.log_out(request)
        await self._in_thread(self._logins.end_session, request.state.who, number)
        return redirect("/me/#sessions")

    async def make_token(self, request: Request) -> Response:
        """Create a token, and show it once."""
        form = await fields(request)
        scopes = [scope for scope in SCOPES if form.get(scope)]
        name = form.get("name", "")[:MAX_FIELD_LENGTH].strip()
        try:
            secret = await self._in_thread(self._logins.make_token, request.state.who, name, scopes)
        except UsageError as error:
            if wants_json(request):
                return refusal(problem_of(error), 422)
            return await self._me(request, 422, token_problem=str(error))
        if wants_json(request):
            return JSONResponse({"token": secret, "name": name, "scopes": scopes}, 201)
        return await self._me(request, 200, token=secret)

    async def end_token(self, request: Request) -> Response:
        """Revoke a token."""
        await self._in_thread(self._logins.end_token, request.state.who, _number(request))
        return redirect("/me/#tokens")

    async def _me(self, request: Request, status: int, **messages: Any) -> Response:
        who: CurrentUser = request.state.who
        logins = await self._in_thread(self._logins.logins_of, who)
        return self._page(
            "me.html",
            who,
            status,
            **logins._asdict(),
            scopes=SCOPES,
            address=str(request.base_url).rstrip("/"),
            least=MIN_LENGTH,
            **{"password_problem": "", "password_done": False, "token_problem": "", "token": "", **messages},
        )

    def _let_in(self, then: str, secret: str) -> Response:
        answer = redirect(then)
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
        """Answer a request with an unusable code, or to a closed registration."""
        status = 429 if isinstance(error, TooManyAttempts) else 404
        return self._no(request, error, status, "message.html", title="No access", what=str(error))

    def _no(self, request: Request, error: UsageError, status: int, template: str, **values: Any) -> Response:
        if wants_json(request):
            answer: Response = refusal(problem_of(error), status)
        else:
            answer = self._page(template, NOBODY, status, **values)
        return with_wait(answer, error)

    async def _in_thread(self, work: Callable[..., T], *values: Any) -> T:
        return await anyio.to_thread.run_sync(partial(work, *values), limiter=self._workers)

    async def _with_password(self, work: Callable[[], T]) -> T:
        """Run work that computes a password in a pool of its own: its queue delays no other request.

        Raises:
            TooManyAttempts: too many logins wait already.
        """
        if self._passwords.statistics().tasks_waiting >= QUEUE:
            raise TooManyAttempts(30.0)
        return await anyio.to_thread.run_sync(work, limiter=self._passwords)


async def _texts(request: Request, *names: str) -> dict[str, str]:
    form = await fields(request)
    return {name: form.get(name, "")[:MAX_FIELD_LENGTH] for name in names}


def _code(request: Request) -> str:
    code: str = request.path_params["code"]
    return code[:MAX_FIELD_LENGTH]


def _then(text: str) -> str:
    """Return the page after a login: the text if it is a page of this site, else the account page."""
    return text if _LOCAL.fullmatch(text) else "/me/"


def _number(request: Request) -> int:
    return _whole(request.path_params["number"])


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _status(error: UsageError) -> int:
    return 429 if isinstance(error, TooManyAttempts) else 403 if isinstance(error, LoginFailed) else 422


def _agent(request: Request) -> str:
    return request.headers.get("user-agent", "")[:MAX_FIELD_LENGTH]


ANYBODY = AccessRule("everybody")
"""Rule of pages without login, for browsers only."""

OWNER = AccessRule("account")
"""Rule without scopes: a token can neither create tokens nor change a login; it can only end itself."""

LOGIN_ENDPOINTS = (
    Endpoint("GET", "/login/", LoginViews.login, ANYBODY),
    Endpoint("POST", "/login/", LoginViews.log_in, ANYBODY),
    Endpoint(
        "POST", "/logout/", LoginViews.log_out, AccessRule("account", ("submit", "read-own", "organise"))
    ),
    Endpoint("GET", "/welcome/{code}/", LoginViews.welcome, ANYBODY),
    Endpoint("POST", "/welcome/{code}/", LoginViews.choose, ANYBODY),
    Endpoint("GET", "/forgotten/", LoginViews.forgotten, ANYBODY),
    Endpoint("POST", "/forgotten/", LoginViews.ask_for_link, ANYBODY),
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
