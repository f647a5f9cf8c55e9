"""What every answer is wrapped in: headers that let a page do nothing but what it needs, and the check of the host.

A page of a stranger's site that a browser is tricked into taking for ours (DNS rebinding) asks under that site's name,
so only names that are known are answered: the loopback ones, or that of ``public_url``.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["LOOPBACK", "Guard", "allowed_hosts"]

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "interest-cohort=()",
}


def allowed_hosts(public_url: str) -> frozenset[str]:
    """Return the names under which a server answers."""
    name = urlsplit(public_url).hostname if public_url else None
    return LOOPBACK if name is None else frozenset({name, *LOOPBACK})


class Guard:
    """Checks the host a request asks for, and adds the headers to every answer."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], refuse: Callable[[str], ASGIApp]) -> None:
        self._app = app
        self._hosts = hosts
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        host = _hostname(Headers(scope=scope).get("host", ""))
        app = self._app if host in self._hosts else self._refuse(host)
        await app(scope, receive, guarded)


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
