"""Unrated matches on a server, for the team that started them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

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


class UnratedSet(msgspec.Struct, frozen=True):
    """A set of unrated matches between two bots.

    Attributes:
        played, failed: number of matches that were played, and that could not be played.
        first: how often the own bot had the first place, alone or shared.
        faults: faults of the own bot, by kind.
        pages: address of each match; its record is ``record`` below it.
        matches: each match with the log of the own bot.
    """

    bot: str
    opponent: str
    league: str
    played: int
    failed: int
    first: int
    faults: dict[str, int]
    pages: list[str]
    matches: list[PracticeMatch]


def unrated_set(pages: Sequence[str], matches: Sequence[PracticeMatch]) -> UnratedSet:
    """Return the results of one match or more."""
    played = [match for match in matches if match.state == "played"]
    return UnratedSet(
        matches[0].bot,
        matches[0].opponent,
        matches[0].league,
        len(played),
        len(matches) - len(played),
        sum(match.places[match.seat] == 1 for match in played if match.seat < len(match.places)),
        dict(Counter(line.fault for match in played for line in match.lines if line.fault)),
        list(pages),
        list(matches),
    )
