"""Queries of tables: the entrants of a season in order, and sums of matches per bot version.

The sums are kept like the ratings, and are part of the same fold: ``standing`` holds them for the fixtures that
``season.settled`` covers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows.results import read_faults, write_faults
from botleague_storage.schema.bulk_statements import select_among, upsert
from botleague_storage.schema.league_tables import (
    bot,
    entrant,
    rating,
    standing,
    strength,
    version,
)


class Totals(NamedTuple):
    """Sums over a version's matches in one season; ``faults`` by kind."""

    matches: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    faults: dict[str, int]
    score: float
    cpu_ms: float


class TableRow(msgspec.Struct, frozen=True):
    """An entrant in its league's table.

    Attributes:
        rank: 1 is best; equal ratings share it.
        state: the rating as its system wrote it, None for a version that was never rated.
    """

    rank: int
    version_id: int
    bot: str
    number: int
    owner: str
    state: str | None


_TOTALS = sa.select(standing.c.version_id, *(standing.c[name] for name in Totals._fields))


def totals(
    connection: Connection, season_id: int, version_ids: Sequence[int] | None = None
) -> dict[int, Totals]:
    """Return the stored sums of a season, by version.

    Args:
        version_ids: whose; default all.
    """
    query = _TOTALS.where(standing.c.season_id == season_id)
    rows = select_among(connection, query, standing.c.version_id, version_ids)
    return {version: Totals._make((*sums[:5], read_faults(sums[5]), *sums[6:])) for version, *sums in rows}


def save_totals(connection: Connection, season_id: int, rows: Mapping[int, Totals]) -> None:
    """Store sums in place of what is there."""
    upsert(
        connection,
        standing,
        [
            {
                **total._asdict(),
                "season_id": season_id,
                "version_id": version_id,
                "faults": write_faults(total.faults),
            }
            for version_id, total in rows.items()
        ],
    )


def table(
    connection: Connection,
    season_id: int,
    newcomer: float,
    first: int = 0,
    limit: int | None = None,
    last: Sequence[int] = (),
    without: Sequence[int] = (),
    by: Literal["rating", "strength"] = "rating",
    only: Collection[int] | None = None,
) -> list[TableRow]:
    """Return a page of a season's table: the best first, equal ones in order of entry.

    Args:
        newcomer: the rating or strength of a version without one.
        first: how many rows come before the page.
        limit: how many rows are on it; None for all the rest.
        last: versions that stand below all others, whatever their rating.
        without: versions that have no row.
        by: what to sort by: the online rating, or the strength of the stored batch table.
        only: versions whose rows alone are wanted, with their ranks in the whole table; None for all.
    """
    source, number = (rating, rating.c.value) if by == "rating" else (strength, strength.c.rating)
    has_value = sa.and_(
        source.c.season_id == entrant.c.season_id, source.c.version_id == entrant.c.version_id
    )
    value = sa.func.coalesce(number, newcomer).label("value")
    # A condition costs time for each entrant, so that those that nothing fulfils are left out.
    is_last: sa.ColumnElement[int] = (
        sa.case((entrant.c.version_id.in_(last), 1), else_=0) if last else sa.literal(0)
    )
    below = is_last.label("below")
    order = [*[below] * bool(last), value.desc(), entrant.c.number]
    all_entrants = (
        sa.select(entrant.c.version_id, entrant.c.number, value, below)
        .select_from(entrant.outerjoin(source, has_value))
        .where(entrant.c.season_id == season_id, *[entrant.c.version_id.not_in(without)] * bool(without))
    )
    # All entrants are sorted, so names and states are looked up afterwards, only for those on the page, and for the row
    # before it: those that are better are counted only if the first one is its equal.
    chosen = all_entrants if only is None else all_entrants.where(entrant.c.version_id.in_(only))
    has_before = int(first > 0 and only is None)
    start, number_of_rows = first - has_before, None if limit is None else limit + has_before
    page_of = chosen.order_by(*order).offset(start).limit(number_of_rows).subquery()
    rated = sa.and_(rating.c.season_id == season_id, rating.c.version_id == page_of.c.version_id)
    query = (
        sa.select(page_of, bot.c.name, version.c.number.label("version"), bot.c.owner, rating.c.state)
        .join(version, version.c.id == page_of.c.version_id)
        .join(bot, bot.c.id == version.c.bot_id)
        .outerjoin(rating, rated)
        .order_by(page_of.c.below, page_of.c.value.desc(), page_of.c.number)
    )
    rows = list(connection.execute(query))

    def rank_of(row: Any) -> int:
        is_better = sa.or_(below < row.below, sa.and_(below == row.below, value > row.value))
        better = all_entrants.where(is_better).subquery()
        return 1 + (connection.scalar(sa.select(sa.func.count()).select_from(better)) or 0)

    before = rows.pop(0) if has_before and rows else None
    rank = 0
    table_rows: list[TableRow] = []
    for place, row in enumerate(rows, 1 + first):
        is_tied = before is not None and (row.below, row.value) == (before.below, before.value)
        if not is_tied and only is None:
            rank = place
        elif not is_tied or not rank:
            rank = rank_of(row)
        table_rows.append(TableRow(rank, row.version_id, row.name, row.version, row.owner, row.state))
        before = row
    return table_rows
