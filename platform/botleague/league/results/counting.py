"""Counting of results: extends ratings, the chain and the stored table over all newly countable matches.

A version that fails repeatedly is suspended. The rest of its mirrored set is cancelled. From the next set on the
previous version plays. If the suspended version had already played later sets, those results are set aside. A bot
without a previous version is out.

Source: RATINGS, section 11.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial

from botleague.league.results.new_versions import next_to_begin
from botleague.league.results.suspension import Failure, StartCheck, first_failure, have_not_started
from botleague.league.season import REOPENING, Member, Season, advance
from botleague.league.season_ratings import Settled, forget_gathered, gather_folded, is_ranked, rank, settle
from botleague_storage import bots, fixtures, matches, results
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.league_rows.ratings import RatingChange


def count_in(
    season: Season,
    *,
    recompute: bool = False,
    since: int | None = None,
    progress: Callable[[int], None] | None = None,
    failed_early: StartCheck | None = None,
    ranked: Callable[[Season, bool], object] | None = None,
) -> list[RatingChange]:
    """Extend ratings, sums, the chain and the stored table over all results that have become countable.

    Needs a write transaction.

    Args:
        recompute: recompute ratings from the start, since counted matches no longer count, or others count again.
        since: look for failures from this ordinal number on; by default only in matches that had not been counted.
        progress: called with the number of fixtures counted so far.
        failed_early: whether bots failed before their first requests; by default read from records.
        ranked: stores the batch table; its second argument says whether counted matches changed. Default: at once.

    Returns:
        Changes of ratings, in order; none if ``recompute``. If a suspension takes back matches that had been counted,
        ratings are recomputed, and the resulting changes of earlier matches are not listed.
    """
    changes: list[RatingChange] = []
    is_revised, lists_changes = False, not recompute
    failed_early = failed_early or partial(have_not_started, season.connection)
    folded = partial(gather_folded, season) if is_ranked(season) else None
    while True:
        if recompute:
            forget_gathered(season)
        settled = settle(
            season,
            recompute=recompute,
            since=since,
            lists_changes=lists_changes,
            progress=progress,
            folded=folded,
        )
        since, is_revised = None, is_revised or recompute
        changes += settled.changes
        suspended, recompute = _suspend_failing(season, settled, failed_early)
        if not suspended:
            break
        # Other matches may have waited for the cancelled ones, so more may be countable now.
    advance(season)
    if ranked is None:
        rank(season, recompute=is_revised)
    else:
        ranked(season, is_revised)
    return changes


def _suspend_failing(season: Season, settled: Settled, failed_early: StartCheck) -> tuple[bool, bool]:
    """Suspend the versions that failed too often in the settled matches; see :func:`count_in`.

    Returns:
        Whether a version was suspended, and whether matches that had been counted were taken out.
    """
    has_suspended = has_taken_back = False
    lost = settled.forfeits
    while failure := first_failure(season, lost, failed_early):
        played_on, reopened = _suspend(season, failure)
        # Matches played early, after the one that suspends, may have been folded in with it.
        has_suspended, has_taken_back = True, has_taken_back or played_on < settled.covered
        # Matches after a match that will be rerun are checked when the rerun has a result.
        later = lost[lost.index(failure[:2]) + 1 :]
        lost = [(ordinal, version) for ordinal, version in later if ordinal < reopened]
    return has_suspended, has_taken_back


def _suspend(season: Season, failure: Failure) -> tuple[int, int]:
    """Suspend a version; the previous version continues.

    Returns:
        The first match that the version has played since, and the first that will be rerun; sys.maxsize for none.
    """
    connection, version_id, first = season.connection, failure.version_id, failure.ordinal + 1
    member = season.roster.member(version_id)
    last = matches.last_round(connection, season.id)
    planned, _ = fixtures.counts(connection, season.id)
    # If it was replaced before its failures counted, the replacement continues anyway.
    back = _previous(season, member) if member.version == version_id else None
    end = member.until(version_id, first) if back is None else _end(season, member, failure.ordinal)
    others = {name: value for name, value in (("since", end), ("back", back)) if value is not None}
    season.log(
        "suspended", version_id, ordinal=first, round=last, planned=planned, reason=failure.reason, **others
    )
    matches.cancel(connection, season.id, version_id, end)
    since = matches.counting_of(connection, season.id, version_id, first)
    matches.annul(connection, [one for ordinal, one in since.items() if end is None or ordinal < end])
    reopened = sys.maxsize
    if back is not None and end is not None:
        early = {ordinal: one for ordinal, one in since.items() if ordinal >= end}
        reopened = min(early, default=reopened)
        _hand_over(season, version_id, back, end, early.values())
    return min(since, default=sys.maxsize), reopened


def _hand_over(season: Season, version_id: int, back: int, end: int, early: Iterable[int]) -> None:
    """Give version ``back`` the matches of another version from ordinal number ``end`` on, planned or played early."""
    connection = season.connection
    for fixture_id in early:
        results.set_aside(connection, fixture_id)
    for match in _void_results(season, version_id, end):  # void because another bot was out
        results.set_aside(connection, match.fixture_id)
        matches.annul(connection, [match.fixture_id])
    matches.reseat(connection, season.id, end, [version_id], back)


def _void_results(season: Season, version_id: int, first: int) -> list[Match]:
    void = matches.void(season.connection, season.id, version_id, first)
    return [match for match in void if match.places]


def _previous(season: Season, member: Member) -> int | None:
    """Return the latest previous version of a bot that is neither suspended nor erased, if any."""
    line = [one for one in reversed(member.lineage[:-1]) if one not in member.suspended]
    erased = {row.id for row in bots.erased(season.connection, line)}
    return next((one for one in line if one not in erased), None)


def _end(season: Season, member: Member, ordinal: int) -> int:
    """Return the ordinal number from which the previous version replaces the one that match ``ordinal`` suspends.

    That is the next mirrored set, even if the suspended version played it early, so the number does not depend on how
    many matches ran at a time. If an organiser has decided about matches since, later rounds may have been planned from
    them. Those matches stay, and the number is that of the next set that has not started.
    """
    connection = season.connection
    if season.format.measures_versions:  # the previous version gets its missing matches planned
        return fixtures.counts(connection, season.id)[0]
    end = matches.end_of_group(connection, season.id, ordinal)
    is_revised = any(row.content.get("planned", sys.maxsize) > ordinal for row in season.said(REOPENING))
    is_decided = any(
        not season.roster.is_walkover(match.versions, match.ordinal)
        for match in _void_results(season, member.version, end)
    )
    return max(end, next_to_begin(season, member)) if is_revised or is_decided else end
