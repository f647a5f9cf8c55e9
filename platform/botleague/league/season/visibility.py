"""Visible part of a season for a viewer. Everything that pages, files and streams read takes this value.

There are two steps, and the second cannot be forgotten. :func:`horizons` computes, for every season of a database, its
end for a viewer; a transaction begun with that (:meth:`botleague_storage.Database.reading`) holds nothing else, so
no query, cache, count or replay made in it can show more. :func:`visible` does so for one season, and
refuses a transaction that was not begun so.
"""

from __future__ import annotations

import itertools
import time
from operator import itemgetter

import msgspec
from sqlalchemy.engine import Connection

from botleague.league.season.freeze import frozen
from botleague.league.season.season import PAUSE_EVENTS, Season, open_season
from botleague.league.season.season_calendar import CALENDAR_EVENTS, Frozen, calendar_in
from botleague.people import Viewer, is_at_least
from botleague.plugins import PluginHost
from botleague_storage import Horizon, bots, events, horizon_of, is_limited, ratings


class Visible(msgspec.Struct, frozen=True):
    """Part of a season that exists for a viewer.

    Attributes:
        end: matches with ordinal numbers below it, and what follows from them.
        is_live: matches that are being played can be watched.
        versions: only matches in which one of these sits; None for all. Tables include all bots.
        is_frozen: whether there may be more, which the viewer does not see.
        hides_from: where the season ends for others, if it goes further for this viewer; else None.
    """

    end: int
    is_live: bool
    versions: frozenset[int] | None = None
    is_frozen: bool = False
    hides_from: int | None = None


def horizons(connection: Connection, viewer: Viewer, now: float | None = None) -> list[Horizon]:
    """Return where seasons end for a viewer, of those that have more to hide.

    Args:
        now: seconds since the epoch; None for this moment.
    """
    now = time.time() if now is None else now
    ends = []
    log = events.everywhere(connection, CALENDAR_EVENTS)
    for (season_id, league), rows in itertools.groupby(log, key=itemgetter(0, 1)):
        if sees_all(viewer, league):
            continue
        dates = [row for _, _, row in rows]
        versions = None
        if calendar_in(dates).is_blind(now):
            versions = frozenset(bots.versions_of(connection, viewer.team) if viewer.team else ())
        hidden = frozen(connection, season_id, now, dates)
        if hidden is not None or versions is not None:
            settled, _ = ratings.coverage(connection, season_id)
            ends.append(_horizon(season_id, settled, hidden, versions))
    return ends


def is_any_blind(connection: Connection, now: float) -> bool:
    """Return whether it matters in any season whose bots a viewer owns."""
    log = events.everywhere(connection, ["calendar"])
    return any(
        calendar_in([row for _, _, row in rows]).is_blind(now)
        for _, rows in itertools.groupby(log, key=itemgetter(0))
    )


def sight(viewer: Viewer, *, is_blind: bool) -> Viewer:
    """Return the properties of a viewer that determine what they see.

    Args:
        is_blind: some season is.
    """
    return Viewer(
        team=viewer.team if is_blind else "",
        role=viewer.role if is_at_least(viewer.role, "helper") else "spectator",
        roles=tuple(sorted((league, role) for league, role in viewer.roles if is_at_least(role, "helper"))),
    )


def visible(viewer: Viewer, season: Season) -> Visible:
    """Return the part of a season that exists for a viewer: what is settled, or was settled when it was frozen.

    Args:
        season: in a transaction that was begun with :func:`horizons` for this viewer, or for one who sees all.
    """
    settled, _ = ratings.coverage(season.connection, season.id)
    if sees_all(viewer, season.league.name):
        hidden = season.frozen
        return Visible(
            _until(season, settled), season.end is None, hides_from=None if hidden is None else hidden.ordinal
        )
    if not is_limited(season.connection):
        raise RuntimeError("a transaction that holds more than its viewer may see")
    horizon = horizon_of(season.connection, season.id)
    if horizon is None:
        return Visible(_until(season, settled), season.end is None)
    is_frozen = horizon.end is not None
    return Visible(
        _until(season, horizon.settled), season.end is None and not is_frozen, horizon.versions, is_frozen
    )


def open_visible(
    viewer: Viewer, connection: Connection, plugins: PluginHost, league: str, number: int | None = None
) -> tuple[Season, Visible]:
    """Open a season, limited to the part that a viewer sees; see :func:`visible` and :func:`open_season`."""
    season = open_season(connection, plugins, league, number)
    return season, visible(viewer, season)


def sees_all(viewer: Viewer, league: str) -> bool:
    """Return whether nothing of a league is hidden from a viewer, as from helpers and organisers."""
    return is_at_least(viewer.role_in(league), "helper")


def _until(season: Season, end: int) -> int:
    return end if season.end is None else min(season.end, end)


def _horizon(season_id: int, settled: int, hidden: Frozen | None, versions: frozenset[int] | None) -> Horizon:
    if hidden is None:
        return Horizon(season_id, settled, versions=versions)
    end = hidden.ordinal
    return Horizon(season_id, end, end, hidden.events, hidden.entrants, ("calendar", *PAUSE_EVENTS), versions)
