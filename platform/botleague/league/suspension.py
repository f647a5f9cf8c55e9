"""Counts results in, and suspends bots that fail again and again, as the season's terms say.

Results are looked at in order of their ordinal numbers, each once, when every match before it has one. So the same bot
is suspended by the same match however many matches run at a time; later matches of it that were quicker count for
nothing, and those that were not played yet are cancelled.

Source: RATINGS, section 11.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlalchemy.engine import Connection

from botleague.league.batch import Gathering
from botleague.league.chain import advance
from botleague.league.ranking import is_ranked, rank
from botleague.league.rating_cache import settle
from botleague.league.season import Season
from botleague.referee import read_record
from botleague_storage import fixtures, matches, results
from botleague_storage.ratings import RatingChange

__all__ = ["count_in"]

CRASHES = ("crash", "rejected")
"""Faults after which a process is gone or never was."""


def count_in(
    season: Season,
    *,
    anew: bool = False,
    since: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[RatingChange]:
    """Extend ratings, sums, the chain and the stored table over all results that have become countable.

    Needs a write transaction.

    Args:
        anew: matches that had been counted count no more, or others again, so ratings are folded from the start.
        since: look for failures from this ordinal number on; by default only in matches that had not been counted.
        progress: called with the number of fixtures counted so far.

    Returns:
        What changed, in order. If a suspension takes back matches that had been counted, ratings are folded anew, and
        what that changes further back is not told.
    """
    changes: list[RatingChange] = []
    is_revised = False
    while True:
        gathered = Gathering(season).add if anew and is_ranked(season) else None
        settled = settle(season, anew=anew, since=since, progress=progress, folded=gathered)
        since, is_revised = None, is_revised or anew
        changes += settled.changes
        suspended, anew = _suspend_failing(season, settled.forfeits, settled.covered)
        if not suspended:
            break
        # Cancelled matches may have been what others waited for, so that more is countable now.
    advance(season)
    rank(season, anew=is_revised)
    return changes


def _suspend_failing(season: Season, lost: Sequence[tuple[int, int]], covered: int) -> tuple[list[int], bool]:
    """Suspend who has failed too often.

    Args:
        lost: (ordinal, version) of seats lost by faults in matches that have become countable, in order.
        covered: how many fixtures the ratings cover.

    Returns:
        The suspended versions, and whether matches that had been counted were annulled.
    """
    suspended: list[int] = []
    has_taken_back = False
    penalties = season.settings.penalties
    if not (penalties.failures or penalties.crashes):
        return suspended, has_taken_back
    for ordinal, version_id in lost:
        member = season.roster.member(version_id)
        if member.is_out:
            continue
        reason = _reason(season, member.back_since, version_id, ordinal)
        if not reason:
            continue
        suspended.append(version_id)
        connection, first = season.connection, ordinal + 1
        # Quicker matches beyond the one that suspends may have been folded in with it.
        counted = matches.latest_of(connection, season.id, version_id, first, covered - 1, 1)
        has_taken_back = has_taken_back or bool(counted)
        last = matches.last_round(connection, season.id)
        planned, _ = fixtures.counts(connection, season.id)
        season.log("suspended", version_id, ordinal=first, round=last, planned=planned, reason=reason)
        matches.cancel(connection, season.id, version_id)
        matches.annul(connection, matches.counting_of(connection, season.id, version_id, first))
    return suspended, has_taken_back


def _reason(season: Season, since: int, version_id: int, ordinal: int) -> str:
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
        failed = [
            _has_not_started(season.connection, match, seat)
            for match, seat, _, _ in row[: penalties.failures]
        ]
        if all_of(penalties.failures, failed):
            return f"failed to load in {penalties.failures} matches in a row"
    return ""


def _has_crashed(faults: Mapping[str, int]) -> bool:
    return any(kind in faults for kind in CRASHES)


def _has_not_started(connection: Connection, match: int, seat: int) -> bool:
    """Whether a seat's bot failed before its first question: while it was loaded or briefed."""
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
