"""Every match of a season with what came of it, and what takes matches out of the count.

A match is void when it counts for nothing: it was cancelled before it was played, or its result was annulled. The
result stays where it is; only the mark is set.
"""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage import fixtures
from botleague_storage.errors import DatabaseUnusable
from botleague_storage.fixtures import read_versions
from botleague_storage.schema import fixture, record, result, seat
from botleague_storage.statements import in_portions

__all__ = [
    "Account",
    "MatchState",
    "SeatAccount",
    "accounts",
    "annul",
    "cancel",
    "counting_of",
    "find",
    "first_open",
    "last_round",
    "latest_of",
    "matches",
    "window_start",
]


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match as it was planned, and its result if it has one.

    Attributes:
        is_done: nothing more will come: it has a result or was cancelled.
        is_void: it counts for nothing.
        places, scores: one per seat, empty without a result.
    """

    fixture_id: int
    ordinal: int
    round: int
    group: int
    label: str
    seed: int
    versions: tuple[int, ...]
    is_done: bool
    is_void: bool
    places: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SeatAccount:
    """One seat of a match, with everything that was noted of it."""

    version_id: int
    place: int
    score: float
    forfeit: bool
    faults: Mapping[str, int]
    cpu_ms: float
    wall_ms: float
    peak_memory: int


@dataclass(frozen=True, slots=True)
class Account:
    """A match with everything that was noted of it.

    Attributes:
        content: the record, uncompressed, if it was asked for and is not damaged; else empty.
    """

    fixture_id: int
    ordinal: int
    round: int
    group: int
    label: str
    seed: int
    is_void: bool
    reason: str
    layers: tuple[str, ...]
    turns: int
    wall_ms: float
    recorded_at: float
    digest: str
    content: bytes
    seats: tuple[SeatAccount, ...]


def matches(connection: Connection, season_id: int, first: int = 0) -> Iterator[MatchState]:
    """Yield the matches of a season by ordinal number, from ``first`` on, played or not.

    Raises:
        DatabaseUnusable: a match has lost a seat.
    """
    query = (
        sa.select(
            fixture.c.id,
            fixture.c.ordinal,
            fixture.c.round,
            fixture.c["group"],
            fixture.c.label,
            fixture.c.seed,
            fixture.c.versions,
            fixture.c.status,
            fixture.c.void,
            seat.c.place,
            seat.c.score,
        )
        .outerjoin(seat, seat.c.fixture_id == fixture.c.id)
        .where(fixture.c.season_id == season_id, fixture.c.ordinal >= first)
        .order_by(fixture.c.ordinal, seat.c.seat)
    )
    with connection.execute(query.execution_options(stream_results=True)) as rows:
        for _, seats in itertools.groupby(rows, key=itemgetter(0)):
            yield _state(list(seats))


def find(connection: Connection, season_id: int, fixture_id: int) -> MatchState | None:
    """Return one match of a season, None if it is of another or does not exist."""
    ordinal = connection.scalar(
        sa.select(fixture.c.ordinal).where(fixture.c.season_id == season_id, fixture.c.id == fixture_id)
    )
    return None if ordinal is None else next(matches(connection, season_id, ordinal))


def accounts(
    connection: Connection, season_id: int, *, with_records: bool = False, fixture_ids: Sequence[int] = ()
) -> Iterator[Account]:
    """Yield every match of a season that has a result, by ordinal number, with everything that was noted of it.

    Args:
        with_records: also read the records.
        fixture_ids: only these matches; none for all.
    """
    content = record.c.content if with_records else sa.literal(None).label("content")
    query = (
        sa.select(fixture, result, seat, record.c.digest, content)
        .join(result, result.c.fixture_id == fixture.c.id)
        .join(record, record.c.fixture_id == fixture.c.id)
        .join(seat, seat.c.fixture_id == fixture.c.id)
        .where(fixture.c.season_id == season_id)
        .order_by(fixture.c.ordinal, seat.c.seat)
    )
    if fixture_ids:
        query = query.where(fixture.c.id.in_(fixture_ids))
    pending: list[Any] = []
    for row in connection.execute(query.execution_options(stream_results=True)).mappings():
        if pending and pending[0][fixture.c.id] != row[fixture.c.id]:
            yield _account(pending)
            pending = []
        pending.append(row)
    if pending:
        yield _account(pending)


def last_round(connection: Connection, season_id: int) -> int:
    """Return the round of the match that was planned last, 0 without any."""
    query = sa.select(fixture.c.round).where(fixture.c.season_id == season_id)
    return connection.scalar(query.order_by(fixture.c.ordinal.desc()).limit(1)) or 0


def window_start(connection: Connection, season_id: int, rounds: int) -> int:
    """Return the ordinal number with which the last ``rounds`` rounds begin; 0 rounds mean all.

    Rounds must have been planned one after another.
    """
    if rounds <= 0:
        return 0
    before = last_round(connection, season_id) - rounds
    query = sa.select(fixture.c.ordinal).where(fixture.c.season_id == season_id, fixture.c.round <= before)
    last = connection.scalar(query.order_by(fixture.c.ordinal.desc()).limit(1))
    return 0 if last is None else last + 1


def latest_of(
    connection: Connection, season_id: int, version_id: int, first: int, through: int, number: int
) -> list[tuple[int, int, bool, Mapping[str, int]]]:
    """Return (match, seat, forfeit, faults) of a version's newest counting matches in a range, the newest first."""
    query = (
        sa.select(fixture.c.id, seat.c.seat, seat.c.forfeit, seat.c.faults)
        .join(seat, seat.c.fixture_id == fixture.c.id)
        .where(
            fixture.c.season_id == season_id,
            fixture.c.ordinal.between(first, through),
            fixture.c.void == 0,
            seat.c.version_id == version_id,
        )
        .order_by(fixture.c.ordinal.desc())
        .limit(number)
    )
    return [
        (row.id, row.seat, bool(row.forfeit), json.loads(row.faults)) for row in connection.execute(query)
    ]


def cancel(connection: Connection, season_id: int, version_id: int | None = None) -> int:
    """Take matches that have no result out of the queue: a version's, or for None all of a season.

    A match that is being played is cancelled too; its report will be refused.

    Returns:
        How many.
    """
    query = sa.select(fixture.c.id, fixture.c.versions).where(
        fixture.c.season_id == season_id, fixture.c.status.in_(("planned", "claimed"))
    )
    ids = [
        row.id
        for row in connection.execute(query)
        if version_id is None or version_id in read_versions(row.versions)
    ]
    return annul(connection, ids)


def annul(connection: Connection, fixture_ids: Sequence[int]) -> int:
    """Mark matches as counting for nothing, and as done if they were not.

    Returns:
        How many counted until now.
    """
    changed = 0
    for ids in in_portions(fixture_ids):
        query = fixture.update().where(fixture.c.id.in_(ids), fixture.c.void == 0)
        changed += connection.execute(
            query.values(void=1, status="done", claimed_by=None, lease_until=None)
        ).rowcount
    return changed


def first_open(connection: Connection, season_id: int, version_id: int) -> int:
    """Return the ordinal number of the first match a version has still to play, else of the next one to be planned."""
    query = sa.select(fixture.c.ordinal, fixture.c.versions).where(
        fixture.c.season_id == season_id, fixture.c.status.in_(("planned", "claimed"))
    )
    rows = connection.execute(query.order_by(fixture.c.ordinal))
    mine = next((row.ordinal for row in rows if version_id in read_versions(row.versions)), None)
    return fixtures.counts(connection, season_id)[0] if mine is None else mine


def counting_of(connection: Connection, season_id: int, version_id: int, first: int) -> list[int]:
    """Return the matches with a result, from ordinal ``first`` on, in which a version sat and which count."""
    query = (
        sa.select(fixture.c.id)
        .join(seat, seat.c.fixture_id == fixture.c.id)
        .where(
            fixture.c.season_id == season_id,
            fixture.c.ordinal >= first,
            fixture.c.void == 0,
            seat.c.version_id == version_id,
        )
        .order_by(fixture.c.ordinal)
    )
    return list(connection.scalars(query))


def _state(rows: list[Any]) -> MatchState:
    # Columns by position: planning a ladder reads tens of thousands of matches.
    fixture_id, ordinal, round, group, label, seed, versions, status, void, place, _ = rows[0]
    has_result = place is not None
    seats = read_versions(versions)
    if has_result and len(rows) != len(seats):
        raise DatabaseUnusable(
            f"Match {fixture_id} was planned for {len(seats)} seats, but {len(rows)} are stored. See "
            "`botleague db check`, and restore a backup."
        )
    return MatchState(
        fixture_id,
        ordinal,
        round,
        group,
        label,
        seed,
        seats,
        status == "done",
        bool(void),
        tuple([row[9] for row in rows]) if has_result else (),
        tuple([row[10] for row in rows]) if has_result else (),
    )


def _account(rows: list[Any]) -> Account:
    first = rows[0]
    content = first["content"]
    return Account(
        first[fixture.c.id],
        first[fixture.c.ordinal],
        first[fixture.c.round],
        first[fixture.c["group"]],
        first[fixture.c.label],
        first[fixture.c.seed],
        bool(first[fixture.c.void]),
        first[result.c.reason],
        tuple(json.loads(first[result.c.layers])),
        first[result.c.turns],
        first[result.c.wall_ms],
        first[result.c.recorded_at],
        first[record.c.digest],
        _unpacked(content),
        tuple(
            SeatAccount(
                row[seat.c.version_id],
                row[seat.c.place],
                row[seat.c.score],
                bool(row[seat.c.forfeit]),
                json.loads(row[seat.c.faults]),
                row[seat.c.cpu_ms],
                row[seat.c.wall_ms],
                row[seat.c.peak_memory],
            )
            for row in rows
        ),
    )


def _unpacked(content: bytes | None) -> bytes:
    try:
        return b"" if content is None else zlib.decompress(content)
    except zlib.error:
        return b""
