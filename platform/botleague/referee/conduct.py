"""Plays one match: asks whom the rules want asked, judges the replies, and tells what happened, in order.

This is the whole conversation between rules and players, for live matches and for replays alike. Who the players
are (sandboxed bots, a record, a script) is behind :class:`Players`; time, processes and storage are not here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Protocol, TypeAlias

from botleague.errors import PluginError
from botleague.plugins.boundary import Boundary
from botleague.referee.openings import Opening
from botleague.rules import MAX_TURNS, Fault, Move, NotAdmitted, Outcome, Reply, Variant


class Players(Protocol):
    """Everyone who sits at one match. Nothing that a bot does makes these raise."""

    def declare(self) -> Sequence[object | Fault]:
        """Bring every seat up and return what it says of itself, or the fault that kept it from coming up."""
        ...

    def brief(self, briefs: Mapping[int, object]) -> Mapping[int, Fault]:
        """Tell seats what they are told before the first turn; return the faults of those that stumbled."""
        ...

    def ask(self, questions: Mapping[int, object]) -> Mapping[int, Reply]:
        """Ask seats at the same time and return one reply for each; called every turn, even with no seat to ask."""
        ...


@dataclass(frozen=True, slots=True)
class Started:
    """The match begins in ``state``; ``declarations`` are what the rules admitted, or faults."""

    state: Any
    declarations: tuple[object | Fault, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn ``number`` (from 0) was played: ``replies`` as they were judged led to ``state``.

    Attributes:
        unasked: the seats of which the reply is a fault in their briefing.
        is_opening: the referee played it by lot, and nobody was asked.
    """

    number: int
    replies: Mapping[int, Reply]
    state: Any
    unasked: frozenset[int] = frozenset()
    is_opening: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """The match is over."""

    outcome: Outcome


Event: TypeAlias = Started | Turn | Finished


def conduct(
    variant: Variant, seed: int, players: Players, opening: Opening = (), *, most: int = MAX_TURNS
) -> Iterator[Event]:
    """Play one match and yield what happens, in order; the outcome comes last.

    A seat that stumbles over its briefing has that fault as the reply to its first turn, unasked. Where a seat did not
    come up there is no opening.

    Args:
        opening: replies of the first turns, before anybody is briefed.
        most: turns after which the rules are taken for broken.

    Raises:
        PluginError: the rules raised, do not come to an end, or end without an outcome for every seat.
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
    while True:
        with boundary:
            acting = rules.acting(state)
            if not acting:
                break
            questions = {
                seat: rules.observe(state, seat)
                for seat in acting
                if seat not in stumbled and seat not in out
            }
        # Also where nobody is to be asked: a record has this turn as well.
        answers = players.ask(questions)
        unasked = frozenset(seat for seat in acting if seat in stumbled)
        with boundary:
            replies: dict[int, Reply] = {}
            for seat in acting:
                if seat in questions:
                    replies[seat] = _judged(variant, state, seat, answers[seat])
                else:
                    replies[seat] = out[seat] if seat in out else stumbled.pop(seat)
            state = rules.apply(state, replies, rng)
        yield Turn(number, replies, state, unasked)
        number += 1
        if number > most:
            raise PluginError(f"The rules of {variant.name} still ask seats after {most} turns.")
    with boundary:
        outcome = rules.outcome(state)
    if outcome is None:
        raise PluginError(f"The rules of {variant.name} ask no seat any more but give no outcome.")
    if len(outcome.places) != len(declarations) or not all(map(math.isfinite, outcome.scores)):
        raise PluginError(
            f"The rules of {variant.name} give an outcome that is not one of {len(declarations)} seats: {outcome}."
        )
    yield Finished(outcome)


def _admitted(variant: Variant, seat: int, declared: object | Fault) -> object | Fault:
    if isinstance(declared, Fault):
        return declared
    try:
        return variant.rules.admit(seat, declared)
    except NotAdmitted as refusal:
        return Fault("rejected", str(refusal))


def _judged(variant: Variant, state: object, seat: int, reply: Reply) -> Reply:
    if isinstance(reply, Move):
        found = variant.rules.illegal(state, seat, reply.value)
        if found is not None:
            fault = found if isinstance(found, Fault) else Fault("illegal", found)
            return replace(fault, cpu_ms=reply.cpu_ms)
    return reply
