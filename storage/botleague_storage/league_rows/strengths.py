"""The batch table of a season as it was when a round was complete: a strength with its error for each version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import insert_rows, select_among
from botleague_storage.schema.league_tables import season, strength


class StrengthRow(NamedTuple):
    """The strength of one version, and its standard error."""

    rating: float
    error: float


_COVERAGE = sa.select(season.c.ranked, season.c.ranked_event).where(season.c.id == sa.bindparam("season"))


def coverage(connection: Connection, season_id: int) -> tuple[int, int]:
    """Return how many fixtures the table covers, 0 if none is stored, and the last event that it knows of."""
    covered, event = connection.execute(_COVERAGE, {"season": season_id}).one()
    return covered, event


def spread(connection: Connection, season_id: int) -> float | None:
    """Return the spread of the field in Elo as the table estimated it, None where it was not estimated."""
    query = sa.select(season.c.ranked_spread).where(season.c.id == season_id)
    estimate: float | None = connection.execute(query).scalar_one()
    return estimate


def save(
    connection: Connection,
    season_id: int,
    covered: int,
    event: int,
    rows: Mapping[int, StrengthRow],
    spread: float | None,
) -> None:
    """Store a table in place of the one that is there. Needs a write transaction."""
    connection.execute(strength.delete().where(strength.c.season_id == season_id))
    insert_rows(connection, strength, [(season_id, version, *row) for version, row in sorted(rows.items())])
    made = season.update().where(season.c.id == season_id)
    connection.execute(made.values(ranked=covered, ranked_event=event, ranked_spread=spread))


def strengths(
    connection: Connection, season_id: int, version_ids: Sequence[int] | None = None
) -> dict[int, StrengthRow]:
    """Return the rows of the table by version; who had no match is missing.

    Args:
        version_ids: versions to read; None for all.
    """
    query = sa.select(strength.c.version_id, strength.c.rating, strength.c.error).where(
        strength.c.season_id == season_id
    )
    rows = select_among(connection, query, strength.c.version_id, version_ids)
    return {row.version_id: StrengthRow(row.rating, row.error) for row in rows}
