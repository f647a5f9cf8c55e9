"""First run of a server with logins: a one-time link with which the first organiser makes an account in the browser.

It is an invite with the role organiser. Until it is used, a server without accounts and leagues answers every other
request with a page that says so.
"""

from __future__ import annotations

import anyio.to_thread
from sqlalchemy.engine import Connection
from starlette.types import ASGIApp, Receive, Scope, Send

from botleague_server.accounts.account_service import make_invite
from botleague_storage import Database, StorageError, accounts, credentials, leagues, server_notes

LINK_DAYS = 1 / 24
"""Days until a link expires: one hour."""

OPEN = ("/join/", "/static/", "/healthz")
"""Beginnings of the addresses that are answered as always."""


def is_empty(connection: Connection) -> bool:
    """Return whether a database has neither accounts nor leagues."""
    return not accounts.has_any(connection) and not leagues.names(connection)


def first_link(database: Database, now: float) -> str | None:
    """Return the path of a new link for the first organiser, None if there is an organiser.

    The previous link stops working.
    """
    with database.writing() as connection:
        if any("organiser" in row.roles.values() for row in accounts.accounts(connection)):
            return None
        if previous := server_notes.find(connection, "first-invite"):
            credentials.withdraw(connection, int(previous))
        number, code = make_invite(
            connection, now, role="organiser", league=None, team=None, uses=1, days=LINK_DAYS
        )
        server_notes.store(connection, "first-invite", str(number))
    return f"join/{code}/"


class FirstRun:
    """Answers with ``waiting`` until the database has an account or a league, and then passes all requests on."""

    def __init__(self, app: ASGIApp, database: Database, waiting: ASGIApp) -> None:
        self._app = app
        self._database = database
        self._waiting = waiting
        self._is_over = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if not self._is_over and scope["type"] == "http" and not scope["path"].startswith(OPEN):
            try:
                self._is_over = not await anyio.to_thread.run_sync(self._is_empty)
            except StorageError:  # the application has an answer to it
                await self._app(scope, receive, send)
                return
            if not self._is_over:
                await self._waiting(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_empty(self) -> bool:
        with self._database.reading() as connection:
            return is_empty(connection)
