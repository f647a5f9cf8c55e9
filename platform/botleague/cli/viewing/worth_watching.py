"""One match worth watching after a run: of the newest ones, that with the latest turning point."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from rich.text import Text

from botleague.application.pages import MatchLine, match_lines
from botleague.cli.printing.consoles import emblem, errors, on_ground, shows_emblems
from botleague.errors import BotleagueError
from botleague.league import Season
from botleague.rules import Variant, with_names
from botleague.struct_fields import LARGEST
from botleague_storage import page_queries, results

MAX_MATCHES = 8
MAX_TURNS = 1_500
"""Turns of a match that is considered."""

MAX_S = 1.0
"""Seconds after which no further match is considered."""


class RecordedMatch(NamedTuple):
    """A finished match with its record."""

    line: MatchLine
    record: bytes


def newest_matches(season: Season) -> list[RecordedMatch]:
    """Return the newest matches that count, newest first; none without a terminal."""
    if not sys.stderr.isatty():
        return []
    listed, _ = page_queries.listed(season.connection, season.id, LARGEST, MAX_MATCHES)
    chosen = [match for match in listed if not match.is_void and match.turns <= MAX_TURNS]
    return [
        RecordedMatch(line, results.find(season.connection, match.fixture_id).content)
        for line, match in zip(match_lines(season, chosen), chosen, strict=True)
    ]


def suggest_match(newest: Sequence[RecordedMatch], variant: Variant, option: str) -> None:
    """Print the match that turned latest, and the command that shows it; nothing if no match turned.

    Args:
        option: options of the command that name the database.
    """
    # Not above: only a run on a terminal needs replays.
    from botleague.film import film
    from botleague.referee import read_record

    started, latest = time.monotonic(), 0.0
    best: tuple[MatchLine, int, str] | None = None
    for match in newest:
        if time.monotonic() - started > MAX_S:
            break
        with suppress(BotleagueError):
            turning = film(read_record(match.record), variant).turning
            if turning is not None and (share := turning.frame / match.line.turns) > latest:
                latest, best = share, (match.line, turning.frame, turning.text)
    if best is None:
        return
    line, frame, text = best
    sentence = with_names(text, [seat.bot for seat in line.seats])
    link = on_ground("#8ab8ff", "#1a57b0")
    errors().print(
        Text.assemble(
            ("\nWorth watching\n", "dim"),
            f"  {line.match}  ",
            *_sides(line),
            f"  turning point in turn {frame} of {line.turns}\n  {sentence}\n  ",
            (f"botleague replay {line.match} --open{option}", link),
        )
    )


def _sides(line: MatchLine) -> list[Text]:
    """Return the bots of a match with their scores: "minimax 1–0 alphabeta", or of many the winner."""
    is_marked = shows_emblems(errors())
    names = [(emblem(seat.bot) + Text(" ") if is_marked else Text()).append(seat.bot) for seat in line.seats]
    if len(names) == 2:
        one, other = (f"{seat.score:g}" for seat in line.seats)
        return [names[0], Text(f" {one}–{other} "), names[1]]
    winner = min(range(len(names)), key=lambda seat: line.seats[seat].place)
    return [names[winner], Text(f" won against {len(names) - 1} others" if len(names) > 1 else "")]
