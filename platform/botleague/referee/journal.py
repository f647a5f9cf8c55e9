"""The journal of a seat: what its bot printed and drew in each turn, and what the turn took.

It stands beside the record and never in it: a match is the same whoever looks, and a journal can be lost or deleted
without harm. While a match goes on a :class:`JournalWriter` takes notes; what it encodes is stored as it is, and
:func:`read_journal` gives the notes back. Only what is not empty takes room. Drawings are kept unread, see
:mod:`botleague.referee.bot_drawings`.
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
"""The turn of what a bot printed before it was asked for the first time: while it was loaded or briefed."""

MOST_TEXT = 256 * 1024
"""Bytes of text of a seat in one match. A turn's limits are those of the sandbox: 16 KiB of text, 4 KiB of drawings."""

MOST_BYTES = 512 * 1024
"""Bytes of everything that a seat's journal of one match holds, before it is compressed."""

FORMAT = 1
_TURN_BYTES = 12  # at most, of the numbers of one turn
_MARK_BYTES = 4
_PER_MS = 100  # times are stored in hundredths of a millisecond


class TurnNote(msgspec.Struct, frozen=True):
    """What one seat did in one turn beside its move.

    Attributes:
        turn: its number in the match, from 0, or :data:`BEFORE`.
        cpu_ms, wall_ms: what the turn took, by the host's clocks.
        proposals: provisional answers.
        printed: safe for terminals; must still be escaped for HTML.
        drawn: unread, see :func:`botleague.referee.bot_drawings.read_drawings`.
        memory_kib: the most memory that the process had until then, where that was measured and more than before.
        is_cut: something was left out, because there was more than a turn or a match may have.
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
    """A journal as it is encoded, in columns. The first three have one entry for each turn in which the seat was asked.

    Attributes:
        turns: by how much each number is greater than the one before; the first counts from :data:`BEFORE`.
        cpu, wall: in hundredths of a millisecond.
        proposals, printed, drawn, memory: by turn.
        cut: turns of which something was left out.
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
    """Takes the notes of one seat in one match."""

    def __init__(self) -> None:
        self._turns: list[int] = []
        self._cpu_ms: list[float] = []
        self._wall_ms: list[float] = []
        self._proposals: dict[int, int] = {}
        self._printed: dict[int, str] = {}
        self._drawn: dict[int, bytes] = {}
        self._memory: dict[int, int] = {}
        self._cut: list[int] = []
        self._room = MOST_BYTES
        self._text_room = MOST_TEXT

    def asked(self, turn: int, cpu_ms: float, wall_ms: float, proposals: int) -> None:
        """Note what a turn took. Once a match has filled the journal, nothing more of it is noted but that."""
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
        """Note the greatest memory until the end of a turn."""
        if memory_kib > max(self._memory.values(), default=0) and self._room >= _TURN_BYTES:
            self._room -= _TURN_BYTES
            self._memory[turn] = memory_kib

    def said(self, turn: int, notes: Notes) -> None:
        """Note what a bot printed and drew in a turn; a second time in the same turn adds to the first."""
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
        """Return the journal, compressed; empty if there is nothing in it."""
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
        """Note that something of a turn was left out; of many turns without room, the first stands for all."""
        if turn not in self._cut[-1:] and (self._room >= 0 or not self._cut):
            self._room -= _MARK_BYTES
            self._cut.append(turn)


def read_journal(content: bytes) -> tuple[TurnNote, ...]:
    """Return the notes of a journal in order of turns; none if there is no journal or it is damaged."""
    try:
        journal = msgspec.msgpack.decode(_unpacked(content), type=_Journal)
    except (msgspec.MsgspecError, ValueError, RecursionError, zlib.error):
        return ()
    notes: dict[int, dict[str, Any]] = {}
    asked = list(accumulate(journal.turns, initial=BEFORE))[1:]
    for turn, cpu, wall in zip(asked, journal.cpu, journal.wall, strict=False):
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
    """Return everything that a bot printed in a match."""
    return "".join(note.printed for note in read_journal(content))


def _unpacked(content: bytes) -> bytes:
    """Return what a journal was made of, and no more than a journal can be."""
    return zlib.decompressobj().decompress(content, 4 * MOST_BYTES)
