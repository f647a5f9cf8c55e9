"""Counts results in: ratings, the chain and the stored table go on over all that have become countable.

A version that fails again and again is suspended. What is left of its mirrored set is cancelled; from the next set on
the version before plays, wherever the suspended one was quicker, too: its results there are set aside. Where no version
came before, the bot is out.

Source: RATINGS, section 11.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from botleague.league.results.new_versions import next_to_begin
from botleague.league.results.suspension import Failure, StartCheck, first_failure, has_not_started
from botleague.league.season import REOPENING, Member, Season, advance
from botleague.league.season_ratings import Gathering, Settled, is_ranked, rank, settle
from botleague_storage import bots, events, fixtures, matches, results
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.league_rows.ratings import RatingChange


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
        suspended, anew = _suspend_failing(season, settled, failed_early)
        if not suspended:
            break
        # Cancelled matches may have been what others waited for, so that more is countable now.
    advance(season)
    rank(season, anew=is_revised)
    return changes


def _suspend_failing(season: Season, settled: Settled, failed_early: StartCheck) -> tuple[bool, bool]:
    """Suspend who has failed too often in what was settled; see :func:`count_in`.

    Returns:
        Whether somebody was, and whether matches that had been counted were taken out.
    """
    has_suspended = has_taken_back = False
    lost = settled.forfeits
    while failure := first_failure(season, lost, failed_early):
        # Quicker matches beyond the one that suspends may have been folded in with it.
        counted = matches.counting_of(
            season.connection, season.id, failure.version_id, failure.ordinal + 1, settled.covered
        )
        has_suspended, has_taken_back = True, has_taken_back or bool(counted)
        reopened = _suspend(season, failure)
        # What follows a match that is played again is looked at when that has a result.
        later = lost[lost.index(failure[:2]) + 1 :]
        lost = [(ordinal, version) for ordinal, version in later if ordinal < reopened]
    return has_suspended, has_taken_back


def _suspend(season: Season, failure: Failure) -> int:
    """Suspend a version, and let the version before play on; returns the first match that is played again, if any."""
    connection, version_id, first = season.connection, failure.version_id, failure.ordinal + 1
    member = season.roster.member(version_id)
    last = matches.last_round(connection, season.id)
    planned, _ = fixtures.counts(connection, season.id)
    # Where it was replaced before its failures counted, the other plays on anyway.
    back = _before(season, member) if member.version == version_id else None
    end = member.until(version_id, first) if back is None else _end(season, member, failure.ordinal)
    others = {name: value for name, value in (("since", end), ("back", back)) if value is not None}
    season.log(
        "suspended", version_id, ordinal=first, round=last, planned=planned, reason=failure.reason, **others
    )
    matches.cancel(connection, season.id, version_id, end)
    matches.annul(connection, matches.counting_of(connection, season.id, version_id, first, end))
    return sys.maxsize if back is None or end is None else _hand_over(season, version_id, back, end)


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
