"""Bot logs of a match: output, drawings and time of each bot per turn."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from botleague.cli.printing.untrusted_text import behind_a_bar, one_line
from botleague.errors import counted
from botleague.referee import (
    BEFORE,
    Event,
    Finished,
    Started,
    TurnNote,
    read_drawings,
    read_journal,
    read_tags,
)


class Journals:
    """Bot logs of one match.

    Args:
        contents: stored bot logs, by seat; seats may be missing.
        names: names of the bots, by seat.
        seats: seats to show, None for all.
    """

    def __init__(
        self, contents: Mapping[int, bytes], names: Sequence[str], seats: Collection[int] | None = None
    ) -> None:
        self._names = names
        self._notes: dict[int, dict[int, TurnNote]] = {}
        for seat in sorted(contents if seats is None else set(contents) & set(seats)):
            for note in read_journal(contents[seat]):
                self._notes.setdefault(note.turn, {})[seat] = note

    def lines_of(self, event: Event) -> Iterator[str]:
        """Yield lines about the bots' output, drawings and time in the turn of ``event``, safe to print."""
        for seat, note in self._of(event).items():
            yield from self._lines(seat, note)

    def lines(self) -> Iterator[str]:
        """Yield the same of a whole match, turn by turn."""
        for turn, notes in sorted(self._notes.items()):
            yield "before the first turn" if turn == BEFORE else f"turn {turn}"
            for seat, note in notes.items():
                yield from self._lines(seat, note)

    def as_json(self, event: Event) -> dict[str, Any]:
        """Return the bot logs of the turn of ``event`` as objects by seat, drawings as shapes."""
        return {str(seat): _plain(note) for seat, note in self._of(event).items()}

    def all_as_json(self, seat: int) -> list[dict[str, Any]]:
        """Return the bot log of one seat as objects with their turns."""
        mine = ((turn, notes[seat]) for turn, notes in sorted(self._notes.items()) if seat in notes)
        return [{"turn": turn, **_plain(note)} for turn, note in mine]

    def _of(self, event: Event) -> dict[int, TurnNote]:
        if isinstance(event, Finished):
            return {}
        return self._notes.get(BEFORE if isinstance(event, Started) else event.number, {})

    def _lines(self, seat: int, note: TurnNote) -> Iterator[str]:
        facts = [f"{note.cpu_ms:.2f} ms CPU, {note.wall_ms:.2f} ms wall"] if note.turn != BEFORE else []
        if note.proposals:
            facts.append(counted(note.proposals, "provisional answer"))
        if note.drawn:
            facts.append(f"{counted(len(read_drawings(note.drawn)[0]), 'shape')} drawn")
        if tags := read_tags(note.drawn):
            facts.append(f"tags: {', '.join(tags)}")
        if _is_cut(note):
            facts.append("the rest is cut off")
        if note.printed:
            facts.append("printed:")
        yield f"         {one_line(self._names[seat])}: {', '.join(facts)}"
        if note.printed:
            yield behind_a_bar(note.printed, first=True)


def _is_cut(note: TurnNote) -> bool:
    return note.is_cut or read_drawings(note.drawn)[1]


def _plain(note: TurnNote) -> dict[str, Any]:
    shapes, _ = read_drawings(note.drawn)
    return {
        "cpu_ms": note.cpu_ms,
        "wall_ms": note.wall_ms,
        "proposals": note.proposals,
        "printed": note.printed,
        "shapes": [{"kind": type(shape).__name__.lower(), **msgspec.to_builtins(shape)} for shape in shapes],
        "tags": read_tags(note.drawn),
        "is_cut": _is_cut(note),
    }
