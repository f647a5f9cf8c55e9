"""Forfeits: for games in which a seat is out after a fault, and the others play on or the match ends.

A state has a field of the type :class:`Forfeits`::

    start:    State(..., forfeits=Forfeits.of(declarations))
    apply:    forfeits = state.forfeits.after(replies)
    acting:   () if state.forfeits.ends_match, else only seats of state.forfeits.playing
    outcome:  state.forfeits.outcome(scores, reason)

Whose turn it is after a seat is out, and what happens to its pieces, is up to the game. If they must move, ``apply``
plays for the seat: a seat in ``acting`` is requested again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from botleague.rules.outcome import Outcome, places_by_score, seat_name
from botleague.rules.replies import Fault, FaultKind

__all__ = ["Forfeits"]

_REASONS: Mapping[FaultKind, str] = {
    "exception": "raised an exception",
    "timeout": "answered too late",
    "illegal": "made an illegal move",
    "crash": "crashed",
    "garbage": "sent an unreadable answer",
    "rejected": "was not admitted",
}


class Forfeits(msgspec.Struct, frozen=True):
    """Seats that are out, with the reasons. A value: :meth:`after` returns a new one.

    Attributes:
        seats: number of seats of the match.
        turns: seats with their reasons, one entry per turn in which a seat went out, in order.
    """

    seats: int
    turns: tuple[tuple[tuple[int, str], ...], ...] = ()

    @classmethod
    def of(cls, declarations: Sequence[object | Fault]) -> Forfeits:
        """Return the forfeits at the start: seats that could not be loaded or were not admitted."""
        return cls(len(declarations)).after(dict(enumerate(declarations)))

    def after(self, replies: Mapping[int, object]) -> Forfeits:
        """Return the forfeits after a turn; every seat whose reply is a :class:`Fault` is out."""
        out = tuple(
            (seat, _reason(reply))
            for seat, reply in sorted(replies.items())
            if isinstance(reply, Fault) and seat not in self
        )
        return msgspec.structs.replace(self, turns=(*self.turns, out)) if out else self

    def __contains__(self, seat: object) -> bool:
        return any(seat == number for turn in self.turns for number, _ in turn)

    @property
    def playing(self) -> tuple[int, ...]:
        """The seats that are not out, ascending."""
        return tuple(seat for seat in range(self.seats) if seat not in self)

    @property
    def ends_match(self) -> bool:
        """Whether too few seats are left for a match: fewer than two, or none in a match of one seat."""
        return bool(self.turns) and len(self.playing) < min(2, self.seats)

    def outcome(self, scores: Sequence[float] | None = None, reason: str = "") -> Outcome:
        """Return the outcome of the match.

        Seats that are not out come first, ordered by their scores. The others follow: the longer a seat played, the
        better; seats that went out in the same turn tie. So the score of a seat that is out counts in tables, but
        not for its place.

        Args:
            scores: one per seat; None for 1 of seats that are not out and 0 of the others.
            reason: why the match ended; the reasons of forfeits follow it. It may be empty if there is a forfeit.
        """
        numbers = [float(seat not in self) for seat in range(self.seats)] if scores is None else scores
        left_at = {seat: turn for turn, out in enumerate(self.turns) for seat, _ in out}
        keys = [
            (left_at[seat], 0.0) if seat in left_at else (len(self.turns), score)
            for seat, score in enumerate(numbers)
        ]
        reasons = [f"{seat_name(seat)} is out: {why}" for turn in self.turns for seat, why in turn]
        text = "; ".join([*[reason] * bool(reason), *reasons])
        return Outcome(places_by_score(keys), tuple(map(float, numbers)), text, tuple(sorted(left_at)))


def _reason(fault: Fault) -> str:
    """Return a fault in one line; of a traceback its last line."""
    lines = fault.detail.strip().splitlines()
    return f"{_REASONS[fault.kind]} ({lines[-1].strip()})" if lines else _REASONS[fault.kind]
