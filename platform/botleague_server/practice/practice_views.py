"""Matches of practice over the web: a team asks for one, and looks at how it went. Nobody else does."""

from __future__ import annotations

from collections.abc import Callable

import anyio.to_thread
from sqlalchemy.engine import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from botleague.errors import UsageError
from botleague.people import CurrentUser
from botleague_server.practice.practice_service import ask_for, opponents, practice_match, practice_record
from botleague_server.serving import (
    Answer,
    Asked,
    Endpoint,
    Method,
    Owned,
    Private,
    PrivatePages,
    fields,
    url_lookup,
    wants_json,
    who_asks,
)
from botleague_server.uploads import LimitReached
from botleague_storage import Database, NotFound, practice_matches

PATH = "/practice/{practice}/"


class Practising:
    """Answers teams that practise.

    Args:
        private: makes pages for one person.
        people: the database, opened for writing.
        refuse: makes a page of a title, what is wrong, and a status.
    """

    def __init__(
        self, private: PrivatePages, people: Database, refuse: Callable[[str, str, int], Response]
    ) -> None:
        self._private = private
        self._reader = private.reader
        self._people = people
        self._refuse = refuse

    def endpoints(self) -> list[tuple[Method, str, Endpoint]]:
        """Return what answers at which address."""
        return [
            ("POST", "/leagues/{league}/practice/", self.ask),
            *self._private.endpoints(PATH, "practice.html", self._match),
            ("GET", f"{PATH}record", self._private.answering(self._record)),
        ]

    async def owned(self, request: Request) -> Owned | None:
        """Return whose the match is that an address names, and in which league; None if there is none."""

        def read(connection: Connection) -> Owned | None:
            try:
                row = practice_matches.find(connection, _number(dict(request.path_params)))
            except NotFound:
                return None
            return Owned(row.owner, row.league)

        return await anyio.to_thread.run_sync(self._reader.read, read)

    async def ask(self, request: Request) -> Response:
        """Note that a match is wanted."""
        who, asked = who_asks(request), await fields(request)

        def known(connection: Connection) -> tuple[str, dict[str, int]]:
            league = url_lookup.league_name(self._reader, connection, request.path_params["league"])
            if league is None:
                raise NotFound("There is no such league here.")
            return league, opponents(connection, self._reader.workspace.plugins, league)

        def store() -> int:
            # Who plays there is what the team may see of that; what is written is written to all there is.
            league, playing = self._reader.read(known, who.viewer)
            plugins, team = self._reader.workspace.plugins, who.viewer.team
            bot, opponent = asked.get("bot", ""), asked.get("opponent", "")
            with self._people.writing() as connection:
                return ask_for(connection, plugins, league, team, bot, opponent, playing, self._reader.now())

        try:
            number = await anyio.to_thread.run_sync(store)
        except UsageError as error:
            status = 429 if isinstance(error, LimitReached) else 422
            answer = (
                JSONResponse({"error": str(error)}, status)
                if wants_json(request)
                else self._refuse("No match of practice", str(error), status)
            )
            if isinstance(error, LimitReached):
                answer.headers["Retry-After"] = str(int(error.wait_s) + 1)
            return answer
        if wants_json(request):
            return JSONResponse({"practice": number, "url": f"/practice/{number}/"}, 202)
        return RedirectResponse(f"/practice/{number}/", 303, {"Cache-Control": "no-store"})

    def _match(self, connection: Connection, who: CurrentUser, asked: Asked) -> Private:
        page = practice_match(connection, _number(asked))
        return Private(page, f"practice/{page.practice}/", refresh_s=3 if page.state == "waiting" else 0)

    def _record(self, who: CurrentUser, asked: Asked) -> Answer:
        number = _number(asked)
        content = self._reader.read(lambda connection: practice_record(connection, number), who.viewer)
        return Answer(content, "application/octet-stream", filename=f"practice-{number}.blr")


def _number(asked: Asked) -> int:
    return url_lookup.number(asked, "practice") or 0
