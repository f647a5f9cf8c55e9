"""What tables and histories show: sums per bot version, and a bot's matches with what they did to its rating.

The sums are kept like the ratings: ``standing`` holds them for the fixtures that ``season.settled`` covers, added up
in order of the ordinal numbers, so that they are the same to the last bit however the matches came in. What was
recorded beyond is little, and added when a table is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
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
class _Sums:
    """:class:`Totals` in the making: changed in place, since a rebuild counts millions of seats."""

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    score: float = 0.0
    cpu_ms: float = 0.0


@dataclass(slots=True)
class Tally:
    """Sums of a season in the making, by version."""

    _sums: dict[int, _Sums] = field(default_factory=dict)

    def load(self, connection: Connection, season_id: int, version_ids: Sequence[int] | None = None) -> None:
        """Start these versions, or all, from what is stored."""
        query = sa.select(standing).where(standing.c.season_id == season_id)
        portions: Iterable[Sequence[int] | None] = [None] if version_ids is None else in_portions(version_ids)
        for some in portions:
            rows = connection.execute(query if some is None else query.where(standing.c.version_id.in_(some)))
            for row in rows:
                faults = json.loads(row.faults) if row.faults != NO_FAULTS else {}
                self._sums[row.version_id] = _Sums(
                    row.matches, row.wins, row.draws, row.losses, row.forfeits, faults, row.score, row.cpu_ms
                )

    def add(self, match: PlayedRow) -> None:
        """Count one match: a win is a place above every other seat's, a draw a shared first place."""
        alone = match.places.count(1) == 1
        seats = zip(
            match.versions,
            match.places,
            match.scores,
            match.forfeits,
            match.faults,
            match.cpu_ms,
            strict=True,
        )
        for version_id, place, score, forfeit, faults, cpu_ms in seats:
            sums = self._sums.get(version_id)
            if sums is None:
                sums = self._sums[version_id] = _Sums()
            sums.matches += 1
            if place > 1:
                sums.losses += 1
            elif alone:
                sums.wins += 1
            else:
                sums.draws += 1
            sums.forfeits += forfeit
            sums.score += score
            sums.cpu_ms += cpu_ms
            if faults != NO_FAULTS:
                for kind, number in json.loads(faults).items():
                    sums.faults[kind] = sums.faults.get(kind, 0) + number

    def totals(self) -> dict[int, Totals]:
        """Return the sums as they are now."""
        return {
            version_id: Totals(
                sums.matches,
                sums.wins,
                sums.draws,
                sums.losses,
                sums.forfeits,
                dict(sums.faults),
                sums.score,
                sums.cpu_ms,
            )
            for version_id, sums in self._sums.items()
        }

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
                for version_id, total in self._sums.items()
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
    tally.load(connection, season_id, version_ids)
    settled = connection.scalar(sa.select(season.c.settled).where(season.c.id == season_id)) or 0
    for match in played_out_of_order(connection, season_id, settled):
        tally.add(match)
    found = tally.totals()
    if version_ids is None:
        return found
    return {version_id: found[version_id] for version_id in version_ids if version_id in found}


def table(
    connection: Connection,
    season_id: int,
    newcomer: float,
    first: int = 0,
    limit: int | None = None,
    last: Sequence[int] = (),
) -> list[TableRow]:
    """Return a page of a season's table: best rating first, equal ones in order of entry.

    Args:
        newcomer: the rating of who never was rated.
        first: how many rows come before the page.
        limit: how many rows are on it; None for all the rest.
        last: versions that stand below all others, whatever their rating.
    """
    rated = sa.and_(rating.c.season_id == entrant.c.season_id, rating.c.version_id == entrant.c.version_id)
    value = sa.func.coalesce(rating.c.value, newcomer).label("value")
    below = sa.case((entrant.c.version_id.in_(last), 1), else_=0).label("below")
    everybody = (
        sa.select(entrant.c.version_id, entrant.c.number, value, below, rating.c.state)
        .select_from(entrant.outerjoin(rating, rated))
        .where(entrant.c.season_id == season_id)
    )
    # Everybody is sorted, so names are looked up afterwards, of those on the page only.
    page_of = everybody.order_by(below, value.desc(), entrant.c.number).offset(first).limit(limit).subquery()
    query = (
        sa.select(page_of, bot.c.name, version.c.number.label("version"), bot.c.owner)
        .join(version, version.c.id == page_of.c.version_id)
        .join(bot, bot.c.id == version.c.bot_id)
        .order_by(page_of.c.below, page_of.c.value.desc(), page_of.c.number)
    )
    rows = connection.execute(query).all()
    if not rows:
        return []
    page = [row.version_id for row in rows]
    sums = totals(connection, season_id, page if limit is not None else None)
    better = everybody.where(
        sa.or_(
            below < rows[0].below,
            sa.and_(below == rows[0].below, sa.func.coalesce(rating.c.value, newcomer) > rows[0].value),
        )
    ).subquery()
    rank = 1 + (connection.scalar(sa.select(sa.func.count()).select_from(better)) or 0)
    found: list[TableRow] = []
    for place, row in enumerate(rows, 1 + first):
        before = rows[max(0, place - first - 2)]
        if (row.below, row.value) != (before.below, before.value):
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
