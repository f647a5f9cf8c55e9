"""The decision log for organisers: user, time, reason, command and changes of each decision.

The log of a season contains decisions about bots and matches; it is public in an export. Decisions about people and
limits, and the users who made them, are stored separately. They leave the database only through
the organiser pages and the command line. :func:`log_entries` joins both in one list.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

from botleague.league import Season
from botleague.league.verification import VERSIONS_IN_EVENTS
from botleague_storage import bots, events, organiser_notes

SHOWN = ("number", "event", "bot", "match", "at", "changed", "command")
"""Parts of an entry with a column of their own."""


def log_entries(season: Season) -> list[dict[str, Any]]:
    """Return the decisions and automatic events of a season, in order.

    Each entry has the user, command and changes of its decision, if these are stored; entries that are not in the log
    of the season have no number.
    """
    rows = organiser_notes.decisions(season.connection, season.id)
    by_event = {row.event: row for row in rows}
    logged = [(at, _with_decision(entry, by_event.get(entry["number"]))) for at, entry in _logged(season)]
    unlogged = [
        (row.recorded_at, _with_decision(_entry(None, row.kind, "", None, row.recorded_at), row))
        for row in rows
        if row.event is None
    ]
    return [entry for _, entry in heapq.merge(logged, unlogged, key=itemgetter(0))]


def details(entry: Mapping[str, Any]) -> str:
    """Return the parts of an entry that have no column of their own, as text."""
    parts = [
        f"{name} {value[:12] if name == 'digest' else value}"
        for name, value in entry.items()
        if name not in SHOWN and value not in ("", None)
    ]
    changed = entry.get("changed", {}).items()
    return ", ".join(
        parts + [f"{name} {_shown(before)} → {_shown(after)}" for name, (before, after) in changed]
    )


def _with_decision(entry: dict[str, Any], row: organiser_notes.DecisionRow | None) -> dict[str, Any]:
    """Return an entry of the log with the stored parts of its decision."""
    if row is None:
        return {**entry, "by": "", "about": "", "command": ""}
    return {**entry, "by": row.by, "about": row.about, "command": "", **row.content}


def _entry(number: int | None, kind: str, bot: str, match: str | None, recorded_at: float) -> dict[str, Any]:
    at = datetime.fromtimestamp(recorded_at, UTC).isoformat(timespec="seconds")
    return {"number": number, "event": kind, "bot": bot, "match": match, "at": at}


def _logged(season: Season) -> list[tuple[float, dict[str, Any]]]:
    """Return time and content of the entries of the season's own log."""
    rows = events.events(season.connection, season.id)
    concerned = {row.version_id for row in rows} | {
        row.content.get(name) for row in rows for name in VERSIONS_IN_EVENTS
    }
    named = bots.versions(season.connection, sorted(one for one in concerned if one is not None))

    def title(version: int | None) -> str:
        return "" if version is None else named[version].title

    return [
        (
            row.recorded_at,
            {
                **_entry(
                    row.number,
                    row.kind,
                    title(row.version_id),
                    None if row.fixture_id is None else season.match_called(row.fixture_id),
                    row.recorded_at,
                ),
                **{
                    name: title(value) if name in VERSIONS_IN_EVENTS else value
                    for name, value in row.content.items()
                },
            },
        )
        for row in rows
    ]


def _shown(value: object) -> str:
    return "–" if value in ("", None) else str(value)
