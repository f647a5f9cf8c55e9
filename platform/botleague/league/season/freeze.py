"""End of a season for others while it is frozen: computed, recorded and enforced. The rule is in :mod:`.calendar`.

Anything that is derived from a table discloses it: the entrants and pairings of another season, for example. So
nothing is derived from a frozen season before its reveal.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from operator import itemgetter

from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league.season.season_calendar import CALENDAR_EVENTS, Calendar, Frozen, calendar_in, frozen_in
from botleague_storage import bots, events, leagues, ratings
from botleague_storage.league_rows.events import EventRow


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
    """Record the end of a season for others, if a freeze has begun and is not recorded yet; return whether it did.

    Needs a write transaction.

    Args:
        now: seconds since the epoch.
        log: its events of the kinds :data:`CALENDAR_EVENTS`.
    """
    calendar = calendar_in(log)
    if frozen_in(log, calendar) is not None:
        return False
    freeze = frozen(connection, season_id, now, log)
    if freeze is not None:
        content = {"freeze": calendar.shown("freeze"), "ordinal": freeze.ordinal, "entrants": freeze.entrants}
        events.append(connection, season_id, "frozen", content=content)
    return freeze is not None


def refuse_if_seen(freeze: Frozen | None, ordinal: int, what: str) -> None:
    """Refuse to change a result that is public while a season is frozen, with a UsageError.

    Args:
        freeze: where the season ends for others.
        ordinal: of the first match that would be changed.
        what: the refused action.
    """
    if freeze is not None and ordinal < freeze.ordinal:
        raise UsageError(
            f"While the season is frozen, public results cannot change, so {what} must wait for the reveal "
            "(botleague organise reveal). To remove a bot immediately, retire it; this stays hidden until the reveal."
        )


def refuse_to_derive(freeze: Frozen | None, title: str, calendar: Calendar, derived: str) -> None:
    """Refuse to derive something from the table of a frozen season, with a UsageError.

    Args:
        freeze: where the season ends for others; None where it is not frozen.
        title, calendar: of the season.
        derived: the option or step that reads its table, as the subject of a sentence.
    """
    if freeze is not None:
        reveal = f" ({calendar.shown('reveal')})" if calendar.reveal else ""
        raise UsageError(
            f"{derived} uses the standings of {title}, which are frozen: the entrants and pairings would disclose "
            f"them. Wait for the reveal{reveal}, or name the bots by hand, without --seeded-by, --top, --carry and "
            "--promote."
        )


def frozen_rivals(
    connection: Connection, now: float, version_ids: Collection[int]
) -> list[tuple[str, list[str]]]:
    """Return the leagues with a frozen season in which the bots of some versions play, each with those bots' names.

    Args:
        now: seconds since the epoch.
    """
    chosen = {(row.game, row.bot) for row in bots.versions(connection, list(version_ids)).values()}
    rivals = []
    log = events.everywhere(connection, CALENDAR_EVENTS)
    for (season_id, league), rows in itertools.groupby(log, key=itemgetter(0, 1)):
        if frozen(connection, season_id, now, [row for _, _, row in rows]) is None:
            continue
        entered = bots.versions(connection, leagues.entrants(connection, season_id)).values()
        names = sorted({row.bot for row in entered if (row.game, row.bot) in chosen})
        if names:
            rivals.append((league, names))
    return rivals
