"""When the server was unavailable, and what follows from that for a deadline.

A server stores every few seconds that it is there. When it starts again it therefore knows how long it was not. If that
touched a deadline, uploads count as in time for a while after it is back, so that nobody loses a submission to a
restart. The rule, for authors: see ``LATE_RULE``.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.engine import Connection

from botleague.league.season import Calendar, calendar_in
from botleague_storage import events, leagues, server_notes

BEFORE_S = 120.0
AFTER_S = 60.0
"""A server that is unavailable so long before or after a deadline touches it; the latter is the time of an upload."""

REPEAT_S = 120.0
"""Seconds after the server is back, in which uploads count as in time."""

MAX_EXTENSION_S = 900.0
"""Seconds after a deadline, after which no upload counts as in time."""

LATE_RULE = (
    "If the server is unavailable within two minutes before the deadline or one minute after it, uploads count as in "
    "time until two minutes after it is back, at most 15 minutes after the deadline."
)


@dataclass(frozen=True, slots=True)
class Away:
    """The last time that the server was unavailable, in seconds since the epoch."""

    since: float
    until: float

    def late_until(self, deadline: float) -> float:
        """Return until when uploads count as in time for a deadline, the deadline itself if it was not touched."""
        if self.since < deadline + AFTER_S and self.until > deadline - BEFORE_S:
            return max(deadline, min(self.until + REPEAT_S, deadline + MAX_EXTENSION_S))
        return deadline


def note_alive(connection: Connection, now: float) -> None:
    """Store that the server is there."""
    server_notes.store(connection, "alive-at", repr(now))


def note_start(connection: Connection, now: float) -> None:
    """Store that the server is there again, and since when it was not. Two such times close together are one."""
    alive = server_notes.find(connection, "alive-at")
    if alive:
        last = away(connection)
        since = float(alive)
        if last is not None and since - last.until < REPEAT_S:
            since = last.since
        server_notes.store(connection, "away", f"{since!r} {now!r}")
    note_alive(connection, now)


def away(connection: Connection) -> Away | None:
    """Return when the server was unavailable last; None if it never was."""
    text = server_notes.find(connection, "away")
    return Away(*map(float, text.split())) if text else None


def calendar_of(connection: Connection, league_id: int) -> Calendar:
    """Return the calendar of a league's current season."""
    season = leagues.current_season(connection, league_id)
    return calendar_in(events.events(connection, season.id, ["calendar"]))


def counts_at(connection: Connection, league_id: int, now: float) -> float:
    """Return when an upload counts as received: just before the deadline if the server's absence made it late.

    Args:
        now: when it began to arrive.
    """
    deadline, last = calendar_of(connection, league_id).at("deadline"), away(connection)
    if deadline is None or last is None or not deadline <= now < last.late_until(deadline):
        return now
    return deadline - 0.001
