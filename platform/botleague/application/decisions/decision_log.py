"""Who decided what, when, why and with which command, and what it changed: for organisers to look up.

The log of a season tells what was decided about bots and matches, and everybody may read it in an export. What
organisers decide about people and limits, and who they are, is noted beside it and leaves the database only through
their desk and command line. :func:`log_entries` shows both as one list.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

from sqlalchemy.engine import Connection

from botleague.application.decisions.organiser_decisions import Decided
from botleague.league import Season
from botleague.league.verification import VERSIONS_IN_EVENTS
from botleague_storage import bots, events, leagues, organiser_notes

BEFOREHAND = ("frozen",)
"""Events that may be logged before the one that was decided."""

SHOWN = ("number", "event", "bot", "match", "at", "changed", "command")
"""What of an entry of the log stands for itself."""


def decide(
    connection: Connection,
    league: str | None,
    kind: str,
    work: Callable[[], Decided],
    *,
    by: int | None = None,
    reason: str = "",
    command: str = "",
) -> Decided:
    """Decide something, and note it with each entry of a league's log that comes of it; takes what :func:`note` does.

    What changes something without an entry is noted in the league that is named.
    """
    seasons = {row.name: leagues.current_season(connection, row.id).id for row in leagues.leagues(connection)}
    last = {name: events.last(connection, season) for name, season in seasons.items()}
    done = work()
    told: dict[str | None, int | None] = {}
    for name, season in seasons.items():
        coming = events.events(connection, season, after=last[name])
        event = next((row.number for row in coming if row.kind not in BEFOREHAND), None)
        if event is not None:
            told[name] = event
    if done.changed and not told:
        told[league] = None
    for whose, event in told.items():
        note(connection, kind, done, whose, by=by, reason=reason, command=command, event=event)
    return done


def note(
    connection: Connection,
    kind: str,
    done: Decided,
    league: str | None,
    *,
    by: int | None = None,
    reason: str = "",
    command: str = "",
    event: int | None = None,
) -> None:
    """Note a decision in the current season of a league.

    Args:
        kind: what was decided.
        league: its name; None for every league.
        by: the id of the account that decided, None for the command line.
        reason: why, as it was said.
        command: that does the same.
        event: its number in the season's log, None if it is not in it.
    """
    changed = {name: list(pair) for name, pair in done.changed.items()}
    said = {"reason": reason, "changed": changed, "command": command}
    content = {name: value for name, value in said.items() if value}
    for row in leagues.leagues(connection) if league is None else [leagues.find(connection, league)]:
        organiser_notes.add_decision(
            connection,
            leagues.current_season(connection, row.id).id,
            kind,
            content,
            time.time(),
            event=event,
            account_id=by,
            about_id=done.about,
        )


def log_entries(season: Season) -> list[dict[str, Any]]:
    """Return what was decided in a season and what followed from its terms, in order.

    Each says of the decision who made it, with which command and what it changed, as far as that was noted; what is not
    in the log of the season itself has no number.
    """
    noted = organiser_notes.decisions(season.connection, season.id)
    by_event = {row.event: row for row in noted}
    logged = [(at, _with_decision(entry, by_event.get(entry["number"]))) for at, entry in _logged(season)]
    beside = [
        (row.recorded_at, _with_decision(_entry(None, row.kind, "", None, row.recorded_at), row))
        for row in noted
        if row.event is None
    ]
    return [entry for _, entry in heapq.merge(logged, beside, key=itemgetter(0))]


def details(entry: Mapping[str, Any]) -> str:
    """Return in words what an entry of the log says beside its number, what, about which bot or match, and when."""
    told = [
        f"{name} {value[:12] if name == 'digest' else value}"
        for name, value in entry.items()
        if name not in SHOWN and value not in ("", None)
    ]
    changed = entry.get("changed", {}).items()
    return ", ".join(
        told + [f"{name} {_shown(before)} → {_shown(after)}" for name, (before, after) in changed]
    )


def _with_decision(entry: dict[str, Any], row: organiser_notes.DecisionRow | None) -> dict[str, Any]:
    """Return an entry of the log with what was noted of the decision."""
    if row is None:
        return {**entry, "by": "", "about": "", "command": ""}
    return {**entry, "by": row.by, "about": row.about, "command": "", **row.content}


def _entry(number: int | None, kind: str, bot: str, match: str | None, recorded_at: float) -> dict[str, Any]:
    at = datetime.fromtimestamp(recorded_at, UTC).isoformat(timespec="seconds")
    return {"number": number, "event": kind, "bot": bot, "match": match, "at": at}


def _logged(season: Season) -> list[tuple[float, dict[str, Any]]]:
    """Return when and what: the entries of the season's own log."""
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
