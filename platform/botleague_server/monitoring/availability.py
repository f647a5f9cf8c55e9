"""Outages of the server, and their effect on deadlines.

A server stores every few seconds that it is running, so after a restart it knows the length of the outage. If that
touched a deadline, uploads count as in time for a while afterwards: a restart must not cost an author a submission.
For the rule, see ``LATE_RULE``.
"""

from __future__ import annotations

import msgspec
from sqlalchemy.engine import Connection

from botleague.league.season import calendar_in
from botleague_storage import events, extensions, leagues, server_notes

BEFORE_S = 120.0
AFTER_S = 60.0
"""Seconds before and after a deadline in which an outage touches it; the latter is the time of an upload."""

REPEAT_S = 120.0
"""Seconds after an outage in which uploads count as in time."""

MAX_EXTENSION_S = 900.0
"""Seconds after a deadline from which no upload counts as in time."""

LATE_RULE = (
    "If the server is unavailable within two minutes before the deadline or one minute after it, uploads count as in "
    "time until two minutes after it is back, at most 15 minutes after the deadline."
)


class Outage(msgspec.Struct, frozen=True):
    """The last outage of the server, in seconds since the epoch."""

    since: float
    until: float

    def late_until(self, deadline: float) -> float:
        """Return the end of the time in which uploads count as in time: the deadline if it was not touched."""
        if self.since < deadline + AFTER_S and self.until > deadline - BEFORE_S:
            return max(deadline, min(self.until + REPEAT_S, deadline + MAX_EXTENSION_S))
        return deadline


def note_alive(connection: Connection, now: float) -> None:
    """Store that the server is running."""
    server_notes.store(connection, "alive-at", repr(now))


def note_start(connection: Connection, now: float) -> None:
    """Store that the server has started, and its outage. Two outages close together count as one."""
    alive = server_notes.find(connection, "alive-at")
    if alive:
        last = last_outage(connection)
        since = float(alive)
        if last is not None and since - last.until < REPEAT_S:
            since = last.since
        server_notes.store(connection, "away", f"{since!r} {now!r}")
    note_alive(connection, now)


def last_outage(connection: Connection) -> Outage | None:
    """Return the last outage of the server; None before the first one."""
    text = server_notes.find(connection, "away")
    return Outage(*map(float, text.split())) if text else None


def counts_at(connection: Connection, league_id: int, owner: str, now: float) -> float:
    """Return the time at which an upload counts as received: just before the deadline if an outage made it late.

    Args:
        now: start of its arrival.
    """
    season = leagues.current_season(connection, league_id).id
    calendar = calendar_in(events.events(connection, season, ["calendar"]))
    own = calendar.extended(extensions.extensions(connection, season).get(owner.lower()))
    deadline, last = own.at("deadline"), last_outage(connection)
    if deadline is None or last is None or not deadline <= now < last.late_until(deadline):
        return now
    return deadline - 0.001
