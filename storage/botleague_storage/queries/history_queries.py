"""Query of a bot's history: its matches with their rating changes, in all leagues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows.ratings import is_change_of
from botleague_storage.league_rows.results import read_faults
from botleague_storage.queries.match_numbers import MatchNumber
from botleague_storage.schema.league_tables import (
    bot,
    event,
    fixture,
    league,
    rating_event,
    result,
    season,
    seat,
    version,
)


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
