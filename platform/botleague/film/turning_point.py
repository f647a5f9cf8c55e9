"""The turning point of a match: the turn from which the winner stayed ahead.

One rule for all games. It uses scores, events, moves and the outcome of a replay only, no rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from botleague.rules import Outcome, seat_name

GAIN_SPAN = 0.03
"""Part of the match over which a gain is measured, for a winner who was always ahead."""

MAX_MOVE_LENGTH = 32
"""Maximum length of a move that the sentence has, in letters."""

LATE = 0.95
"""Part of the match after which the sentence says that it was open until the end."""

DETAIL = re.compile(r" \([^()]*\)")
"""Part of a move in words that the sentence leaves out, such as the number of a cell."""


class TurningPoint(msgspec.Struct, frozen=True):
    """The turn that decided a match.

    Attributes:
        frame: frame after that turn.
        seat: seat that moved, or that it concerns; -1 for several.
        text: the turn in one sentence, with ``{seat 0}`` in place of names.
    """

    frame: int
    seat: int
    text: str


class MatchCourse(msgspec.Struct, frozen=True):
    """The course of a finished match, as far as the rule needs it.

    Attributes:
        scores: per frame, a number for each seat; empty without scores.
        moves: per frame, the moves in words by seat.
        events: frame, seat (-1 for no seat), weight and text of each event.
        faults: frame and seat of each fault; warnings are no faults.
        score_words: what a score counts and what the leader of it has, such as ``("cells", "had more room")``.
    """

    scores: list[Sequence[float]]
    moves: list[Mapping[int, str]]
    events: list[tuple[int, int, float, str]]
    faults: list[tuple[int, int]]
    score_words: tuple[str, str] = ("", "")


def turning_point(course: MatchCourse, outcome: Outcome) -> TurningPoint | None:
    """Return the turning point of a match; None for a draw, and without scores.

    For a winner who was ahead from the first score on it is the greatest gain. With two seats the lead is the mean
    over two turns, so that the side to move has no bonus. The last turn is ignored, which may be a common death.
    """
    winners = [seat for seat, place in enumerate(outcome.places) if place == 1]
    last = len(course.moves) - 1
    if len(winners) != 1 or last < 1:
        return None
    winner = winners[0]
    losers = set(range(len(outcome.places))) - {winner}
    if losers and losers <= set(outcome.forfeits):
        frames = [(frame, seat) for frame, seat in course.faults if seat in losers]
        frame, seat = frames[-1] if frames else (last, min(losers))
        return TurningPoint(frame, seat, _sentence(outcome.reason))
    lead = _lead(course.scores, winner)
    if len(lead) != last + 1:
        return None
    first = next((frame for frame in range(last) if lead[frame]), last - 1) if losers else 0
    behind = [frame for frame in range(first, last) if lead[frame] <= 0]
    if losers and behind:
        frame = behind[-1] + 1
    else:
        span = max(1, round(GAIN_SPAN * last))
        frame = max(range(first + 1, last + 1), key=lambda end: lead[end] - lead[max(first, end - span)])
    return _described(course, winner, frame, last) if losers else _greatest_gain(course, winner, frame)


def _lead(scores: Sequence[Sequence[float]], winner: int) -> list[float]:
    lead = [
        row[winner] - max((score for seat, score in enumerate(row) if seat != winner), default=0.0)
        for row in scores
        if len(row) > winner
    ]
    if scores and len(scores[0]) == 2:
        lead = (
            [(before + now) / 2 for before, now in zip([lead[0], *lead], lead, strict=False)] if lead else []
        )
    return lead


def _described(course: MatchCourse, winner: int, frame: int, last: int) -> TurningPoint:
    """Return the turning point at ``frame``: its heaviest event, else its move, else the lead."""
    verb = course.score_words[1] or "was ahead"
    events = [event for event in course.events if event[0] == frame]
    moves = course.moves[frame]
    move = DETAIL.sub("", next(iter(moves.values()))) if len(moves) == 1 else ""
    if events:
        # Of equal events rather one of another seat: both may be stuck, and only one of them loses.
        _, seat, _, text = max(events, key=lambda event: (event[2], event[1] != winner))
        if frame <= LATE * last:
            text = f"{text.rstrip('.')}, and {seat_name(winner)} {verb} for good"
    elif 0 < len(move) <= MAX_MOVE_LENGTH:
        (seat,) = moves
        text = f"after {seat_name(seat)}’s {move}, {seat_name(winner)} {verb} for good"
    else:
        seat, text = -1, f"from turn {frame} on, {seat_name(winner)} {verb}"
    if frame > LATE * last:
        return TurningPoint(frame, seat, _sentence(f"open until the end: {text}"))
    return TurningPoint(frame, seat, _sentence(text))


def _greatest_gain(course: MatchCourse, seat: int, frame: int) -> TurningPoint:
    """Return the turning point of a match with one seat, which has no lead over others."""
    events = [event for event in course.events if event[0] == frame]
    if events:
        return TurningPoint(frame, seat, _sentence(max(events, key=lambda event: event[2])[3]))
    return TurningPoint(frame, seat, _sentence(f"{seat_name(seat)} gained most until turn {frame}"))


def _sentence(text: str) -> str:
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"
