"""Headers of all answers, which restrict pages to what they need, and the check of the host.

DNS rebinding makes a browser take a page of another site for one of this server; its requests then carry that site's
name. So only known names are answered: the loopback names and the host of ``public_url``. A request to the latter has
the scheme of that URL for any proxy: links and redirects have it, and forms have to come from there.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from botleague.people import LOOPBACK

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "interest-cohort=()",
}

EMBEDDED_POLICY = HEADERS["Content-Security-Policy"].replace("frame-ancestors 'none'", "frame-ancestors *")
"""Policy of a page without forms that other sites may show in a frame."""


class Guard:
    """Checks the host of a request, and adds the headers to every answer.

    Args:
        public_url: public address of the server; "" for none.
        refuse: answers requests to an unknown host.
    """

    def __init__(self, app: ASGIApp, public_url: str, refuse: Callable[[str], ASGIApp]) -> None:
        self._app = app
        self._public = urlsplit(public_url)
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_embedded = headers.get("Content-Security-Policy") == EMBEDDED_POLICY
                for name, value in HEADERS.items():
                    if not (is_embedded and name == "X-Frame-Options"):
                        headers.setdefault(name, value)
            await send(message)

        host = _hostname(Headers(scope=scope).get("host", ""))
        if host and host == self._public.hostname:
            scope["scheme"] = self._public.scheme
        elif host not in LOOPBACK:
            await self._refuse(host)(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
