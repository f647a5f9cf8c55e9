"""What tables and histories show: sums per bot version, and a bot's matches with what they did to its rating."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema import bot, fixture, league, rating_event, result, season, seat, version

__all__ = ["NO_MATCHES", "HistoryRow", "Totals", "history", "totals"]


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


def totals(connection: Connection, season_id: int) -> dict[int, Totals]:
    """Return sums per bot version over a season's finished matches.

    A win is a place above every other seat's, a draw a shared first place, everything else a loss.
    """
    ranked = (
        sa.select(
            seat.c.fixture_id,
            sa.func.sum(sa.case((seat.c.place == 1, 1), else_=0)).label("firsts"),
        )
        .join(fixture, fixture.c.id == seat.c.fixture_id)
        .where(fixture.c.season_id == season_id)
        .group_by(seat.c.fixture_id)
        .subquery()
    )
    won = sa.and_(seat.c.place == 1, ranked.c.firsts == 1)
    drawn = sa.and_(seat.c.place == 1, ranked.c.firsts > 1)

    def count(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
        return sa.func.sum(sa.case((condition, 1), else_=0))

    query = (
        sa.select(
            seat.c.version_id,
            sa.func.count().label("matches"),
            count(won).label("wins"),
            count(drawn).label("draws"),
            count(seat.c.place > 1).label("losses"),
            sa.func.sum(seat.c.forfeit).label("forfeits"),
            sa.func.sum(seat.c.score).label("score"),
            sa.func.sum(seat.c.cpu_ms).label("cpu_ms"),
        )
        .join(ranked, ranked.c.fixture_id == seat.c.fixture_id)
        .group_by(seat.c.version_id)
    )
    faults: dict[int, dict[str, int]] = {}
    with_faults = (
        sa.select(seat.c.version_id, seat.c.faults)
        .join(fixture, fixture.c.id == seat.c.fixture_id)
        .where(fixture.c.season_id == season_id, seat.c.faults != "{}")
    )
    for row in connection.execute(with_faults):
        counts = faults.setdefault(row.version_id, {})
        for kind, number in json.loads(row.faults).items():
            counts[kind] = counts.get(kind, 0) + number
    return {
        row.version_id: Totals(
            row.matches,
            row.wins,
            row.draws,
            row.losses,
            row.forfeits,
            faults.get(row.version_id, {}),
            row.score,
            row.cpu_ms,
        )
        for row in connection.execute(query)
    }


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
