"""Rules of suspension: finds versions that fail repeatedly, by the season's terms.

Results are examined in order of their ordinal numbers, each once, when every earlier match has a result. So the same
version is suspended by the same match however many matches run at a time.

Source: RATINGS, section 11.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sqlalchemy.engine import Connection

from botleague.league.season import Penalties, Season
from botleague.referee import read_record
from botleague_storage import matches, results
from botleague_storage.league_rows.matches import SeatResult

StartCheck: TypeAlias = Callable[[Sequence[tuple[int, int]]], bool]
"""Return whether the bots of all (match, seat), forfeited there, failed before their first requests."""

CRASHES = ("crash", "rejected")
"""Faults after which a process has exited or was never started."""


class Failure(NamedTuple):
    """The match after which a version must be suspended, and the reason."""

    ordinal: int
    version_id: int
    reason: str


def first_failure(
    season: Season, lost: Sequence[tuple[int, int]], failed_early: StartCheck
) -> Failure | None:
    """Return the first failure after which a version must be suspended, or None.

    Args:
        lost: (ordinal, version) of seats lost by faults in matches that have become countable, in order.
        failed_early: returns whether bots failed before their first requests.
    """
    penalties = season.settings.penalties
    longest = max(penalties.failures, penalties.crashes)
    if not (longest and lost):
        return None
    roster = season.roster
    candidates = [
        (version_id, roster.member(version_id).back_since, ordinal)
        for ordinal, version_id in lost
        if not roster.member(version_id).is_out
    ]
    latest = matches.latest_of(season.connection, season.id, candidates, longest)
    for (version_id, _, ordinal), played in zip(candidates, latest, strict=True):
        if reason := _reason(penalties, played, failed_early):
            return Failure(ordinal, version_id, reason)
    return None


def _reason(penalties: Penalties, played: Sequence[SeatResult], failed_early: StartCheck) -> str:
    """Return why a version must be suspended after its latest matches (newest first); "" if it must not."""

    def all_of(number: int, holds: list[bool]) -> bool:
        return 0 < number <= len(holds) and all(holds[:number])

    if all_of(penalties.crashes, [one.forfeit and _has_crashed(one.faults) for one in played]):
        return f"crashed in {penalties.crashes} matches in a row"
    # Reading records is slow, so only those of bots with enough forfeits in a row are read.
    if all_of(penalties.failures, [one.forfeit for one in played]) and failed_early(
        [(one.match, one.seat) for one in played[: penalties.failures]]
    ):
        return f"failed to load in {penalties.failures} matches in a row"
    return ""


def _has_crashed(faults: Mapping[str, int]) -> bool:
    return any(kind in faults for kind in CRASHES)


def have_not_started(connection: Connection, seats: Sequence[tuple[int, int]]) -> bool:
    """Return whether the bots of all (match, seat) failed before their first requests: while loaded or briefed.

    Raises:
        DatabaseUnusable: the record of a match is damaged.
    """
    contents = results.records(connection, [match for match, _ in seats])
    return all(read_record(contents[match]).failed_early(seat) for match, seat in seats)
