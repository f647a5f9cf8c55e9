"""Upload pages: the form with its limits, and the verdict on each upload.

The names and bytes of an upload are stored as they came, and checked in another process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import anyio.to_thread
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from botleague.application.pages import league_notices
from botleague.league.submission import MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES
from botleague.site import AccessRule, Owned, Page, Query, Reading, RenderedPage, urls
from botleague_sandbox import MAX_SOURCE_BYTES
from botleague_server.monitoring import LATE_RULE
from botleague_server.serving import (
    Endpoint,
    QuietLog,
    Server,
    current_user,
    reading_form,
    requested_league,
    stored,
)
from botleague_server.uploads.upload_service import limits_of, receive, remaining_quota
from botleague_storage import leagues, uploads
from botleague_storage.people_rows.uploads import Limits, UploadRow

UPLOAD_S = 60.0
"""Seconds for the whole body of an upload."""

AT_A_TIME = 40
"""Uploads in progress: each may be as large as a league allows."""

OF_A_TEAM = 2
"""Uploads in progress per team."""

OVERHEAD = 64 * 1024
"""Bytes of a form other than its files."""

SHOWN = 20

BOT_SIZES = {
    "module": MAX_SOURCE_BYTES,
    "file": MAX_FILE_BYTES,
    "unpacked": MAX_TOTAL_BYTES,
    "files": MAX_FILES,
}
"""Limits of a bot in every league: bytes of a module, of another file and of all files; number of files."""


class UploadPages:
    """Upload form of authors.

    Args:
        limits: logs that a limit of the server is reached.
    """

    def __init__(self, server: Server, limits: QuietLog) -> None:
        self._server = server
        self._limits = limits
        self._receiving: Counter[str] = Counter()

    async def submit(self, request: Request) -> Response:
        """Store an upload. Its size is limited while it arrives."""
        # The start of its arrival counts for deadlines.
        league, who, begun = requested_league(request), current_user(request), self._server.reader.now()

        def limits(reading: Reading, _: Query) -> Limits:
            return limits_of(reading.connection, leagues.id_of(reading.connection, league))

        size = (
            await anyio.to_thread.run_sync(self._server.read, limits, who, Query(request.path_params))
        ).size
        with self._one_more(who.viewer.team):
            async with reading_form(request, size, UPLOAD_S, files=MAX_FILES, overhead=OVERHEAD) as form:
                bot, entry = (
                    value.strip() if isinstance(value := form.get(name), str) else ""
                    for name in ("bot", "entry")
                )
                files = [
                    (one.filename or "", await one.read())
                    for one in form.getlist("file")
                    if isinstance(one, UploadFile) and one.filename
                ]
        store = partial(
            receive,
            league=league,
            account_id=who.account,
            owner=who.viewer.team,
            files=files,
            now=begun,
            bot=bot,
            entry=entry,
        )
        title = "Not submitted"
        return await stored(
            self._server, request, "upload", "uploads", store, title, FORM, bot=bot, entry=entry
        )

    @contextmanager
    def _one_more(self, team: str) -> Iterator[None]:
        """Count an upload while it arrives.

        Raises:
            HTTPException: too many uploads of the team, or in total, are in progress.
        """
        if self._receiving[team] >= OF_A_TEAM:
            raise HTTPException(
                429,
                f"Your team has {OF_A_TEAM} uploads in progress. Send the next one when they have arrived.",
                {"Retry-After": "5"},
            )
        if self._receiving.total() >= AT_A_TIME:
            self._limits.note(
                f"{AT_A_TIME} uploads are in progress. Further ones are refused until one has arrived."
            )
            raise HTTPException(
                503, "Many uploads are in progress. Try again in a moment.", {"Retry-After": "5"}
            )
        self._receiving[team] += 1
        try:
            yield
        finally:
            self._receiving[team] -= 1
            if not self._receiving[team]:
                del self._receiving[team]


def _form(reading: Reading, query: Query) -> RenderedPage[dict[str, Any]]:
    """Read the remaining quota of a team, and its uploads."""
    season, _ = reading.season(query)
    connection, league, owner = reading.connection, season.league.name, reading.viewer.team
    number = season.league.id
    quota = remaining_quota(connection, number, owner, reading.now)
    rows = uploads.uploads(connection, number, owner, SHOWN)
    bots = sorted(uploads.bots_in(connection, number, owner))
    deadline = season.calendar_of(owner).shown("deadline")
    value = {
        "league": league,
        "owner": owner,
        "limits": {
            "a_day": quota.limits.a_day,
            "gap_s": quota.limits.gap_s,
            "size": quota.limits.size,
            "bots": quota.limits.bots,
            **BOT_SIZES,
        },
        "left_today": quota.today,
        "wait_s": quota.wait_s,
        "bots": bots,
        "deadline": deadline or None,
        "is_extended": deadline != season.calendar.shown("deadline"),
        "uploads": [_object(row) for row in rows],
    }
    notices = league_notices(season)
    more = {
        "quota": quota,
        "rows": rows,
        "problem": "",
        "sent": {},
        "late_rule": LATE_RULE,
        "notices": notices,
    }
    return RenderedPage(value, f"{urls.league(league)}hand-in/", more)


def _upload(reading: Reading, query: Query) -> RenderedPage[dict[str, Any]]:
    """Read an upload with its verdict, as ``botleague submit --json`` prints it."""
    row = uploads.find(reading.connection, query.path_number("upload"))
    ahead = uploads.before(reading.connection, row) if row.is_open else 0
    value = {**_object(row), "before": ahead}
    return RenderedPage(value, f"uploads/{row.id}/", {"row": row}, refresh_s=2 if row.is_open else 0)


def _object(row: UploadRow) -> dict[str, Any]:
    result = dict(row.report)
    games = result.pop("games", [])
    return {
        "upload": row.id,
        "league": row.league,
        "state": row.state,
        "received_at": row.received_at,
        "result": result or None,
        "games": games,
    }


def _owner(reading: Reading, query: Query) -> Owned:
    """Return the owner and the league of the upload of an address."""
    row = uploads.find(reading.connection, query.path_number("upload"))
    return Owned(row.owner, row.league)


FORM = Page(
    "/leagues/{league}/hand-in/",
    "submit.html",
    _form,
    AccessRule("author", ("submit", "read-own")),
    is_for_browsers=True,
    is_kept=False,
)

# Authors wait for a verdict: a cached page could be seconds old on a busy machine.
UPLOAD = Page(
    "/uploads/{upload}/",
    "upload.html",
    _upload,
    AccessRule("account", ("submit", "read-own"), _owner),
    is_for_browsers=True,
    is_kept=False,
)

UPLOAD_PAGES = (FORM, UPLOAD)

UPLOAD_ENDPOINTS = (Endpoint("POST", FORM.path, UploadPages.submit, AccessRule("author", ("submit",))),)
