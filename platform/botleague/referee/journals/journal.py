"""Journals of seats: output, drawings and times of a bot per turn.

A journal is stored next to the record and is never part of it: observers do not change a match, and a journal can be
lost or deleted without harm. During a match a :class:`JournalWriter` collects entries; the encoded journal is stored
unchanged, and :func:`read_journal` returns the entries. Empty values take no space. Drawings stay encoded, see
:mod:`botleague.referee.journals.bot_drawings`.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from botleague_sandbox import Notes

BEFORE = -1
"""Turn number of the output before the first request: while the bot was loaded or briefed."""

MAX_TEXT_BYTES = 256 * 1024
"""Bytes of a seat's text per match. The sandbox limits each turn to 16 KiB of text and 4 KiB of drawings."""

MAX_BYTES = 512 * 1024
"""Bytes of a seat's whole journal of one match, before compression."""

FORMAT = 1
_TURN_BYTES = 12  # upper bound for the numbers of one turn
_MARK_BYTES = 4
_PER_MS = 100  # Times are stored in hundredths of a millisecond.


class TurnNote(msgspec.Struct, frozen=True):
    """Entry of one seat and turn, without its move.

    Attributes:
        turn: its number in the match, from 0, or :data:`BEFORE`.
        cpu_ms, wall_ms: duration of the turn by the host's clocks.
        proposals: number of provisional answers.
        printed: output; safe for terminals, but must be escaped for HTML.
        drawn: encoded drawings, see :func:`botleague.referee.journals.bot_drawings.read_drawings`.
        memory_kib: peak memory of the process so far, if measured and greater than before; else 0.
        is_cut: whether data was left out because of the limits of a turn or a match.
    """

    turn: int
    cpu_ms: float = 0.0
    wall_ms: float = 0.0
    proposals: int = 0
    printed: str = ""
    drawn: bytes = b""
    memory_kib: int = 0
    is_cut: bool = False


class _Journal(msgspec.Struct, frozen=True, omit_defaults=True):
    """An encoded journal, in columns. The first three have one entry per turn of the seat.

    Attributes:
        turns: differences between successive turn numbers; the first counts from :data:`BEFORE`.
        cpu, wall: in hundredths of a millisecond.
        proposals, printed, drawn, memory: by turn.
        cut: turns with missing data.
    """

    format: int
    turns: tuple[int, ...] = ()
    cpu: tuple[int, ...] = ()
    wall: tuple[int, ...] = ()
    proposals: dict[int, int] = {}
    printed: dict[int, str] = {}
    drawn: dict[int, bytes] = {}
    cut: tuple[int, ...] = ()
    memory: dict[int, int] = {}


class JournalWriter:
    """Collects the journal of one seat in one match."""

    def __init__(self) -> None:
        self._turns: list[int] = []
        self._cpu_ms: list[float] = []
        self._wall_ms: list[float] = []
        self._proposals: dict[int, int] = {}
        self._printed: dict[int, str] = {}
        self._drawn: dict[int, bytes] = {}
        self._memory: dict[int, int] = {}
        self._cut: list[int] = []
        self._room = MAX_BYTES
        self._text_room = MAX_TEXT_BYTES

    def asked(self, turn: int, cpu_ms: float, wall_ms: float, proposals: int) -> None:
        """Store the duration of a turn. Once the journal is full, only a mark that data is missing is added."""
        self._room -= _TURN_BYTES
        if self._room < 0:
            self._mark(turn)
            return
        self._turns.append(turn)
        self._cpu_ms.append(cpu_ms)
        self._wall_ms.append(wall_ms)
        if proposals:
            self._proposals[turn] = proposals

    def peaked(self, turn: int, memory_kib: int) -> None:
        """Store the peak memory until the end of a turn."""
        if memory_kib > max(self._memory.values(), default=0) and self._room >= _TURN_BYTES:
            self._room -= _TURN_BYTES
            self._memory[turn] = memory_kib

    def said(self, turn: int, notes: Notes) -> None:
        """Store the output and drawings of a turn; a second call in the same turn adds to the first."""
        if notes.is_cut:
            self._mark(turn)
        if notes.printed:
            text = notes.printed.encode()
            room = max(0, min(self._room, self._text_room))
            if len(text) > room:
                self._mark(turn)
                text = text[:room]
            self._room -= len(text)
            self._text_room -= len(text)
            self._printed[turn] = self._printed.get(turn, "") + text.decode(errors="ignore")
        if notes.drawn:
            if len(notes.drawn) > self._room:
                self._mark(turn)
            else:
                self._room -= len(notes.drawn)
                self._drawn[turn] = notes.drawn

    def encode(self) -> bytes:
        """Return the compressed journal; b"" if it is empty."""
        journal = _Journal(
            FORMAT,
            tuple(after - before for before, after in zip([BEFORE, *self._turns], self._turns, strict=False)),
            tuple(round(cpu_ms * _PER_MS) for cpu_ms in self._cpu_ms),
            tuple(round(wall_ms * _PER_MS) for wall_ms in self._wall_ms),
            self._proposals,
            {turn: text for turn, text in self._printed.items() if text},
            self._drawn,
            tuple(self._cut),
            self._memory,
        )
        content = msgspec.msgpack.encode(journal)
        is_empty = not (self._turns or self._printed or self._drawn or self._cut)
        return b"" if is_empty else zlib.compress(content, 1)

    def _mark(self, turn: int) -> None:
        """Mark missing data of a turn; without room, the first mark stands for all later turns."""
        if turn not in self._cut[-1:] and (self._room >= 0 or not self._cut):
            self._room -= _MARK_BYTES
            self._cut.append(turn)


def read_journal(content: bytes) -> tuple[TurnNote, ...]:
    """Return the entries of a journal in order of turns; empty if the journal is missing or damaged."""
    try:
        journal = msgspec.msgpack.decode(_unpacked(content), type=_Journal)
    except (msgspec.MsgspecError, ValueError, RecursionError, zlib.error):
        return ()
    notes: dict[int, dict[str, Any]] = {}
    numbers = list(accumulate(journal.turns, initial=BEFORE))[1:]
    for turn, cpu, wall in zip(numbers, journal.cpu, journal.wall, strict=False):
        notes[turn] = {"cpu_ms": cpu / _PER_MS, "wall_ms": wall / _PER_MS}
    columns: Sequence[tuple[str, Mapping[int, object]]] = (
        ("proposals", journal.proposals),
        ("printed", journal.printed),
        ("drawn", journal.drawn),
        ("memory_kib", journal.memory),
        ("is_cut", dict.fromkeys(journal.cut, True)),
    )
    for name, column in columns:
        for turn, value in column.items():
            notes.setdefault(turn, {})[name] = value
    return tuple(TurnNote(turn, **notes[turn]) for turn in sorted(notes))


def printed_in(content: bytes) -> str:
    """Return the whole output of a bot in a match."""
    return "".join(note.printed for note in read_journal(content))


def _unpacked(content: bytes) -> bytes:
    """Return the decompressed journal, limited to the maximum size of a journal."""
    return zlib.decompressobj().decompress(content, 4 * MAX_BYTES)
