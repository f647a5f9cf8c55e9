"""The hash chain of a season, and the rows that it is made of: nothing here is a time, an epoch or a measurement.

A season has four chains, its parts: terms, entrants, events and matches. What a link is the hash of is the platform's
business; here it is bytes with a number. Links are only ever added, but for
matches that an organiser puts back into the queue. The season stores how many there are, so that none can vanish.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows.fixtures import IS_PLAYED_SEAT
from botleague_storage.league_rows.matches import first_not_done
from botleague_storage.schema.bulk_statements import groups, insert_rows
from botleague_storage.schema.league_tables import (
    chain,
    entrant,
    fixture,
    fixture_seat,
    league,
    record,
    result,
    season,
    season_start,
    seat,
    variant,
    version,
)

PARTS = ("terms", "entrants", "events", "matches")

_LAST = {
    part: sa.select(sa.func.max(chain.c.number))
    .where(chain.c.season_id == sa.bindparam("season"), chain.c.part == part)
    .scalar_subquery()
    for part in PARTS
}
_HEADS = sa.union_all(
    *(
        sa.select(chain.c.part, chain.c.number, chain.c.link).where(
            chain.c.season_id == sa.bindparam("season"), chain.c.part == part, chain.c.number == last
        )
        for part, last in _LAST.items()
    )
)
_LENGTH = sa.select(season.c.links).where(season.c.id == sa.bindparam("season"))
_STORE_LENGTH = season.update().where(season.c.id == sa.bindparam("of")).values(links=sa.bindparam("length"))


def heads(connection: Connection, season_id: int) -> dict[str, tuple[int, bytes]]:
    """Return how many links each part has, and the last one; (0, b"") for none."""
    ends = dict.fromkeys(PARTS, (0, b""))
    for part, number, link in connection.execute(_HEADS, {"season": season_id}):
        ends[part] = number + 1, bytes(link)
    return ends


def length(connection: Connection, season_id: int) -> int | None:
    """Return how many links the chain of a season must have; None for a season that was not chained."""
    length: int | None = connection.execute(_LENGTH, {"season": season_id}).scalar_one()
    return length


def store_length(connection: Connection, season_id: int, length: int) -> None:
    """Store how many links the chain of a season has. Needs a write transaction."""
    connection.execute(_STORE_LENGTH, {"of": season_id, "length": length})


def links(connection: Connection, season_id: int, part: str) -> Iterator[tuple[int, bytes]]:
    """Yield (number, link) of a part, in order."""
    query = sa.select(chain.c.number, chain.c.link).where(
        chain.c.season_id == season_id, chain.c.part == part
    )
    query = query.order_by(chain.c.number).execution_options(stream_results=True)
    for row in connection.execute(query):
        yield row.number, bytes(row.link)


def add(connection: Connection, season_id: int, part: str, first: int, links: Sequence[bytes]) -> None:
    """Add links to a part, the first of them with this number. Needs a write transaction."""
    rows = [(season_id, part, number, link) for number, link in enumerate(links, start=first)]
    insert_rows(connection, chain, rows)


def cut(connection: Connection, season_id: int, part: str, first: int) -> None:
    """Take away the links of a part from a number on. Needs a write transaction."""
    mine = sa.and_(chain.c.season_id == season_id, chain.c.part == part, chain.c.number >= first)
    connection.execute(chain.delete().where(mine))


def terms(connection: Connection, season_id: int) -> tuple[Any, ...]:
    """Return (season's number, variant, game, digest of its configuration, settings)."""
    query = (
        sa.select(season.c.number, variant.c.name, variant.c.game, variant.c.digest, season.c.settings)
        .join(league, league.c.id == season.c.league_id)
        .join(variant, variant.c.id == league.c.variant_id)
        .where(season.c.id == season_id)
    )
    return tuple(connection.execute(query).one())


_ENTRANTS = (
    sa.select(
        entrant.c.number,
        version.c.bot_id,
        version.c.number.label("version"),
        version.c.digest,
        season_start.c.state,
        season_start.c.value,
    )
    .join(version, version.c.id == entrant.c.version_id)
    .outerjoin(
        season_start,
        sa.and_(
            season_start.c.season_id == entrant.c.season_id, season_start.c.version_id == entrant.c.version_id
        ),
    )
    .where(entrant.c.season_id == sa.bindparam("season"), entrant.c.number >= sa.bindparam("first"))
    .order_by(entrant.c.number)
    .execution_options(stream_results=True)
)


def entrants(connection: Connection, season_id: int, first: int) -> Iterator[tuple[Any, ...]]:
    """Yield entrants from number ``first`` on.

    Each is (number, bot's id, version's number, digest of its source, state and value to start from).
    """
    for row in connection.execute(_ENTRANTS, {"season": season_id, "first": first}):
        yield tuple(row)


_MATCHES = (
    sa.select(
        fixture.c.ordinal,
        fixture.c.round,
        fixture.c.group,
        fixture.c.set_size,
        fixture.c.label,
        fixture.c.seed,
        result.c.turns,
        record.c.digest,
        entrant.c.number,
        seat.c.place,
        seat.c.score,
        seat.c.forfeit,
        seat.c.faults,
    )
    .join(fixture_seat, fixture_seat.c.fixture_id == fixture.c.id)
    .outerjoin(
        entrant,
        sa.and_(
            entrant.c.season_id == sa.bindparam("season"), entrant.c.version_id == fixture_seat.c.version_id
        ),
    )
    .outerjoin(result, result.c.fixture_id == fixture.c.id)
    .outerjoin(record, record.c.fixture_id == fixture.c.id)
    .outerjoin(seat, IS_PLAYED_SEAT)
    .where(fixture.c.season_id == sa.bindparam("season"), fixture.c.ordinal >= sa.bindparam("first"))
    .order_by(fixture.c.ordinal, fixture_seat.c.seat)
    .execution_options(stream_results=True)
)


_MATCHES_UNTIL = _MATCHES.where(fixture.c.ordinal < sa.bindparam("end"))


def matches(connection: Connection, season_id: int, first: int) -> Iterator[tuple[Any, ...]]:
    """Yield the matches from ordinal ``first`` on up to the first that is not done, with their results.

    Each is (ordinal, round, group, size of the group, label, seed, turns, digest of the record, seats), and each seat
    (entrant's number, place, score, forfeit, faults); what a match without a result has not is None.
    """
    gap = first_not_done(connection, season_id, first)
    if gap == first:
        return
    query = _MATCHES if gap is None else _MATCHES_UNTIL
    with connection.execute(query, {"season": season_id, "first": first, "end": gap}) as rows:
        for group in groups(rows):
            yield (*group[0][:8], [tuple(row[8:]) for row in group])
