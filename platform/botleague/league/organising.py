"""What an organiser decides about a running season. Each decision is an event; nothing that happened is edited.

Every function needs a write transaction, and leaves the ratings equal to the fold over what counts.
"""

from __future__ import annotations

import math

from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league.roster import EventKind, Member, Roster, read_roster
from botleague.league.settings import LeagueSettings
from botleague.league.suspension import count_in
from botleague.plugins import PluginHost
from botleague_storage import events, fixtures, leagues, matches
from botleague_storage.leagues import SeasonRow

__all__ = ["add_newcomers", "anchor", "close", "disqualify", "reinstate", "retire", "void_match"]


def retire(
    connection: Connection, season: SeasonRow, version_id: int, plugins: PluginHost, reason: str = ""
) -> int:
    """Let a bot play no more. What it played counts; what it had still to play is cancelled.

    Returns:
        How many matches were cancelled.

    Raises:
        UsageError: it is out already, or anchors the published tables.
    """
    roster = read_roster(connection, season.id)
    _insider(roster, version_id)
    if roster.anchor is not None and roster.anchor[0] == version_id:
        raise UsageError("The anchor of the published tables is never retired. Anchor another bot first.")
    _note_out(connection, season, "retired", version_id, reason)
    cancelled = matches.cancel(connection, season.id, version_id)
    _count_on(connection, season, plugins)
    return cancelled


def disqualify(
    connection: Connection,
    season: SeasonRow,
    version_id: int,
    plugins: PluginHost,
    reason: str,
    first: int = 0,
) -> int:
    """Remove a bot: its matches from ordinal number ``first`` on count for nothing, and ratings are folded anew.

    Returns:
        How many matches do not count any more, or were cancelled.

    Raises:
        UsageError: it is not an entrant, or disqualified already.
    """
    member = _member(read_roster(connection, season.id), version_id)
    if member.status == "disqualified":
        raise UsageError("This bot is disqualified already.")
    _note_out(connection, season, "disqualified", version_id, reason, first=first)
    cancelled = matches.cancel(connection, season.id, version_id)
    annulled = matches.annul(connection, matches.counting_of(connection, season.id, version_id, first))
    _count_on(connection, season, plugins, anew=bool(annulled))
    return cancelled + annulled


def reinstate(connection: Connection, season: SeasonRow, version_id: int, reason: str = "") -> None:
    """Let a bot that is out play again, from the next planned round on. Void matches stay void.

    Formats that are planned at once, like a round robin, plan nothing more, so it plays no more in them.

    Raises:
        UsageError: it is not out.
    """
    member = _member(read_roster(connection, season.id), version_id)
    if not member.is_out:
        raise UsageError("This bot is in: there is nothing to reinstate.")
    planned, _ = fixtures.counts(connection, season.id)
    last = matches.last_round(connection, season.id)
    _log(connection, season, "reinstated", version_id, ordinal=planned, round=last, reason=reason)


def anchor(connection: Connection, season: SeasonRow, version_id: int, value: float) -> None:
    """Shift published tables so that a bot has the rating ``value``. No difference between ratings changes.

    Raises:
        UsageError: it is not an entrant, or out, or the value is no number.
    """
    if not math.isfinite(value):
        raise UsageError(f"--value {value}: a rating is a number.")
    _insider(read_roster(connection, season.id), version_id)
    _log(connection, season, "anchored", version_id, value=float(value))


def void_match(
    connection: Connection, season: SeasonRow, fixture_id: int, plugins: PluginHost, reason: str
) -> None:
    """Take one match out of the count, and fold the ratings anew.

    Raises:
        UsageError: it is no finished match of this season, or void already.
    """
    match = matches.find(connection, season.id, fixture_id)
    if match is None or not match.places:
        raise UsageError(f"Match {fixture_id} is no finished match of this season.")
    if match.is_void:
        raise UsageError(f"Match {fixture_id} is void already.")
    events.append(connection, season.id, "voided", fixture_id=fixture_id, content={"reason": reason})
    matches.annul(connection, [fixture_id])
    _count_on(connection, season, plugins, anew=True)


def add_newcomers(
    connection: Connection, season: SeasonRow, version_ids: list[int], plugins: PluginHost, division: str = ""
) -> None:
    """Let bots join a running season, from the next planned round on.

    Raises:
        UsageError: the season was closed, its format is fixed from the start, or one of them has entered already.
    """
    if events.events(connection, season.id, ["closed"]):
        raise UsageError("This season was closed. Let the bots enter the next one: botleague season new.")
    settings = LeagueSettings.decode(season.settings)
    if not settings.make_format(plugins).takes_newcomers:
        raise UsageError(
            f"The format {settings.format} is fixed from the start, so nobody can join now. "
            "Let the bots enter the next season: botleague season new."
        )
    roster = read_roster(connection, season.id)
    known = [version for version in version_ids if version in roster.members]
    if known:
        raise UsageError("A bot that was to be added has entered already.")
    if division not in roster.divisions:
        raise UsageError(
            f"There is no division {division!r} in this season. There are: "
            + ", ".join(map(repr, roster.divisions))
        )
    leagues.add_entrants(connection, season.id, version_ids)
    coming = matches.last_round(connection, season.id) + 1
    for version in version_ids:
        _log(connection, season, "joined", version, round=coming)
        if division:
            _log(connection, season, "division", version, name=division)


def close(connection: Connection, season: SeasonRow, plugins: PluginHost, reason: str = "") -> int:
    """End a season: cancel everything that it has still to play, and plan nothing more. To close it again does nothing.

    Returns:
        How many matches were cancelled.
    """
    if events.events(connection, season.id, ["closed"]):
        return 0
    cancelled = matches.cancel(connection, season.id)
    events.append(connection, season.id, "closed", content={"matches": cancelled, "reason": reason})
    _count_on(connection, season, plugins)
    return cancelled


def _note_out(
    connection: Connection,
    season: SeasonRow,
    kind: EventKind,
    version_id: int,
    reason: str,
    **more: int,
) -> None:
    """Log that a bot is out from the first match on that it has not played."""
    _log(
        connection,
        season,
        kind,
        version_id,
        ordinal=matches.first_open(connection, season.id, version_id),
        round=matches.last_round(connection, season.id),
        reason=reason,
        **more,
    )


def _log(
    connection: Connection, season: SeasonRow, kind: EventKind, version_id: int, **content: object
) -> None:
    events.append(connection, season.id, kind, version_id=version_id, content=content)


def _member(roster: Roster, version_id: int) -> Member:
    if version_id not in roster.members:
        raise UsageError("This bot has not entered the season.")
    return roster.members[version_id]


def _insider(roster: Roster, version_id: int) -> Member:
    member = _member(roster, version_id)
    if member.is_out:
        raise UsageError(f"This bot is {member.status} already.")
    return member


def _count_on(connection: Connection, season: SeasonRow, plugins: PluginHost, *, anew: bool = False) -> None:
    """Count what had waited for cancelled matches; ``anew`` if matches that had been counted count no more."""
    settings = LeagueSettings.decode(season.settings)
    count_in(connection, season.id, settings.penalties, settings.make_rating(plugins), anew=anew)
