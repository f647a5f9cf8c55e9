"""Leagues, their seasons and entrants. Settings are JSON texts, stored once and never edited."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import add_row, columns
from botleague_storage.schema.league_tables import entrant, event, fixture, league, season, variant
from botleague_storage.schema.storage_errors import NotFound, nearest


class LeagueRow(msgspec.Struct, frozen=True):
    """A league; ``created_at`` in seconds since the epoch."""

    id: int
    name: str
    variant: str
    game: str
    variant_digest: str
    created_at: float


class LeagueProgress(LeagueRow, frozen=True):
    """A league, how many bots take part in its current season, and how far that is."""

    entrants: int
    fixtures: int
    done: int


class SeasonRow(msgspec.Struct, frozen=True):
    """A season: settings, start in seconds since the epoch, and number of first fixtures covered by the ratings."""

    id: int
    league_id: int
    number: int
    settings: str
    started_at: float
    settled: int


def variant_id(connection: Connection, name: str, game: str, digest: str, config: str) -> int:
    """Return the id of a variant with this configuration, storing it if it is new."""
    query = sa.select(variant.c.id).where(variant.c.name == name, variant.c.digest == digest)
    stored: int | None = connection.scalar(query)
    if stored is not None:
        return stored
    return add_row(connection, variant, name=name, game=game, digest=digest, config=config)


def create(connection: Connection, name: str, variant_id: int, settings: str) -> SeasonRow:
    """Make a league with its first season, which has these settings."""
    now = time.time()
    values = {"name": name, "variant_id": variant_id, "created_at": now}
    league_id = connection.execute(league.insert().values(values).returning(league.c.id)).scalar_one()
    first = {"league_id": league_id, "number": 1, "settings": settings, "started_at": now}
    connection.execute(season.insert().values(first))
    return current_season(connection, league_id)


def find(connection: Connection, name: str | None) -> LeagueRow:
    """Return the league called ``name``, or for None the one that was made last.

    Raises:
        NotFound: no such league.
    """
    if name is None:
        query = _LEAGUES.order_by(league.c.created_at.desc(), league.c.id.desc()).limit(1)
    else:
        query = _LEAGUES.where(league.c.name == name)
    row = connection.execute(query).first()
    if row is not None:
        return LeagueRow(**row._mapping)
    all_names = names(connection)
    if name is None or not all_names:
        raise NotFound("No leagues yet. `botleague run VARIANT` creates one.")
    listed = f"all {len(all_names)}" if len(all_names) > 1 else "the only one"
    raise NotFound(f"Unknown league {name!r}.{nearest(name, all_names)} `botleague leagues` lists {listed}.")


def id_of(connection: Connection, name: str) -> int:
    """Return the id of a league, much sooner than the league; raises as :func:`find`."""
    league_id = connection.scalar(sa.select(league.c.id).where(league.c.name == name))
    return find(connection, name).id if league_id is None else league_id


def leagues(connection: Connection) -> list[LeagueProgress]:
    """Return all leagues by name."""
    rows = connection.execute(_leagues().order_by(league.c.name))
    return [LeagueProgress(**row._mapping) for row in rows]


def names(connection: Connection) -> list[str]:
    """Return the names of all leagues, in order: much sooner than the leagues."""
    return list(connection.scalars(sa.select(league.c.name).order_by(league.c.name)))


def current_season(connection: Connection, league_id: int) -> SeasonRow:
    """Return the newest season of a league."""
    query = _SEASONS.where(season.c.league_id == league_id)
    row = connection.execute(query.order_by(season.c.number.desc()).limit(1)).one()
    return SeasonRow(**row._mapping)


def seasons(connection: Connection, league_id: int) -> list[SeasonRow]:
    """Return all seasons of a league, in order."""
    rows = connection.execute(_SEASONS_OF_LEAGUE, {"league": league_id})
    return [SeasonRow(**row._mapping) for row in rows]


def add_season(connection: Connection, league_id: int, settings: str) -> SeasonRow:
    """Make the next season of a league, which becomes the current one."""
    values = {
        "league_id": league_id,
        "number": current_season(connection, league_id).number + 1,
        "settings": settings,
        "started_at": time.time(),
    }
    connection.execute(season.insert().values(values))
    return current_season(connection, league_id)


_ENTRANTS = (
    sa.select(entrant.c.version_id)
    .where(entrant.c.season_id == sa.bindparam("season"))
    .order_by(entrant.c.number)
)


def entrants(connection: Connection, season_id: int) -> list[int]:
    """Return the version ids of a season's entrants, in order of registration."""
    return list(connection.scalars(_ENTRANTS, {"season": season_id}))


def entrant_numbers(connection: Connection, season_id: int) -> list[int]:
    """Return the numbers under which a season's entrants are registered, in order: 0, 1, 2 and so on."""
    query = sa.select(entrant.c.number).where(entrant.c.season_id == season_id)
    return list(connection.scalars(query.order_by(entrant.c.number)))


def add_entrants(connection: Connection, season_id: int, version_ids: Sequence[int]) -> None:
    """Register versions after those that are registered."""
    first = len(entrants(connection, season_id))
    rows = [
        {"season_id": season_id, "number": first + place, "version_id": version_id}
        for place, version_id in enumerate(version_ids)
    ]
    if rows:
        connection.execute(entrant.insert(), rows)


_SEASONS = sa.select(*columns(season, SeasonRow))
_SEASONS_OF_LEAGUE = _SEASONS.where(season.c.league_id == sa.bindparam("league")).order_by(season.c.number)


def bots_of_season(connection: Connection, season_id: int) -> int:
    """Return how many bots take part in a season; each counts once, with all versions that replaced others."""
    return connection.scalar(sa.select(_BOTS).where(season.c.id == season_id)) or 0


_LEAGUES = sa.select(
    league.c.id,
    league.c.name,
    variant.c.name.label("variant"),
    variant.c.game,
    variant.c.digest.label("variant_digest"),
    league.c.created_at,
).join(variant, variant.c.id == league.c.variant_id)


def _of_season(what: sa.ColumnElement[int], *where: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.select(what).where(*where).correlate(season).scalar_subquery(), 0)


# Entrants are numbered without gaps: a large season is not counted.
_BOTS = _of_season(sa.func.max(entrant.c.number) + 1, entrant.c.season_id == season.c.id) - _of_season(
    sa.func.count(event.c.version_id.distinct()), event.c.season_id == season.c.id, event.c.kind == "updated"
)


@functools.cache  # it takes longer to put together than to execute
def _leagues() -> sa.Select[Any]:
    any_season = season.alias()
    newest = sa.select(sa.func.max(any_season.c.id)).where(any_season.c.league_id == league.c.id)
    of_season = fixture.c.season_id == season.c.id
    later = (of_season, fixture.c.status == "done", fixture.c.ordinal >= season.c.settled)
    return _LEAGUES.add_columns(
        _BOTS.label("entrants"),
        # Ordinal numbers have no gaps either, and what is settled is done.
        _of_season(sa.func.max(fixture.c.ordinal) + 1, of_season).label("fixtures"),
        (season.c.settled + _of_season(sa.func.count(fixture.c.id), *later)).label("done"),
    ).join(season, season.c.id == newest.correlate(league).scalar_subquery())
