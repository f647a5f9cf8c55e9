"""All matches of a season with their results, and the exclusion of matches that do not count.

A match is void when it counts for nothing: it was cancelled before it was played, or its result was annulled. The
result stays where it is; only the mark is set.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows import fixtures
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.schema.bulk_statements import PORTION, in_portions
from botleague_storage.schema.league_tables import LARGEST_ORDINAL, event, fixture, fixture_seat, result, seat

ASKED_AT_ONCE = 50
"""Maximum number of lookups of :func:`latest_of` in one statement."""


def matches(connection: Connection, season_id: int, first: int = 0) -> Iterator[Match]:
    """Yield the matches of a season by ordinal number, from ``first`` on, played or not.

    Raises:
        DatabaseUnusable: a match has lost a seat.
    """
    return fixtures.read_all(connection, fixtures.MATCHES_FROM, {"season": season_id, "first": first})


def decided(
    connection: Connection, season_id: int, versions: Collection[int], *, with_unplayed: bool
) -> Iterator[Match]:
    """Yield by ordinal number the matches that are void, that an event names, or in which one of ``versions`` sits.

    Args:
        with_unplayed: also those without a result.
    """
    if len(versions) > PORTION:  # more than a statement can take: others come, too
        yield from matches(connection, season_id)
        return
    named = sa.select(event.c.fixture_id).where(
        event.c.season_id == season_id, event.c.fixture_id.is_not(None)
    )
    # Once for all matches: there is no index of the seats of a version that are only planned.
    sits = sa.select(fixture_seat.c.fixture_id).where(fixture_seat.c.version_id.in_(sorted(versions)))
    is_decided = [fixture.c.void == 1, fixture.c.id.in_(named), fixture.c.id.in_(sits)]
    if with_unplayed:
        is_decided.append(~sa.exists().where(result.c.fixture_id == fixture.c.id))
    yield from fixtures.read(
        connection, fixture.c.season_id == season_id, fixture.c.ordinal >= 0, sa.or_(*is_decided)
    )


def first_missing(connection: Connection, season_id: int) -> int | None:
    """Return the first ordinal number that is missing before other matches; None if there is no gap."""
    has_seat = sa.exists().where(fixture_seat.c.fixture_id == fixture.c.id)
    query = (
        sa.select(fixture.c.ordinal)
        .where(fixture.c.season_id == season_id, fixture.c.ordinal >= 0, has_seat)
        .order_by(fixture.c.ordinal)
        .execution_options(stream_results=True)
    )
    with connection.execute(query) as rows:
        return next((place for place, ordinal in enumerate(rows.scalars()) if ordinal != place), None)


def of_round(connection: Connection, season_id: int, round: int, groups: int) -> Iterator[Match]:
    """Yield the matches of the first groups of a round by ordinal number, played or not.

    Args:
        groups: how many at most.
    """
    within = (fixture.c.season_id == season_id, fixture.c.round == round)
    # As an expression: for the column SQLite takes the index of all groups, and passes those of earlier rounds.
    group = fixture.c["group"] + 0
    first = sa.select(group).where(*within).distinct().order_by(group).limit(groups)
    start = round_start(connection, season_id, round)
    return fixtures.read(connection, *within, fixture.c.ordinal >= start, group.in_(first))


def of_group(connection: Connection, season_id: int, group: int) -> Iterator[Match]:
    """Yield the matches of a mirrored set by ordinal number, played or not."""
    # By id, or SQLite would read the whole season in the order of the result.
    members = sa.select(fixture.c.id).where(fixture.c.season_id == season_id, fixture.c["group"] == group)
    return fixtures.read(connection, fixture.c.id.in_(members))


_COUNTING = fixtures.MATCHES_FROM.where(fixture.c.void == 0)
_COUNTING_UNTIL = _COUNTING.where(fixture.c.ordinal < sa.bindparam("end"))


def played(connection: Connection, season_id: int, first: int = 0) -> Iterator[Match]:
    """Yield the matches of a season that count, by ordinal number, from ``first`` up to the first match to come."""
    gap = first_not_done(connection, season_id, first)
    if gap != first:
        query = _COUNTING if gap is None else _COUNTING_UNTIL
        yield from fixtures.read_all(connection, query, {"season": season_id, "first": first, "end": gap})


def played_out_of_order(connection: Connection, season_id: int, first: int) -> Iterator[Match]:
    """Yield all matches of a season that count, from ordinal number ``first`` on, whatever is missing between."""
    # SQLite would look through all matches to come; the index of states has those that are over.
    over = sa.select(fixture.c.id).where(
        fixture.c.season_id == season_id, fixture.c.status == "done", fixture.c.ordinal >= first
    )
    return fixtures.read(connection, fixture.c.id.in_(over), fixture.c.void == 0)


def find(connection: Connection, season_id: int, fixture_id: int) -> Match | None:
    """Return one match of a season, None if it is of another or does not exist."""
    return next(fixtures.read(connection, fixture.c.season_id == season_id, fixture.c.id == fixture_id), None)


def at(connection: Connection, season_id: int, ordinal: int) -> Match | None:
    """Return the match of a season with an ordinal number, or None."""
    if ordinal > LARGEST_ORDINAL:  # which PostgreSQL refuses to compare
        return None
    return next(
        fixtures.read(connection, fixture.c.season_id == season_id, fixture.c.ordinal == ordinal), None
    )


_OF_SEASON = fixture.c.season_id == sa.bindparam("season")
_LAST_ROUND = sa.select(fixture.c.round).where(_OF_SEASON).order_by(fixture.c.ordinal.desc()).limit(1)
_ROUND_OF = sa.select(fixture.c.round).where(_OF_SEASON, fixture.c.ordinal == sa.bindparam("place"))
_ROUND_START = sa.select(sa.func.min(fixture.c.ordinal)).where(
    _OF_SEASON, fixture.c.round == sa.bindparam("number")
)
# In the order of the index: the greatest number of the rounds before would be found among all of them.
_WINDOW_START = (
    sa.select(fixture.c.ordinal)
    .where(_OF_SEASON, fixture.c.round > sa.bindparam("before"))
    .order_by(fixture.c.round, fixture.c.ordinal)
    .limit(1)
)


def last_round(connection: Connection, season_id: int) -> int:
    """Return the round of the match that was planned last, 0 without any."""
    return connection.scalar(_LAST_ROUND, {"season": season_id}) or 0


def round_of(connection: Connection, season_id: int, ordinal: int) -> int:
    """Return the round of a match, 0 if there is no such match."""
    return connection.scalar(_ROUND_OF, {"season": season_id, "place": ordinal}) or 0


def round_start(connection: Connection, season_id: int, round: int) -> int:
    """Return the ordinal number of the first match of a round, 0 if there is no such round."""
    return connection.scalar(_ROUND_START, {"season": season_id, "number": round}) or 0


def window_start(connection: Connection, season_id: int, rounds: int) -> int:
    """Return the ordinal number with which the last ``rounds`` rounds begin; 0 rounds mean all.

    Rounds must have been planned one after another.
    """
    if rounds <= 0:
        return 0
    before = last_round(connection, season_id) - rounds
    return connection.scalar(_WINDOW_START, {"season": season_id, "before": before}) or 0


class SeatResult(NamedTuple):
    """Result of a version in a match; faults are counts by kind."""

    match: int
    seat: int
    forfeit: bool
    faults: Mapping[str, int]


def latest_of(
    connection: Connection, season_id: int, lookups: Sequence[tuple[int, int, int]], number: int
) -> Iterator[list[SeatResult]]:
    """Yield the newest counting matches of versions in ranges, the newest first, for each that is asked in turn.

    Args:
        lookups: (version, first, last) ordinal numbers.
        number: of matches at most.
    """
    for start in range(0, len(lookups), ASKED_AT_ONCE):
        some = lookups[start : start + ASKED_AT_ONCE]
        queries = [
            sa.select(
                sa.literal(place).label("place"),
                fixture.c.ordinal,
                fixture.c.id,
                seat.c.seat,
                seat.c.forfeit,
                seat.c.faults,
            )
            .join(seat, seat.c.fixture_id == fixture.c.id)
            .where(
                is_seat_of(seat, season_id, [version_id]),
                fixture.c.ordinal.between(first, last),
                fixture.c.void == 0,
            )
            .order_by(seat.c.fixture_id.desc())
            .limit(number)
            .subquery()
            for place, (version_id, first, last) in enumerate(some)
        ]
        results: list[list[SeatResult]] = [[] for _ in some]
        rows = connection.execute(sa.union_all(*(sa.select(query) for query in queries))).all()
        for row in sorted(rows, key=lambda row: -row.ordinal):
            results[row.place].append(SeatResult(row.id, row.seat, bool(row.forfeit), json.loads(row.faults)))
        yield from results


def is_seat_of(mine: sa.FromClause, season_id: int, versions: Sequence[int]) -> sa.ColumnElement[bool]:
    """Return whether a seat is one of some versions, in a match of a season.

    In order of their fixtures' ids, the newest matches of a version are read first, and no others: later matches of a
    season have greater ids, and the index of seats is in that order.
    """
    # As an expression: for the column SQLite would look for the seats in all matches of the season.
    return sa.and_(mine.c.version_id.in_(versions), fixture.c.season_id + 0 == season_id)


def cancel(
    connection: Connection, season_id: int, version_id: int | None = None, before: int | None = None
) -> int:
    """Take matches without a result out of the queue, a version's or for None all of a season; return how many.

    A match that is being played is cancelled too; its report will be refused.

    Args:
        before: only those with ordinal numbers below it.
    """
    query = _open(season_id, version_id).with_only_columns(fixture.c.id)
    if before is not None:
        query = query.where(fixture.c.ordinal < before)
    return annul(connection, list(connection.scalars(query)))


def annul(connection: Connection, fixture_ids: Sequence[int]) -> int:
    """Mark matches as counting for nothing, and as done if they were not; return how many counted until now."""
    changed = 0
    for ids in in_portions(fixture_ids):
        query = fixture.update().where(fixture.c.id.in_(ids), fixture.c.void == 0)
        changed += connection.execute(query.values({**fixtures.DONE, "void": 1})).rowcount
    return changed


def restore(connection: Connection, fixture_ids: Sequence[int]) -> None:
    """Let void matches count again; those without a result go back to the queue."""
    is_played = sa.exists().where(result.c.fixture_id == fixture.c.id)
    status = sa.case((is_played, "done"), else_="planned")
    for ids in in_portions(fixture_ids):
        query = fixture.update().where(fixture.c.id.in_(ids), fixture.c.void == 1)
        connection.execute(query.values(void=0, status=status))


def void(
    connection: Connection, season_id: int, version_id: int | None = None, first: int = 0
) -> Iterator[Match]:
    """Yield the void matches of a season by ordinal number, from ``first`` on: a version's, or for None all."""
    where = [fixture.c.season_id == season_id, fixture.c.ordinal >= first, fixture.c.void == 1]
    if version_id is not None:
        where.append(_sits(version_id))
    return fixtures.read(connection, *where)


def meets_later(connection: Connection, season_id: int, versions: Sequence[int], round: int) -> bool:
    """Return whether one of these versions has a match in a round after ``round``."""
    query = sa.select(fixture.c.id).where(
        fixture.c.season_id == season_id, fixture.c.round > round, sa.or_(*map(_sits, versions))
    )
    return connection.execute(query.limit(1)).first() is not None


_NOT_DONE = (
    sa.select(fixture.c.ordinal)
    .where(
        fixture.c.season_id == sa.bindparam("season"),
        fixture.c.ordinal >= sa.bindparam("first"),
        fixture.c.status != "done",
    )
    .order_by(fixture.c.ordinal)
    .limit(1)
)


def first_not_done(connection: Connection, season_id: int, first: int) -> int | None:
    """Return the first ordinal number, from ``first`` on, of a match that is not done; None if all are."""
    return connection.scalar(_NOT_DONE, {"season": season_id, "first": first})


def first_open(connection: Connection, season_id: int, version_id: int) -> int:
    """Return the ordinal number of the first match a version has still to play, else of the next one to be planned."""
    query = _open(season_id, version_id).with_only_columns(sa.func.min(fixture.c.ordinal))
    mine = connection.scalar(query)
    return fixtures.counts(connection, season_id)[0] if mine is None else mine


def first_unclaimed(connection: Connection, season_id: int, version_ids: Sequence[int]) -> int:
    """Return the ordinal number after the last group that was ever claimed and contains one of these versions."""
    mine = sa.and_(fixture.c.season_id == season_id, fixture.c.epoch > 0, sa.or_(*map(_sits, version_ids)))
    # From the end, where what has been claimed is near.
    query = sa.select(fixture.c["group"]).where(mine).order_by(fixture.c.ordinal.desc()).limit(1)
    group = connection.scalar(query)
    return 0 if group is None else _group_end(connection, season_id, group)


def end_of_group(connection: Connection, season_id: int, ordinal: int) -> int:
    """Return the ordinal number after the last match of the group that match ``ordinal`` is of."""
    mine = sa.and_(fixture.c.season_id == season_id, fixture.c.ordinal == ordinal)
    group = connection.execute(sa.select(fixture.c["group"]).where(mine)).scalar_one()
    return _group_end(connection, season_id, group)


def _group_end(connection: Connection, season_id: int, group: int) -> int:
    whole = sa.and_(fixture.c.season_id == season_id, fixture.c["group"] == group)
    return int(connection.execute(sa.select(sa.func.max(fixture.c.ordinal)).where(whole)).scalar_one()) + 1


def is_to_play(connection: Connection, season_id: int, version_ids: Sequence[int], first: int) -> bool:
    """Return whether one of these versions has a match to play from ordinal ``first`` on."""
    mine = sa.and_(fixture.c.ordinal >= first, sa.or_(*map(_sits, version_ids)))
    return connection.execute(_open(season_id, None).where(mine).limit(1)).first() is not None


def reseat(connection: Connection, season_id: int, first: int, before: Sequence[int], after: int) -> None:
    """Let version ``after`` sit where one of ``before`` was to sit, in the matches from ordinal ``first`` on.

    None of them has a result. One that is being played goes back to the queue; its report will be refused.
    """
    coming = sa.select(fixture.c.id).where(fixture.c.season_id == season_id, fixture.c.ordinal >= first)
    under_way = sa.and_(fixture.c.id.in_(coming), fixture.c.status == "claimed", sa.or_(*map(_sits, before)))
    connection.execute(fixture.update().where(under_way).values(fixtures.FREE))
    seats = fixture_seat.update().where(
        fixture_seat.c.version_id.in_(before), fixture_seat.c.fixture_id.in_(coming)
    )
    connection.execute(seats.values(version_id=after))


def _open(season_id: int, version_id: int | None) -> sa.Select[tuple[int]]:
    """Select the fixtures of a season that are still to be played: a version's, or for None all."""
    query = sa.select(fixture.c.id).where(
        fixture.c.season_id == season_id, fixture.c.status.in_(("planned", "claimed"))
    )
    if version_id is None:
        return query
    return query.where(_sits(version_id))


def _sits(version_id: int) -> sa.ColumnElement[bool]:
    mine = fixture_seat.alias()  # the query around may read seats itself
    return sa.exists().where(mine.c.fixture_id == fixture.c.id, mine.c.version_id == version_id)


def counting_of(connection: Connection, season_id: int, version_id: int, first: int) -> dict[int, int]:
    """Return the ids, by ordinal number from ``first`` on, of matches with a result in which a version sat, and which
    count.
    """
    query = (
        sa.select(fixture.c.ordinal, fixture.c.id)
        .join(seat, seat.c.fixture_id == fixture.c.id)
        .where(is_seat_of(seat, season_id, [version_id]), fixture.c.ordinal >= first, fixture.c.void == 0)
        .order_by(fixture.c.ordinal)
    )
    return {row.ordinal: row.id for row in connection.execute(query)}
