"""A server that people hand in to, as a program talks to it: what is asked, and what it may answer.

What a server says is a stranger's: it is bounded while it arrives, must have the types that are expected, and is
cleaned, so that no terminal acts upon it. A token goes to the server that gave it and nowhere else: no answer leads on
to another address.
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
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec

from botleague.application.authoring import LogLine, SubmissionResult
from botleague.application.client.practice_match import PracticeMatch
from botleague.errors import UsageError
from botleague.league.tables import Standing
from botleague.league.trials import Game
from botleague.version import __version__
from botleague_sandbox import clean_text
from botleague_storage.queries.table_queries import HistoryRow

T = TypeVar("T")

TIMEOUT_S = 30.0
"""For a server to say anything."""

MOST_BYTES = 16 * 1024 * 1024
"""Of an answer."""

LONG_FIELDS = frozenset(("problems", "warnings", "notes", "detail", "printed", "failure"))
"""Fields whose texts may have several lines."""

LONGEST_ERROR = 600
"""Bytes of a reason that are shown."""

SCOPES = ("submit", "read-own")
"""What the token of a command line is for."""

_HOST = re.compile(r"[A-Za-z0-9.:_-]+")
_TOKEN = re.compile(r"blt_[A-Za-z0-9_-]{16,200}")
_PORTS = {"http": 80, "https": 443}


class ServerError(UsageError):
    """A server is away, refuses, or answers what no server of ours does."""


class UnknownToken(ServerError):
    """The token is void, or has expired."""


class Upload(msgspec.Struct, frozen=True):
    """Something that was handed in.

    Attributes:
        upload: its number.
        state: ``waiting``; ``checked``, where the language is good and games follow; or as its result's outcome.
        received_at: seconds since the epoch.
        result: the verdict, None while it waits.
        games: whole matches in which it was tried.
        before: how many others come before it in the queue that it is in.
    """

    upload: int
    league: str
    state: str
    received_at: Annotated[float, msgspec.Meta(ge=0, le=1e11)]
    result: SubmissionResult | None = None
    games: tuple[Game, ...] = ()
    before: int = 0


class LeagueThere(msgspec.Struct, frozen=True):
    """A league of a server, with its current season."""

    league: str
    season: int
    variant: str
    seats: int


class TablePart(msgspec.Struct, frozen=True):
    """Rows of a table from the one numbered ``first`` on, of ``total``; what it ranks by is in each."""

    head: LeagueThere
    rows: list[Standing]
    first: int
    total: int


class _Line(msgspec.Struct, frozen=True):
    head: LeagueThere


class _Home(msgspec.Struct, frozen=True):
    leagues: list[_Line]


class _Uploads(msgspec.Struct, frozen=True):
    uploads: list[Upload]


class _Received(msgspec.Struct, frozen=True):
    upload: int


class _Inside(msgspec.Struct, frozen=True):
    lines: list[LogLine]


class _Asked(msgspec.Struct, frozen=True):
    practice: int


class _Person(msgspec.Struct, frozen=True):
    handle: str


class _Token(msgspec.Struct, frozen=True):
    token: str


class _Refusal(msgspec.Struct, frozen=True):
    error: str = ""


@dataclass(frozen=True, slots=True)
class Package:
    """A bot as it is sent: a zip, by whose name the bot is called unless ``bot`` says it."""

    name: str
    content: bytes
    bot: str = ""
    entry: str = ""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: http.client.HTTPMessage
    content: bytes


class _AsItIs(urllib.request.HTTPErrorProcessor):
    """Follows nothing: whoever answers "go elsewhere" would be given the token there."""

    def http_response(
        self, request: urllib.request.Request, response: http.client.HTTPResponse
    ) -> http.client.HTTPResponse:
        """Return what was answered."""
        return response

    https_response = http_response


@dataclass(frozen=True, slots=True)
class Server:
    """Where to ask, and with which token; every method raises :class:`ServerError` when it is not answered.

    Attributes:
        url: as of :func:`server_url`.
        token: "" for nobody's.
    """

    url: str
    token: str = ""

    def log_in(self, handle: str, password: str) -> Server:
        """Return the server with a new token of somebody's; the session that it takes is ended again."""
        answer = self._form("/login/", {"handle": handle, "password": password}, {"Origin": self.url})
        if (answer.headers.get("Location") or "").startswith("/welcome/"):
            raise ServerError(
                f"This is a one-time code. Log in with it at {self.url}/login/, choose a password there, and log in "
                "here with that."
            )
        cookie = (answer.headers.get("Set-Cookie") or "").partition(";")[0]
        if answer.status != 303 or not cookie:
            raise self._nonsense()
        shown = {"Origin": self.url, "Cookie": cookie}
        name = f"command line on {platform.node()}".strip()[:64]
        asked = {"name": name if name.isprintable() else "command line", **dict.fromkeys(SCOPES, "1")}
        try:
            made = self._decoded(self._form("/me/tokens/", asked, shown), _Token)
        finally:
            with suppress(ServerError):
                self._form("/logout/", {}, shown)
        if not _TOKEN.fullmatch(made.token):
            raise self._nonsense()
        return replace(self, token=made.token)

    def log_out(self) -> None:
        """Have the token voided; it may be void already."""
        with suppress(UnknownToken):
            self._form("/logout/", {}, {})

    def handle(self) -> str:
        """Return who the token belongs to."""
        return self._get("/me/index.json", _Person).handle

    def is_known(self) -> bool:
        """Return whether the token is still good."""
        try:
            self.handle()
        except UnknownToken:
            return False
        return True

    def leagues(self) -> list[LeagueThere]:
        """Return the leagues that are shown."""
        return [line.head for line in self._get("/index.json", _Home).leagues]

    def hand_in(self, address: str, package: Package) -> int:
        """Send a bot, and return the number of the upload.

        Args:
            address: of the league: a segment of a path.
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
        return self._decoded(answer, _Received).upload

    def upload(self, number: int) -> Upload:
        """Return what became of an upload."""
        found = self._get(f"/uploads/{number}/index.json", Upload)
        if (found.state in ("waiting", "checked")) != (found.result is None):
            raise self._nonsense()
        return found

    def practise(self, address: str, bot: str, opponent: str) -> int:
        """Ask for a match of practice in a league, and return its number."""
        answer = self._form(f"/leagues/{address}/practice/", {"bot": bot, "opponent": opponent}, {})
        return self._decoded(answer, _Asked).practice

    def practice(self, number: int) -> PracticeMatch:
        """Return a match of practice."""
        return self._get(f"/practice/{number}/index.json", PracticeMatch)

    def uploads(self, address: str) -> list[Upload]:
        """Return what one's team handed in to a league, the newest first."""
        return self._get(f"/leagues/{address}/hand-in/index.json", _Uploads).uploads

    def table(self, address: str, season: int | None = None) -> tuple[LeagueThere, list[Standing]]:
        """Return the table of a season, the current one's by default."""
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
            bot: a segment of a path, too.
        """
        return self._get(f"/leagues/{address}/history/{bot}/index.json", list[HistoryRow])

    def record(self, match: str) -> bytes:
        """Return the record of a match; what it says is a stranger's.

        Args:
            match: its path, with a / at its end.
        """
        answer = self._send(f"/{match}record", None, {})
        if answer.status != 200:
            raise self._nonsense()
        return answer.content

    def logs(self, match: str) -> list[LogLine]:
        """Return what one's own bots printed, used and failed at in a match, turn by turn.

        Args:
            match: its path, with a / at its end.
        """
        return self._get(f"/{match}inside/index.json", _Inside).lines

    def _get(self, path: str, kind: type[T]) -> T:
        return self._decoded(self._send(path, None, {}), kind)

    def _form(self, path: str, fields: Mapping[str, str], headers: Mapping[str, str]) -> _Answer:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._send(path, urlencode(fields).encode(), {**kind, **headers})

    def _send(self, path: str, body: bytes | None, headers: Mapping[str, str]) -> _Answer:
        """Return an answer, which may lead elsewhere; one that refuses is raised."""
        sent = {"Accept": "application/json", "User-Agent": f"botleague/{__version__}", **headers}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.url + path, body, sent)
        try:
            with urllib.request.build_opener(_AsItIs).open(request, timeout=TIMEOUT_S) as found:
                answer = _Answer(found.status, found.headers, found.read(MOST_BYTES + 1))
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ServerError(f"{self.url} cannot be reached: {_because(error)}. Try again later.") from error
        if len(answer.content) > MOST_BYTES:
            raise self._nonsense()
        if answer.status == 401 and self.token:
            raise UnknownToken(
                f"{self.url} does not know you any more: log in again with `botleague login {self.url}`."
            )
        if answer.status >= 400:
            raise ServerError(f"{self.url} refuses: {self._reason(answer)}")
        return answer

    def _decoded(self, answer: _Answer, kind: type[T]) -> T:
        if 300 <= answer.status < 400:
            raise ServerError(
                f"{self.url} sends on to {_line(answer.headers.get('Location') or '')!r}. If that is where the server "
                "is, log in there."
            )
        try:
            return msgspec.convert(_cleaned(msgspec.json.decode(answer.content)), kind)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise self._nonsense() from error

    def _reason(self, answer: _Answer) -> str:
        try:
            said = self._decoded(answer, _Refusal).error
        except ServerError:
            said = ""
        return (
            _line(clean_text(said, LONGEST_ERROR))
            or f"status {answer.status}, and no reason that can be read."
        )

    def _nonsense(self) -> ServerError:
        return ServerError(
            f"{self.url} answers what no server of botleague does. Look whether the address is right."
        )


def server_url(text: str) -> str:
    """Return the address of a server without a / at its end; https unless another is said, or it is this machine.

    Raises:
        UsageError: it is none.
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
            f"{text[:200]!r} is not the address of a server: write it like https://league.example.org, without what "
            "follows the host."
        )
    named = f"[{host}]" if ":" in host else host
    return f"{scheme}://{named}" + ("" if port in (None, _PORTS[scheme]) else f":{port}")


def is_readable(url: str) -> bool:
    """Return whether others on the way to a server can read what is said to it."""
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
        return f"it has said nothing for {TIMEOUT_S:.0f} seconds"
    if isinstance(reason, ssl.SSLCertVerificationError):
        return f"its certificate is not to be trusted ({reason.verify_message})"
    said = reason.strerror if isinstance(reason, OSError) else ""
    return _line(clean_text(said or str(reason) or type(reason).__name__, LONGEST_ERROR)).rstrip(".")


def _cleaned(value: Any, *, has_lines: bool = False) -> Any:
    """Return plain data in which no terminal acts upon a text, and only those of :data:`LONG_FIELDS` have lines."""
    if isinstance(value, str):
        return clean_text(value, MOST_BYTES) if has_lines else _line(value)
    if isinstance(value, list):
        return [_cleaned(one, has_lines=has_lines) for one in value]
    if isinstance(value, dict):
        return {_line(key): _cleaned(one, has_lines=key in LONG_FIELDS) for key, one in value.items()}
    return value


def _line(text: str) -> str:
    return " ".join(clean_text(text, MOST_BYTES).split())
