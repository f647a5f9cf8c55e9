"""Access to the output and drawings of bots: for owners and organisers, or for all if the league's settings allow it.

An author who reads what another's bot prints learns how it plays, so during a season others have no access.
"""

from __future__ import annotations

from collections.abc import Sequence

from botleague.league.season.season import Season


def readable_seats(
    season: Season, versions: Sequence[int], reader: str | None, *, organises: bool = False
) -> frozenset[int]:
    """Return the seats of a match whose bot logs, and details of faults, a reader may see.

    Args:
        season: of the match.
        versions: the versions on the seats.
        reader: the owner who reads, None for a person without bots.
        organises: whether the reader is an organiser of the league; a user of the database file is.
    """
    if organises or (season.settings.journals == "public" and season.is_closed):
        return frozenset(range(len(versions)))
    if not reader:
        return frozenset()
    return frozenset(seat for seat, version in enumerate(versions) if season.names[version].owner == reader)
