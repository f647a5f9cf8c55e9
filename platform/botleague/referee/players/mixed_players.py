"""Players of a match, some of them in this process, for debuggers and learning programs, and the others elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from botleague.referee.conduct import Players
from botleague.rules import Fault, Reply


class OwnSeat(Protocol):
    """One seat in this process; the methods of :class:`~botleague.referee.Players` for this seat."""

    def declare(self) -> object | Fault:
        """Return the seat's declaration."""
        ...

    def brief(self, briefing: object) -> Fault | None:
        """Take the briefing before the first turn."""
        ...

    def ask(self, question: object) -> Reply:
        """Return the reply to an observation."""
        ...


class MixedPlayers:
    """All players of one match.

    Args:
        own: the players of this process, by seat.
        others: the players of the other seats; they declare in order of their seats.
    """

    def __init__(self, own: Mapping[int, OwnSeat], others: Players) -> None:
        self._own = own
        self._others = others

    def declare(self) -> Sequence[object | Fault]:
        """Start all players."""
        declared = list(self._others.declare())
        for seat, player in sorted(self._own.items()):
            declared.insert(seat, player.declare())
        return declared

    def brief(self, briefs: Mapping[int, object]) -> Mapping[int, Fault]:
        """Send the briefings."""
        faults = dict(self._others.brief(self._for_others(briefs)))
        for seat, player in self._own.items():
            fault = player.brief(briefs[seat]) if seat in briefs else None
            if fault is not None:
                faults[seat] = fault
        return faults

    def ask(self, questions: Mapping[int, object]) -> Mapping[int, Reply]:
        """Request replies of all given seats."""
        own = {
            seat: self._own[seat].ask(question) for seat, question in questions.items() if seat in self._own
        }
        return {**self._others.ask(self._for_others(questions)), **own}

    def _for_others(self, values: Mapping[int, object]) -> dict[int, object]:
        return {seat: what for seat, what in values.items() if seat not in self._own}
