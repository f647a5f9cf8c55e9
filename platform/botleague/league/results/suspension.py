"""Counts results in, and suspends versions that fail again and again, as the season's terms say.

Results are looked at in order of their ordinal numbers, each once, when every match before it has one. So the same
version is suspended by the same match however many matches run at a time. What is left of its mirrored set is
cancelled; from the next set on the version before plays, wherever the suspended one was quicker, too: its results there
are set aside. Where no version came before, the bot is out.

Source: RATINGS, section 11.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from sqlalchemy.engine import Connection

from botleague.league.results.new_versions import next_to_begin
from botleague.league.season import REOPENING, Member, Season, advance
from botleague.league.season_ratings import Gathering, is_ranked, rank, settle
from botleague.referee import read_record
from botleague_storage import bots, events, fixtures, matches, results
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.league_rows.ratings import RatingChange

StartCheck: TypeAlias = Callable[[int, int], bool]
"""Says of a seat of a match, which it forfeited, whether its bot failed before its first question."""

CRASHES = ("crash", "rejected")
"""Faults after which a process is gone or never was."""


def count_in(
    season: Season,
    *,
    anew: bool = False,
    since: int | None = None,
    progress: Callable[[int], None] | None = None,
    failed_early: StartCheck | None = None,
) -> list[RatingChange]:
    """Extend ratings, sums, the chain and the stored table over all results that have become countable.

    Needs a write transaction.

    Args:
        anew: matches that had been counted count no more, or others again, so ratings are folded from the start.
        since: look for failures from this ordinal number on; by default only in matches that had not been counted.
        progress: called with the number of fixtures counted so far.
        failed_early: says whether a bot failed before its first question; by default the match's record does.

    Returns:
        What changed, in order. If a suspension takes back matches that had been counted, ratings are folded anew, and
        what that changes further back is not told.
    """
    changes: list[RatingChange] = []
    is_revised = False
    failed_early = failed_early or partial(has_not_started, season.connection)
    while True:
        gathered = Gathering(season).add if anew and is_ranked(season) else None
        settled = settle(season, anew=anew, since=since, progress=progress, folded=gathered)
        since, is_revised = None, is_revised or anew
        changes += settled.changes
        suspended, anew = _suspend_failing(season, settled.forfeits, settled.covered, failed_early)
        if not suspended:
            break
        # Cancelled matches may have been what others waited for, so that more is countable now.
    advance(season)
    rank(season, anew=is_revised)
    return changes


def _suspend_failing(
    season: Season, lost: Sequence[tuple[int, int]], covered: int, failed_early: StartCheck
) -> tuple[list[int], bool]:
    """Suspend who has failed too often, and let the versions before play on.

    Args:
        lost: (ordinal, version) of seats lost by faults in matches that have become countable, in order.
        covered: how many fixtures the ratings cover.
        failed_early: see :func:`count_in`.

    Returns:
        The suspended versions, and whether matches that had been counted were taken out.
    """
    suspended: list[int] = []
    has_taken_back, reopened = False, sys.maxsize
    penalties = season.settings.penalties
    if not (penalties.failures or penalties.crashes):
        return suspended, has_taken_back
    for ordinal, version_id in lost:
        member = season.roster.member(version_id)
        # What follows a match that is played again is looked at when that has a result.
        if member.is_out or ordinal >= reopened:
            continue
        reason = _reason(season, member.back_since, version_id, ordinal, failed_early)
        if not reason:
            continue
        suspended.append(version_id)
        connection, first = season.connection, ordinal + 1
        # Quicker matches beyond the one that suspends may have been folded in with it.
        counted = matches.latest_of(connection, season.id, version_id, first, covered - 1, 1)
        has_taken_back = has_taken_back or bool(counted)
        last = matches.last_round(connection, season.id)
        planned, _ = fixtures.counts(connection, season.id)
        # Where it was replaced before its failures counted, the other plays on anyway.
        back = _before(season, member) if member.version == version_id else None
        end = member.until(version_id, first) if back is None else _end(season, member, ordinal)
        others = {name: value for name, value in (("since", end), ("back", back)) if value is not None}
        season.log(
            "suspended", version_id, ordinal=first, round=last, planned=planned, reason=reason, **others
        )
        matches.cancel(connection, season.id, version_id, end)
        matches.annul(connection, matches.counting_of(connection, season.id, version_id, first, end))
        if back is not None and end is not None:
            reopened = min(reopened, _hand_over(season, version_id, back, end))
    return suspended, has_taken_back


def _hand_over(season: Season, version_id: int, back: int, end: int) -> int:
    """Let version ``back`` play what another one was to play from ordinal number ``end`` on, or had played too early.

    Returns:
        The ordinal number of the first match that is played again.
    """
    connection, reopened = season.connection, sys.maxsize
    for fixture_id in matches.counting_of(connection, season.id, version_id, end):
        results.set_aside(connection, fixture_id)
        reopened = min(reopened, events.ordinal(connection, season.id, fixture_id) or 0)
    for match in _void_results(season, version_id, end):  # somebody else was out
        results.set_aside(connection, match.fixture_id)
        matches.annul(connection, [match.fixture_id])
    matches.reseat(connection, season.id, end, [version_id], back)
    return reopened


def _void_results(season: Season, version_id: int, first: int) -> list[Match]:
    void = matches.void(season.connection, season.id, version_id)
    return [match for match in void if match.places and match.ordinal >= first]


def _before(season: Season, member: Member) -> int | None:
    """Return the version that plays on instead of a bot's present one: the last before it that may, if any may."""
    line = [one for one in reversed(member.lineage[:-1]) if one not in member.suspended]
    erased = {row.id for row in bots.erased(season.connection, line)}
    return next((one for one in line if one not in erased), None)


def _end(season: Season, member: Member, ordinal: int) -> int:
    """Return from which ordinal number on the version before the one plays that match ``ordinal`` suspends.

    That is the next mirrored set, whoever was quicker, so that it does not depend on how many matches ran at a time.
    Where an organiser has decided about matches since, more may have been planned from them: these stand, and it is the
    next set that nobody has begun.
    """
    connection = season.connection
    if season.format.measures_versions:  # what the other has not played is planned for it
        return fixtures.counts(connection, season.id)[0]
    end = matches.end_of_group(connection, season.id, ordinal)
    is_revised = any(row.content.get("planned", sys.maxsize) > ordinal for row in season.said(REOPENING))
    is_decided = any(
        not season.roster.is_walkover(match.versions, match.ordinal)
        for match in _void_results(season, member.version, end)
    )
    return max(end, next_to_begin(season, member)) if is_revised or is_decided else end


def _reason(season: Season, since: int, version_id: int, ordinal: int, failed_early: StartCheck) -> str:
    """Return why a version is to be suspended after match ``ordinal``, which it forfeited; "" if it is not."""
    penalties = season.settings.penalties
    longest = max(penalties.failures, penalties.crashes)
    row = matches.latest_of(season.connection, season.id, version_id, since, ordinal, longest)

    def all_of(number: int, holds: list[bool]) -> bool:
        return 0 < number <= len(holds) and all(holds[:number])

    crashed = [forfeit and _has_crashed(faults) for _, _, forfeit, faults in row]
    if all_of(penalties.crashes, crashed):
        return f"crashed in {penalties.crashes} matches in a row"
    if len(row) >= penalties.failures and all(forfeit for _, _, forfeit, _ in row[: penalties.failures]):
        # Records are read only of who forfeited so many matches in a row.
        failed = [failed_early(match, seat) for match, seat, _, _ in row[: penalties.failures]]
        if all_of(penalties.failures, failed):
            return f"failed to load in {penalties.failures} matches in a row"
    return ""


def _has_crashed(faults: Mapping[str, int]) -> bool:
    return any(kind in faults for kind in CRASHES)


def has_not_started(connection: Connection, match: int, seat: int) -> bool:
    """Return whether a seat's bot failed before its first question: while it was loaded or briefed.

    Raises:
        DatabaseUnusable: the match's record is damaged.
    """
    record = read_record(results.find(connection, match).content)
    if record.declarations[seat].fault:
        return True
    replies = (
        reply
        for turn in record.asked_turns
        for asked, reply in zip(turn.seats, turn.replies, strict=True)
        if asked == seat
    )
    first = next(replies, None)
    # A timeout or an exception at the first question is not a failure to load; one in the briefing is.
    return first is not None and not first.asked
