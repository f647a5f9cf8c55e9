"""An unrated match on a server, for the team that started it."""

from __future__ import annotations

import msgspec

from botleague.application.authoring import LogLine


class PracticeMatch(msgspec.Struct, frozen=True):
    """An unrated match, for the team that started it.

    Attributes:
        version: version of its own bot, which is on ``seat``; the opponent has all other seats.
        state: waiting, played or failed.
        failure: reason why it could not be played.
        before: number of matches that come before it in the queue.
        asked_at, played_at: seconds since the epoch.
        places, scores: by seat, after the match.
        lines: log of its own bot.
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
