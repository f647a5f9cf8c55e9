"""Pages of a team's own bots: their state, faults and times, their sources, and their matches.

Sources are shown as text and packed as stored bytes: this process never parses them. Observations are computed by the
process that makes replays.
"""

from __future__ import annotations

from functools import partial

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from botleague.application.authoring import zipped
from botleague.league import Season, open_season
from botleague.league.tables import history
from botleague.people import is_at_least
from botleague.site import (
    EVERYBODY,
    MATCH,
    AccessRule,
    Films,
    Owned,
    Page,
    Query,
    Reading,
    RenderedPage,
    urls,
)
from botleague_server.practice import opponents, remaining_matches
from botleague_server.serving import Answer, Endpoint, Server, current_user, file, stored
from botleague_server.team.team_page import (
    OwnBot,
    TeamBotPage,
    TeamMatchPage,
    VersionPage,
    own_bots,
    record_for,
    team_bot_page,
    team_match_page,
    version_page,
)
from botleague_server.uploads import go_back
from botleague_storage import NotFound, bots, page_queries, practice_matches, uploads

HISTORY = 1000
"""Matches of a bot's history in one answer."""

PRACTICE = 20
"""Unrated matches of a team in the list."""


def _history(reading: Reading, query: Query) -> Answer:
    """Read the history of a bot in a league, for programs."""
    season, _ = reading.season(query)
    name, game = _bot_name(season, query), season.league.game
    rows = [
        row for row in history(reading.connection, game, name, HISTORY) if row.league == season.league.name
    ]
    is_seen = rows or page_queries.entered(reading.connection, season.id, game, name)
    if not is_seen and not reading.viewer.owns(bots.find(reading.connection, game, name).owner):
        # A hidden bot gets the same answer as one that does not exist.
        raise _no_bot(season, query)
    return Answer(msgspec.json.encode(rows) + b"\n", "application/json")


def _record(reading: Reading, query: Query) -> Answer:
    """Read the record of a match."""
    season, visible = reading.season(query)
    number = query.path_number("match")
    content = record_for(season, visible, reading.viewer, number)
    name = f"{urls.slug(season.league.name)}-{number}.blr"
    return Answer(content, "application/octet-stream", filename=name)


async def _again(server: Server, request: Request) -> Response:
    """Submit the source of an earlier version again."""

    def submit(reading: Reading, query: Query) -> int:
        league = reading.league(query)
        if not league:
            raise NotFound("There is no such league here.")
        connection, number = reading.connection, query.path_number("version")
        name = _bot_name(open_season(connection, reading.site.plugins, league), query)
        return go_back(connection, league, reading.user.account, name, number, reading.now)

    query, now = Query(request.path_params), server.reader.now()
    store = partial(server.site.read, submit, current_user(request), query, now)
    return await stored(server, request, "upload", "uploads", store, "Not submitted")


def _bot_name(season: Season, query: Query) -> str:
    """Return the name of the bot of an address, among all bots of the league's game.

    Raises:
        NotFound: no such bot.
    """
    game, slug = season.league.game, query.path["bot_slug"]
    rows = bots.bots(season.connection, game, slug) or bots.bots(season.connection, game)
    name = next((row.name for row in rows if urls.slug(row.name) == slug), None)
    if name is None:
        raise _no_bot(season, query)
    return name


def _no_bot(season: Season, query: Query) -> NotFound:
    return NotFound(f"There is no bot {query.path['bot_slug']!r} in {season.league.name!r}.")


def _owner(reading: Reading, query: Query) -> Owned:
    """Return the owner of the bot of an address, and the league if the bot was submitted to it."""
    season, _ = reading.season(query)
    name = _bot_name(season, query)
    owner = bots.find(reading.connection, season.league.game, name).owner
    # Helpers of a league see bots that were submitted to it, and not those of other leagues of the same game.
    is_here = name in uploads.bots_in(reading.connection, season.league.id, owner)
    return Owned(owner, season.league.name if is_here else "")


def _own(reading: Reading, query: Query) -> RenderedPage[list[OwnBot]]:
    """Read a team's bots in all leagues."""
    own = [
        one
        for name in reading.leagues()
        for one in own_bots(open_season(reading.connection, reading.site.plugins, name), reading.viewer.team)
    ]
    submits_to = [name for name in reading.leagues() if is_at_least(reading.viewer.role_in(name), "author")]
    waits = any(one.state.upload and one.state.upload.state != "refused" for one in own)
    return RenderedPage(own, "me/bots/", {"leagues": submits_to}, 3 if waits else 0)


def _bot(reading: Reading, query: Query) -> RenderedPage[TeamBotPage]:
    """Read the team page of a bot."""
    season, visible = reading.season(query)
    name = _bot_name(season, query)
    page = team_bot_page(season, visible, reading.now, name)
    numbers = [line.version for line in page.versions]
    chosen = [query.number(which) for which in ("one", "other")]
    one, other = (number if number in numbers else None for number in chosen)
    upload = page.state.upload
    return RenderedPage(
        page,
        urls.inside(season.league.name, name),
        {
            "is_own": reading.viewer.owns(page.owner),
            "submits": _submits(reading, season, page.owner),
            "one": one or numbers[min(1, len(numbers) - 1)],
            "other": other or numbers[0],
            **_practice(reading, season, page.owner, name),
        },
        3 if upload is not None and upload.state != "refused" else 0,
    )


def _practice(reading: Reading, season: Season, owner: str, name: str) -> dict[str, object]:
    """Read a bot's unrated matches, its possible opponents, and the remaining matches of this hour."""
    rows = practice_matches.matches(season.connection, season.league.id, owner, PRACTICE)
    league = season.league.name
    return {
        "practice": [row for row in rows if row.bot == name],
        "opponents": sorted(opponents(season.connection, reading.site.plugins, league)),
        "practice_left": remaining_matches(season.connection, league, owner, reading.now)[0],
    }


def _version(reading: Reading, query: Query) -> RenderedPage[VersionPage]:
    """Read the source of a version."""
    season, visible = reading.season(query)
    name, number = _bot_name(season, query), query.path_number("version")
    page, _ = version_page(season, visible, reading.now, name, number)
    path = f"{urls.inside(season.league.name, name)}versions/{number}/"
    return RenderedPage(page, path, {"submits": _submits(reading, season, page.owner)})


def _submits(reading: Reading, season: Season, owner: str) -> bool:
    """Return whether the viewer may submit to the league as a bot's owner."""
    viewer = reading.viewer
    return viewer.owns(owner) and is_at_least(viewer.role_in(season.league.name), "author")


def _source(reading: Reading, query: Query) -> Answer:
    """Pack the stored source of a version."""
    season, visible = reading.season(query)
    name, number = _bot_name(season, query), query.path_number("version")
    _, source = version_page(season, visible, reading.now, name, number)
    return Answer(zipped(source.files), "application/zip", filename=f"{urls.slug(name)}-{number}.zip")


def _match(reading: Reading, query: Query) -> RenderedPage[TeamMatchPage]:
    """Read the team page of a match, whose replay shows output, drawings and observations of the viewer's bots."""
    season, visible = reading.season(query)
    number = query.path_number("match")
    page, journals = team_match_page(season, visible, reading.viewer, reading.now, number)
    film, says = reading.site.films.get(*reading.recorded(season, page.match), journals, page.seats)
    waits = film is None and not says.startswith("There is no replay")
    more = {"film": film, "film_says": says}
    return RenderedPage(page, f"{_path(season, page)}inside/", more, 2 if waits else 0)


def _turn(reading: Reading, query: Query) -> RenderedPage[TeamMatchPage]:
    """Read a turn of a match, with the observations of the viewer's bots."""
    number, turn = query.path_number("match"), query.path_number("turn")
    season, visible = reading.season(query)
    page, _ = team_match_page(season, visible, reading.viewer, reading.now, number)
    if turn >= page.match.turns:
        raise NotFound(f"Match {number} has no turn {turn}.")
    assert isinstance(reading.site.films, Films)
    recorded = reading.recorded(season, page.match)
    observations, says = reading.site.films.told(*recorded, page.seats, turn)
    lines = [line for line in page.lines if line.turn == turn]
    page = msgspec.structs.replace(page, lines=lines)
    more = {"turn": turn, "observations": observations, "says": says}
    path = f"{_path(season, page)}inside/{turn}/"
    return RenderedPage(page, path, more, 2 if observations is None and not says else 0)


def _path(season: Season, page: TeamMatchPage) -> str:
    return urls.match(season.league.name, season.row.number, page.match.match)


INSIDE = "/leagues/{league}/inside/{bot_slug}/"

VERSION = f"{INSIDE}versions/{{version}}/"

READ_OWN = AccessRule("account", ("read-own",))

OWN_BOT = AccessRule("account", ("read-own",), _owner)

TEAM_PAGES = (
    Page("/me/bots/", "own_bots.html", _own, READ_OWN),
    Page(INSIDE, "team_bot.html", _bot, OWN_BOT, query=("one", "other")),
    Page(VERSION, "version.html", _version, OWN_BOT),
    # For all members of teams: these pages show nothing of other teams' seats.
    Page(f"{MATCH}inside/", "team_match.html", _match, READ_OWN),
    Page(f"{MATCH}inside/{{turn}}/", "turn.html", _turn, READ_OWN),
)

RECORDS = (
    file("/leagues/{league}/history/{bot_slug}/index.json", _history, EVERYBODY),
    file(f"{MATCH}record", _record, EVERYBODY),
)
"""The history of a bot and the record of a match for programs, on every server. Bound to the server."""

TEAM_ENDPOINTS = (
    file(f"{VERSION}source.zip", _source, OWN_BOT),
    Endpoint("POST", f"{VERSION}again/", _again, AccessRule("author", ("submit",), _owner)),
)
"""Bound to the server."""
