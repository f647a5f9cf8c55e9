"""Players of whom some sit in this process, a bot under a debugger or a program that learns, the others elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from botleague.referee.conduct import Players
from botleague.rules import Fault, Reply


class OwnSeat(Protocol):
    """One seat in this process; the methods of :class:`~botleague.referee.Players`, for it alone."""

    def declare(self) -> object | Fault:
        """Return what it says of itself."""
        ...

    def brief(self, told: object) -> Fault | None:
        """Tell it what it is told before the first turn."""
        ...

    def ask(self, question: object) -> Reply:
        """Ask it."""
        ...


class MixedPlayers:
    """Everyone who sits at one match.

    Args:
        own: who sits here, by seat.
        others: who sits at the seats that are left, and declares in their order.
    """

    def __init__(self, own: Mapping[int, OwnSeat], others: Players) -> None:
        self._own = own
        self._others = others

    def declare(self) -> Sequence[object | Fault]:
        """Bring everybody up."""
        declared = list(self._others.declare())
        for seat, player in sorted(self._own.items()):
            declared.insert(seat, player.declare())
        return declared

    def brief(self, briefs: Mapping[int, object]) -> Mapping[int, Fault]:
        """Tell everybody the briefings."""
        faults = dict(self._others.brief(self._for_others(briefs)))
        for seat, player in self._own.items():
            fault = player.brief(briefs[seat]) if seat in briefs else None
            if fault is not None:
                faults[seat] = fault
        return faults

    def ask(self, questions: Mapping[int, object]) -> Mapping[int, Reply]:
        """Ask everybody."""
        own = {seat: self._own[seat].ask(asked) for seat, asked in questions.items() if seat in self._own}
        return {**self._others.ask(self._for_others(questions)), **own}

    def _for_others(self, told: Mapping[int, object]) -> dict[int, object]:
        return {seat: what for seat, what in told.items() if seat not in self._own}
