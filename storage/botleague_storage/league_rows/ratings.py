"""The rating cache of a season: the state of every entrant, and one event per match and side.

:func:`forget` empties the sums of :mod:`botleague_storage.queries.table_queries` as well: both cover the same fixtures.

``state`` is a text that the rating system wrote (bit-exact); ``value`` is its displayed number, for sorting and curves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import PORTION, columns, in_portions, insert_rows, upsert
from botleague_storage.schema.league_tables import (
    fixture,
    rating,
    rating_event,
    season,
    standing,
    strength,
    version,
)


class RatingRow(msgspec.Struct, frozen=True):
    """The rating of one version, valid through a fixture's ordinal number."""

    version_id: int
    state: str
    value: float
    games: int
    through: int


class RatingChange(NamedTuple):
    """Change of one rating by one match."""

    ordinal: int
    version_id: int
    before: float
    after: float


_COVERAGE = sa.select(season.c.settled, season.c.fold_version).where(season.c.id == sa.bindparam("season"))
_STATES = sa.select(rating.c.version_id, rating.c.state).where(
    rating.c.season_id == sa.bindparam("season"),
    rating.c.version_id.in_(sa.bindparam("some", expanding=True)),
)
# A subquery, not a join: SQLite would begin with the history, and look for the first match at each of its rows.
_FIRST = (
    sa.select(rating_event.c.before)
    .where(rating_event.c.season_id == sa.bindparam("season"), rating_event.c.version_id == version.c.id)
    .order_by(rating_event.c.ordinal)
    .limit(1)
    .scalar_subquery()
)
_STARTS = sa.select(version.c.id, _FIRST).where(version.c.id.in_(sa.bindparam("some", expanding=True)))
_COVER = season.update().where(season.c.id == sa.bindparam("of")).values(settled=sa.bindparam("covered"))


def coverage(connection: Connection, season_id: int) -> tuple[int, int]:
    """Return how many fixtures the ratings cover, and the version of the fold that they come from."""
    covered, version = connection.execute(_COVERAGE, {"season": season_id}).one()
    return covered, version


def states(connection: Connection, season_id: int, version_ids: Sequence[int]) -> dict[int, str]:
    """Return the stored states of these versions; newcomers are missing."""
    return {
        row.version_id: row.state
        for some in in_portions(version_ids)
        for row in connection.execute(_STATES, {"season": season_id, "some": some})
    }


def starts(connection: Connection, season_id: int, version_ids: Sequence[int]) -> dict[int, float]:
    """Return the ratings with which these versions went into their first rated matches; others are missing."""
    return {
        version_id: before
        for some in in_portions(version_ids)
        for version_id, before in connection.execute(_STARTS, {"season": season_id, "some": some})
        if before is not None
    }


def save(connection: Connection, season_id: int, covered: int, rows: Mapping[int, RatingRow]) -> None:
    """Store the state of the fold after ``covered`` fixtures: the ratings that have changed."""
    upsert(
        connection,
        rating,
        [
            {
                "season_id": season_id,
                "version_id": version_id,
                "state": row.state,
                "value": row.value,
                "games": row.games,
                "through": row.through,
            }
            for version_id, row in rows.items()
        ],
    )
    connection.execute(_COVER, {"of": season_id, "covered": covered})


def add_changes(connection: Connection, season_id: int, changes: Iterable[RatingChange]) -> None:
    """Add to a season's rating history."""
    # In order of the key: a long history is filled page after page.
    ordered = sorted(changes, key=itemgetter(1, 0))
    rows = [(season_id, version, ordinal, before, after) for ordinal, version, before, after in ordered]
    insert_rows(connection, rating_event, rows)


def forget(connection: Connection, season_id: int, fold_version: int) -> None:
    """Empty a season's cache, so that a version of the fold can recompute it."""
    connection.execute(rating.delete().where(rating.c.season_id == season_id))
    connection.execute(rating_event.delete().where(rating_event.c.season_id == season_id))
    connection.execute(standing.delete().where(standing.c.season_id == season_id))
    connection.execute(
        season.update().where(season.c.id == season_id).values(settled=0, fold_version=fold_version)
    )


def ratings(connection: Connection, season_id: int) -> list[RatingRow]:
    """Return all ratings of a season, best first, equal ones in order of version."""
    query = sa.select(*columns(rating, RatingRow)).where(rating.c.season_id == season_id)
    rows = connection.execute(query.order_by(rating.c.value.desc(), rating.c.version_id))
    return [RatingRow(**row._mapping) for row in rows]


def each_change(connection: Connection, season_id: int) -> Iterator[RatingChange]:
    """Yield all rating events of a season by ordinal number and version; a long history does not fit into memory."""
    query = sa.select(
        rating_event.c.ordinal, rating_event.c.version_id, rating_event.c.before, rating_event.c.after
    ).where(rating_event.c.season_id == season_id)
    query = query.order_by(rating_event.c.ordinal, rating_event.c.version_id)
    return map(RatingChange._make, connection.execute(query.execution_options(stream_results=True)))


def is_change_of(
    event: sa.FromClause, of: sa.FromClause, season_id: sa.ColumnElement[int] | int
) -> sa.ColumnElement[bool]:
    """Return whether a row of the rating history is that of a seat in its match."""
    return sa.and_(
        event.c.season_id == season_id,
        event.c.version_id == of.c.version_id,
        event.c.ordinal == fixture.c.ordinal,
    )


def digest(connection: Connection, season_id: int) -> str:
    """Return the SHA-256 of everything the cache of a season says, to the last bit."""
    hasher = hashlib.sha256()
    for table in (rating, rating_event, standing, strength):
        query = sa.select(table).where(table.c.season_id == season_id).order_by(*table.primary_key)
        rows = connection.execute(query.execution_options(stream_results=True))
        # A packed number has all of its bits, and costs a fiftieth of its decimal digits.
        for portion in rows.partitions(PORTION):
            hasher.update(msgspec.msgpack.encode([tuple(row) for row in portion]))
    return hasher.hexdigest()
