"""Replacement of bots' versions by newer ones submitted while the season runs, as its setting ``new_versions`` defines.

If newer versions replace older ones, a bot's newest version plays from the first mirrored set that has not started.
Which set that is depends on the moment. So an event stores its ordinal number, written in the transaction that gives
the seats to the new version, and everything else is computed from the event. A new version also brings back a bot
that is out because its version was suspended.

Bots that hold published tables in place, as anchors or in the pool that others are measured by, keep their versions.

Source: RATINGS, section 10, "New versions".
"""

from __future__ import annotations

import msgspec
from sqlalchemy.engine import Connection

from botleague.league.season import Member, Season, open_season
from botleague.plugins import PluginHost
from botleague_storage import bots, events, extensions, fixtures, leagues, matches, page_queries
from botleague_storage.league_rows.bots import VersionRow


class PendingVersion(msgspec.Struct, frozen=True):
    """A bot and its newer version, which does not play yet."""

    member: Member
    version: VersionRow


def newer_versions(season: Season) -> list[PendingVersion]:
    """Return the bots of a season that have a newer version, in order of entry.

    If a bot entered with several versions, only the newest is followed, and none that was suspended here or that the
    settings refuse. Retired and disqualified bots, anchors, and the pool that others are measured against are excluded:
    they hold tables and marks in place. Versions submitted after their owner's deadline are ignored.
    """
    members, names = season.roster.members, season.names
    fixed = {*season.roster.anchors, *season.roster.versions[: season.format.pool]}
    newest = bots.newest_of(season.connection, list(members), season.calendar.at("deadline"))
    for owner in extensions.extensions(season.connection, season.id):
        own = [version for version in members if names[version].owner.lower() == owner]
        newest |= bots.newest_of(season.connection, own, season.calendar_of(owner).at("deadline"))
    latest = {names[version].bot: version for version in sorted(members, key=lambda one: names[one].number)}
    return [
        PendingVersion(member, newest[version])
        for version, member in members.items()
        if latest[names[version].bot] == version
        and version in newest
        and newest[version].number > names[version].number
        and newest[version].id not in member.suspended
        and not season.refusal(newest[version])
        and member.status in ("", "suspended")
        and version not in fixed
    ]


def put_back(season: Season, member: Member) -> dict[int, str]:
    """Return the reasons of a bot's suspended versions that are newer than the playing one, by version in order."""
    if not member.suspended or member.is_out:
        return {}
    number = {version: season.names[version].number for version in member.lineage}
    later = [version for version in member.suspended if number[version] > number[member.version]]
    return {version: member.suspended[version] for version in sorted(later, key=number.__getitem__)}


def too_late_for(connection: Connection, plugins: PluginHost, version: VersionRow) -> tuple[str, ...]:
    """Return a sentence for each season of a bot whose deadline had passed when a version was submitted."""
    with_dates = sorted({league for _, league, _ in events.everywhere(connection, ["calendar"])})
    playing = [open_season(connection, plugins, league) for league in with_dates]
    return tuple(
        f"It is too late for {season.title}: the deadline was {season.calendar_of(version.owner).shown('deadline')}. "
        f"{version.bot} keeps its present version there."
        for season in playing
        if season.calendar_of(version.owner).has_come("deadline", version.submitted_at)
        and (not season.is_closed or season.is_closed_unseen)
        and page_queries.entered(connection, season.id, version.game, version.bot)
    )


def refused_by_settings(connection: Connection, plugins: PluginHost, version: VersionRow) -> tuple[str, ...]:
    """Return a sentence for each season of a bot whose settings refuse a version."""
    is_module = bots.source_of(connection, version.id).entry.endswith(".wasm")
    if version.imports == "refuse" and not is_module:
        return ()
    of_game = [row.name for row in leagues.leagues(connection) if row.game == version.game]
    playing = [open_season(connection, plugins, name) for name in of_game]
    return tuple(
        f"{season.title} has the setting {refusal}. {version.bot} keeps its present version there."
        for season in playing
        if (refusal := season.refusal(version))
        and not season.is_closed
        and page_queries.entered(connection, season.id, version.game, version.bot)
    )


def enter_newest(season: Season, *, is_planning: bool = False) -> bool:
    """Enter newer versions, if the season's settings allow it; return whether any did. Needs a write transaction.

    Args:
        is_planning: more is about to be planned, so the newest version of every bot enters. Otherwise a bot without an
            unplayed match waits: it may never get one.
    """
    if season.settings.new_versions == "hold" or season.is_closed:
        return False
    coming = newer_versions(season)
    entered = [newer for newer in coming if _enter(season, newer, is_planning=is_planning)]
    return bool(entered)


def _enter(season: Season, newer: PendingVersion, *, is_planning: bool) -> bool:
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
    """Return the ordinal number from which another version of a bot can play: none of its matches there has started."""
    connection = season.connection
    planned, _ = fixtures.counts(connection, season.id)
    first = matches.first_unclaimed(connection, season.id, member.lineage)
    # Cancelled matches before the next unplayed match stay as they were planned: they may be chained.
    coming = matches.first_not_done(connection, season.id, first)
    return planned if coming is None else coming
