"""The decision how much each owner may submit."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy.engine import Connection

from botleague.application.decisions import Decided, changed_values
from botleague.errors import UsageError, counted
from botleague.league.submission import MAX_TOTAL_BYTES
from botleague_storage import leagues, uploads


def limit(
    connection: Connection,
    league: str,
    *,
    a_day: int | None = None,
    gap_s: float | None = None,
    size_kb: int | None = None,
    most_bots: int | None = None,
    matches_an_hour: int | None = None,
) -> Decided:
    """Say how much each owner may hand in over the web; what is None stays.

    Raises:
        UsageError: the size is not one that a bot can have.
    """
    if size_kb is not None and not 0 < size_kb <= MAX_TOTAL_BYTES // 1000:
        raise UsageError(
            f"The size must be 1 to {MAX_TOTAL_BYTES // 1000} kB, which is all that a bot may hold."
        )
    row = leagues.find(connection, league)
    before = uploads.limits(connection, row.id)
    known = uploads.Limits(
        before.a_day if a_day is None else a_day,
        before.gap_s if gap_s is None else gap_s,
        before.size if size_kb is None else size_kb * 1000,
        before.bots if most_bots is None else most_bots,
        before.matches if matches_an_hour is None else matches_an_hour,
    )
    if known != before:
        uploads.set_limits(connection, row.id, known)
    return Decided(
        f"Each owner may hand in {known.a_day} times within 24 hours, every {known.gap_s:g} seconds at most, "
        f"{known.size // 1000} kB at once, and have {counted(known.bots, 'bot')} in {league}; "
        f"and ask for {counted(known.matches, 'match', 'matches')} of practice within an hour.",
        {"league": league, **asdict(known)},
        changed_values(asdict(before), asdict(known)),
    )
