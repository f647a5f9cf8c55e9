"""Digests of rows, with which a reader sees what changed since an earlier transaction.

They cover what the reader of the connection may see, so hidden rows change none of them.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows.fixtures import IS_PLAYED_SEAT
from botleague_storage.league_rows.ratings import is_change_of
from botleague_storage.schema.bulk_statements import groups
from botleague_storage.schema.league_tables import (
    bot,
    entrant,
    fixture,
    fixture_seat,
    league,
    rating_event,
    record,
    replaced,
    result,
    season,
    seat,
    variant,
    version,
)
from botleague_storage.schema.schema import metadata

PRIVATE = (
    *("journal", "extension", "likeness", "decision"),
    *("role", "invite", "upload", "upload_limit", "practice"),
)
"""Tables of a league that no public page reads."""

BLOBS = (replaced.c.content, version.c.source)
"""Large columns next to their digests."""

PORTION = 100


class MatchDigest(NamedTuple):
    """A match, planned or finished, with the digest of all its rows; ``versions`` by seat."""

    ordinal: int
    round: int
    group: int
    versions: tuple[int, ...]
    digest: bytes


def of_league(connection: Connection, league_id: int, *, has_all_versions: bool) -> str:
    """Return the digest of all rows of a league, of all its seasons, and of the bots in them.

    Args:
        has_all_versions: also of versions that have not entered.
    """
    digest = hashlib.sha256()
    for query in _queries(has_all_versions):
        with connection.execute(query, {"league": league_id}) as rows:
            for portion in rows.partitions(PORTION):
                digest.update(_encoded(portion))
        digest.update(b"\n")
    return digest.hexdigest()


def of_matches(connection: Connection, season_id: int) -> Iterator[MatchDigest]:
    """Yield the digests of the matches of a season by ordinal number, with the ratings before and after them."""
    with connection.execute(_MATCHES, {"season": season_id}) as rows:
        for group in groups(rows):
            first = group[0]
            yield MatchDigest(
                first.ordinal,
                first.round,
                first.group,
                tuple(row.version_id for row in group),
                hashlib.sha256(_encoded(group)).digest(),
            )


@functools.cache
def _queries(has_all_versions: bool) -> list[sa.Select[Any]]:
    """Return a query for each table; tables are found by their columns, so that a new one is not forgotten."""
    league_id: sa.BindParameter[int] = sa.bindparam("league")
    seasons = sa.select(season.c.id).where(season.c.league_id == league_id)
    entrants = sa.select(entrant.c.version_id).where(entrant.c.season_id.in_(seasons))
    bots = sa.select(version.c.bot_id).where(version.c.id.in_(entrants))
    queries = [
        _all(league, league.c.id == league_id),
        sa.select(variant).join(league, league.c.variant_id == variant.c.id).where(league.c.id == league_id),
        _all(version, version.c.bot_id.in_(bots) if has_all_versions else version.c.id.in_(entrants)),
        _all(bot, bot.c.id.in_(bots)),
    ]
    for table in metadata.sorted_tables:
        if table.name in PRIVATE:
            continue
        if "season_id" in table.c:
            queries.append(_all(table, table.c.season_id.in_(seasons)))
        elif "fixture_id" in table.c:
            queries.append(
                _all(table, fixture.c.season_id.in_(seasons)).join(
                    fixture, fixture.c.id == table.c.fixture_id
                )
            )
        elif "league_id" in table.c:
            queries.append(_all(table, table.c.league_id == league_id))
    return queries


def _encoded(rows: Iterable[Sequence[Any]]) -> bytes:
    return msgspec.msgpack.encode([tuple(row) for row in rows])


def _all(table: sa.Table, where: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Return a query for all rows that meet a condition, without large columns."""
    columns = [sa.func.length(column) if column in BLOBS else column for column in table.c]
    return sa.select(*columns).select_from(table).where(where).order_by(*table.primary_key)


_MATCHES = (
    sa.select(
        fixture.c.ordinal,
        fixture.c.round,
        fixture.c["group"],
        fixture.c.label,
        fixture.c.seed,
        fixture.c.void,
        sa.case((fixture.c.status == "done", 1), else_=0),
        result.c.reason,
        result.c.layers,
        result.c.turns,
        result.c.wall_ms,
        result.c.recorded_at,
        record.c.digest,
        fixture_seat.c.version_id,
        seat.c.version_id.label("played"),
        seat.c.place,
        seat.c.score,
        seat.c.forfeit,
        seat.c.faults,
        seat.c.cpu_ms,
        rating_event.c.before,
        rating_event.c.after,
    )
    .join(fixture_seat, fixture_seat.c.fixture_id == fixture.c.id)
    .outerjoin(result, result.c.fixture_id == fixture.c.id)
    .outerjoin(record, record.c.fixture_id == fixture.c.id)
    .outerjoin(seat, IS_PLAYED_SEAT)
    .outerjoin(rating_event, is_change_of(rating_event, seat, sa.bindparam("season")))
    .where(fixture.c.season_id == sa.bindparam("season"))
    .order_by(fixture.c.ordinal, fixture_seat.c.seat)
    .execution_options(stream_results=True)
)
