"""Suspends bots that fail again and again, as the season's terms say.

Results are looked at in order of their ordinal numbers, each once, when every match before it has one. So the same bot
is suspended by the same match however many matches run at a time; later matches of it that were quicker count for
nothing, and those that were not played yet are cancelled.

Source: RATINGS, section 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from botleague.league.roster import Roster, read_roster
from botleague.league.settings import Penalties
from botleague.referee import read_record
from botleague_storage import events, matches, results

__all__ = ["Suspension", "suspend_failing"]

CRASHES = ("crash", "rejected")
"""Faults after which a process is gone or never was."""


@dataclass(frozen=True, slots=True)
class Suspension:
    """A version that was suspended by match number ``ordinal``."""

    version_id: int
    ordinal: int
    reason: str


def suspend_failing(
    connection: Connection, season_id: int, penalties: Penalties, lost: Sequence[tuple[int, int]]
) -> list[Suspension]:
    """Suspend who has failed too often. Needs a write transaction.

    Args:
        lost: (ordinal, version) of seats lost by faults in the matches that have just become countable, in order.

    Returns:
        Who was suspended. If there is anybody, the ratings have to be rebuilt.
    """
    if not lost or not (penalties.failures or penalties.crashes):
        return []
    roster = read_roster(connection, season_id)
    found: list[Suspension] = []
    for ordinal, version_id in lost:
        member = roster.members[version_id]
        if member.is_out or any(one.version_id == version_id for one in found):
            continue
        reason = _reason(connection, season_id, penalties, roster, version_id, ordinal)
        if reason:
            found.append(Suspension(version_id, ordinal, reason))
            _suspend(connection, season_id, found[-1])
    return found


def _suspend(connection: Connection, season_id: int, suspension: Suspension) -> None:
    content = {
        "ordinal": suspension.ordinal + 1,
        "round": matches.last_round(connection, season_id),
        "reason": suspension.reason,
    }
    version_id = suspension.version_id
    events.append(connection, season_id, "suspended", version_id=version_id, content=content)
    matches.cancel(connection, season_id, version_id)
    later = matches.counting_of(connection, season_id, version_id, suspension.ordinal + 1)
    matches.annul(connection, later)


def _reason(
    connection: Connection,
    season_id: int,
    penalties: Penalties,
    roster: Roster,
    version_id: int,
    ordinal: int,
) -> str:
    """Return why a version is to be suspended after match ``ordinal``, which it forfeited; "" if it is not."""
    longest = max(penalties.failures, penalties.crashes)
    since = roster.members[version_id].back_since
    row = matches.latest_of(connection, season_id, version_id, since, ordinal, longest)

    def all_of(number: int, holds: list[bool]) -> bool:
        return 0 < number <= len(holds) and all(holds[:number])

    crashed = [forfeit and _has_crashed(faults) for _, _, forfeit, faults in row]
    if all_of(penalties.crashes, crashed):
        return f"crashed in {penalties.crashes} matches in a row"
    if len(row) >= penalties.failures and all(forfeit for _, _, forfeit, _ in row[: penalties.failures]):
        failed = [
            _has_not_started(connection, match, seat) for match, seat, _, _ in row[: penalties.failures]
        ]
        if all_of(penalties.failures, failed):
            return f"failed to load in {penalties.failures} matches in a row"
    return ""


def _has_crashed(faults: Mapping[str, int]) -> bool:
    return any(kind in faults for kind in CRASHES)


def _has_not_started(connection: Connection, match: int, seat: int) -> bool:
    """Whether a seat's bot failed to load, or at its first call, in a match that it forfeited."""
    record = read_record(results.find_record(connection, match).content)
    if record.declarations[seat].fault:
        return True
    replies = (
        reply
        for turn in record.turns
        for asked, reply in zip(turn.seats, turn.replies, strict=True)
        if asked == seat
    )
    first = next(replies, None)
    return first is not None and first.fault in ("exception", "timeout", "crash")
