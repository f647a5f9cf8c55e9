"""Pages of a team's unrated matches, which only the team sees."""

from __future__ import annotations

import anyio.to_thread
from sqlalchemy.engine import Connection
from starlette.requests import Request
from starlette.responses import Response

from botleague.application.client import PracticeMatch
from botleague.site import AccessRule, Owned, Page, Query, Reading, RenderedPage
from botleague_server.practice.practice_service import ask_for, opponents, practice_match, practice_record
from botleague_server.serving import (
    Answer,
    Endpoint,
    Server,
    current_user,
    fields,
    file,
    requested_league,
    stored,
)
from botleague_storage import practice_matches


async def _ask(server: Server, request: Request) -> Response:
    """Store the request for a match."""
    who, form, league = current_user(request), await fields(request), requested_league(request)

    def read_opponents(reading: Reading, _: Query) -> dict[str, int]:
        return opponents(reading.connection, reading.site.plugins, league)

    # The opponents are those that the team may see; the write transaction sees all.
    playing = await anyio.to_thread.run_sync(server.read, read_opponents, who, Query(request.path_params))

    def store(connection: Connection) -> int:
        plugins, team, now = server.reader.workspace.plugins, who.viewer.team, server.reader.now()
        bot, opponent = form.get("bot", ""), form.get("opponent", "")
        return ask_for(connection, plugins, league, team, bot, opponent, playing, now)

    return await stored(server, request, "practice", "practice", store, "No unrated match")


def _owner(reading: Reading, query: Query) -> Owned:
    """Return the owner and the league of the match of an address."""
    row = practice_matches.find(reading.connection, query.path_number("practice"))
    return Owned(row.owner, row.league)


def _match(reading: Reading, query: Query) -> RenderedPage[PracticeMatch]:
    page = practice_match(reading.connection, query.path_number("practice"))
    return RenderedPage(page, f"practice/{page.practice}/", refresh_s=3 if page.state == "waiting" else 0)


def _record(reading: Reading, query: Query) -> Answer:
    number = query.path_number("practice")
    content = practice_record(reading.connection, number)
    return Answer(content, "application/octet-stream", filename=f"practice-{number}.blr")


OWN_MATCH = AccessRule("account", ("submit", "read-own"), _owner)

PATH = "/practice/{practice}/"

PRACTICE_PAGES = (Page(PATH, "practice.html", _match, OWN_MATCH),)

PRACTICE_ENDPOINTS = (
    file(f"{PATH}record", _record, OWN_MATCH),
    Endpoint("POST", "/leagues/{league}/practice/", _ask, AccessRule("author", ("submit",))),
)
"""Bound to the server."""
