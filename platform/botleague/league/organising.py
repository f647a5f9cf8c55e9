"""What an organiser decides about a running season. Each decision is an event; nothing that happened is edited.

Every function needs a write transaction, and leaves the ratings equal to the fold over what counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from botleague.errors import UsageError
from botleague.league.roster import EventKind, Member, Roster
from botleague.league.season import Season
from botleague.league.suspension import count_in
from botleague.ratings import RatingError
from botleague_storage import bots, fixtures, matches

__all__ = ["add_newcomers", "anchor", "close", "disqualify", "reinstate", "retire", "void_match"]


def retire(season: Season, version_id: int, reason: str = "") -> int:
    """Let a bot play no more. What it played counts; what it had still to play is cancelled.

    Returns:
        How many matches were cancelled.

    Raises:
        UsageError: it is out already, or an anchor of the published tables.
    """
    _insider(season.roster, version_id)
    if version_id in season.roster.anchors:
        raise UsageError(
            "An anchor of the published tables is never retired. Release it first: botleague organise anchor --release"
        )
    _note_out(season, "retired", version_id, reason)
    cancelled = matches.cancel(season.connection, season.id, version_id)
    count_in(season)
    return cancelled


def disqualify(season: Season, version_id: int, reason: str, first: int = 0) -> int:
    """Remove a bot: its matches from ordinal number ``first`` on count for nothing, and ratings are folded anew.

    Returns:
        How many matches do not count any more, or were cancelled.

    Raises:
        UsageError: it is not an entrant, or disqualified already.
    """
    member = _member(season.roster, version_id)
    if member.status == "disqualified":
        raise UsageError("This bot is disqualified already.")
    _note_out(season, "disqualified", version_id, reason, first=first)
    cancelled = matches.cancel(season.connection, season.id, version_id)
    annulled = matches.annul(
        season.connection, matches.counting_of(season.connection, season.id, version_id, first)
    )
    count_in(season, anew=bool(annulled))
    return cancelled + annulled


def reinstate(season: Season, version_id: int, reason: str = "") -> None:
    """Let a bot that is out play again, from the next planned round on. Void matches stay void.

    Formats that are planned at once, like a round robin, plan nothing more, so it plays no more in them.

    Raises:
        UsageError: it is not out.
    """
    member = _member(season.roster, version_id)
    if not member.is_out:
        raise UsageError("This bot is in: there is nothing to reinstate.")
    planned, _ = fixtures.counts(season.connection, season.id)
    last = matches.last_round(season.connection, season.id)
    season.log("reinstated", version_id, ordinal=planned, round=last, reason=reason)


def anchor(season: Season, version_id: int, value: float | None) -> None:
    """Hold published tables in place by a bot with a fixed rating. No difference between ratings changes.

    Online tables are moved so that all anchors stand at their values in the mean; in batch tables the anchor that was
    named last has its value.

    Args:
        value: in points of batch tables; None to release the bot.

    Raises:
        UsageError: it is not an entrant, or out, the value is no number, or who is to be released is not an anchor.
    """
    _insider(season.roster, version_id)
    if value is None:
        if version_id not in season.roster.anchors:
            raise UsageError("This bot is not an anchor: there is nothing to release.")
    elif not math.isfinite(value):
        raise UsageError(f"--value {value}: a rating is a number.")
    season.log("anchored", version_id, value=None if value is None else float(value))


def void_match(season: Season, fixture_id: int, reason: str) -> None:
    """Take one match out of the count, and fold the ratings anew.

    Raises:
        UsageError: it is not a finished match of this season, or void already.
    """
    match = matches.find(season.connection, season.id, fixture_id)
    if match is None or not match.places:
        raise UsageError(f"Match {fixture_id} is not a finished match of this season.")
    if match.is_void:
        raise UsageError(f"Match {fixture_id} is void already.")
    season.log("voided", fixture_id=fixture_id, reason=reason)
    matches.annul(season.connection, [fixture_id])
    count_in(season, anew=True)


def add_newcomers(
    season: Season,
    version_ids: list[int],
    division: str = "",
    predecessors: Mapping[int, int] | None = None,
) -> None:
    """Let bots join a running season, from the next planned round on.

    Args:
        division: where they play.
        predecessors: versions whose ratings some of them carry on; default: each carries on the version of the same
            bot that entered last, where the rating system says what that means.

    Raises:
        UsageError: the season was closed, its format is fixed from the start, or one of them has entered already.
    """
    if season.is_closed:
        raise UsageError("This season was closed. Let the bots enter the next one: botleague season new.")
    if not season.format.takes_newcomers:
        raise UsageError(
            f"The format {season.settings.format} is fixed from the start, so nobody can join now. "
            "Let the bots enter the next season: botleague season new."
        )
    roster = season.roster
    known = [version for version in version_ids if version in roster.members]
    if known:
        raise UsageError("A bot that was to be added has entered already.")
    if division not in roster.divisions:
        raise UsageError(
            f"There is no division {division!r} in this season. Choose one of "
            + ", ".join(map(repr, roster.divisions))
        )
    if predecessors is None:
        predecessors = _predecessors(season, version_ids)
    season.enter(version_ids)
    coming = matches.last_round(season.connection, season.id) + 1
    for version in version_ids:
        carries_on = {"predecessor": predecessors[version]} if version in predecessors else {}
        season.log("joined", version, round=coming, **carries_on)
        if division:
            season.log("division", version, name=division)


def _predecessors(season: Season, version_ids: Sequence[int]) -> dict[int, int]:
    """Return which versions carry on another, an earlier version of the same bot in this season."""
    try:
        season.system.succeed(season.system.initial(), 0)
    except RatingError:  # of a plugin; its new versions are newcomers like any other
        return {}
    latest = {(row.owner, row.bot): version for version, row in season.names.items()}
    found: dict[int, int] = {}
    for version, row in sorted(
        bots.versions(season.connection, version_ids).items(), key=lambda item: item[1].number
    ):
        before = latest.get((row.owner, row.bot))
        if before is not None:
            found[version] = before
        latest[row.owner, row.bot] = version
    return found


def close(season: Season, reason: str = "") -> int:
    """End a season: cancel everything that it has still to play, and plan nothing more. To close it again does nothing.

    Returns:
        How many matches were cancelled.
    """
    if season.is_closed:
        return 0
    cancelled = matches.cancel(season.connection, season.id)
    season.log("closed", matches=cancelled, reason=reason)
    count_in(season)
    return cancelled


def _note_out(season: Season, kind: EventKind, version_id: int, reason: str, **more: int) -> None:
    """Log that a bot is out from the first match on that it has not played."""
    first = matches.first_open(season.connection, season.id, version_id)
    last = matches.last_round(season.connection, season.id)
    season.log(kind, version_id, ordinal=first, round=last, reason=reason, **more)


def _member(roster: Roster, version_id: int) -> Member:
    if version_id not in roster.members:
        raise UsageError("This bot has not entered the season.")
    return roster.members[version_id]


def _insider(roster: Roster, version_id: int) -> Member:
    member = _member(roster, version_id)
    if member.is_out:
        raise UsageError(f"This bot is {member.status} already.")
    return member
