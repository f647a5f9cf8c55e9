"""What tables and histories show: sums per bot version, and a bot's matches with what they did to its rating.

The sums are kept like the ratings: ``standing`` holds them for the fixtures that ``season.settled`` covers, added up
in order of the ordinal numbers, so that they are the same to the last bit however the matches came in. What was
recorded beyond is little, and added when a table is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.results import NO_FAULTS, PlayedRow, played_out_of_order
from botleague_storage.schema import (
    bot,
    entrant,
    fixture,
    league,
    rating,
    rating_event,
    result,
    season,
    seat,
    standing,
    version,
)
from botleague_storage.statements import in_portions, upsert

__all__ = ["NO_MATCHES", "HistoryRow", "TableRow", "Tally", "Totals", "history", "table", "totals"]


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over a version's matches in one season."""

    matches: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    faults: Mapping[str, int]
    score: float
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One match of one bot, for its history."""

    fixture_id: int
    league: str
    ordinal: int
    version: int
    seat: int
    place: int
    score: float
    forfeit: bool
    faults: Mapping[str, int]
    opponents: tuple[str, ...]
    reason: str
    before: float | None
    after: float | None


NO_MATCHES = Totals(0, 0, 0, 0, 0, {}, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class TableRow:
    """An entrant in its league's table.

    Attributes:
        rank: 1 is best; equal ratings share it.
        state: the rating as its system wrote it, None for who never was rated.
    """

    rank: int
    version_id: int
    bot: str
    number: int
    owner: str
    state: str | None
    totals: Totals


@dataclass(slots=True)
class Tally:
    """Sums of a season in the making.

    Attributes:
        sums: by version.
    """

    sums: dict[int, Totals] = field(default_factory=dict)

    def load(self, connection: Connection, season_id: int, version_ids: Sequence[int]) -> None:
        """Start these versions from what is stored."""
        query = sa.select(standing).where(standing.c.season_id == season_id)
        for some in in_portions(version_ids):
            rows = connection.execute(query.where(standing.c.version_id.in_(some)))
            self.sums.update((row.version_id, _totals(row)) for row in rows)

    def add(self, match: PlayedRow) -> None:
        """Count one match: a win is a place above every other seat's, a draw a shared first place."""
        alone = match.places.count(1) == 1
        for seat_number, version_id in enumerate(match.versions):
            is_first = match.places[seat_number] == 1
            before = self.sums.get(version_id, NO_MATCHES)
            self.sums[version_id] = Totals(
                before.matches + 1,
                before.wins + (is_first and alone),
                before.draws + (is_first and not alone),
                before.losses + (not is_first),
                before.forfeits + match.forfeits[seat_number],
                _added(before.faults, match.faults[seat_number]),
                before.score + match.scores[seat_number],
                before.cpu_ms + match.cpu_ms[seat_number],
            )

    def save(self, connection: Connection, season_id: int) -> None:
        """Store the sums in place of what is there."""
        upsert(
            connection,
            standing,
            [
                {
                    "season_id": season_id,
                    "version_id": version_id,
                    "matches": total.matches,
                    "wins": total.wins,
                    "draws": total.draws,
                    "losses": total.losses,
                    "forfeits": total.forfeits,
                    "faults": json.dumps(total.faults) if total.faults else NO_FAULTS,
                    "score": total.score,
                    "cpu_ms": total.cpu_ms,
                }
                for version_id, total in self.sums.items()
            ],
        )


def totals(
    connection: Connection, season_id: int, version_ids: Sequence[int] | None = None
) -> dict[int, Totals]:
    """Return sums per bot version over a season's finished matches.

    Args:
        version_ids: whose; default all.
    """
    tally = Tally()
    if version_ids is None:
        everybody = sa.select(standing).where(standing.c.season_id == season_id)
        tally.sums = {row.version_id: _totals(row) for row in connection.execute(everybody)}
    else:
        tally.load(connection, season_id, version_ids)
    settled = connection.scalar(sa.select(season.c.settled).where(season.c.id == season_id)) or 0
    for match in played_out_of_order(connection, season_id, settled):
        tally.add(match)
    if version_ids is None:
        return tally.sums
    return {version_id: tally.sums[version_id] for version_id in version_ids if version_id in tally.sums}


def table(
    connection: Connection, season_id: int, newcomer: float, first: int = 0, limit: int | None = None
) -> list[TableRow]:
    """Return a page of a season's table: best rating first, equal ones in order of entry.

    Args:
        newcomer: the rating of who never was rated.
        first: how many rows come before the page.
        limit: how many rows are on it; None for all the rest.
    """
    rated = sa.and_(rating.c.season_id == entrant.c.season_id, rating.c.version_id == entrant.c.version_id)
    value = sa.func.coalesce(rating.c.value, newcomer).label("value")
    everybody = (
        sa.select(entrant.c.version_id, entrant.c.number, value, rating.c.state)
        .select_from(entrant.outerjoin(rating, rated))
        .where(entrant.c.season_id == season_id)
    )
    # Everybody is sorted, so names are looked up afterwards, of those on the page only.
    page_of = everybody.order_by(value.desc(), entrant.c.number).offset(first).limit(limit).subquery()
    query = (
        sa.select(page_of, bot.c.name, version.c.number.label("version"), bot.c.owner)
        .join(version, version.c.id == page_of.c.version_id)
        .join(bot, bot.c.id == version.c.bot_id)
        .order_by(page_of.c.value.desc(), page_of.c.number)
    )
    rows = connection.execute(query).all()
    if not rows:
        return []
    page = [row.version_id for row in rows]
    sums = totals(connection, season_id, page if limit is not None else None)
    better = everybody.where(sa.func.coalesce(rating.c.value, newcomer) > rows[0].value).subquery()
    rank = 1 + (connection.scalar(sa.select(sa.func.count()).select_from(better)) or 0)
    found: list[TableRow] = []
    for place, row in enumerate(rows, 1 + first):
        if place > 1 + first and row.value != rows[place - first - 2].value:
            rank = place
        found.append(
            TableRow(
                rank,
                row.version_id,
                row.name,
                row.version,
                row.owner,
                row.state,
                sums.get(row.version_id, NO_MATCHES),
            )
        )
    return found


def history(connection: Connection, game: str | None, name: str, limit: int) -> list[HistoryRow]:
    """Return the newest matches of a bot, newest first."""
    query = (
        sa.select(
            seat.c.fixture_id,
            league.c.name.label("league"),
            fixture.c.ordinal,
            fixture.c.versions,
            version.c.number.label("version"),
            seat.c.seat,
            seat.c.place,
            seat.c.score,
            seat.c.forfeit,
            seat.c.faults,
            result.c.reason,
            rating_event.c.before,
            rating_event.c.after,
        )
        .join(fixture, fixture.c.id == seat.c.fixture_id)
        .join(season, season.c.id == fixture.c.season_id)
        .join(league, league.c.id == season.c.league_id)
        .join(result, result.c.fixture_id == fixture.c.id)
        .join(version, version.c.id == seat.c.version_id)
        .join(bot, bot.c.id == version.c.bot_id)
        .outerjoin(
            rating_event,
            sa.and_(
                rating_event.c.season_id == fixture.c.season_id,
                rating_event.c.ordinal == fixture.c.ordinal,
                rating_event.c.version_id == seat.c.version_id,
            ),
        )
        .where(bot.c.name == name)
        .order_by(seat.c.fixture_id.desc())
        .limit(limit)
    )
    if game is not None:
        query = query.where(bot.c.game == game)
    rows = connection.execute(query).all()
    ids = {number for row in rows for number in json.loads(row.versions)}
    named = (
        sa.select(version.c.id, bot.c.name)
        .join(bot, bot.c.id == version.c.bot_id)
        .where(version.c.id.in_(ids))
    )
    names = {row.id: row.name for row in connection.execute(named)}
    return [
        HistoryRow(
            row.fixture_id,
            row.league,
            row.ordinal,
            row.version,
            row.seat,
            row.place,
            row.score,
            bool(row.forfeit),
            json.loads(row.faults),
            tuple(names[v] for place, v in enumerate(json.loads(row.versions)) if place != row.seat),
            row.reason,
            row.before,
            row.after,
        )
        for row in rows
    ]


def _totals(row: sa.Row[tuple[object, ...]]) -> Totals:
    return Totals(
        row.matches,
        row.wins,
        row.draws,
        row.losses,
        row.forfeits,
        json.loads(row.faults) if row.faults != NO_FAULTS else {},
        row.score,
        row.cpu_ms,
    )


def _added(counts: Mapping[str, int], more: str) -> Mapping[str, int]:
    if more == NO_FAULTS:
        return counts
    total = dict(counts)
    for kind, number in json.loads(more).items():
        total[kind] = total.get(kind, 0) + number
    return total
