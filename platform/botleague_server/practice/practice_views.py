"""Matches of practice over the web: a team asks for one, and looks at how it went. Nobody else does."""

from __future__ import annotations

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from botleague.application.client import PracticeMatch
from botleague.errors import UsageError
from botleague.site import AccessRule, Owned, Page, Query, Reading, RenderedPage
from botleague_server.practice.practice_service import ask_for, opponents, practice_match, practice_record
from botleague_server.serving import (
    Answer,
    Endpoint,
    Server,
    fields,
    file,
    league_asked,
    wants_json,
    who_asks,
)
from botleague_server.uploads import LimitReached
from botleague_storage import Database, NotFound, practice_matches


class Practising:
    """Answers teams that practise.

    Args:
        people: the database, opened for writing.
    """

    def __init__(self, server: Server, people: Database) -> None:
        self._server = server
        self._people = people

    async def ask(self, request: Request) -> Response:
        """Note that a match is wanted."""
        who, asked, league = who_asks(request), await fields(request), league_asked(request)
        reader = self._server.reader

        def known(reading: Reading) -> dict[str, int]:
            return opponents(reading.connection, reading.plugins, league)

        def store() -> int:
            # Who plays there is what the team may see of that; what is written is written to all there is.
            playing = self._server.read(known, who)
            plugins, team = reader.workspace.plugins, who.viewer.team
            bot, opponent = asked.get("bot", ""), asked.get("opponent", "")
            with self._people.writing() as connection:
                return ask_for(connection, plugins, league, team, bot, opponent, playing, reader.now())

        try:
            number = await anyio.to_thread.run_sync(store)
        except UsageError as error:
            status = 429 if isinstance(error, LimitReached) else 422
            answer = self._server.refused(request, "No match of practice", str(error), status)
            if isinstance(error, LimitReached):
                answer.headers["Retry-After"] = str(int(error.wait_s) + 1)
            return answer
        if wants_json(request):
            return JSONResponse({"practice": number, "url": f"/practice/{number}/"}, 202)
        return RedirectResponse(f"/practice/{number}/", 303, {"Cache-Control": "no-store"})


def _owner(reading: Reading, query: Query) -> Owned | None:
    """Return whose the match is that an address names, and in which league; None if there is none."""
    try:
        row = practice_matches.find(reading.connection, _number(query))
    except NotFound:
        return None
    return Owned(row.owner, row.league)


def _match(reading: Reading, query: Query) -> RenderedPage[PracticeMatch]:
    page = practice_match(reading.connection, _number(query))
    return RenderedPage(page, f"practice/{page.practice}/", refresh_s=3 if page.state == "waiting" else 0)


def _record(reading: Reading, query: Query) -> Answer:
    number = _number(query)
    content = practice_record(reading.connection, number)
    return Answer(content, "application/octet-stream", filename=f"practice-{number}.blr")


def _number(query: Query) -> int:
    return query.number("practice") or 0


OWN_MATCH = AccessRule("account", ("submit", "read-own"), _owner)

PATH = "/practice/{practice}/"

PRACTICE_PAGES = (Page(PATH, "practice.html", _match, OWN_MATCH),)

PRACTICE_FILES = (file(f"{PATH}record", _record, OWN_MATCH),)
"""Bound to the server."""

PRACTICE_ENDPOINTS = (
    Endpoint("POST", "/leagues/{league}/practice/", Practising.ask, AccessRule("author", ("submit",))),
)
