"""A season as flat tables for other programs: matches, seats, faults, ratings and their history, events.

Tables are described by their columns and read row by row, so that a season of any length can be written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from botleague.league.season import Season
from botleague.league.standings import Standing, standings
from botleague.rules import with_names
from botleague_storage import events, ratings, results
from botleague_storage.fixtures import Match
from botleague_storage.results import MatchRow

__all__ = ["TABLES", "Exported", "exported"]

TABLES = {
    "results": "one row per finished match",
    "seats": "one row per seat of a finished match, with what it used",
    "faults": "one row per seat and kind of fault",
    "ratings": "the table",
    "history": "one row per match and rating that it changed",
    "events": "what was decided",
}
"""What is exported."""


@dataclass(frozen=True, slots=True)
class Exported:
    """One table: its name, columns and rows."""

    name: str
    columns: tuple[str, ...]
    rows: Iterator[Sequence[Any]]


def exported(season: Season, progress: Callable[[int], None]) -> Iterator[Exported]:
    """Yield the tables of a season one after another; each must be read before the next is taken.

    Args:
        progress: called with the number of matches written of one table.
    """
    connection = season.connection
    owners = {version: (row.bot, row.number, row.digest, row.owner) for version, row in season.names.items()}

    def each() -> Iterator[tuple[Match, MatchRow]]:
        for number, one in enumerate(results.finished(connection, season.id), start=1):
            yield one
            progress(number)

    yield Exported(
        "results",
        (
            "match",
            "ordinal",
            "round",
            "group",
            "label",
            "seed",
            "counts",
            "reason",
            "turns",
            "wall_ms",
            "recorded_at",
            "record_sha256",
        ),
        (
            (
                match.fixture_id,
                match.ordinal,
                match.round,
                match.group,
                match.label,
                match.seed,
                not match.is_void,
                with_names(noted.reason, [owners[version][0] for version in match.versions]),
                noted.turns,
                noted.wall_ms,
                _time(noted.recorded_at),
                noted.digest,
            )
            for match, noted in each()
        ),
    )
    yield Exported(
        "seats",
        (
            "match",
            "seat",
            "bot",
            "version",
            "digest",
            "owner",
            "place",
            "score",
            "forfeit",
            "faults",
            "cpu_ms",
            "wall_ms",
            "peak_memory",
        ),
        (
            (
                match.fixture_id,
                number,
                *owners[seat.version_id],
                seat.place,
                seat.score,
                seat.forfeit,
                sum(seat.faults.values()),
                seat.cpu_ms,
                seat.wall_ms,
                seat.peak_memory,
            )
            for match, noted in each()
            for number, seat in enumerate(noted.seats)
        ),
    )
    yield Exported(
        "faults",
        ("match", "seat", "bot", "version", "fault", "count"),
        (
            (match.fixture_id, number, *owners[seat.version_id][:2], kind, count)
            for match, noted in each()
            for number, seat in enumerate(noted.seats)
            for kind, count in seat.faults.items()
        ),
    )
    columns = msgspec.structs.fields(Standing)
    yield Exported(
        "ratings",
        tuple(column.name for column in columns),
        (tuple(_plain(getattr(row, column.name)) for column in columns) for row in standings(season)),
    )
    yield Exported(
        "history",
        ("ordinal", "bot", "version", "before", "after"),
        (
            (change.ordinal, *owners[change.version_id][:2], change.before, change.after)
            for change in ratings.changes(connection, season.id)
        ),
    )
    yield Exported(
        "events",
        ("number", "event", "bot", "version", "match", "content", "recorded_at"),
        (
            (
                event.number,
                event.kind,
                *(owners[event.version_id][:2] if event.version_id is not None else ("", None)),
                event.fixture_id,
                json.dumps(event.content, sort_keys=True),
                _time(event.recorded_at),
            )
            for event in events.events(connection, season.id)
        ),
    )


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _plain(value: Any) -> Any:
    """Return a value that fits into one cell."""
    return json.dumps(value) if isinstance(value, dict | tuple | list) else value
