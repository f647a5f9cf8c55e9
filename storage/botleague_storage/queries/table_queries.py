"""Queries of tables and histories: sums per bot version, and a bot's matches with their rating changes.

The sums are kept like the ratings, and are part of the same fold: ``standing`` holds them for the fixtures that
``season.settled`` covers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows.ratings import is_change_of
from botleague_storage.league_rows.results import read_faults, write_faults
from botleague_storage.queries.match_numbers import MatchNumber
from botleague_storage.schema.bulk_statements import select_among, upsert
from botleague_storage.schema.league_tables import (
    bot,
    entrant,
    event,
    fixture,
    league,
    rating,
    rating_event,
    result,
    season,
    seat,
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


@dataclass(frozen=True, slots=True)  # not a struct: pandas makes tables of data classes
class HistoryRow:
    """One match of one bot, for its history.

    Attributes:
        match: its number, like ``cup/17``.
        opponents, places: the other bots by seat, and their places.
        is_first: whether it is the first of this version in this season, or since another one played: a new curve
            starts here, or the previous one continues in another version.
    """

    match: str
    league: str
    ordinal: int
    version: int
    seat: int
    place: int
    score: float
    forfeit: bool
    faults: Mapping[str, int]
    opponents: tuple[str, ...]
    places: tuple[int, ...]
    turns: int
    reason: str
    before: float | None
    after: float | None
    is_first: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


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


def history(connection: Connection, game: str | None, name: str, limit: int) -> list[HistoryRow]:
    """Return the newest matches of a bot, of all its versions, newest first."""
    other_seat, other, others = seat.alias(), fixture.alias(), season.alias()
    newest = (
        sa.select(sa.func.max(others.c.number)).where(others.c.league_id == league.c.id).scalar_subquery()
    )
    earlier = sa.exists().where(
        other_seat.c.version_id == seat.c.version_id,
        other_seat.c.fixture_id < seat.c.fixture_id,
        other.c.id == other_seat.c.fixture_id,
        other.c.season_id == fixture.c.season_id,
    )
    query = (
        sa.select(
            seat.c.fixture_id,
            league.c.name.label("league"),
            fixture.c.season_id,
            season.c.number.label("season"),
            newest.label("newest"),
            fixture.c.ordinal,
            version.c.bot_id,
            seat.c.version_id,
            version.c.number.label("version"),
            seat.c.seat,
            seat.c.place,
            seat.c.score,
            seat.c.forfeit,
            seat.c.faults,
            result.c.turns,
            result.c.reason,
            rating_event.c.before,
            rating_event.c.after,
            sa.not_(earlier).label("is_first"),
        )
        .join(fixture, fixture.c.id == seat.c.fixture_id)
        .join(season, season.c.id == fixture.c.season_id)
        .join(league, league.c.id == season.c.league_id)
        .join(result, result.c.fixture_id == fixture.c.id)
        .join(version, version.c.id == seat.c.version_id)
        .join(bot, bot.c.id == version.c.bot_id)
        .outerjoin(rating_event, is_change_of(rating_event, seat, fixture.c.season_id))
        .where(bot.c.name == name)
        .order_by(seat.c.fixture_id.desc())
        .limit(limit)
    )
    if game is not None:
        query = query.where(bot.c.game == game)
    rows = connection.execute(query).all()
    names = (
        sa.select(seat.c.fixture_id, seat.c.seat, bot.c.name, seat.c.place)
        .join(version, version.c.id == seat.c.version_id)
        .join(bot, bot.c.id == version.c.bot_id)
        .where(seat.c.fixture_id.in_({row.fixture_id for row in rows}))
        .order_by(seat.c.fixture_id, seat.c.seat)
    )
    begins = {row.fixture_id for row in rows if row.is_first} | _begins_again(connection, rows)
    sitting: dict[int, list[tuple[int, str, int]]] = {}
    for fixture_id, number, sitter, place in connection.execute(names):
        sitting.setdefault(fixture_id, []).append((number, sitter, place))
    return [
        HistoryRow(
            str(MatchNumber(row.league, None if row.season == row.newest else row.season, row.ordinal + 1)),
            row.league,
            row.ordinal,
            row.version,
            row.seat,
            row.place,
            row.score,
            bool(row.forfeit),
            read_faults(row.faults),
            tuple(sitter for number, sitter, _ in sitting[row.fixture_id] if number != row.seat),
            tuple(place for number, _, place in sitting[row.fixture_id] if number != row.seat),
            row.turns,
            row.reason,
            row.before,
            row.after,
            row.fixture_id in begins,
        )
        for row in rows
    ]


def _begins_again(connection: Connection, rows: Sequence[Any]) -> set[int]:
    """Return the matches of a history from which on a version plays in place of another one that was suspended."""
    seasons = {row.season_id for row in rows}
    handed_over = sa.and_(event.c.kind == "suspended", event.c.season_id.in_(seasons))
    firsts = set()
    for season_id in connection.scalars(sa.select(event.c.season_id).where(handed_over).distinct()):
        mine = [row for row in rows if row.season_id == season_id]
        oldest = mine[-1]
        before = (
            sa.select(seat.c.version_id)
            .join(fixture, fixture.c.id == seat.c.fixture_id)
            .join(version, version.c.id == seat.c.version_id)
            .where(
                version.c.bot_id == oldest.bot_id,
                fixture.c.season_id == season_id,
                seat.c.fixture_id < oldest.fixture_id,
            )
            .order_by(seat.c.fixture_id.desc())
            .limit(1)
        )
        earlier = [*(row.version_id for row in mine[1:]), connection.scalar(before)]
        firsts |= {row.fixture_id for row, one in zip(mine, earlier, strict=True) if one != row.version_id}
    return firsts
