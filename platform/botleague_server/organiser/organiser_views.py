"""Organiser pages. Their decisions are those of the command line, and each shows its command.

The search for copied sources is a command in another process: this one never parses a source of a user.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import anyio.to_thread
import msgspec
from anyio import CapacityLimiter
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

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
from botleague.application.leagues import LeagueOptions, SeasonChoices, begin_next_season
from botleague.errors import UsageError, counted, problem_of
from botleague.league import Season, open_season
from botleague.league.decisions import season_start
from botleague.league.submission import refuse_path
from botleague.people import CurrentUser
from botleague.site import AccessRule, Page, Query, Reading, RenderedPage, bot_name, urls
from botleague_server.organiser.decision_forms import FORMS
from botleague_server.organiser.organiser_page import (
    MachinePage,
    OrganiserPage,
    PeoplePage,
    SourcesPage,
    machine_page,
    organiser_page,
    people_page,
    sources_page,
)
from botleague_server.serving import (
    Endpoint,
    Server,
    current_user,
    fields,
    redirect,
    refusal,
    requested_league,
    wants_json,
)
from botleague_storage import Database, NotFound, backup, backup_path, organiser_notes

T = TypeVar("T")

MAX_TEXT = 1000
"""Characters of a field that are read; no decision accepts as many."""

MAX_SEARCH_S = 300.0
"""Seconds for the search for copies."""

PLAYING_S = 10
"""Seconds between updates of the page of running matches."""

MAX_BYTES = 32 * 1024 * 1024
"""Bytes of its findings."""


class OrganiserViews:
    """Decisions and downloads of helpers and organisers.

    Args:
        people: the database, opened for writing.
    """

    def __init__(self, server: Server, people: Database) -> None:
        self._server = server
        self._reader = server.reader
        self._people = people
        self._workers = CapacityLimiter(2)
        self._searching = asyncio.Lock()

    async def decide(self, request: Request) -> Response:
        """Carry out a decision of an organiser."""
        who, sent = current_user(request), await fields(request)
        form = FORMS.get(request.path_params["decision"])
        if form is None:
            raise NotFound("There is no such decision.")
        decision = form.decision

        def work() -> tuple[str, DecisionResult, str]:
            workspace, league = self._reader.workspace, requested_league(request)
            if decision.is_everywhere:
                _refuse_unless_everywhere(who)
            values = form.read({name: text[:MAX_TEXT] for name, text in sent.items()}, league)
            site = workspace.settings.public_url or str(request.base_url)
            with self._people.writing() as connection:
                context = DecisionContext(connection, workspace, league, who, site.rstrip("/"))
                if sent.get("season"):
                    season_start.refuse_unless_current(context.season, sent["season"])
                done = decide(decision, values, context)
            return league, done, command_text(decision, values)

        return await self._done(request, work)

    async def back_up(self, request: Request) -> Response:
        """Copy the database to a file next to it."""
        who = current_user(request)
        await fields(request)

        def work() -> tuple[str, DecisionResult, str]:
            league = requested_league(request)
            _refuse_unless_everywhere(who)
            place = backup_path(self._people)
            backup(self._people, place)
            return league, DecisionResult(f"Copied to {place}.", {"file": str(place)}), "botleague db backup"

        return await self._done(request, work)

    async def begin_season(self, request: Request) -> Response:
        """Start the next season with the named bots, or with all active and newly submitted ones."""
        who, sent = current_user(request), await fields(request)

        def work() -> tuple[str, DecisionResult, str]:
            workspace, league = self._reader.workspace, requested_league(request)
            carry = _share(sent.get("carry", "").strip()[:MAX_TEXT])
            named = sent.get("bots", "").replace(",", " ").split()
            for name in named:
                refuse_path(name)
            coming = SeasonChoices(named=named, carry=carry, close=True, takes_all=not named)
            begun = begin_next_season(
                workspace, league, LeagueOptions(), coming, after=sent.get("season"), visitor=who
            )
            text = f"Started season {begun.number} of {league} with {counted(begun.entrants, 'bot')}."
            values = {"season": begun.number, "entrants": begun.entrants}
            return league, DecisionResult(text, values), begun.command

        return await self._done(request, work)

    async def look(self, request: Request) -> Response:
        """Search for copied sources and suspicious results."""
        await fields(request)
        league = requested_league(request)
        async with self._searching:
            findings = await _fairness(league, self._reader.workspace.settings.database)
            await anyio.to_thread.run_sync(self._store, league, findings, limiter=self._workers)
        self._server.read_again()
        return redirect(f"/{urls.desk(league)}likeness/")

    async def sources(self, request: Request) -> Response:
        """Pack the sources of all bots of the season."""

        def read(reading: Reading, query: Query) -> tuple[str, str]:
            season, _ = reading.season(query)
            number, place = tempfile.mkstemp(suffix=".zip")
            with os.fdopen(number, "wb") as file:
                write_sources(season, file)
            return place, season.league.name

        work = partial(self._server.read, read, current_user(request), Query(request.path_params))
        place, league = await anyio.to_thread.run_sync(work, limiter=self._workers)

        def remove() -> None:
            with suppress(OSError):
                os.unlink(place)

        name = f"{urls.slug(league)}-sources.zip"
        headers = {"Cache-Control": "no-store"}
        return FileResponse(place, 200, headers, "application/zip", BackgroundTask(remove), name)

    async def _done(self, request: Request, work: Callable[[], tuple[str, DecisionResult, str]]) -> Response:
        """Do some work, and show its result and the equivalent command."""
        try:
            league, done, command = await anyio.to_thread.run_sync(work, limiter=self._workers)
        except UsageError as error:
            league = requested_league(request)
            if wants_json(request):
                return refusal(problem_of(error), 422)
            return self._result(request, 422, league, str(error), "", is_refused=True)
        self._server.read_again()
        if wants_json(request):
            return JSONResponse({"done": done.text, "command": command, **done.values})
        return self._result(request, 200, league, done.text, command)

    def _result(
        self, request: Request, status: int, league: str, text: str, command: str, *, is_refused: bool = False
    ) -> Response:
        return self._server.page(
            "decision.html",
            current_user(request),
            status,
            league=league,
            text=text,
            command=command,
            is_refused=is_refused,
        )

    def _store(self, league: str, findings: list[dict[str, Any]]) -> None:
        """Store the findings of the search for copies."""
        with self._people.writing() as connection:
            season = open_season(connection, self._reader.workspace.plugins, league)
            organiser_notes.set_likeness(
                connection, season.id, time.time(), msgspec.json.encode(findings).decode()
            )


def _desk(reading: Reading, query: Query) -> RenderedPage[OrganiserPage]:
    """Read the entrants and the decision log."""
    season, visible = reading.season(query)
    page = organiser_page(season, visible, reading.now, query.number("first") or 1, query.text("near") or "")
    more = {"prefilled": query.text("one") or "", "details": decision_log.details}
    return _page(reading, season, "", page, more)


def _playing(reading: Reading, query: Query) -> RenderedPage[MachinePage]:
    """Read the matches and uploads in progress."""
    season, visible = reading.season(query)
    assert reading.site.database is not None
    page = machine_page(
        season, visible, reading.now, reading.site.profile, reading.site.database, reading.viewer
    )
    return _page(reading, season, "playing/", page, {"now": reading.now}, PLAYING_S)


def _of_people(reading: Reading, query: Query) -> RenderedPage[PeoplePage]:
    """Read the people and their roles."""
    season, visible = reading.season(query)
    page = people_page(season, visible, reading.now, reading.viewer)
    return _page(reading, season, "people/", page, {"now": reading.now})


def _likeness(reading: Reading, query: Query) -> RenderedPage[list[dict[str, Any]]]:
    """Read the findings of the last search for copies."""
    season, visible = reading.season(query)
    looked_at, text = organiser_notes.likeness_of(reading.connection, season.id) or (None, "[]")
    findings = msgspec.json.decode(text, type=list[dict[str, Any]])
    more = {
        "looked_at": looked_at,
        "clusters": [one for one in findings if one.get("report") == "copies"],
        "favours": [one for one in findings if one.get("report") == "favour"],
        "head": pages.season_head(season, visible, reading.now),
    }
    return _page(reading, season, "likeness/", findings, more)


def _side_by_side(reading: Reading, query: Query) -> RenderedPage[SourcesPage]:
    """Read two sources."""
    season, visible = reading.season(query)
    names = query.path["one"], query.path["other"]
    one, other = (entrant(season, bot_name(season, name)) for name in names)
    page = sources_page(season, visible, reading.now, one, other)
    return _page(reading, season, f"likeness/{names[0]}/{names[1]}/", page)


def _page(
    reading: Reading,
    season: Season,
    name: str,
    value: T,
    more: Mapping[str, Any] | None = None,
    refresh_s: int = 0,
) -> RenderedPage[T]:
    """Return an organiser page with the values that all of their templates need."""
    role = reading.viewer.role_in(season.league.name)
    shared = {
        "league": season.league.name,
        "decides": role == "organiser",
        "everywhere": reading.viewer.role == "organiser",
        "forms": FORMS,
    }
    path = f"{urls.desk(season.league.name)}{name}"
    return RenderedPage(value, path, {**shared, **(more or {})}, refresh_s)


def _share(text: str) -> float | None:
    """Return a share of ratings, None for an empty text."""
    try:
        return float(text) if text else None
    except ValueError:
        raise UsageError(
            f"{text[:40]!r} is not a number. Use a share above 0 and at most 1, such as 0.75."
        ) from None


def _refuse_unless_everywhere(who: CurrentUser) -> None:
    if who.viewer.role != "organiser":
        raise UsageError("This affects other leagues, so only an organiser of all leagues can do it.")


async def _fairness(league: str, database: str) -> list[dict[str, Any]]:
    """Return the findings of ``botleague fairness``.

    Raises:
        UsageError: the command failed, or took too long.
    """
    process = await python_process.start_async(
        *("botleague", "fairness", "--json", "--db", database, "--", league),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        process_group=0,
        limit=MAX_BYTES,
    )
    try:
        async with asyncio.timeout(MAX_SEARCH_S):
            output, errors = await process.communicate()
    except TimeoutError:
        raise UsageError(
            f"The search took longer than {MAX_SEARCH_S:.0f} seconds. Run the command instead."
        ) from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
    if process.returncode:
        raise UsageError(errors.decode(errors="replace")[-2000:].strip() or "The search failed.")
    return [msgspec.json.decode(line, type=dict[str, Any]) for line in output.splitlines()]


DESK = "/leagues/{league}/desk/"

# Helpers see, organisers decide.
SEES = AccessRule("helper", ("organise",))
DECIDES = AccessRule("organiser", ("organise",))

ORGANISER_PAGES = (
    Page(DESK, "organiser.html", _desk, SEES, query=("one", "first", "near")),
    Page(f"{DESK}playing/", "organiser_queue.html", _playing, SEES),
    Page(f"{DESK}people/", "organiser_people.html", _of_people, SEES),
    Page(f"{DESK}likeness/", "likeness.html", _likeness, SEES),
    Page(f"{DESK}likeness/{{one}}/{{other}}/", "side_by_side.html", _side_by_side, DECIDES),
)

ORGANISER_ENDPOINTS = (
    Endpoint("POST", f"{DESK}likeness/", OrganiserViews.look, SEES),
    Endpoint("GET", f"{DESK}sources.zip", OrganiserViews.sources, DECIDES),
    Endpoint("POST", f"{DESK}season/", OrganiserViews.begin_season, DECIDES),
    Endpoint("POST", f"{DESK}backup/", OrganiserViews.back_up, DECIDES),
    Endpoint("POST", f"{DESK}decide/{{decision}}/", OrganiserViews.decide, DECIDES),
)
