"""An unrated match on a server, as its team sees it."""

from __future__ import annotations

import msgspec

from botleague.application.authoring import LogLine


class PracticeMatch(msgspec.Struct, frozen=True):
    """A match of practice, as the team sees it that asked for it.

    Attributes:
        version: of its own bot, which is on ``seat``; the opponent has all other seats.
        state: waiting, played or failed.
        failure: why it could not be played.
        before: how many others are played before it.
        asked_at, played_at: seconds since the epoch.
        places, scores: by seat, once it was played.
        lines: what its own bot printed, used and failed at.
    """

    practice: int
    league: str
    bot: str
    version: int
    opponent: str
    opponent_version: int
    seat: int
    state: str
    failure: str
    before: int
    asked_at: float
    played_at: float | None
    turns: int = 0
    places: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    lines: list[LogLine] = []
