"""Where a season ends for others while it is frozen: found, noted, and held. The rule is in :mod:`.calendar`."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league.calendar import CALENDAR_EVENTS, Frozen, calendar_in, frozen_in
from botleague_storage import events, leagues, ratings
from botleague_storage.events import EventRow

__all__ = ["frozen", "note_freeze", "refuse_if_seen"]


def frozen(
    connection: Connection, season_id: int, now: float, log: Sequence[EventRow] | None = None
) -> Frozen | None:
    """Return where a season ends for others at a moment, None while they see all of it.

    Args:
        now: seconds since the epoch.
        log: its events of the kinds :data:`CALENDAR_EVENTS`, if they are known.
    """
    log = events.events(connection, season_id, CALENDAR_EVENTS) if log is None else log
    calendar = calendar_in(log)
    if calendar.freeze is None or calendar.is_revealed(now):
        return None
    noted = frozen_in(log, calendar)
    if noted is not None or not calendar.has_come("freeze", now):
        return noted
    settled, _ = ratings.coverage(connection, season_id)
    entrants = len(leagues.entrants(connection, season_id))
    return Frozen(settled, events.last(connection, season_id), entrants)


def note_freeze(connection: Connection, season_id: int, now: float, log: Sequence[EventRow]) -> bool:
    """Note where a season ends for others, if a freeze has begun that nobody has noted. Needs a write transaction.

    Args:
        now: seconds since the epoch.
        log: its events of the kinds :data:`CALENDAR_EVENTS`.

    Returns:
        Whether something was noted.
    """
    calendar = calendar_in(log)
    if frozen_in(log, calendar) is not None:
        return False
    found = frozen(connection, season_id, now, log)
    if found is not None:
        content = {
            "freeze": calendar.shown("freeze"),
            "ordinal": found.ordinal,
            "entrants": found.entrants,
        }
        events.append(connection, season_id, "frozen", content=content)
    return found is not None


def refuse_if_seen(found: Frozen | None, ordinal: int, what: str) -> None:
    """Refuse to change a result that everybody sees while a season is frozen, with a UsageError.

    Args:
        found: where the season ends for others.
        ordinal: of the first match that would be changed.
        what: would be done.
    """
    if found is not None and ordinal < found.ordinal:
        raise UsageError(
            f"While the season is frozen, what everybody has seen stands, so {what} has to wait for the reveal "
            "(botleague organise reveal). To take a bot out at once, retire it: others see that at the reveal."
        )
