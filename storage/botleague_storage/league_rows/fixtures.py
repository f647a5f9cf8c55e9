"""The queue of matches. A fixture is planned, claimed for a time by one runner, and done when its result is in.

A claim carries an **epoch**, one more than the claim before. Only the holder of the newest epoch can record a
result, so a fixture is recorded once, even if a runner is killed, stalls or reports late.

A runner renews its lease as long as it lives. Clocks differ between machines and are set, so no time is compared here:
the other runners watch whether a lease still changes, and release the claims of a runner that no longer renews it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import groups, in_portions, insert_rows, select_among
from botleague_storage.schema.league_tables import LABEL_LENGTH, fixture, fixture_seat, season, seat
from botleague_storage.schema.storage_errors import DatabaseUnusable


class Planned(msgspec.Struct, frozen=True):
    """A match that is planned.

    Attributes:
        round, group: as the format planned it; fixtures of one group share seed and entrants.
        versions: bot version ids by seat.
        label: what the format calls it, like "semifinal".
    """

    round: int
    group: int
    seed: int
    versions: tuple[int, ...]
    label: str = ""


class Match(NamedTuple):
    """A match as it was planned, and its result if it has one: what the queue, tables and formats need of it.

    Attributes:
        set_size: how many matches were planned in its group.
        epoch: of its newest claim.
        versions: by seat, like everything below.
        is_done: nothing more will come: it has a result or was cancelled.
        is_void: it counts for nothing.
        places, scores, forfeits, cpu_ms: empty without a result.
        faults: JSON texts of counts by kind.
    """

    fixture_id: int
    ordinal: int
    round: int
    group: int
    set_size: int
    label: str
    seed: int
    epoch: int
    is_done: bool
    is_void: bool
    versions: tuple[int, ...]
    places: tuple[int, ...]
    scores: tuple[float, ...]
    forfeits: tuple[int, ...]
    faults: tuple[str, ...]
    cpu_ms: tuple[float, ...]


FREE = {"status": "planned", "claimed_by": None, "lease_until": None}
DONE = {"status": "done", "claimed_by": None, "lease_until": None}
"""Columns of a fixture that no runner holds."""

_PLANNED_COLUMNS = ("season_id", "ordinal", "round", "group", "set_size", "label", "seed")


def plan(connection: Connection, season_id: int, fixtures: Iterable[Planned]) -> int:
    """Append fixtures to a season, with the next ordinal numbers, and return how many. A group is planned at once."""
    coming = list(fixtures)
    sizes = Counter(item.group for item in coming)
    first = _planned_count(connection, season_id)
    rows = [
        (
            season_id,
            ordinal,
            item.round,
            item.group,
            sizes[item.group],
            item.label[:LABEL_LENGTH],  # for people: what is longer is cut
            item.seed,
        )
        for ordinal, item in enumerate(coming, start=first)
    ]
    if rows:
        insert_rows(connection, fixture, rows, _PLANNED_COLUMNS)
        new = sa.select(fixture.c.id).where(fixture.c.season_id == season_id, fixture.c.ordinal >= first)
        ids = connection.scalars(new.order_by(fixture.c.ordinal))
        seats = [
            (fixture_id, seat, version)
            for fixture_id, item in zip(ids, coming, strict=True)
            for seat, version in enumerate(item.versions)
        ]
        insert_rows(connection, fixture_seat, seats)
    return len(rows)


def discard(connection: Connection, season_id: int) -> bool:
    """Remove every fixture of a season if none was ever claimed, so that the season can be planned again.

    Returns:
        Whether the season now has no fixtures. If not, nothing was removed.
    """
    if was_claimed(connection, season_id):
        return False
    # In portions: PostgreSQL looks for references to each row, for longer than a server waits for a response.
    planned = connection.scalars(sa.select(fixture.c.id).where(fixture.c.season_id == season_id)).all()
    for some in in_portions(planned):
        connection.execute(fixture_seat.delete().where(fixture_seat.c.fixture_id.in_(some)))
        connection.execute(fixture.delete().where(fixture.c.id.in_(some)))
    return True


def was_claimed(connection: Connection, season_id: int) -> bool:
    """Return whether a fixture of a season was ever claimed, or cancelled."""
    query = sa.select(fixture.c.id).where(
        fixture.c.season_id == season_id, sa.or_(fixture.c.epoch > 0, fixture.c.status != "planned")
    )
    return connection.execute(query.limit(1)).first() is not None


# What a runner asks again and again is put together once: that takes longer than the answer.
_OPEN = (
    sa.select(fixture.c.id)
    .where(
        fixture.c.season_id == sa.bindparam("season"),
        fixture.c.id.not_in(sa.bindparam("without", expanding=True)),
    )
    .order_by(fixture.c.ordinal)
    .limit(sa.bindparam("number"))
)
_PLANNED = _OPEN.where(fixture.c.status == "planned")
_SOME = fixture.c.id.in_(sa.bindparam("some", expanding=True))
_CLAIM = (
    fixture.update()
    .where(_SOME)
    .values(
        status="claimed",
        epoch=fixture.c.epoch + 1,
        claimed_by=sa.bindparam("runner"),
        lease_until=sa.bindparam("until"),
    )
)


def claim(
    connection: Connection,
    season_id: int,
    runner: str,
    until: float,
    number: int,
    without: Collection[int] = (),
) -> list[Match]:
    """Claim up to ``number`` unclaimed fixtures, lowest ordinal first. Needs a write transaction.

    Args:
        until: end of the lease, in seconds since the epoch by the runner's clock.
        without: fixtures that are left to others.

    Returns:
        Them, under their new epochs: their holder may play and record them until they are released.
    """
    parameters = {"season": season_id, "number": number, "without": list(without)}
    free = list(connection.scalars(_PLANNED, parameters))
    # With the season as a condition SQLite would read all its matches in order, and not these by their ids.
    chosen = list(read_all(connection, _MATCHES_WITH_IDS, {"some": free}))
    for some in in_portions([match.fixture_id for match in chosen]):
        connection.execute(_CLAIM, {"some": some, "runner": runner, "until": until})
    return [match._replace(epoch=match.epoch + 1) for match in chosen]


IS_PLAYED_SEAT = sa.and_(seat.c.fixture_id == fixture_seat.c.fixture_id, seat.c.seat == fixture_seat.c.seat)
"""Condition that a seat with a result is a planned seat."""

_MATCHES = (
    sa.select(
        fixture.c.id,
        fixture.c.ordinal,
        fixture.c.round,
        fixture.c["group"],
        fixture.c.set_size,
        fixture.c.label,
        fixture.c.seed,
        fixture.c.epoch,
        fixture.c.status,
        fixture.c.void,
        fixture_seat.c.version_id,
        seat.c.place,
        seat.c.score,
        seat.c.forfeit,
        seat.c.faults,
        seat.c.cpu_ms,
    )
    .join(fixture_seat, fixture_seat.c.fixture_id == fixture.c.id)
    .outerjoin(seat, IS_PLAYED_SEAT)
    .order_by(fixture.c.ordinal, fixture_seat.c.seat)
    # For this statement only: a server's cursor can only select.
    .execution_options(stream_results=True)
)
_MATCHES_WITH_IDS = _MATCHES.where(_SOME)
MATCHES_FROM = _MATCHES.where(
    fixture.c.season_id == sa.bindparam("season"), fixture.c.ordinal >= sa.bindparam("first")
)
"""A statement for :func:`read_all`: the matches of a season from an ordinal number on."""


def read(connection: Connection, *where: sa.ColumnElement[bool]) -> Iterator[Match]:
    """Yield the matches for which a condition on ``fixture`` holds, by ordinal number.

    Raises:
        DatabaseUnusable: a match has lost a seat.
    """
    return read_all(connection, _MATCHES.where(*where), {})


def read_all(connection: Connection, query: sa.Select[Any], parameters: Mapping[str, Any]) -> Iterator[Match]:
    """Yield the matches that a query for all columns of :func:`read` selects, by ordinal number."""
    with connection.execute(query, parameters) as rows:
        for group in groups(rows):
            # Columns by position: a rebuild and the planning of a ladder read very many matches.
            *facts, status, void = group[0][:10]
            versions, *played_by_seat = zip(*[row[10:] for row in group], strict=True)
            places = played_by_seat[0]
            if None in places:
                if any(place is not None for place in places):
                    raise DatabaseUnusable(
                        f"Match {facts[0]} was planned for {len(versions)} seats, but not all are stored. See "
                        "`botleague db check`, and restore a backup."
                    )
                played_by_seat = [()] * len(played_by_seat)
            yield Match._make((*facts, status == "done", void == 1, versions, *played_by_seat))


def renew(connection: Connection, runner: str, until: float) -> None:
    """Extend every lease that ``runner`` holds."""
    held = sa.and_(fixture.c.claimed_by == runner, fixture.c.status == "claimed")
    connection.execute(fixture.update().where(held).values(lease_until=until))


def release(connection: Connection, runners: Sequence[str], keep: Collection[int] = ()) -> int:
    """Give back what ``runners`` hold (their epochs stay used up) but for ``keep``; return how many are free again."""
    held = sa.and_(fixture.c.claimed_by.in_(runners), fixture.c.status == "claimed")
    if keep:
        held = sa.and_(held, fixture.c.id.not_in(keep))
    return int(connection.execute(fixture.update().where(held).values(FREE)).rowcount)


def claimants(connection: Connection, season_id: int) -> set[str]:
    """Return who holds fixtures of a season."""
    query = sa.select(fixture.c.claimed_by).where(
        fixture.c.season_id == season_id, fixture.c.status == "claimed"
    )
    return {name for name in connection.scalars(query.distinct()) if name is not None}


def claims(connection: Connection, season_id: int) -> list[tuple[str, int, float]]:
    """Return the runners that hold fixtures of a season, with the number of fixtures and the latest end of a lease.

    The end is in seconds since the epoch by the runner's own clock.
    """
    query = (
        sa.select(fixture.c.claimed_by, sa.func.count(), sa.func.max(fixture.c.lease_until))
        .where(fixture.c.season_id == season_id, fixture.c.status == "claimed")
        .group_by(fixture.c.claimed_by)
        .order_by(fixture.c.claimed_by)
    )
    return [(row[0] or "", row[1], row[2] or 0.0) for row in connection.execute(query)]


_HELD = sa.select(fixture.c.id, fixture.c.epoch).where(fixture.c.status == "claimed", _SOME)
_FINISH = fixture.update().where(_SOME).values(DONE)


def finish(connection: Connection, claims: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Mark fixtures as done whose claims, as (fixture id, epoch), still are the newest.

    Returns:
        Those claims. The others were lost: the caller must record nothing of them.
    """
    requested = set(claims)
    finished: set[tuple[int, int]] = set()
    for some in in_portions(sorted({fixture_id for fixture_id, _ in requested})):
        mine = {(row.id, row.epoch) for row in connection.execute(_HELD, {"some": some})} & requested
        connection.execute(_FINISH, {"some": [fixture_id for fixture_id, _ in mine]})
        finished |= mine
    return finished


_SETTLED = sa.select(season.c.settled).where(season.c.id == sa.bindparam("season")).scalar_subquery()
_DONE = sa.select(
    _SETTLED,
    sa.select(sa.func.count())
    .where(
        fixture.c.season_id == sa.bindparam("season"),
        fixture.c.status == "done",
        fixture.c.ordinal >= _SETTLED,
    )
    .scalar_subquery(),
)


def counts(connection: Connection, season_id: int) -> tuple[int, int]:
    """Return how many fixtures of a season are planned in all, and how many of them are done.

    The time it takes does not grow with the season: all before ``season.settled`` are known to be done.
    """
    covered, tail = connection.execute(_DONE, {"season": season_id}).one()
    return _planned_count(connection, season_id), covered + tail


def group_size(connection: Connection, season_id: int, group: int) -> int:
    """Return how many fixtures a group has, void ones left out."""
    query = sa.select(sa.func.count()).where(
        fixture.c.season_id == season_id, fixture.c.group == group, fixture.c.void == 0
    )
    return connection.scalar(query) or 0


def ids(connection: Connection, season_id: int, ordinals: Sequence[int]) -> dict[int, int]:
    """Return the ids of fixtures by their ordinal numbers."""
    query = sa.select(fixture.c.ordinal, fixture.c.id).where(fixture.c.season_id == season_id)
    return {row.ordinal: row.id for row in select_among(connection, query, fixture.c.ordinal, ordinals)}


_TO_PLAY = (
    sa.select(fixture.c.id)
    .where(
        fixture.c.season_id == sa.bindparam("season"),
        fixture.c.status.in_(("planned", "claimed")),
        fixture.c.id.not_in(sa.bindparam("without", expanding=True)),
    )
    .limit(1)
)
_LAST_ORDINAL = sa.select(sa.func.max(fixture.c.ordinal)).where(fixture.c.season_id == sa.bindparam("season"))


def is_open(connection: Connection, season_id: int, without: Collection[int] = ()) -> bool:
    """Return whether any fixture of a season, but for those in ``without``, has no result yet."""
    parameters = {"season": season_id, "without": list(without)}
    return connection.execute(_TO_PLAY, parameters).first() is not None


def _planned_count(connection: Connection, season_id: int) -> int:
    """Ordinal numbers have no gaps."""
    last = connection.scalar(_LAST_ORDINAL, {"season": season_id})
    return 0 if last is None else last + 1
