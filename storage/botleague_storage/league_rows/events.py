"""The log of a season: what its organiser decided and what followed from its settings; and where its ratings start.

Rows are only ever added. What an event means is the platform's business: here it is a kind, whom or what it is about,
and plain data.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import columns
from botleague_storage.schema.league_tables import event, fixture, league, season, season_start
from botleague_storage.schema.storage_errors import DamagedRow


class EventRow(msgspec.Struct, frozen=True):
    """One event.

    Attributes:
        number: counted from 1 in its season.
        kind: what happened.
        version_id, fixture_id: whom and which match it is about, None for neither.
        content: its plain data.
        recorded_at: when, in seconds since the epoch.
    """

    number: int
    kind: str
    version_id: int | None
    fixture_id: int | None
    content: Mapping[str, Any]
    recorded_at: float
    id: int = 0

    def __str__(self) -> str:
        """Return how messages name it."""
        return f"Row {self.id} of the table event (event {self.number} of its season, {self.kind})"


class StartRow(msgspec.Struct, frozen=True):
    """Start of a version's season: ``value`` to seed by, and the rating's ``state`` if it was carried over."""

    version_id: int
    state: str | None
    value: float


_INT, _TEXT, _NUMBER = (int,), (str,), (int, float)
_NONE = type(None)

CONTENT: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "joined": {"round": _INT},
    "updated": {"predecessor": _INT, "ordinal": _INT, "round": _INT},
    "target": {"rounds": _INT},
    "division": {"name": _TEXT},
    "anchored": {"value": (*_NUMBER, _NONE)},
    "reinstated": {"ordinal": _INT},
    "audited": {"verdict": _TEXT},
    "replayed": {"epoch": _INT, "digest": _TEXT, "planned": _INT},
    "transferred": {"owner": _TEXT, "before": _TEXT},
    "undone": {"undoes": _INT, "round": _INT, "planned": _INT},
    "paused": {"reason": _TEXT},
    "frozen": {"freeze": _TEXT, "ordinal": _INT, "entrants": _INT},
    **{kind: {"ordinal": _INT, "round": _INT} for kind in ("retired", "suspended", "disqualified")},
}
"""Required content of an event, by kind."""

ANYWHERE: Mapping[str, tuple[type, ...]] = {
    "back": _INT,
    "first": _INT,
    "matches": _INT,
    "planned": _INT,
    "predecessor": (*_INT, _NONE),
    "reason": _TEXT,
    "round": _INT,
    "since": _INT,
}
"""Optional content of an event, each with its allowed types."""

MOST = 2**63


def append(
    connection: Connection,
    season_id: int,
    kind: str,
    *,
    version_id: int | None = None,
    fixture_id: int | None = None,
    content: Mapping[str, Any] | None = None,
) -> None:
    """Add an event to a season's log. Needs a write transaction."""
    connection.execute(
        event.insert().values(
            season_id=season_id,
            number=last(connection, season_id) + 1,
            kind=kind,
            version_id=version_id,
            fixture_id=fixture_id,
            content=json.dumps(dict(content or {}), sort_keys=True),
            recorded_at=time.time(),
        )
    )


_LOG = (
    sa.select(event)
    .where(event.c.season_id == sa.bindparam("season"), event.c.number > sa.bindparam("after"))
    .order_by(event.c.number)
)

_LOG_OF_KINDS = _LOG.where(event.c.kind.in_(sa.bindparam("kinds", expanding=True)))
_LAST = sa.select(sa.func.max(event.c.number)).where(event.c.season_id == sa.bindparam("season"))
_LAST_OF_KINDS = _LAST.where(event.c.kind.in_(sa.bindparam("kinds", expanding=True)))
_NEWEST = (
    sa.select(event)
    .join(season, season.c.id == event.c.season_id)
    .where(
        season.c.league_id == sa.bindparam("league"), event.c.kind.in_(sa.bindparam("kinds", expanding=True))
    )
    .order_by(event.c.season_id.desc(), event.c.number.desc())
    .limit(1)
)
_EVERYWHERE = (
    sa.select(event, league.c.name)
    .join(season, season.c.id == event.c.season_id)
    .join(league, league.c.id == season.c.league_id)
    .where(event.c.kind.in_(sa.bindparam("kinds", expanding=True)))
    .order_by(event.c.season_id, event.c.number)
)


def events(
    connection: Connection,
    season_id: int,
    kinds: Sequence[str] = (),
    *,
    fixture_id: int | None = None,
    after: int = 0,
) -> list[EventRow]:
    """Return a season's events in order.

    Args:
        kinds: only of these; none for all.
        fixture_id: only about this match.
        after: only those with a greater number.

    Raises:
        DamagedRow: one of them does not hold what events hold.
    """
    query = _LOG_OF_KINDS if kinds else _LOG
    if fixture_id is not None:
        query = query.where(event.c.fixture_id == fixture_id)
    parameters = {"season": season_id, "after": after, "kinds": kinds}
    return [_read(row) for row in connection.execute(query, parameters)]


def everywhere(connection: Connection, kinds: Sequence[str]) -> list[tuple[int, str, EventRow]]:
    """Return the events of some kinds in all seasons, in order, with the season's id and its league's name."""
    rows = connection.execute(_EVERYWHERE, {"kinds": list(kinds)})
    return [(row.season_id, row.name, _read(row)) for row in rows]


def newest(connection: Connection, league_id: int, kinds: Sequence[str]) -> EventRow | None:
    """Return the newest event of some kinds in all seasons of a league, None without one."""
    row = connection.execute(_NEWEST, {"league": league_id, "kinds": kinds}).first()
    return None if row is None else _read(row)


def _read(row: sa.Row[Any]) -> EventRow:
    """Return an event; SQLite stores anything in any column, and files are changed by hand."""
    event_row = EventRow(row.number, row.kind, row.version_id, row.fixture_id, {}, row.recorded_at, row.id)
    try:
        content = json.loads(row.content)
    except (TypeError, ValueError):
        raise DamagedRow(str(event_row), "its content is no JSON") from None
    if not isinstance(content, dict):
        raise DamagedRow(str(event_row), "its content is no JSON object")
    for name, value, kinds in (
        ("number", row.number, _INT),
        ("kind", row.kind, _TEXT),
        ("version_id", row.version_id, (*_INT, _NONE)),
        ("fixture_id", row.fixture_id, (*_INT, _NONE)),
        ("recorded_at", row.recorded_at, _NUMBER),
    ):
        _check(event_row, name, value, kinds)
    for name, accepted in CONTENT.get(row.kind, {}).items():
        if name not in content:
            raise DamagedRow(str(event_row), f"its content has no {name!r}")
        _check(event_row, name, content[name], accepted)
    for name in ANYWHERE.keys() & content.keys():
        _check(event_row, name, content[name], ANYWHERE[name])
    return msgspec.structs.replace(event_row, content=content)


def _check(row: EventRow, name: str, value: object, kinds: tuple[type, ...]) -> None:
    is_huge = isinstance(value, int | float) and not -MOST < value < MOST
    if isinstance(value, bool) or not isinstance(value, kinds) or is_huge:
        raise DamagedRow(str(row), f"{name} cannot be {str(value)[:40]!r}")


def last(connection: Connection, season_id: int, kinds: Sequence[str] = ()) -> int:
    """Return the number of the last event in a season's log, or the last of these kinds; 0 for none."""
    query = _LAST_OF_KINDS if kinds else _LAST
    return connection.scalar(query, {"season": season_id, "kinds": kinds}) or 0


def ordinal(connection: Connection, season_id: int, fixture_id: int) -> int | None:
    """Return the ordinal number of a match that an event is about, None if it is not one of the season."""
    mine = sa.and_(fixture.c.season_id == season_id, fixture.c.id == fixture_id)
    return connection.scalar(sa.select(fixture.c.ordinal).where(mine))


def add_starts(connection: Connection, season_id: int, rows: Iterable[StartRow]) -> None:
    """Store where a season begins."""
    values = [
        {"season_id": season_id, "version_id": row.version_id, "state": row.state, "value": row.value}
        for row in rows
    ]
    if values:
        connection.execute(season_start.insert(), values)


def starts(connection: Connection, season_id: int) -> dict[int, StartRow]:
    """Return where a season begins, by version; newcomers are missing."""
    query = sa.select(*columns(season_start, StartRow)).where(season_start.c.season_id == season_id)
    return {row.version_id: StartRow(**row._mapping) for row in connection.execute(query)}
