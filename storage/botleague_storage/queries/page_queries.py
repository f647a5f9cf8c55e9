"""Queries of season pages: matches, newest first, queue and pace; and a bot's curve and opponents.

Lists are taken by key: each function says where a portion begins, and none counts what lies before it. Nothing here
reads beyond the ordinal number ``end``, from which on a season's matches do not exist for the reader.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows.matches import is_seat_of
from botleague_storage.league_rows.ratings import is_change_of
from botleague_storage.league_rows.results import NO_FAULTS, read_faults
from botleague_storage.schema.bulk_statements import groups, select_among
from botleague_storage.schema.league_tables import (
    bot,
    entrant,
    fixture,
    fixture_seat,
    rating_event,
    record,
    result,
    seat,
    version,
)

SEARCHED = 20_000
"""Matches among which a list without an index looks for what fits, before it says how far it has come."""


class ListedSeat(NamedTuple):
    """Result of a seat; ``faults`` by kind, ``before`` and ``after`` its rating, None if it was not rated."""

    version_id: int
    place: int
    score: float
    forfeit: bool
    faults: dict[str, int]
    cpu_ms: float
    before: float | None
    after: float | None


class ListedMatch(msgspec.Struct, frozen=True):
    """A finished match; ``is_void`` if it counts for nothing."""

    fixture_id: int
    ordinal: int
    round: int
    label: str
    seed: int
    is_void: bool
    reason: str
    turns: int
    wall_ms: float
    recorded_at: float
    digest: str
    seats: tuple[ListedSeat, ...]


class PlannedMatch(msgspec.Struct, frozen=True):
    """An unplayed match; ``is_claimed`` while it is being played."""

    fixture_id: int
    ordinal: int
    round: int
    label: str
    is_claimed: bool
    versions: tuple[int, ...]


class Pace(NamedTuple):
    """The newest matches that were recorded: how many, and when the first and the last of them were."""

    matches: int
    first_at: float
    last_at: float


class Meeting(NamedTuple):
    """Two seats of one match: places, and the ratings before it, None where it was not rated."""

    version_id: int
    place: int
    opponent_id: int
    opponent_place: int
    before: float | None
    opponent_before: float | None
    seats: int


def listed(
    connection: Connection,
    season_id: int,
    end: int,
    limit: int,
    *,
    versions: Sequence[int] | None = None,
    opponents: Sequence[int] | None = None,
    fault: str | None = None,
    round: int | None = None,
) -> tuple[list[ListedMatch], int]:
    """Return the newest finished matches below an ordinal number, newest first, and the start of the next portion.

    Args:
        end: only matches with lower ordinal numbers.
        limit: how many at most.
        versions: one of these has a seat.
        opponents: and one of these another seat.
        fault: and a seat of ``versions``, or any seat without them, had a fault of this kind.
        round: only of this round.

    Returns:
        The matches, and the ``end`` with which the next portion begins; 0 if nothing follows.
    """
    first = 0
    if versions is not None:
        mine = seat.alias()
        query = (
            sa.select(mine.c.fixture_id.label("id"), fixture.c.ordinal)
            .join(fixture, fixture.c.id == mine.c.fixture_id)
            .where(is_seat_of(mine, season_id, versions), fixture.c.ordinal < end, fixture.c.status == "done")
            .order_by(mine.c.fixture_id.desc())
            .distinct()
        )
        if fault is not None:
            query = query.where(mine.c.faults.contains(f'"{fault}":', autoescape=True))
        if opponents is not None:
            other = seat.alias()
            query = query.join(
                other, sa.and_(other.c.fixture_id == fixture.c.id, other.c.seat != mine.c.seat)
            ).where(other.c.version_id.in_(opponents))
    else:
        query = (
            sa.select(fixture.c.id, fixture.c.ordinal)
            .where(fixture.c.season_id == season_id, fixture.c.ordinal < end, fixture.c.status == "done")
            .order_by(fixture.c.ordinal.desc())
        )
        if fault is not None or round is not None:
            # Without an index: a visitor must not make a server read a million matches.
            first = max(0, end - SEARCHED)
            query = query.where(fixture.c.ordinal >= first)
        has_result = sa.exists().where(result.c.fixture_id == fixture.c.id)
        if fault is not None:
            failed = seat.alias()
            has_result = sa.exists().where(
                failed.c.fixture_id == fixture.c.id, failed.c.faults.contains(f'"{fault}":', autoescape=True)
            )
        query = query.where(has_result)
    if round is not None:
        query = query.where(fixture.c.round == round)
    rows = connection.execute(query.limit(limit + 1)).all()
    follows = rows[limit - 1].ordinal if len(rows) > limit else first
    return described(connection, season_id, [row.id for row in rows[:limit]]), follows


def described(connection: Connection, season_id: int, fixture_ids: Sequence[int]) -> list[ListedMatch]:
    """Return finished matches of a season with their seats, newest first."""
    query = (
        sa.select(
            fixture.c.id,
            fixture.c.ordinal,
            fixture.c.round,
            fixture.c.label,
            fixture.c.seed,
            fixture.c.void,
            result.c.reason,
            result.c.turns,
            result.c.wall_ms,
            result.c.recorded_at,
            record.c.digest,
            seat.c.version_id,
            seat.c.place,
            seat.c.score,
            seat.c.forfeit,
            seat.c.faults,
            seat.c.cpu_ms,
            rating_event.c.before,
            rating_event.c.after,
        )
        .join(result, result.c.fixture_id == fixture.c.id)
        .join(record, record.c.fixture_id == fixture.c.id)
        .join(seat, seat.c.fixture_id == fixture.c.id)
        .outerjoin(rating_event, is_change_of(rating_event, seat, season_id))
        # Not by season as well: SQLite would go through all of it, because it is in the order that is asked for.
        .where(fixture.c.id.in_(fixture_ids))
        .order_by(fixture.c.ordinal.desc(), seat.c.seat)
    )
    entries = []
    for rows in groups(connection.execute(query)):
        first = rows[0]
        seats = tuple(
            ListedSeat(
                row.version_id,
                row.place,
                row.score,
                bool(row.forfeit),
                read_faults(row.faults),
                row.cpu_ms,
                row.before,
                row.after,
            )
            for row in rows
        )
        entries.append(
            ListedMatch(
                first.id,
                first.ordinal,
                first.round,
                first.label,
                first.seed,
                first.void == 1,
                first.reason,
                first.turns,
                first.wall_ms,
                first.recorded_at,
                first.digest,
                seats,
            )
        )
    return entries


def faulty_seats(
    connection: Connection, season_id: int, versions: Sequence[int], end: int, limit: int
) -> list[tuple[int, int]]:
    """Return (match, seat) of the newest seats with faults that some versions had, newest first.

    Args:
        end: only in matches with lower ordinal numbers.
    """
    query = (
        sa.select(seat.c.fixture_id, seat.c.seat)
        .join(fixture, fixture.c.id == seat.c.fixture_id)
        .where(is_seat_of(seat, season_id, versions), fixture.c.ordinal < end, seat.c.faults != NO_FAULTS)
        .order_by(seat.c.fixture_id.desc(), seat.c.seat)
        .limit(limit)
    )
    return [(row.fixture_id, row.seat) for row in connection.execute(query)]


def finished(connection: Connection, season_id: int, first: int, end: int) -> list[int]:
    """Return the ordinal numbers of the finished matches from one up to another, the newest first."""
    query = (
        sa.select(fixture.c.ordinal)
        .join(result, result.c.fixture_id == fixture.c.id)
        .where(fixture.c.season_id == season_id, fixture.c.ordinal >= first, fixture.c.ordinal < end)
        .order_by(fixture.c.ordinal.desc())
    )
    return list(connection.scalars(query))


def result_times(
    connection: Connection, season_id: int, end: int, versions: Sequence[int] | None = None
) -> tuple[list[tuple[int, float]], bool]:
    """Return (match, time of its result) of the newest matches below an ordinal number, newest first.

    Args:
        versions: only matches in which one of these sits.

    Returns:
        The matches, at most :data:`SEARCHED`; and whether these are all.
    """
    if versions is None:
        query = (
            sa.select(fixture.c.id, result.c.recorded_at)
            .join(result, result.c.fixture_id == fixture.c.id)
            .where(fixture.c.season_id == season_id, fixture.c.ordinal < end)
            .order_by(fixture.c.ordinal.desc())
        )
    else:
        query = (
            sa.select(seat.c.fixture_id.label("id"), result.c.recorded_at)
            .join(fixture, fixture.c.id == seat.c.fixture_id)
            .join(result, result.c.fixture_id == seat.c.fixture_id)
            .where(is_seat_of(seat, season_id, versions), fixture.c.ordinal < end)
            .order_by(seat.c.fixture_id.desc())
            .distinct()
        )
    rows = [(row.id, row.recorded_at) for row in connection.execute(query.limit(SEARCHED))]
    return rows, len(rows) < SEARCHED


def queue(
    connection: Connection, season_id: int, limit: int, first: int = 0
) -> tuple[list[PlannedMatch], int | None]:
    """Return unplayed matches from an ordinal number on, in order, and the start of the next portion or None."""
    open_ones = (
        sa.select(fixture.c.id, fixture.c.ordinal)
        .where(fixture.c.season_id == season_id, fixture.c.ordinal >= first)
        .order_by(fixture.c.ordinal)
        .limit(limit + 1)
    )
    # A query for each, so that it finds its rows through the index instead of passing all that are done.
    found_open = [
        row
        for status in ("planned", "claimed")
        for row in connection.execute(open_ones.where(fixture.c.status == status))
    ]
    chosen = [row.id for row in sorted(found_open, key=lambda row: row.ordinal)[: limit + 1]]
    query = (
        sa.select(
            fixture.c.id,
            fixture.c.ordinal,
            fixture.c.round,
            fixture.c.label,
            fixture.c.status,
            fixture_seat.c.version_id,
        )
        .join(fixture_seat, fixture_seat.c.fixture_id == fixture.c.id)
        .where(fixture.c.id.in_(chosen))
        .order_by(fixture.c.ordinal, fixture_seat.c.seat)
    )
    planned = []
    for rows in groups(connection.execute(query)):
        of = rows[0]
        planned.append(
            PlannedMatch(
                of.id,
                of.ordinal,
                of.round,
                of.label,
                of.status == "claimed",
                tuple(row.version_id for row in rows),
            )
        )
    return planned[:limit], planned[limit].ordinal if len(planned) > limit else None


def pace(connection: Connection, season_id: int, end: int, matches: int = 200) -> Pace:
    """Return how quickly the newest matches of a season came in."""
    newest = (
        sa.select(result.c.recorded_at)
        .join(fixture, fixture.c.id == result.c.fixture_id)
        .where(fixture.c.season_id == season_id, fixture.c.ordinal < end)
        .order_by(fixture.c.ordinal.desc())
        .limit(matches)
        .subquery()
    )
    at = newest.c.recorded_at
    row = connection.execute(sa.select(sa.func.count(), sa.func.min(at), sa.func.max(at))).one()
    return Pace(row[0], row[1] or 0.0, row[2] or 0.0)


def played(connection: Connection, season_id: int, versions: Sequence[int], end: int) -> dict[int, int]:
    """Return in how many matches below an ordinal number each of some versions sat; those without one are missing."""
    query = (
        sa.select(seat.c.version_id, sa.func.count(seat.c.fixture_id.distinct()))
        .join(fixture, fixture.c.id == seat.c.fixture_id)
        .where(seat.c.version_id.in_(versions), fixture.c.season_id == season_id, fixture.c.ordinal < end)
        .group_by(seat.c.version_id)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def recorded_since(connection: Connection, season_id: int, end: int, since: float) -> int:
    """Return the ordinal number from which on all matches below ``end`` were recorded after a time."""
    query = (
        sa.select(fixture.c.ordinal)
        .join(result, result.c.fixture_id == fixture.c.id)
        .where(fixture.c.season_id == season_id, fixture.c.ordinal < end, result.c.recorded_at < since)
        .order_by(fixture.c.ordinal.desc())
        .limit(1)
    )
    last = connection.scalar(query)
    return 0 if last is None else last + 1


def curve(
    connection: Connection, season_id: int, version_id: int, end: int, points: int
) -> list[tuple[int, float, float]]:
    """Return (ordinal, before, after) of a version's rating in order; of a long history every n-th and the last."""
    mine = sa.and_(
        rating_event.c.season_id == season_id,
        rating_event.c.version_id == version_id,
        rating_event.c.ordinal < end,
    )
    number = connection.scalar(sa.select(sa.func.count()).select_from(rating_event).where(mine)) or 0
    step = max(1, -(-number // points))
    place = sa.func.row_number().over(order_by=rating_event.c.ordinal).label("place")
    numbered = (
        sa.select(rating_event.c.ordinal, rating_event.c.before, rating_event.c.after, place)
        .where(mine)
        .subquery()
    )
    sampled = sa.or_(numbered.c.place % step == 0, numbered.c.place.in_((1, number)))
    query = sa.select(numbered).where(sampled).order_by(numbered.c.ordinal)
    return [(row.ordinal, row.before, row.after) for row in connection.execute(query)]


def last_values(connection: Connection, season_id: int, end: int) -> dict[int, float]:
    """Return the rating that each version had after the matches below an ordinal number."""
    value = _newest(rating_event.c.after, season_id, rating_event.c.ordinal < end)
    query = sa.select(entrant.c.version_id, value.scalar_subquery()).where(entrant.c.season_id == season_id)
    return {version: after for version, after in connection.execute(query) if after is not None}


def round_ends(connection: Connection, season_id: int, rounds: Sequence[int], end: int) -> list[int | None]:
    """Return for each of some rounds the ordinal number after its last match below ``end``; None without a match."""
    numbers = {f"round_{place}": number for place, number in enumerate(rounds)}
    parameters = {"season": season_id, "end": end, **numbers}
    return list(connection.execute(_ends_of_rounds(len(rounds)), parameters).one())


@functools.cache  # composing it takes longer than the answer
def _ends_of_rounds(count: int) -> sa.Select[Any]:
    # By a seek in the index for each round: the matches of a round are not read.
    last = sa.select(sa.func.max(fixture.c.ordinal) + 1).where(
        fixture.c.season_id == sa.bindparam("season"), fixture.c.ordinal < sa.bindparam("end")
    )
    return sa.select(
        *(
            last.where(fixture.c.round == sa.bindparam(f"round_{place}")).scalar_subquery()
            for place in range(count)
        )
    )


def values_at(
    connection: Connection, season_id: int, version_ids: Sequence[int], ends: Sequence[int]
) -> dict[tuple[int, int], float]:
    """Return the rating of versions after the matches below ordinal numbers, by version and ordinal number.

    Args:
        ends: at least 1 each; versions without a rated match below one are missing there.
    """
    value = _newest(rating_event.c.after, season_id, rating_event.c.ordinal <= fixture.c.ordinal)
    query = (
        sa.select(entrant.c.version_id, fixture.c.ordinal, value.scalar_subquery())
        .join(fixture, fixture.c.season_id == entrant.c.season_id)
        .where(entrant.c.season_id == season_id, fixture.c.ordinal.in_([end - 1 for end in ends]))
    )
    return {
        (version, ordinal + 1): after
        for version, ordinal, after in select_among(connection, query, entrant.c.version_id, version_ids)
        if after is not None
    }


def newest_rated(
    connection: Connection, season_id: int, version_ids: Sequence[int], end: int, number: int
) -> dict[int, list[int]]:
    """Return the newest rated matches of versions below an ordinal number, as ordinal numbers, newest first."""
    newest = _newest(rating_event.c.ordinal, season_id, rating_event.c.ordinal < end)
    columns = [newest.offset(place).scalar_subquery() for place in range(number)]
    query = sa.select(entrant.c.version_id, *columns).where(entrant.c.season_id == season_id)
    return {
        version: [ordinal for ordinal in ordinals if ordinal is not None]
        for version, *ordinals in select_among(connection, query, entrant.c.version_id, version_ids)
    }


def _newest(column: sa.Column[Any], season_id: int, is_due: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Return a query of the newest rating of the entrant of the outer query.

    By a seek in the key for each entrant: the whole history is not read.
    """
    return (
        sa.select(column)
        .where(
            rating_event.c.season_id == season_id, rating_event.c.version_id == entrant.c.version_id, is_due
        )
        .order_by(rating_event.c.ordinal.desc())
        .limit(1)
        .correlate(entrant, fixture)
    )


def places_in(
    connection: Connection, season_id: int, ordinals: Sequence[int]
) -> dict[int, list[tuple[int, int]]]:
    """Return (version, place) of the seats of finished matches, by ordinal number."""
    query = (
        sa.select(fixture.c.ordinal, seat.c.version_id, seat.c.place)
        .join(seat, seat.c.fixture_id == fixture.c.id)
        .where(fixture.c.season_id == season_id)
    )
    places: dict[int, list[tuple[int, int]]] = {}
    for ordinal, version_id, place in select_among(connection, query, fixture.c.ordinal, ordinals):
        places.setdefault(ordinal, []).append((version_id, place))
    return places


def meetings(
    connection: Connection, season_id: int, versions: Sequence[int], end: int, limit: int
) -> list[Meeting]:
    """Return the newest meetings of some versions with others in matches that count, newest first."""
    mine, other = seat.alias(), seat.alias()
    my_rating, other_rating = rating_event.alias(), rating_event.alias()
    seats = (
        sa.select(sa.func.count())
        .select_from(seat)
        .where(seat.c.fixture_id == fixture.c.id)
        .correlate(fixture)
        .scalar_subquery()
    )
    query = (
        sa.select(
            mine.c.version_id,
            mine.c.place,
            other.c.version_id,
            other.c.place,
            my_rating.c.before,
            other_rating.c.before,
            seats,
        )
        .join(fixture, fixture.c.id == mine.c.fixture_id)
        .join(other, sa.and_(other.c.fixture_id == mine.c.fixture_id, other.c.seat != mine.c.seat))
        .outerjoin(my_rating, is_change_of(my_rating, mine, season_id))
        .outerjoin(other_rating, is_change_of(other_rating, other, season_id))
        .where(is_seat_of(mine, season_id, versions), fixture.c.ordinal < end, fixture.c.void == 0)
        .order_by(mine.c.fixture_id.desc())
        .limit(limit)
    )
    return [Meeting(*row) for row in connection.execute(query)]


def newest_layers(connection: Connection, season_id: int, end: int) -> str | None:
    """Return the JSON text of the sandbox layers in which the newest match was played, None without one."""
    query = (
        sa.select(result.c.layers)
        .join(fixture, fixture.c.id == result.c.fixture_id)
        .where(fixture.c.season_id == season_id, fixture.c.ordinal < end)
        .order_by(fixture.c.ordinal.desc())
        .limit(1)
    )
    return connection.scalar(query)


def entered(connection: Connection, season_id: int, game: str, name: str) -> list[int]:
    """Return the versions of the bot called ``name`` that entered a season, the oldest first."""
    query = (
        sa.select(version.c.id)
        .join(bot, bot.c.id == version.c.bot_id)
        .join(entrant, entrant.c.version_id == version.c.id)
        .where(bot.c.game == game, bot.c.name == name, entrant.c.season_id == season_id)
        .order_by(version.c.number)
    )
    return list(connection.scalars(query))


def entered_versions(
    connection: Connection, season_id: int, game: str, names: Sequence[str]
) -> dict[str, dict[int, int]]:
    """Return the ids of the versions that entered a season by their numbers, the oldest first, by name of the bot."""
    # Not a join, for which SQLite looks up the bot of every entrant.
    has_entered = sa.exists().where(entrant.c.season_id == season_id, entrant.c.version_id == version.c.id)
    query = (
        sa.select(bot.c.name, version.c.number, version.c.id)
        .join(version, version.c.bot_id == bot.c.id)
        .where(bot.c.game == game, has_entered)
        .order_by(version.c.number)
    )
    versions: dict[str, dict[int, int]] = {}
    for name, number, version_id in select_among(connection, query, bot.c.name, names):
        versions.setdefault(name, {})[number] = version_id
    return versions
