"""Bot logs of a match, turn by turn: prints, times, faults with their details.

They are read from the stored record and journals. No plugin code runs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from botleague.names import distinct
from botleague.referee import BEFORE, Record, TurnNote, faults_of, read_drawings, read_journal, read_tags
from botleague_sandbox import place_in


class LogLine(msgspec.Struct, frozen=True):
    """Log of a bot's turn.

    Attributes:
        match: its number, like ``cup/17``; "" for an unrated match.
        bot: its name, made distinct if two bots have the same.
        turn: its number from 0; None for the time before the first turn.
        cpu_ms, wall_ms: time of the turn in milliseconds; 0 without a journal.
        proposals: number of provisional actions.
        shapes: number of shapes that it drew.
        tags: its marks of the turn.
        is_cut: more was printed or drawn than is stored.
        fault, detail: kind and details of the fault, "" for none.
        file, line: where the bot raised, None if it did not.
    """

    match: str
    seat: int
    bot: str
    turn: int | None
    cpu_ms: float = 0.0
    wall_ms: float = 0.0
    proposals: int = 0
    printed: str = ""
    shapes: int = 0
    is_cut: bool = False
    fault: str = ""
    detail: str = ""
    file: str | None = None
    line: int | None = None
    tags: tuple[str, ...] = ()


def log_lines(
    match: str, record: Record, journals: Mapping[int, bytes], seats: Collection[int]
) -> list[LogLine]:
    """Return the log lines of some seats, turn by turn.

    Args:
        match: its number.
        journals: as stored, by seat; seats may be missing.
    """
    names = distinct([seat.name for seat in record.seats])
    lines: list[LogLine] = []
    for seat in sorted(seats):
        notes = {note.turn: note for note in read_journal(journals.get(seat, b""))}
        faults = {
            BEFORE if turn is None else turn: (kind, detail) for turn, kind, detail in faults_of(record, seat)
        }
        lines += [
            _line(match, seat, names[seat], notes.get(turn, TurnNote(turn)), *faults.get(turn, ("", "")))
            for turn in notes.keys() | faults.keys()
        ]
    return sorted(lines, key=lambda line: (BEFORE if line.turn is None else line.turn, line.seat))


def _line(match: str, seat: int, bot: str, note: TurnNote, fault: str, detail: str) -> LogLine:
    shapes, is_cut = read_drawings(note.drawn)
    file, place = place_in(detail) or (None, None)
    return LogLine(
        match,
        seat,
        bot,
        None if note.turn == BEFORE else note.turn,
        note.cpu_ms,
        note.wall_ms,
        note.proposals,
        note.printed,
        len(shapes),
        note.is_cut or is_cut,
        fault,
        detail,
        file,
        place,
        read_tags(note.drawn),
    )
