"""Journals: output, drawings and times of bots in their matches, as bytes that are not decoded here.

A journal can be lost without harm, so there is an end to them: of each bot a season keeps the latest
:data:`MAX_BYTES`. What counts towards that is found without adding up: every journal notes how much of its bot the
season has stored with it, through all that went before.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import insert_rows
from botleague_storage.schema.league_tables import fixture, journal, version
from botleague_storage.schema.league_tables import seat as seats

MAX_BYTES = 64 * 1024 * 1024
"""Bytes of journals that are kept of one bot in one season."""

LARGEST = 1024 * 1024
"""Bytes that no journal of one match comes to: among the oldest ones, those that end later are not looked at."""


def add_all(connection: Connection, season_id: int, written: Sequence[tuple[int, int, int, bytes]]) -> None:
    """Store journals, as (fixture id, seat, version id, content), and let go of what is too old by now.

    Empty ones are not stored. Needs the write transaction that stores the results.
    """
    written = [row for row in written if row[3]]
    if not written:
        return
    bots = _bots(connection, season_id, {version_id for _, _, version_id, _ in written})
    through = dict(bots.values())
    rows = []
    for fixture_id, seat, version_id, content in written:
        bot_id, _ = bots[version_id]
        through[bot_id] += len(content)
        rows.append((fixture_id, seat, season_id, bot_id, through[bot_id], content))
    insert_rows(connection, journal, rows)
    for bot_id, total in through.items():
        if total > MAX_BYTES:
            begins = journal.c.through - sa.func.length(journal.c.content)
            old = sa.and_(journal.c.through < total - MAX_BYTES + LARGEST, begins < total - MAX_BYTES)
            whose = sa.and_(journal.c.season_id == season_id, journal.c.bot_id == bot_id)
            connection.execute(journal.delete().where(whose, old))


def find(connection: Connection, fixture_id: int) -> dict[int, bytes]:
    """Return the stored journals of a match, by seat."""
    query = sa.select(journal.c.seat, journal.c.content).where(journal.c.fixture_id == fixture_id)
    return {row.seat: row.content for row in connection.execute(query)}


def newest(
    connection: Connection, season_id: int, version_id: int, end: int, limit: int
) -> list[tuple[int, bytes]]:
    """Return (match, content) of the newest journals of a version, of matches with ordinal numbers below ``end``."""
    mine = sa.and_(seats.c.fixture_id == journal.c.fixture_id, seats.c.seat == journal.c.seat)
    query = (
        sa.select(journal.c.fixture_id, journal.c.content)
        .join(seats, mine)
        .join(fixture, fixture.c.id == journal.c.fixture_id)
        .where(seats.c.version_id == version_id, fixture.c.season_id == season_id, fixture.c.ordinal < end)
        .order_by(fixture.c.ordinal.desc(), journal.c.seat)
        .limit(limit)
    )
    return [(row.fixture_id, row.content) for row in connection.execute(query)]


def forget(connection: Connection, fixture_id: int) -> None:
    """Let go of the journals of a match. Needs a write transaction."""
    connection.execute(journal.delete().where(journal.c.fixture_id == fixture_id))


_STORED = sa.select(
    version.c.id,
    version.c.bot_id,
    sa.select(sa.func.max(journal.c.through))
    .where(journal.c.season_id == sa.bindparam("season"), journal.c.bot_id == version.c.bot_id)
    .scalar_subquery()
    .label("through"),
).where(version.c.id.in_(sa.bindparam("versions", expanding=True)))


def _bots(connection: Connection, season_id: int, versions: set[int]) -> dict[int, tuple[int, int]]:
    """Return by version its bot, and how much of that bot's journals the season has stored."""
    rows = connection.execute(_STORED, {"season": season_id, "versions": sorted(versions)})
    return {row.id: (row.bot_id, row.through or 0) for row in rows}
