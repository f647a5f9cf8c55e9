"""From what an address says to the league, season or bot that it means; what is not shown here does not exist."""

from __future__ import annotations

from typing import TypeAlias

from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league import Season, open_season
from botleague.league.season import Visible, visible
from botleague.people import Viewer
from botleague.site import urls
from botleague_server.serving.page_cache import PageReader
from botleague_storage import NotFound, bots, leagues, page_queries

Asked: TypeAlias = dict[str, str]
"""What an address says: parts of its path and of its query, by name."""

LARGEST = 2**63 - 1
"""No number in a database is larger."""


def number(asked: Asked, name: str) -> int | None:
    """Return a whole number from an address, None where there is none.

    Raises:
        NotFound: it is something else, which leads nowhere.
    """
    text = asked.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= LARGEST):
        raise NotFound(f"{name} {text[:40]!r} is not a number.")
    return int(text)


def league_name(reader: PageReader, connection: Connection, slug: str) -> str | None:
    """Return the name of a league that an address names, None if there is none."""
    shown = [name for name in leagues.names(connection) if not reader.only or name in reader.only]
    return next((name for name in shown if urls.slug(name) == slug), None)


def season(
    reader: PageReader, connection: Connection, viewer: Viewer, asked: Asked
) -> tuple[Season, Visible]:
    """Open the season that an address names, the current one if it says none.

    Raises:
        NotFound: there is none.
    """
    name = league_name(reader, connection, asked["league"])
    if name is None:
        raise NotFound(f"No league is called {asked['league']!r} here.")
    try:
        found = open_season(connection, reader.workspace.plugins, name, number(asked, "season"))
    except UsageError as error:
        raise NotFound(str(error)) from error
    return found, visible(viewer, found)


def season_of_id(reader: PageReader, connection: Connection, match: int) -> tuple[str, int, int] | None:
    """Return the league's name, the season's number and the ordinal number of the match with an id in the database.

    None stands for no such match among the leagues that are shown.
    """
    where = page_queries.where(connection, match)
    return None if where is None or (reader.only and where[0] not in reader.only) else where


def bot_name(season: Season, slug: str) -> str:
    """Return the name of a bot that plays in a season.

    Raises:
        NotFound: there is none.
    """
    if page_queries.entered(season.connection, season.id, season.league.game, slug):
        return slug
    # A name that cannot stand in an address: only then all names are looked at.
    found = next((row.bot for row in season.names.values() if urls.slug(row.bot) == slug), None)
    if found is None:
        raise NotFound(f"No bot called {slug!r} plays in {season.title!r}.")
    return found


def own_bot_name(season: Season, slug: str) -> str:
    """Return the name of a bot of a league's game, whether it plays or not.

    Raises:
        NotFound: there is none.
    """
    rows = bots.bots(season.connection, season.league.game, slug) or bots.bots(
        season.connection, season.league.game
    )
    found = next((row.name for row in rows if urls.slug(row.name) == slug), None)
    if found is None:
        raise no_bot(season, slug)
    return found


def no_bot(season: Season, slug: str) -> NotFound:
    """Return the error that says that a league's game has no such bot."""
    return NotFound(f"There is no bot {slug!r} in {season.league.name!r}.")
