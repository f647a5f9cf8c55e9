"""The client of a server: requests, and the responses that it accepts.

A response is untrusted: its size is bounded while it arrives, it must have the expected types, and it is cleaned of
control sequences for terminals. A token goes only to the server that issued it: redirects are not
followed.
"""

from __future__ import annotations

import http.client
import ipaddress
import platform
import re
import secrets
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec

from botleague.application.authoring import LogLine, SubmissionResult
from botleague.application.client.practice_match import PracticeMatch
from botleague.errors import CODES, Problem, UsageError
from botleague.league.tables import Standing
from botleague.league.trials import Game
from botleague.version import __version__
from botleague_sandbox import clean_text
from botleague_storage.queries.history_queries import HistoryRow

T = TypeVar("T")

TIMEOUT_S = 30.0
"""Seconds without an answer before a request fails."""

MAX_BYTES = 16 * 1024 * 1024
"""Maximum size of a response in bytes."""

LONG_FIELDS = frozenset(
    ("problems", "warnings", "notes", "detail", "printed", "failure", "message", "advice")
)
"""Fields with texts that may have several lines."""

MAX_ERROR_BYTES = 600
"""Maximum length of a printed error message in bytes."""

SCOPES = ("submit", "read-own")
"""Scopes of a command line's token."""

_HOST = re.compile(r"[A-Za-z0-9.:_-]+")
_TOKEN = re.compile(r"blt_[A-Za-z0-9_-]{16,200}")
_PORTS = {"http": 80, "https": 443}


class ServerError(UsageError):
    """A server is unavailable, refuses, or sends an invalid response."""

    code = "server"

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        if code in CODES:
            self.code = code


class UnknownToken(ServerError):
    """The token is revoked, or has expired."""

    code = "token"


class Upload(msgspec.Struct, frozen=True):
    """An upload.

    Attributes:
        state: ``waiting``; ``checked``, if the source is accepted and test matches follow; or its result's outcome.
        received_at: seconds since the epoch.
        result: the verdict, None while it waits.
        before: number of uploads that come before it in its queue.
    """

    upload: int
    league: str
    state: str
    received_at: Annotated[float, msgspec.Meta(ge=0, le=1e11)]
    result: SubmissionResult | None = None
    games: tuple[Game, ...] = ()
    before: int = 0


class LeagueThere(msgspec.Struct, frozen=True):
    """A league on a server, with its current season."""

    league: str
    season: int
    variant: str
    seats: int


class TablePart(msgspec.Struct, frozen=True):
    """Rows of standings from number ``first`` on, of ``total``; each has the value that it is ranked by."""

    head: LeagueThere
    rows: list[Standing]
    first: int
    total: int


class _Line(msgspec.Struct, frozen=True):
    head: LeagueThere


class Package(msgspec.Struct, frozen=True):
    """A bot to be uploaded: a zip, whose name is the bot's unless ``bot`` is set."""

    name: str
    content: bytes
    bot: str = ""
    entry: str = ""


class _Answer(msgspec.Struct, frozen=True):
    status: int
    headers: http.client.HTTPMessage
    content: bytes


class _NoRedirects(urllib.request.HTTPErrorProcessor):
    """Processor that follows no redirects, because the other address would get the token."""

    def http_response(
        self, request: urllib.request.Request, response: http.client.HTTPResponse
    ) -> http.client.HTTPResponse:
        """Return the response unchanged."""
        return response

    https_response = http_response


class Server(msgspec.Struct, frozen=True):
    """Address and token of a server; every method raises :class:`ServerError` if it fails.

    Attributes:
        url: see :func:`server_url`.
        token: "" without a login.
    """

    url: str
    token: str = ""

    def log_in(self, handle: str, password: str) -> Server:
        """Return the server with a new token of an account; the login session ends."""
        answer = self._form("/login/", {"handle": handle, "password": password}, {"Origin": self.url})
        if (answer.headers.get("Location") or "").startswith("/welcome/"):
            raise ServerError(
                f"This is a one-time code. Log in with it at {self.url}/login/, choose a password there, and log in "
                "here with that."
            )
        cookie = (answer.headers.get("Set-Cookie") or "").partition(";")[0]
        if answer.status != 303 or not cookie:
            raise self._nonsense()
        session = {"Origin": self.url, "Cookie": cookie}
        name = f"command line on {platform.node()}".strip()[:64]
        fields = {"name": name if name.isprintable() else "command line", **dict.fromkeys(SCOPES, "1")}
        try:
            token = self._decoded(self._form("/me/tokens/", fields, session), str, "token")
        finally:
            with suppress(ServerError):
                self._form("/logout/", {}, session)
        if not _TOKEN.fullmatch(token):
            raise self._nonsense()
        return msgspec.structs.replace(self, token=token)

    def log_out(self) -> None:
        """Revoke the token, if it is not revoked yet."""
        with suppress(UnknownToken):
            self._form("/logout/", {}, {})

    def handle(self) -> str:
        """Return the handle of the token's account."""
        return self._get("/me/index.json", str, "handle")

    def is_known(self) -> bool:
        """Return whether the token is still valid."""
        try:
            self.handle()
        except UnknownToken:
            return False
        return True

    def leagues(self) -> list[LeagueThere]:
        """Return the visible leagues."""
        return [line.head for line in self._get("/index.json", list[_Line], "leagues")]

    def hand_in(self, address: str, package: Package) -> int:
        """Upload a bot, and return the number of the upload.

        Args:
            address: of the league, as a segment of a path.
        """
        boundary = secrets.token_hex(16)
        fields = {"bot": package.bot, "entry": package.entry}
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields.items()
        ]
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{package.name}"\r\n\r\n'
        )
        body = b"".join([*parts, head.encode(), package.content, f"\r\n--{boundary}--\r\n".encode()])
        answer = self._send(
            f"/leagues/{address}/hand-in/",
            body,
            {"Content-Type": f"multipart/form-data; boundary={boundary}"},
        )
        return self._decoded(answer, int, "upload")

    def upload(self, number: int) -> Upload:
        """Return an upload and its result."""
        upload = self._get(f"/uploads/{number}/index.json", Upload)
        if (upload.state in ("waiting", "checked")) != (upload.result is None):
            raise self._nonsense()
        return upload

    def practise(self, address: str, bot: str, opponent: str) -> int:
        """Start an unrated match in a league, and return its number."""
        answer = self._form(f"/leagues/{address}/practice/", {"bot": bot, "opponent": opponent}, {})
        return self._decoded(answer, int, "practice")

    def practice(self, number: int) -> PracticeMatch:
        """Return an unrated match."""
        return self._get(f"/practice/{number}/index.json", PracticeMatch)

    def uploads(self, address: str) -> list[Upload]:
        """Return the uploads of one's team to a league, the newest first."""
        return self._get(f"/leagues/{address}/hand-in/index.json", list[Upload], "uploads")

    def table(self, address: str, season: int | None = None) -> tuple[LeagueThere, list[Standing]]:
        """Return the standings of a season, by default the current one."""
        where = f"/leagues/{address}/" + ("" if season is None else f"seasons/{season}/")
        part = self._get(f"{where}index.json", TablePart)
        rows = list(part.rows)
        while part.rows and len(rows) < part.total:
            part = self._get(f"{where}index.json?from={len(rows) + 1}", TablePart)
            rows += part.rows
        return part.head, rows

    def history(self, address: str, bot: str) -> list[HistoryRow]:
        """Return the newest matches of a bot in a league, the newest first.

        Args:
            bot: its name, as a segment of a path.
        """
        return self._get(f"/leagues/{address}/history/{bot}/index.json", list[HistoryRow])

    def record(self, match: str) -> bytes:
        """Return the record of a match; its content is untrusted.

        Args:
            match: its path, with a / at its end.
        """
        answer = self._send(f"/{match}record", None, {})
        if answer.status != 200:
            raise self._nonsense()
        return answer.content

    def logs(self, match: str) -> list[LogLine]:
        """Return the logs of one's own bots in a match, turn by turn.

        Args:
            match: its path, with a / at its end.
        """
        return self._get(f"/{match}inside/index.json", list[LogLine], "lines")

    def _get(self, path: str, kind: type[T], field: str = "") -> T:
        return self._decoded(self._send(path, None, {}), kind, field)

    def _form(self, path: str, fields: Mapping[str, str], headers: Mapping[str, str]) -> _Answer:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._send(path, urlencode(fields).encode(), {**kind, **headers})

    def _send(self, path: str, body: bytes | None, headers: Mapping[str, str]) -> _Answer:
        """Return a response, which may be a redirect.

        Raises:
            ServerError: the server is unavailable, or refuses.
        """
        sent = {"Accept": "application/json", "User-Agent": f"botleague/{__version__}", **headers}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.url + path, body, sent)
        try:
            with urllib.request.build_opener(_NoRedirects).open(request, timeout=TIMEOUT_S) as response:
                answer = _Answer(response.status, response.headers, response.read(MAX_BYTES + 1))
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ServerError(f"{self.url} cannot be reached: {_because(error)}. Try again later.") from error
        if len(answer.content) > MAX_BYTES:
            raise self._nonsense()
        if answer.status == 401 and self.token:
            raise UnknownToken(
                f"{self.url} no longer accepts your token. Log in again with `botleague login {self.url}`."
            )
        if answer.status >= 400:
            refusal = self._refusal(answer)
            raise ServerError(f"{self.url} refused the request: {refusal.message}", refusal.code)
        return answer

    def _decoded(self, answer: _Answer, kind: type[T], field: str = "") -> T:
        """Return the content of a response, or the field with this name of its object."""
        if 300 <= answer.status < 400:
            raise ServerError(
                f"{self.url} redirects to {_line(answer.headers.get('Location') or '')!r}. If the server "
                "has moved there, log in to that address."
            )
        try:
            content = msgspec.json.decode(answer.content)
            return msgspec.convert(_cleaned(content[field] if field else content), kind)
        except (msgspec.MsgspecError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise self._nonsense() from error

    def _refusal(self, answer: _Answer) -> Problem:
        try:
            refusal = self._decoded(answer, Problem, "error")
        except ServerError:
            refusal = Problem(ServerError.code, "")
        message = _line(clean_text(refusal.message, MAX_ERROR_BYTES))
        message = message or f"status {answer.status}, without a readable reason."
        return Problem(refusal.code, message)

    def _nonsense(self) -> ServerError:
        return ServerError(f"{self.url} does not look like a botleague server. Check the address.")


def server_url(text: str) -> str:
    """Return the address of a server without a / at its end; https by default, http for this machine.

    Raises:
        UsageError: it is not the address of a server.
    """
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    scheme = parts.scheme or ("http" if _is_loopback(host) else "https")
    is_whole = not (parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc)
    if scheme not in _PORTS or not _HOST.fullmatch(host) or not is_whole:
        raise UsageError(
            f"{text[:200]!r} is not the address of a server. Write it like https://league.example.org, with nothing "
            "after the host name."
        )
    named = f"[{host}]" if ":" in host else host
    return f"{scheme}://{named}" + ("" if port in (None, _PORTS[scheme]) else f":{port}")


def is_readable(url: str) -> bool:
    """Return whether others on the network can read the traffic to a server."""
    parts = urlsplit(url)
    return parts.scheme == "http" and not _is_loopback(parts.hostname or "")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _because(error: Exception) -> str:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, TimeoutError):
        return f"no answer for {TIMEOUT_S:.0f} seconds"
    if isinstance(reason, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({reason.verify_message})"
    message = reason.strerror if isinstance(reason, OSError) else ""
    return _line(clean_text(message or str(reason) or type(reason).__name__, MAX_ERROR_BYTES)).rstrip(".")


def _cleaned(value: Any, *, has_lines: bool = False) -> Any:
    """Return plain data without control sequences; only the texts of :data:`LONG_FIELDS` keep their lines."""
    if isinstance(value, str):
        return clean_text(value, MAX_BYTES) if has_lines else _line(value)
    if isinstance(value, list):
        return [_cleaned(one, has_lines=has_lines) for one in value]
    if isinstance(value, dict):
        return {_line(key): _cleaned(one, has_lines=key in LONG_FIELDS) for key, one in value.items()}
    return value


def _line(text: str) -> str:
    return " ".join(clean_text(text, MAX_BYTES).split())
