"""Results, seats and records of matches. Rows are added in the transaction that marks the fixture as done."""

from __future__ import annotations

import hashlib
import json
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.league_rows import fixtures, journals
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.schema.bulk_statements import groups, insert_rows, select_among
from botleague_storage.schema.league_tables import LARGEST_ORDINAL, fixture, record, result, seat, void
from botleague_storage.schema.league_tables import replaced as replaced_result
from botleague_storage.schema.storage_errors import DatabaseUnusable, NotFound

NO_FAULTS = "{}"


def read_faults(text: str) -> dict[str, int]:
    """Return counts of faults by kind as they were stored; nearly always empty."""
    return {} if text == NO_FAULTS else json.loads(text)


def write_faults(faults: Mapping[str, int]) -> str:
    """Return counts of faults by kind as they are stored."""
    return json.dumps(dict(sorted(faults.items()))) if faults else NO_FAULTS


class SeatRow(msgspec.Struct, frozen=True):
    """Result of one seat in one match; faults are counts by kind."""

    version_id: int
    place: int
    score: float
    forfeit: bool
    faults: Mapping[str, int]
    cpu_ms: float
    wall_ms: float
    peak_memory: int


class MatchRow(msgspec.Struct, frozen=True):
    """Row of a finished match.

    Attributes:
        layers: of the sandbox, that it was played in.
        content: the record, uncompressed; empty if it was not asked for, or is damaged.
        digest: of the record as it was stored, "" before.
        game_digest: equal digests of the same bots mean the same game again; "" if it is unknown.
    """

    reason: str
    layers: tuple[str, ...]
    turns: int
    wall_ms: float
    seats: tuple[SeatRow, ...]
    content: bytes
    digest: str = ""
    recorded_at: float = 0.0
    game_digest: str = ""


def add_all(connection: Connection, matches: Sequence[tuple[int, int, MatchRow]]) -> set[tuple[int, int]]:
    """Record matches, as (fixture id, epoch, match), whose claims still hold. Needs a write transaction.

    Returns:
        The claims that held, as (fixture id, epoch); nothing is written of the others.
    """
    mine = fixtures.finish(connection, [(fixture_id, epoch) for fixture_id, epoch, _ in matches])
    # Of one that is reported twice, the first report counts.
    by_claim = {match[:2]: match for match in reversed(matches)}
    held = [by_claim[claim] for claim in sorted(mine)]
    if not held:
        return set()
    now = time.time()
    insert_rows(
        connection,
        result,
        [
            (
                fixture_id,
                epoch,
                match.reason,
                json.dumps(match.layers),
                match.turns,
                match.wall_ms,
                now,
                match.game_digest,
            )
            for fixture_id, epoch, match in held
        ],
    )
    insert_rows(
        connection,
        seat,
        [
            (
                fixture_id,
                number,
                row.version_id,
                row.place,
                row.score,
                int(row.forfeit),
                write_faults(row.faults),
                row.cpu_ms,
                row.wall_ms,
                row.peak_memory,
            )
            for fixture_id, _, match in held
            for number, row in enumerate(match.seats)
        ],
    )
    insert_rows(
        connection,
        record,
        [
            (fixture_id, hashlib.sha256(match.content).hexdigest(), zlib.compress(match.content))
            for fixture_id, _, match in held
        ],
    )
    return mine


def add_void(connection: Connection, fixture_id: int, epoch: int, reason: str) -> None:
    """Note that an attempt failed by the machinery's fault, and free the fixture to be played again."""
    mine = sa.and_(fixture.c.id == fixture_id, fixture.c.epoch == epoch, fixture.c.status == "claimed")
    freed = connection.execute(fixture.update().where(mine).values(fixtures.FREE))
    if freed.rowcount:
        values = {"fixture_id": fixture_id, "epoch": epoch, "reason": reason, "recorded_at": time.time()}
        connection.execute(void.insert().values(values))


def layers(connection: Connection, fixture_id: int) -> str | None:
    """Return the JSON text of the sandbox layers in which a match was played, None if it was not played."""
    return connection.scalar(sa.select(result.c.layers).where(result.c.fixture_id == fixture_id))


def voids(connection: Connection, season_id: int) -> list[tuple[int, str]]:
    """Return (ordinal, reason) of every failed attempt of a season."""
    query = (
        sa.select(fixture.c.ordinal, void.c.reason)
        .join(fixture, fixture.c.id == void.c.fixture_id)
        # As an expression: for the column SQLite would read the whole season, and not the few attempts.
        .where(fixture.c.season_id + 0 == season_id)
        .order_by(fixture.c.ordinal, void.c.epoch)
    )
    return [(row.ordinal, row.reason) for row in connection.execute(query)]


def set_aside(connection: Connection, fixture_id: int) -> tuple[int, str]:
    """Keep a match's result apart, and put the match back into the queue. Needs a write transaction.

    Its journals go: they are of a match that does not count.

    Returns:
        The epoch under which the result had been recorded, and the digest of its record.
    """
    noted = dict(
        connection.execute(sa.select(result).where(result.c.fixture_id == fixture_id)).one()._mapping
    )
    seats = connection.execute(sa.select(seat).where(seat.c.fixture_id == fixture_id).order_by(seat.c.seat))
    stored = connection.execute(sa.select(record).where(record.c.fixture_id == fixture_id)).one()
    values = {
        "fixture_id": fixture_id,
        "epoch": noted["epoch"],
        "noted": json.dumps({"result": noted, "seats": [dict(row._mapping) for row in seats]}),
        "digest": stored.digest,
        "content": stored.content,
    }
    connection.execute(replaced_result.insert().values(values))
    journals.forget(connection, fixture_id)
    for table in (record, seat, result):
        connection.execute(table.delete().where(table.c.fixture_id == fixture_id))
    again = fixture.update().where(fixture.c.id == fixture_id)
    connection.execute(again.values({**fixtures.FREE, "void": 0}))
    return noted["epoch"], stored.digest


def put_back(connection: Connection, fixture_id: int, epoch: int) -> None:
    """Give a match that waits to be played again the result that was set aside. Needs a write transaction.

    Args:
        epoch: under which it had been recorded.
    """
    mine = sa.and_(replaced_result.c.fixture_id == fixture_id, replaced_result.c.epoch == epoch)
    row = connection.execute(sa.select(replaced_result).where(mine)).one()
    noted = json.loads(row.noted)
    connection.execute(result.insert().values(noted["result"]))
    connection.execute(seat.insert(), noted["seats"])
    connection.execute(record.insert().values(fixture_id=fixture_id, digest=row.digest, content=row.content))
    connection.execute(replaced_result.delete().where(mine))
    connection.execute(fixture.update().where(fixture.c.id == fixture_id).values(fixtures.DONE))


def replaced(connection: Connection, season_id: int) -> Iterator[tuple[int, int, MatchRow]]:
    """Yield (fixture id, epoch, what was noted) of the results of a season that were set aside, in order."""
    query = (
        sa.select(replaced_result)
        .join(fixture, fixture.c.id == replaced_result.c.fixture_id)
        .where(fixture.c.season_id == season_id)
        .order_by(fixture.c.ordinal, replaced_result.c.epoch)
        .execution_options(stream_results=True)
    )
    for row in connection.execute(query):
        noted = json.loads(row.noted, object_hook=lambda one: SimpleNamespace(**one))
        match = noted.result
        yield (
            row.fixture_id,
            row.epoch,
            _match_row(match, match.wall_ms, noted.seats, row.digest, row.content),
        )


_DIGESTS = (
    sa.select(result.c.fixture_id, result.c.game_digest)
    .join(fixture, fixture.c.id == result.c.fixture_id)
    .where(
        fixture.c.season_id == sa.bindparam("season"),
        fixture.c.ordinal.between(sa.bindparam("first"), sa.bindparam("last")),
        result.c.game_digest != "",
    )
)


def game_digests(
    connection: Connection, season_id: int, first: int = 0, last: int | None = None
) -> dict[int, str]:
    """Return the digests that distinguish the games of a season, by fixture id, of the matches that have one.

    Args:
        first, last: the ordinal numbers from and to which; None for the end.
    """
    parameters = {"season": season_id, "first": first, "last": LARGEST_ORDINAL if last is None else last}
    return {row.fixture_id: row.game_digest for row in connection.execute(_DIGESTS, parameters)}


def finished(
    connection: Connection, season_id: int, *, with_records: bool = False
) -> Iterator[tuple[Match, MatchRow]]:
    """Yield every match of a season that has a result, by ordinal number, with everything that was noted of it.

    Args:
        with_records: also read the records.

    Raises:
        DatabaseUnusable: a match has lost its record, or a seat.
    """
    has_result = sa.exists().where(result.c.fixture_id == fixture.c.id)
    planned = fixtures.read(connection, fixture.c.season_id == season_id, has_result)
    noted = _noted(connection, fixture.c.season_id == season_id, with_records=with_records)
    for match in planned:
        fixture_id, row = next(noted, (None, None))
        if row is None or match.fixture_id != fixture_id:
            raise DatabaseUnusable(f"Match {match.fixture_id} has no record. See `botleague db check`.")
        yield match, row


def find(connection: Connection, fixture_id: int) -> MatchRow:
    """Return everything that was noted of a finished match.

    Raises:
        NotFound: there is no such match, or it has not been played.
        DatabaseUnusable: its record is damaged.
    """
    noted = next(_noted(connection, fixture.c.id == fixture_id, with_records=True), None)
    if noted is None:
        raise NotFound(
            "This match has no result. `botleague history BOT` lists the finished matches of a bot."
        )
    _refuse_damaged(noted[1].content)
    return noted[1]


def records(connection: Connection, fixture_ids: Sequence[int]) -> dict[int, bytes]:
    """Return the records of finished matches by fixture id.

    Raises:
        DatabaseUnusable: a record is damaged, or missing.
    """
    query = sa.select(record.c.fixture_id, record.c.content)
    stored = dict(map(tuple, select_among(connection, query, record.c.fixture_id, fixture_ids)))
    contents = {fixture_id: _unpacked(stored.get(fixture_id)) for fixture_id in fixture_ids}
    for content in contents.values():
        _refuse_damaged(content)
    return contents


def _refuse_damaged(content: bytes) -> None:
    if not content:
        # Without the row's id: pages quote it.
        raise DatabaseUnusable("The record of this match is damaged. See `botleague db check`.")


def _noted(
    connection: Connection, *where: sa.ColumnElement[bool], with_records: bool
) -> Iterator[tuple[int, MatchRow]]:
    """Yield (fixture id, what was noted) of finished matches by ordinal number."""
    content = record.c.content if with_records else sa.literal(None).label("content")
    query = (
        sa.select(
            fixture.c.id,
            result.c.reason,
            result.c.layers,
            result.c.turns,
            result.c.wall_ms.label("match_wall_ms"),
            result.c.recorded_at,
            result.c.game_digest,
            record.c.digest,
            content,
            seat,
        )
        .join(result, result.c.fixture_id == fixture.c.id)
        .join(record, record.c.fixture_id == fixture.c.id)
        .join(seat, seat.c.fixture_id == fixture.c.id)
        .where(*where)
        .order_by(fixture.c.ordinal, seat.c.seat)
        .execution_options(stream_results=True)
    )
    for rows in groups(connection.execute(query)):
        first = rows[0]
        yield first.id, _match_row(first, first.match_wall_ms, rows, first.digest, first.content)


def _match_row(
    match: Any, wall_ms: float, seats: Iterable[Any], digest: str, content: bytes | None
) -> MatchRow:
    """Return what was noted of a match: ``match`` and ``seats`` have the columns of ``result`` and ``seat``."""
    return MatchRow(
        match.reason,
        tuple(json.loads(match.layers)),
        match.turns,
        wall_ms,
        tuple(
            SeatRow(
                row.version_id,
                row.place,
                row.score,
                bool(row.forfeit),
                read_faults(row.faults),
                row.cpu_ms,
                row.wall_ms,
                row.peak_memory,
            )
            for row in seats
        ),
        _unpacked(content),
        digest,
        match.recorded_at,
        getattr(match, "game_digest", ""),  # what an older botleague set aside has none
    )


def _unpacked(content: bytes | None) -> bytes:
    try:
        return b"" if content is None else zlib.decompress(content)
    except zlib.error:
        return b""
