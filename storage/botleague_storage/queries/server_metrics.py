"""Metrics of a whole database for operators: lengths of queues, and failures.

They include frozen seasons, so authors must not see them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows import fixtures
from botleague_storage.league_rows.results import read_faults
from botleague_storage.schema.league_tables import fixture, league, season, standing, void
from botleague_storage.schema.people_tables import upload


class LeagueFigures(msgspec.Struct, frozen=True):
    """Totals of a league over all of its seasons.

    Attributes:
        matches: by state: planned, claimed, done.
        faults: by kind, as far as matches are counted.
        void: attempts that failed because of the machine.
    """

    name: str
    matches: Mapping[str, int]
    faults: Mapping[str, int]
    void: int


def of_leagues(connection: Connection) -> list[LeagueFigures]:
    """Return the figures of every league, by name."""
    rows = connection.execute(sa.select(league.c.id, league.c.name).order_by(league.c.name)).all()
    matches = {row.id: dict.fromkeys(("planned", "claimed", "done"), 0) for row in rows}
    for season_id, league_id in connection.execute(sa.select(season.c.id, season.c.league_id)):
        planned, done = fixtures.counts(connection, season_id)
        claimed = sum(number for _, number, _ in fixtures.claims(connection, season_id))
        for state, number in (("planned", planned - claimed - done), ("claimed", claimed), ("done", done)):
            matches[league_id][state] += number
    faults: dict[int, Counter[str]] = {row.id: Counter() for row in rows}
    stored = sa.select(season.c.league_id, standing.c.faults).join(
        season, season.c.id == standing.c.season_id
    )
    for league_id, text in connection.execute(stored.where(standing.c.faults != "{}")):
        faults[league_id].update(read_faults(text))
    voided = (
        sa.select(season.c.league_id, sa.func.count())
        .select_from(void)
        .join(fixture, fixture.c.id == void.c.fixture_id)
        .join(season, season.c.id == fixture.c.season_id)
        .group_by(season.c.league_id)
    )
    voids = {row[0]: row[1] for row in connection.execute(voided)}
    return [LeagueFigures(row.name, matches[row.id], faults[row.id], voids.get(row.id, 0)) for row in rows]


def uploads_waiting(connection: Connection) -> int:
    """Return the number of uploads without a verdict."""
    waiting = sa.select(sa.func.count()).where(upload.c.state == "waiting")
    return connection.scalar(waiting) or 0


def latest(connection: Connection) -> float:
    """Return when a season was begun or an upload came last, in seconds since the epoch; 0 for never."""
    times = (
        connection.scalar(sa.select(sa.func.max(one))) for one in (season.c.started_at, upload.c.received_at)
    )
    return max((time or 0.0 for time in times), default=0.0)
