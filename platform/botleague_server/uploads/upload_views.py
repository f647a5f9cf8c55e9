"""Pages of handing in: what may be sent and is left, the form, and what became of an upload.

Nothing of an upload is looked at here: names and bytes are stored as they came, and checked elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from sqlalchemy.engine import Connection
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from botleague.errors import UsageError
from botleague.league.submission import MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES
from botleague.site import AccessRule, Owned, Query, Reading
from botleague_sandbox import MAX_SOURCE_BYTES
from botleague_server.accounts import Page
from botleague_server.monitoring import LATE_RULE, calendar_of
from botleague_server.serving import Endpoint, LimitLog, league_asked, reading_form, wants_json, who_asks
from botleague_server.uploads.upload_service import LimitReached, left, limits_of, receive
from botleague_storage import Database, NotFound, leagues, uploads
from botleague_storage.people_rows.uploads import Limits, UploadRow

T = TypeVar("T")

UPLOAD_S = 60.0
"""Seconds for the whole body of an upload."""

AT_A_TIME = 40
"""Uploads in progress: each may be as large as a league allows."""

OF_A_TEAM = 2
"""Uploads in progress per team."""

OVERHEAD = 64 * 1024
"""Bytes of a form beside its files."""

SHOWN = 20

BOT_SIZES = {
    "module": MAX_SOURCE_BYTES,
    "file": MAX_FILE_BYTES,
    "unpacked": MAX_TOTAL_BYTES,
    "files": MAX_FILES,
}
"""What a bot may hold, whatever a league says: bytes of a module, of another file and of all, and files."""


class HandingIn:
    """Answers authors who hand in.

    Args:
        database: opened for writing.
        page: makes pages.
        now: says what time it is, in seconds since the epoch.
        limits: logs that a limit of the server is reached.
    """

    def __init__(self, database: Database, page: Page, now: Callable[[], float], limits: LimitLog) -> None:
        self._database = database
        self._page = page
        self._now = now
        self._workers = CapacityLimiter(8)
        self._limits = limits
        self._receiving: Counter[str] = Counter()

    async def form(self, request: Request) -> Response:
        """Show what may be handed in, and the form."""
        return await self._form(request, 200, "")

    async def form_objects(self, request: Request) -> Response:
        """Return what may be handed in, and what was."""
        league, may, rows, bots, deadline = await self._state(request)
        return _objects(
            {
                "league": league,
                "owner": who_asks(request).viewer.team,
                "limits": {
                    "a_day": may.limits.a_day,
                    "gap_s": may.limits.gap_s,
                    "size": may.limits.size,
                    "bots": may.limits.bots,
                    **BOT_SIZES,
                },
                "left_today": may.today,
                "wait_s": may.wait_s,
                "bots": bots,
                "deadline": deadline or None,
                "uploads": [self._object(row) for row in rows],
            }
        )

    async def hand_in(self, request: Request) -> Response:
        """Store what is sent, while it arrives no more of it than the league takes."""
        # A deadline that comes while it arrives is not missed.
        league, who, begun = league_asked(request), who_asks(request), self._now()

        def limits(connection: Connection) -> Limits:
            return limits_of(connection, leagues.id_of(connection, league))

        size = (await self._read(limits)).size
        with self._one_more(who.viewer.team):
            async with reading_form(request, size, UPLOAD_S, files=MAX_FILES, overhead=OVERHEAD) as form:
                texts = {name: value for name, value in form.items() if isinstance(value, str)}
                files = [
                    (one.filename or "", await one.read())
                    for one in form.getlist("file")
                    if isinstance(one, UploadFile) and one.filename
                ]

        def store() -> int:
            with self._database.writing() as connection:
                return receive(
                    connection,
                    league,
                    who.account,
                    who.viewer.team,
                    files,
                    begun,
                    bot=texts.get("bot", "").strip(),
                    entry=texts.get("entry", "").strip(),
                )

        try:
            number = await self._in_thread(store)
        except UsageError as error:
            status = 429 if isinstance(error, LimitReached) else 422
            answer = (
                JSONResponse({"error": str(error)}, status)
                if wants_json(request)
                else await self._form(request, status, str(error))
            )
            if isinstance(error, LimitReached):
                answer.headers["Retry-After"] = str(int(error.wait_s) + 1)
            return answer
        if wants_json(request):
            return JSONResponse({"upload": number, "url": f"/uploads/{number}/"}, 202)
        return RedirectResponse(f"/uploads/{number}/", 303)

    @contextmanager
    def _one_more(self, team: str) -> Iterator[None]:
        """Count an upload while it arrives.

        Raises:
            HTTPException: the team, or all teams together, have as many in progress as are received at a time.
        """
        if self._receiving[team] >= OF_A_TEAM:
            raise HTTPException(
                429,
                f"Your team has {OF_A_TEAM} uploads in progress. Send the next one when they have arrived.",
                {"Retry-After": "5"},
            )
        if self._receiving.total() >= AT_A_TIME:
            self._limits.reached(
                f"{AT_A_TIME} uploads are in progress. More are refused until one has arrived."
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

    async def upload(self, request: Request) -> Response:
        """Show what became of an upload; while it waits, the page is asked for again by itself."""
        row, ahead = await self._upload(request)
        answer = self._page("upload.html", who_asks(request), 200, row=row, ahead=ahead)
        if row.is_open:
            answer.headers["Refresh"] = "2"
        return answer

    async def upload_objects(self, request: Request) -> Response:
        """Return what became of an upload: the very object that ``botleague submit --json`` prints."""
        row, ahead = await self._upload(request)
        return _objects({**self._object(row), "before": ahead})

    async def _upload(self, request: Request) -> tuple[UploadRow, int]:
        """Return an upload, and how many are before it."""
        return await self._read(partial(_with_place, number=_number(Query(request.path_params))))

    async def _form(self, request: Request, status: int, problem: str) -> Response:
        league, may, rows, bots, deadline = await self._state(request)
        return self._page(
            "hand_in.html",
            who_asks(request),
            status,
            league=league,
            may=may,
            rows=rows,
            bots=bots,
            problem=problem,
            deadline=deadline,
            late_rule=LATE_RULE,
            sizes=BOT_SIZES,
        )

    async def _state(self, request: Request) -> tuple[str, Any, list[UploadRow], list[str], str]:
        league, owner = league_asked(request), who_asks(request).viewer.team

        def read(connection: Connection) -> tuple[str, Any, list[UploadRow], list[str], str]:
            number = leagues.id_of(connection, league)
            return (
                league,
                left(connection, number, owner, self._now()),
                uploads.uploads(connection, number, owner, SHOWN),
                sorted(uploads.bots_in(connection, number, owner)),
                calendar_of(connection, number).shown("deadline"),
            )

        return await self._read(read)

    def _object(self, row: UploadRow) -> dict[str, Any]:
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

    async def _read(self, work: Callable[[Connection], T]) -> T:
        def read() -> T:
            with self._database.reading() as connection:
                return work(connection)

        return await self._in_thread(read)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(work, limiter=self._workers)


def _with_place(connection: Connection, number: int) -> tuple[UploadRow, int]:
    row = uploads.find(connection, number)
    return row, uploads.before(connection, row) if row.is_open else 0


def _objects(value: object) -> Response:
    return JSONResponse(value, headers={"Cache-Control": "no-store"})


def _number(query: Query) -> int:
    return query.number("upload") or 0


def _owner(reading: Reading, query: Query) -> Owned | None:
    """Return whose the upload is that an address names, and in which league; None if there is none."""
    try:
        row = uploads.find(reading.connection, _number(query))
    except NotFound:
        return None
    return Owned(row.owner, row.league)


FORM = "/leagues/{league}/hand-in/"

UPLOAD = "/uploads/{upload}/"

UPLOAD_ENDPOINTS = (
    Endpoint("GET", FORM, HandingIn.form, AccessRule("author")),
    Endpoint(
        "GET", f"{FORM}index.json", HandingIn.form_objects, AccessRule("author", ("submit", "read-own"))
    ),
    Endpoint("POST", FORM, HandingIn.hand_in, AccessRule("author", ("submit",))),
    Endpoint("GET", UPLOAD, HandingIn.upload, AccessRule("account", (), _owner)),
    Endpoint(
        "GET",
        f"{UPLOAD}index.json",
        HandingIn.upload_objects,
        AccessRule("account", ("submit", "read-own"), _owner),
    ),
)
