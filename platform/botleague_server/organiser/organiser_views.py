"""Pages of the organiser's desk. What is decided here is what the command line decides, and says which command that is.

Clusters of copied sources are looked for by the command itself, in a process of its own: no source of a stranger's is
taken apart in this one.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio.to_thread
import msgspec
from anyio import CapacityLimiter
from sqlalchemy.engine import Connection
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from botleague import python_process
from botleague.application import pages
from botleague.application.decisions import (
    DecisionContext,
    DecisionResult,
    command_text,
    decide,
    decision_log,
    entrant,
    write_sources,
)
from botleague.errors import UsageError
from botleague.league import Season, open_season
from botleague.league.season import visible
from botleague.people import CurrentUser
from botleague.site import urls
from botleague_server.accounts import Page
from botleague_server.organiser.decision_forms import FORMS
from botleague_server.organiser.organiser_page import desk_page, desk_people, desk_playing, desk_sources
from botleague_server.serving import (
    DESK,
    Asked,
    Endpoint,
    Method,
    Private,
    PrivatePages,
    fields,
    url_lookup,
    wants_json,
    who_asks,
)
from botleague_storage import Database, NotFound, backup, backup_path, organiser_notes

LONGEST_LOOK_S = 300.0
"""For looking for copies."""

PLAYING_S = 10
"""Between two looks at what is being played."""

MOST_BYTES = 32 * 1024 * 1024
"""Of what is found."""


class OrganiserViews:
    """Answers helpers and organisers.

    Args:
        private: makes pages for one person.
        people: the database, opened for writing.
        page: makes a page that is not kept.
    """

    def __init__(self, private: PrivatePages, people: Database, page: Page) -> None:
        self._private = private
        self._reader = private.reader
        self._people = people
        self._page = page
        self._workers = CapacityLimiter(2)
        self._looking = asyncio.Lock()

    def endpoints(self) -> list[tuple[Method, str, Endpoint]]:
        """Return what answers at which address."""
        made = self._private.endpoints
        return [
            *made(DESK, "desk.html", self._desk),
            *made(f"{DESK}playing/", "desk_playing.html", self._playing),
            *made(f"{DESK}people/", "desk_people.html", self._of_people),
            *made(f"{DESK}likeness/", "likeness.html", self._likeness),
            *made(f"{DESK}likeness/{{one}}/{{other}}/", "side_by_side.html", self._side_by_side),
            ("POST", f"{DESK}likeness/", self.look),
            ("GET", f"{DESK}sources.zip", self.sources),
            ("POST", f"{DESK}backup/", self.back_up),
            ("POST", f"{DESK}decide/{{decision}}/", self.decide),
        ]

    async def decide(self, request: Request) -> Response:
        """Do what an organiser decides."""
        who, sent = who_asks(request), await fields(request)
        form = FORMS.get(request.path_params["decision"])
        if form is None:
            raise NotFound("There is no such decision.")
        decision = form.decision

        def work() -> tuple[str, DecisionResult, str]:
            workspace, league = self._reader.workspace, self._league(dict(request.path_params))
            if decision.is_everywhere:
                _refuse_unless_everywhere(who)
            given = form.read({name: text[:400] for name, text in sent.items()}, league)
            site = workspace.settings.public_url or str(request.base_url)
            with self._people.writing() as connection:
                context = DecisionContext(connection, workspace, league, who, site.rstrip("/"))
                done = decide(decision, given, context)
            return league, done, command_text(decision, given)

        return await self._done(request, work)

    async def back_up(self, request: Request) -> Response:
        """Copy the database, to a file beside it."""
        who = who_asks(request)
        await fields(request)

        def work() -> tuple[str, DecisionResult, str]:
            league = self._league(dict(request.path_params))
            _refuse_unless_everywhere(who)
            place = backup_path(self._people)
            backup(self._people, place)
            return league, DecisionResult(f"Copied to {place}.", {"file": str(place)}), "botleague db backup"

        return await self._done(request, work)

    async def look(self, request: Request) -> Response:
        """Look for copied sources and agreed results."""
        await fields(request)
        league = await anyio.to_thread.run_sync(self._league, dict(request.path_params))
        async with self._looking:
            found = await _fairness(league, self._reader.workspace.settings.database)
            await anyio.to_thread.run_sync(self._keep, league, found, limiter=self._workers)
        self._private.read_anew()
        return RedirectResponse(f"/{urls.desk(league)}likeness/", 303, {"Cache-Control": "no-store"})

    async def sources(self, request: Request) -> Response:
        """Pack the sources of all bots of the season."""
        who, asked = who_asks(request), dict(request.path_params)

        def work() -> tuple[str, str]:
            def read(connection: Connection) -> tuple[str, str]:
                season, _ = url_lookup.season(self._reader, connection, who.viewer, asked)
                number, place = tempfile.mkstemp(suffix=".zip")
                with os.fdopen(number, "wb") as file:
                    write_sources(season, file)
                return place, season.league.name

            return self._reader.read(read, who.viewer)

        place, league = await anyio.to_thread.run_sync(work, limiter=self._workers)

        def gone() -> None:
            with suppress(OSError):
                os.unlink(place)

        name = f"{urls.slug(league)}-sources.zip"
        headers = {"Cache-Control": "no-store"}
        return FileResponse(place, 200, headers, "application/zip", BackgroundTask(gone), name)

    async def _done(self, request: Request, work: Callable[[], tuple[str, DecisionResult, str]]) -> Response:
        """Do something, and say what came of it and which command does the same."""
        try:
            league, done, said = await anyio.to_thread.run_sync(work, limiter=self._workers)
        except UsageError as error:
            league = await anyio.to_thread.run_sync(self._league, dict(request.path_params))
            if wants_json(request):
                return JSONResponse({"error": str(error)}, 422)
            return self._said(request, 422, league, str(error), "", is_refused=True)
        self._private.read_anew()
        if wants_json(request):
            return JSONResponse({"done": done.text, "command": said, **done.values})
        return self._said(request, 200, league, done.text, said)

    def _said(
        self, request: Request, status: int, league: str, text: str, said: str, *, is_refused: bool = False
    ) -> Response:
        return self._page(
            "decided.html",
            who_asks(request),
            status,
            league=league,
            text=text,
            command=said,
            is_refused=is_refused,
        )

    def _keep(self, league: str, found: list[dict[str, Any]]) -> None:
        """Store what was found when it was looked for copies."""
        with self._people.writing() as connection:
            season = open_season(connection, self._reader.workspace.plugins, league)
            organiser_notes.set_likeness(
                connection, season.id, time.time(), msgspec.json.encode(found).decode()
            )

    def _league(self, asked: Asked) -> str:
        name = self._reader.read(
            lambda connection: url_lookup.league_name(self._reader, connection, asked["league"])
        )
        if name is None:
            raise NotFound("There is no such league here.")
        return name

    def _desk(self, connection: Connection, who: CurrentUser, asked: Asked) -> Private:
        """Read who takes part and what was decided."""
        season, seen = url_lookup.season(self._reader, connection, who.viewer, asked)
        first = url_lookup.number(asked, "first") or 1
        page = desk_page(season, seen, self._reader.now(), first, asked.get("near", ""))
        more = {"prefilled": asked.get("one", ""), "details": decision_log.details}
        return Private(page, _path(season), {**_shared(season, who), **more})

    def _playing(self, connection: Connection, who: CurrentUser, asked: Asked) -> Private:
        """Read what is being played and checked."""
        season, seen = url_lookup.season(self._reader, connection, who.viewer, asked)
        profile = self._reader.workspace.settings.sandbox
        page = desk_playing(season, seen, self._reader.now(), profile, self._people)
        more = {**_shared(season, who), "now": self._reader.now()}
        return Private(page, _path(season, "playing/"), more, PLAYING_S)

    def _of_people(self, connection: Connection, who: CurrentUser, asked: Asked) -> Private:
        """Read who may do what."""
        season, seen = url_lookup.season(self._reader, connection, who.viewer, asked)
        page = desk_people(season, seen, self._reader.now())
        more = {**_shared(season, who), "now": self._reader.now()}
        return Private(page, _path(season, "people/"), more)

    def _likeness(self, connection: Connection, who: CurrentUser, asked: Asked) -> Private:
        """Read what was found when it was looked for copies."""
        season, _ = url_lookup.season(self._reader, connection, who.viewer, asked)
        looked_at, text = organiser_notes.likeness_of(connection, season.id) or (None, "[]")
        found = msgspec.json.decode(text, type=list[dict[str, Any]])
        more = {
            "looked_at": looked_at,
            "clusters": [one for one in found if one.get("report") == "copies"],
            "favours": [one for one in found if one.get("report") == "favour"],
            "head": pages.season_head(season, visible(who.viewer, season), self._reader.now()),
        }
        return Private(found, _path(season, "likeness/"), {**_shared(season, who), **more})

    def _side_by_side(self, connection: Connection, who: CurrentUser, asked: Asked) -> Private:
        """Read two sources."""
        season, seen = url_lookup.season(self._reader, connection, who.viewer, asked)
        one, other = (
            entrant(season, url_lookup.bot_name(season, asked[which])) for which in ("one", "other")
        )
        page = desk_sources(season, seen, self._reader.now(), one, other)
        path = _path(season, f"likeness/{asked['one']}/{asked['other']}/")
        return Private(page, path, _shared(season, who))


def _path(season: Season, page: str = "") -> str:
    return f"{urls.desk(season.league.name)}{page}"


def _shared(season: Season, who: CurrentUser) -> dict[str, Any]:
    """Return what the templates of all pages of the desk take."""
    role = who.viewer.role_in(season.league.name)
    return {
        "league": season.league.name,
        "decides": role == "organiser",
        "everywhere": who.viewer.role == "organiser",
        "forms": FORMS,
    }


def _refuse_unless_everywhere(who: CurrentUser) -> None:
    if who.viewer.role != "organiser":
        raise UsageError("This reaches beyond the league: only an organiser of all leagues may do it.")


async def _fairness(league: str, database: str) -> list[dict[str, Any]]:
    """Return what ``botleague fairness`` finds.

    Raises:
        UsageError: it failed, or took too long.
    """
    process = await python_process.start_async(
        *("botleague", "fairness", league, "--json", "--db", database),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        process_group=0,
        limit=MOST_BYTES,
    )
    try:
        async with asyncio.timeout(LONGEST_LOOK_S):
            found, said = await process.communicate()
    except TimeoutError:
        raise UsageError(
            f"It took longer than {LONGEST_LOOK_S:.0f} seconds. Call the command instead."
        ) from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
    if process.returncode:
        raise UsageError(said.decode(errors="replace")[-2000:].strip() or "It failed.")
    return [msgspec.json.decode(line, type=dict[str, Any]) for line in found.splitlines()]
