"""Who may read what bots printed and drew: their owners, organisers, and everybody where the league's terms say so.

An author who reads what another's bot prints learns how it plays, so during a season nobody does.
"""

from __future__ import annotations

from collections.abc import Sequence

from botleague.league.season.season import Season


def readable_seats(
    season: Season, versions: Sequence[int], reader: str | None, *, organises: bool = False
) -> frozenset[int]:
    """Return the seats of a match whose journals, and details of faults, somebody may read.

    Args:
        season: of the match.
        versions: who sat on each seat.
        reader: the owner that asks, None for somebody who owns nothing.
        organises: whether the reader is an organiser of the league; whoever has the database file is.
    """
    if organises or (season.settings.journals == "public" and season.is_closed):
        return frozenset(range(len(versions)))
    if not reader:
        return frozenset()
    return frozenset(seat for seat, version in enumerate(versions) if season.names[version].owner == reader)
