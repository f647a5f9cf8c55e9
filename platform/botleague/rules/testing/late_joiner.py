"""Openings: whether briefing and first observation suffice for a bot that joins a started match.

Many openings are played. If a seat gets the same data after two of them, then nothing that follows may depend on their
difference: the same moves must stay legal, and bring the same observations and the same end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from botleague.rules.replies import Move
from botleague.rules.storable import typed
from botleague.rules.variant import Variant

_RANDOM, _CHANGED = 40, 4
"""Numbers of random openings, and of openings per turn that differ from the first one in this turn."""

_FOLLOWING_TURNS = 40
"""Turns to compare after two openings."""


def check_late_joiner(variant: Variant, declarations: Sequence[object], seed: int) -> tuple[int, str]:
    """Compare what follows after pairs of openings.

    Args:
        variant: one with openings, so its rules have neither chance nor declarations.
        declarations: one per seat.
        seed: of the openings.

    Returns:
        The number of pairs, and the problem, "" without one.
    """
    openings, count = _Openings(variant, declarations, seed), 0
    states = openings.states()
    for seat in range(len(declarations)):
        like: dict[tuple[bytes, bytes], Any] = {}
        for opened in states:
            joined = openings.until_turn_of(seat, opened)
            if joined is None or any(True for _ in variant.rules.twins(joined, seat)):
                continue
            data = _packed(variant.rules.brief(opened, seat)), _packed(variant.rules.observe(joined, seat))
            first = like.setdefault(data, joined)
            count += first is not joined
            if first is not joined and (difference := openings.difference(first, joined, seat)):
                return count, (
                    f"{variant.name}, seed {seed}: a bot on seat {seat} that joins after an opening gets too "
                    f"little data: they are the same after two openings, but {difference}. Return more in brief "
                    f"or observe; if the difference is hidden from the seat, yield the other state in twins"
                )
    return count, ""


class _Openings:
    """Openings of a variant."""

    def __init__(self, variant: Variant, declarations: Sequence[object], seed: int) -> None:
        self._variant, self._rules, self._seed = variant, variant.rules, seed
        self._chooser = Random(seed)
        self._turns = len(declarations) * (variant.opening_turns or 1)
        self._declarations = declarations

    def states(self) -> list[Any]:
        """Return the states after random openings, and after some that differ from the first one in one turn."""
        first, moves = self._played([])
        states = [first] + [self._played([])[0] for _ in range(_RANDOM)]
        for turn in range(len(moves)):
            changed = [*moves[:turn], {}, *moves[turn + 1 :]]
            states += [self._played(changed)[0] for _ in range(_CHANGED)]
        return states

    def until_turn_of(self, seat: int, state: Any) -> Any | None:
        """Return the first state in which a seat acts, after random moves of others; None if it never acts."""
        for _ in range(self._turns):
            acting = self._rules.acting(state)
            if not acting or seat in acting:
                return state if acting else None
            state = self._applied(state, self._sampled(state))
        return None

    def difference(self, one: Any, other: Any, seat: int) -> str:
        """Return what differs for a seat after the same moves from both states; "" for nothing."""
        rules = self._rules
        for turn in range(_FOLLOWING_TURNS):
            acting = rules.acting(one)
            if acting != rules.acting(other):
                return f"{turn} turns later other seats act"
            if not acting:
                is_same = rules.outcome(one) == rules.outcome(other)
                return "" if is_same else f"{turn} turns later the outcome is another one"
            if seat in acting and _packed(rules.observe(one, seat)) != _packed(rules.observe(other, seat)):
                return f"{turn} turns later its observation is another one"
            moves = self._sampled(one)
            if not self._fits(other, moves):
                return f"{turn} turns later a legal move is illegal"
            one, other = self._applied(one, moves), self._applied(other, moves)
        return ""

    def _played(self, moves: Sequence[Mapping[int, Move]]) -> tuple[Any, list[Mapping[int, Move]]]:
        """Return the state after an opening and its moves: the given ones, random ones where these do not fit."""
        rules, played = self._rules, list[Mapping[int, Move]]()
        admitted = [rules.admit(seat, what) for seat, what in enumerate(self._declarations)]
        state = rules.start(admitted, Random(self._seed))
        for turn in range(self._turns):
            fits = turn < len(moves) and self._fits(state, moves[turn])
            now = moves[turn] if fits else self._sampled(state)
            after = self._applied(state, now)
            if not rules.acting(after):
                break
            state = after
            played.append(now)
        return state, played

    def _sampled(self, state: Any) -> dict[int, Move]:
        return {seat: self._sample(state, seat) for seat in self._rules.acting(state)}

    def _sample(self, state: Any, seat: int) -> Move:
        return Move(typed(self._rules.sample(state, seat, self._chooser), self._variant.move_type))

    def _fits(self, state: Any, moves: Mapping[int, Move]) -> bool:
        """Return whether exactly these seats act, and may move so."""
        return self._rules.acting(state) == tuple(moves) and all(
            self._rules.illegal(state, seat, move.value) is None for seat, move in moves.items()
        )

    def _applied(self, state: Any, moves: Mapping[int, Move]) -> Any:
        return self._rules.apply(state, moves, Random(self._seed))


def _packed(value: object) -> bytes:
    return msgspec.msgpack.encode(value)
