"""Course of one match: requests moves of acting seats, judges the replies, and yields events in order.

Live matches and replays use the same code. The kind of players
(sandboxed bots, a record, a script) is hidden by :class:`Players`; time, processes and storage are not handled here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Protocol, TypeAlias

import msgspec

from botleague.errors import PluginError
from botleague.plugins.boundary import Boundary
from botleague.referee.openings import Opening
from botleague.rules import MAX_TURNS, Fault, Move, NotAdmitted, Outcome, Reply, Variant
from botleague.rules.storable import fault_of, require_storable


class Players(Protocol):
    """All players of one match. They never raise for anything that a bot does."""

    def declare(self) -> Sequence[object | Fault]:
        """Start every seat and return its declaration, or the fault that excludes it."""
        ...

    def brief(self, briefs: Mapping[int, object]) -> Mapping[int, Fault]:
        """Brief seats before the first turn; return the faults of the seats that failed."""
        ...

    def ask(self, questions: Mapping[int, object]) -> Mapping[int, Reply]:
        """Request replies from seats at the same time. Called in every turn, even without seats."""
        ...


class Started(msgspec.Struct, frozen=True):
    """Start of a match in ``state``; ``declarations`` are admitted declarations, or faults."""

    state: Any
    declarations: tuple[object | Fault, ...]


class Turn(msgspec.Struct, frozen=True):
    """End of turn ``number`` (from 0), in which the judged ``replies`` led to ``state``.

    Attributes:
        unasked: the seats with a fault of their briefing as reply.
        is_opening: whether the referee played it at random, without requests to bots.
    """

    number: int
    replies: Mapping[int, Reply]
    state: Any
    unasked: frozenset[int] = frozenset()
    is_opening: bool = False


class Finished(msgspec.Struct, frozen=True):
    """End of a match."""

    outcome: Outcome


Event: TypeAlias = Started | Turn | Finished


def conduct(
    variant: Variant, seed: int, players: Players, opening: Opening = (), *, most: int = MAX_TURNS
) -> Iterator[Event]:
    """Play one match and yield its events in order; the outcome comes last.

    If a seat fails in its briefing, that fault is its reply to its first turn, without a request. If a seat
    is excluded, there is no opening.

    Args:
        opening: replies of the first turns, before the briefing.
        most: maximum number of turns; more count as an error in the rules.

    Raises:
        PluginError: the rules raised, returned what no record can hold, do not end, or end without an outcome for
            every seat.
    """
    rules, rng = variant.rules, Random(seed)
    boundary = Boundary("rules of", variant.name)
    declared = players.declare()
    with boundary:
        declarations = tuple(_admitted(variant, seat, what) for seat, what in enumerate(declared))
        state = rules.start(declarations, rng)
    yield Started(state, declarations)
    out = {seat: what for seat, what in enumerate(declarations) if isinstance(what, Fault)}
    number = 0
    for moves in () if out else opening:
        with boundary:
            acting = rules.acting(state)
            if acting != tuple(moves):
                raise PluginError(
                    f"The rules of {variant.name} ask the seats {list(acting)} in turn {number} of an opening that "
                    f"has replies of {list(moves)}."
                )
            state = rules.apply(state, moves, rng)
        yield Turn(number, moves, state, is_opening=True)
        number += 1
    with boundary:
        briefs = {seat: rules.brief(state, seat) for seat in range(len(declarations)) if seat not in out}
    stumbled = dict(players.brief(briefs))
    seats = frozenset(range(len(declarations)))
    while True:
        with boundary:
            acting = rules.acting(state)
            if not acting:
                break
            if not seats.issuperset(acting):
                raise PluginError(
                    f"The rules of {variant.name} ask the seats {acting!r} in turn {number}, of {len(seats)} seats."
                )
            questions = {
                seat: rules.observe(state, seat)
                for seat in acting
                if seat not in stumbled and seat not in out
            }
        # Even without questions: every turn of a record has an entry.
        answers = players.ask(questions)
        unasked = frozenset(seat for seat in acting if seat in stumbled)
        with boundary:
            replies: dict[int, Reply] = {}
            for seat in acting:
                if seat in questions:
                    replies[seat] = judged(variant, state, seat, answers[seat])
                else:
                    replies[seat] = out[seat] if seat in out else stumbled.pop(seat)
            state = rules.apply(state, replies, rng)
        yield Turn(number, replies, state, unasked)
        number += 1
        if number > most:
            raise PluginError(f"The rules of {variant.name} still ask seats after {most} turns.")
    with boundary:
        outcome = rules.outcome(state)
    yield Finished(_checked_outcome(variant, outcome, len(seats)))


def is_cut_off(reply: Move) -> bool:
    """Return whether the time ended after an answer that counts: an anytime bot that uses its time, without a fault."""
    return reply.fault is None and reply.warning.startswith("timeout: no answer within ")


def _admitted(variant: Variant, seat: int, declared: object | Fault) -> object | Fault:
    if isinstance(declared, Fault):
        return declared
    try:
        admitted: object | Fault = variant.rules.admit(seat, declared)
    except NotAdmitted as refusal:
        admitted = Fault("rejected", str(refusal))
    is_fault = isinstance(admitted, Fault)
    # Only faults must be equal: declarations may be of a type without equality, and a replay admits what it reads.
    kind = Fault if is_fault else variant.declaration_type
    _require_storable(variant, admitted, kind, "admit", exact=is_fault)
    return admitted


def _checked_outcome(variant: Variant, outcome: Outcome | None, seats: int) -> Outcome:
    if outcome is None:
        raise PluginError(f"The rules of {variant.name} give no outcome after the last turn.")
    _require_storable(variant, outcome, Outcome, "outcome")
    if len(outcome.places) != seats or not all(map(math.isfinite, outcome.scores)):
        raise PluginError(
            f"The rules of {variant.name} give an outcome that is not one of {seats} seats: {outcome}."
        )
    return outcome


def _require_storable(variant: Variant, value: object, kind: Any, method: str, *, exact: bool = True) -> None:
    try:
        require_storable(value, kind, method, exact=exact)
    except TypeError as error:
        raise PluginError(f"The rules of {variant.name} are wrong: {error}.") from None


def judged(variant: Variant, state: object, seat: int, reply: Reply) -> Reply:
    """Return a reply as the rules judge it: an illegal move becomes a fault."""
    if isinstance(reply, Move):
        verdict = variant.rules.illegal(state, seat, reply.value)
        if verdict is not None:
            try:
                fault = fault_of(verdict)
            except TypeError as error:
                raise PluginError(f"The rules of {variant.name} are wrong: {error}.") from None
            return msgspec.structs.replace(fault, cpu_ms=reply.cpu_ms, fuel=reply.fuel)
    return reply
