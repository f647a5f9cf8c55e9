"""Lets bots play on with versions that were handed in while the season ran, as its term ``new_versions`` says.

Where they replace the ones before, a bot's newest version plays from the first mirrored set on that nobody has begun.
Which that is depends on the moment; so an event holds its ordinal number, written in the transaction that gives the
seats to the new version, and everything else follows from the event. A bot that is out because its version was
suspended comes back so.

Who holds published tables in place, as an anchor or in the pool that others are measured by, stays as it is.

Source: RATINGS, section 10, "New versions".
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.engine import Connection

from botleague.league.season import Member, Season, open_season
from botleague.plugins import PluginHost
from botleague_storage import bots, events, fixtures, matches, page_queries
from botleague_storage.league_rows.bots import VersionRow


@dataclass(frozen=True, slots=True)
class Newer:
    """A bot of which there is a newer version than the one that plays."""

    member: Member
    version: VersionRow


def newer_versions(season: Season) -> list[Newer]:
    """Return the bots of a season of which a newer version was handed in, in order of entry.

    Of a bot that entered with several versions only the newest is followed, and none that was suspended here. Who
    retired or was disqualified is left out, and so is who holds tables and marks in place: anchors, and the pool that
    others are measured by. What was handed in after the calendar's deadline is as if it were not there.
    """
    members, names = season.roster.members, season.names
    fixed = {*season.roster.anchors, *season.roster.versions[: season.format.pool]}
    newest = bots.newest_of(season.connection, list(members), season.calendar.at("deadline"))
    latest = {names[version].bot: version for version in sorted(members, key=lambda one: names[one].number)}
    return [
        Newer(member, newest[version])
        for version, member in members.items()
        if latest[names[version].bot] == version
        and version in newest
        and newest[version].number > names[version].number
        and newest[version].id not in member.suspended
        and member.status in ("", "suspended")
        and version not in fixed
    ]


def put_back(season: Season, member: Member) -> dict[int, str]:
    """Return the versions of a bot that are suspended, so that an earlier one plays, in order, and why each is."""
    if not member.suspended or member.is_out:
        return {}
    number = {version: season.names[version].number for version in member.lineage}
    later = [version for version in member.suspended if number[version] > number[member.version]]
    return {version: member.suspended[version] for version in sorted(later, key=number.__getitem__)}


def too_late_for(connection: Connection, plugins: PluginHost, version: VersionRow) -> tuple[str, ...]:
    """Return a sentence for each season in which a bot plays whose deadline was past when a version was handed in."""
    with_dates = sorted({league for _, league, _ in events.everywhere(connection, ["calendar"])})
    playing = [open_season(connection, plugins, league) for league in with_dates]
    return tuple(
        f"It comes too late for {season.title}: the deadline was {season.calendar.shown('deadline')}. What "
        f"{version.bot} plays with there stays."
        for season in playing
        if season.calendar.has_come("deadline", version.submitted_at)
        and (not season.is_closed or season.is_closed_unseen)
        and page_queries.entered(connection, season.id, version.game, version.bot)
    )


def enter_newest(season: Season, *, is_planning: bool = False) -> bool:
    """Let newer versions play, where the season's terms say so. Needs a write transaction.

    Args:
        is_planning: more is about to be planned, so everybody's newest version enters. Otherwise that of a bot without
            a match to come waits: it may never have one.

    Returns:
        Whether any has entered.
    """
    if season.settings.new_versions == "hold" or season.is_closed:
        return False
    coming = newer_versions(season)
    entered = [newer for newer in coming if _enter(season, newer, is_planning=is_planning)]
    return bool(entered)


def _enter(season: Season, newer: Newer, *, is_planning: bool) -> bool:
    connection, member, version = season.connection, newer.member, newer.version.id
    first = next_to_begin(season, member)
    if not (is_planning or matches.is_to_play(connection, season.id, member.lineage, first)):
        return False
    season.enter([version])
    last = matches.last_round(connection, season.id)
    season.log("updated", version, predecessor=member.version, ordinal=first, round=last)
    matches.reseat(connection, season.id, first, member.lineage, version)
    return True


def next_to_begin(season: Season, member: Member) -> int:
    """Return the ordinal number from which on another version of a bot can play: nobody has begun anything of it."""
    connection = season.connection
    planned, _ = fixtures.counts(connection, season.id)
    first = matches.first_unclaimed(connection, season.id, member.lineage)
    # What was cancelled before the next match to come stays as it was planned: it may be chained.
    coming = matches.first_not_done(connection, season.id, first)
    return planned if coming is None else coming
