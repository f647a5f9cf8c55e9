"""Pages of a team's own bots: their state, faults and time, their sources, and their matches from inside.

Sources are shown as text and packed as the bytes that are stored: nothing here looks into them. What a seat was told
is computed where films are made.
"""

from __future__ import annotations

from collections.abc import Callable

import anyio.to_thread
import msgspec
from anyio import CapacityLimiter
from sqlalchemy.engine import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from botleague.application import pages
from botleague.application.authoring import zipped
from botleague.errors import UsageError
from botleague.league import Season, open_season
from botleague.league.tables import history
from botleague.people import CurrentUser, Viewer, is_at_least
from botleague.site import Films, urls
from botleague_server.practice import left, opponents
from botleague_server.serving import (
    INSIDE,
    MATCH,
    Answer,
    Asked,
    Endpoint,
    Method,
    Owned,
    Private,
    PrivatePages,
    url_lookup,
    wants_json,
    who_asks,
)
from botleague_server.team.team_page import inside_match, inside_page, own_bots, record_for, version_page
from botleague_server.uploads import LimitReached, go_back
from botleague_storage import (
    Database,
    NotFound,
    bots,
    leagues,
    page_queries,
    practice_matches,
    results,
    uploads,
)

HISTORY = 1000
"""Matches of a bot's history that are answered at once."""

PRACTICE = 20
"""Matches of practice of a team that are listed."""


def records(private: PrivatePages) -> list[tuple[Method, str, Endpoint]]:
    """Return what answers with the history of a bot and the record of a match: as programs read them."""
    reader = private.reader

    def told(who: CurrentUser, asked: Asked) -> Answer:
        def read(connection: Connection) -> Answer:
            season, _ = url_lookup.season(reader, connection, who.viewer, asked)
            game, slug = season.league.game, asked["bot_slug"]
            name = url_lookup.own_bot_name(season, slug)
            rows = history(connection, game, name, HISTORY)
            found = [row for row in rows if row.league == season.league.name]
            is_seen = found or page_queries.entered(connection, season.id, game, name)
            if not is_seen and not who.viewer.owns(bots.find(connection, game, name).owner):
                # A bot that others do not see is answered like one that does not exist.
                raise url_lookup.no_bot(season, slug)
            return Answer(msgspec.json.encode(found) + b"\n", "application/json")

        return reader.read(read, who.viewer)

    def record(who: CurrentUser, asked: Asked) -> Answer:
        def read(connection: Connection) -> Answer:
            season, seen = url_lookup.season(reader, connection, who.viewer, asked)
            number = url_lookup.number(asked, "match") or 0
            content = record_for(season, seen, who.viewer, number)
            return Answer(
                content, "application/octet-stream", filename=f"{urls.slug(season.league.name)}-{number}.blr"
            )

        return reader.read(read, who.viewer)

    return [
        ("GET", "/leagues/{league}/history/{bot_slug}/index.json", private.answering(told)),
        ("GET", f"{MATCH}record", private.answering(record)),
    ]


class TeamViews:
    """Answers teams about their own bots.

    Args:
        private: makes pages for one person.
        films: makes films, and says what seats were told.
        people: the database, opened for writing.
        refuse: makes a page of a title, what is wrong, and a status.
    """

    def __init__(
        self,
        private: PrivatePages,
        films: Films,
        people: Database,
        refuse: Callable[[str, str, int], Response],
    ) -> None:
        self._private = private
        self._reader = private.reader
        self._films = films
        self._people = people
        self._refuse = refuse
        self._workers = CapacityLimiter(4)

    def endpoints(self) -> list[tuple[Method, str, Endpoint]]:
        """Return what answers at which address."""
        version = f"{INSIDE}versions/{{version}}/"
        return [
            *self._private.endpoints("/me/bots/", "own_bots.html", self._own),
            *self._private.endpoints(INSIDE, "inside.html", self._bot),
            *self._private.endpoints(version, "version.html", self._version),
            *self._private.endpoints(f"{MATCH}inside/", "inside_match.html", self._match),
            *self._private.endpoints(f"{MATCH}inside/{{turn}}/", "turn.html", self._turn),
            ("GET", f"{version}source.zip", self._private.answering(self._source)),
            ("POST", f"{version}again/", self.again),
        ]

    async def owned(self, request: Request) -> Owned | None:
        """Return whose the bot is that an address names, and in which league it plays; None if there is none."""

        def read(connection: Connection) -> Owned | None:
            try:
                season, _ = url_lookup.season(self._reader, connection, Viewer(), dict(request.path_params))
                name = url_lookup.own_bot_name(season, request.path_params["bot_slug"])
            except NotFound:
                return None
            owner = bots.find(connection, season.league.game, name).owner
            # Whoever sees everything of a league sees what was handed in to it, and not to others of the same game.
            is_here = name in uploads.bots_in(connection, season.league.id, owner)
            return Owned(owner, season.league.name if is_here else "")

        return await anyio.to_thread.run_sync(self._reader.read, read)

    async def again(self, request: Request) -> Response:
        """Hand in the source of an earlier version once more."""
        who = who_asks(request)
        asked: Asked = dict(request.path_params)

        def store() -> int:
            with self._people.writing() as connection:
                league = url_lookup.league_name(self._reader, connection, asked["league"])
                if league is None:
                    raise NotFound("There is no such league here.")
                season = open_season(connection, self._reader.workspace.plugins, league)
                name = url_lookup.own_bot_name(season, asked["bot_slug"])
                number = url_lookup.number(asked, "version") or 0
                return go_back(connection, league, who.account, name, number, self._reader.now())

        try:
            number = await anyio.to_thread.run_sync(store, limiter=self._workers)
        except UsageError as error:
            status = 429 if isinstance(error, LimitReached) else 422
            if wants_json(request):
                return JSONResponse({"error": str(error)}, status)
            return self._refuse("It was not handed in", str(error), status)
        self._private.read_anew()
        if wants_json(request):
            return JSONResponse({"upload": number, "url": f"/uploads/{number}/"}, 202)
        return RedirectResponse(f"/uploads/{number}/", 303, {"Cache-Control": "no-store"})

    def _own(self, connection: Connection, who: CurrentUser, asked: Asked) -> Private:
        """Read the bots of one's team in all leagues."""
        shown = leagues.names(connection)
        found = [
            one
            for name in shown
            if not self._reader.only or name in self._reader.only
            for one in own_bots(self._open(connection, name), who.viewer.team)
        ]
        may = [name for name in shown if is_at_least(who.viewer.role_in(name), "author")]
        waits = any(one.state.upload and one.state.upload.state != "refused" for one in found)
        return Private(found, "me/bots/", {"leagues": may}, 3 if waits else 0)

    def _bot(self, connection: Connection, who: CurrentUser, asked: Asked) -> Private:
        """Read a bot from inside."""
        season, seen = url_lookup.season(self._reader, connection, who.viewer, asked)
        name = url_lookup.own_bot_name(season, asked["bot_slug"])
        page = inside_page(season, seen, self._reader.now(), name)
        numbers = [line.version for line in page.versions]
        chosen = [url_lookup.number(asked, which) for which in ("one", "other")]
        one, other = (given if given in numbers else None for given in chosen)
        upload = page.state.upload
        return Private(
            page,
            urls.inside(season.league.name, name),
            {
                "is_own": who.viewer.owns(page.owner),
                "one": one or numbers[min(1, len(numbers) - 1)],
                "other": other or numbers[0],
                **self._practice(season, page.owner, name),
            },
            3 if upload is not None and upload.state != "refused" else 0,
        )

    def _practice(self, season: Season, owner: str, name: str) -> dict[str, object]:
        """Read a bot's matches of practice, whom it can meet, and how many more it may."""
        rows = practice_matches.matches(season.connection, season.league.id, owner, PRACTICE)
        plugins, league = self._reader.workspace.plugins, season.league.name
        return {
            "practice": [row for row in rows if row.bot == name],
            "opponents": sorted(opponents(season.connection, plugins, league)),
            "practice_left": left(season.connection, league, owner, self._reader.now())[0],
        }

    def _version(self, connection: Connection, who: CurrentUser, asked: Asked) -> Private:
        """Read the source of a version."""
        season, seen = url_lookup.season(self._reader, connection, who.viewer, asked)
        name = url_lookup.own_bot_name(season, asked["bot_slug"])
        number = url_lookup.number(asked, "version") or 0
        page, _ = version_page(season, seen, self._reader.now(), name, number)
        path = f"{urls.inside(season.league.name, name)}versions/{number}/"
        return Private(page, path, {"is_own": who.viewer.owns(page.owner)})

    def _source(self, who: CurrentUser, asked: Asked) -> Answer:
        """Pack the source of a version, as it is stored."""

        def read(connection: Connection) -> Answer:
            season, seen = url_lookup.season(self._reader, connection, who.viewer, asked)
            name = url_lookup.own_bot_name(season, asked["bot_slug"])
            number = url_lookup.number(asked, "version") or 0
            _, source = version_page(season, seen, self._reader.now(), name, number)
            return Answer(zipped(source.files), "application/zip", filename=f"{urls.slug(name)}-{number}.zip")

        return self._reader.read(read, who.viewer)

    def _match(self, connection: Connection, who: CurrentUser, asked: Asked) -> Private:
        """Read a match from inside, with a film that shows what the viewer's bots drew, printed and were told."""
        season, seen = url_lookup.season(self._reader, connection, who.viewer, asked)
        number = url_lookup.number(asked, "match") or 0
        page, journals = inside_match(season, seen, who.viewer, self._reader.now(), number)
        film, says = self._films.get(
            page.match,
            season.league.game,
            lambda: results.find(connection, season.match_id(number)).content,
            journals,
            page.seats,
        )
        waits = film is None and not says.startswith("There is no film")
        more = {"film": film, "film_says": says}
        return Private(page, f"{_path(season, page)}inside/", more, 2 if waits else 0)

    def _turn(self, connection: Connection, who: CurrentUser, asked: Asked) -> Private:
        """Read a turn of a match from inside, with what the viewer's bots were told."""
        number, turn = url_lookup.number(asked, "match") or 0, url_lookup.number(asked, "turn") or 0
        season, seen = url_lookup.season(self._reader, connection, who.viewer, asked)
        page, _ = inside_match(season, seen, who.viewer, self._reader.now(), number)
        if turn >= page.match.turns:
            raise NotFound(f"Match {number} has no turn {turn}.")
        told, says = self._films.told(
            page.match,
            season.league.game,
            lambda: results.find(connection, season.match_id(number)).content,
            page.seats,
            turn,
        )
        lines = [line for line in page.lines if line.turn == turn]
        page = msgspec.structs.replace(page, lines=lines)
        more = {"turn": turn, "told": told, "says": says}
        path = f"{_path(season, page)}inside/{turn}/"
        return Private(page, path, more, 2 if told is None and not says else 0)

    def _open(self, connection: Connection, name: str) -> Season:
        return open_season(connection, self._reader.workspace.plugins, name)


def _path(season: Season, page: pages.InsideMatch) -> str:
    return urls.match(season.league.name, season.row.number, page.match.match)
