"""The contract of rules: one game as a pure, deterministic engine.

The referee drives a match like this, and nothing else ever calls rules::

    declarations = [what each seat said of itself, or the Fault that kept it out]
    state = rules.start(declarations, rng)
    brief every seat that is in
    while acting := rules.acting(state):
        replies = ask every acting seat at the same time, with rules.observe(state, seat)
        state = rules.apply(state, replies, rng)
    outcome = rules.outcome(state)

What must hold for every implementation (the conformance kit checks it):

* A state is a value. ``apply`` returns a new one and never changes the old one.
* All chance comes from the ``rng`` that is passed in; nothing depends on hash seeds, clocks or the machine.
  One generator serves ``start`` and every ``apply`` of a match, in order, so a match is reproduced from
  variant, seed, declarations and replies. Chance that an observation needs (noise) is therefore drawn by
  the ``apply`` before it and kept in the state.
* ``observe`` and ``brief`` return plain data (None, bool, int, float, str, bytes, lists, tuples, dicts with
  string or integer keys), and nothing that the seat may not know.
* ``apply`` deals with every reply: a legal move, an illegal one, and every kind of fault. It never raises
  for anything a bot can send.
* A match ends, at the latest after :data:`MAX_TURNS` turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Protocol, TypeVar

from botleague.rules.outcome import Outcome
from botleague.rules.replies import Fault, Reply
from botleague.rules.scene import Scene

__all__ = ["MAX_TURNS", "NotAdmitted", "Rules"]

MAX_TURNS = 1_000_000
"""Turns after which rules that still ask somebody are taken for broken; a long tournament in one match has 100,000."""

State = TypeVar("State")


class NotAdmitted(Exception):
    """A seat is not admitted. The message tells the bot's author what is wrong and what is allowed."""


class Rules(Protocol[State]):
    """One game, already configured. See the module for what must always hold."""

    def admit(self, seat: int, declaration: object) -> object:
        """Check what a bot says of itself before the match (hardware, a team name); None for most games.

        Args:
            seat: the seat that the bot will sit on.
            declaration: what the harness declared, decoded to the variant's ``declaration_type``.

        Returns:
            The declaration as the match will use it (normalised), plain data.

        Raises:
            NotAdmitted: the bot may not take part as it is.
        """
        ...

    def start(self, declarations: Sequence[object | Fault], rng: Random) -> State:
        """Return the first state.

        Args:
            declarations: one per seat: what ``admit`` returned, or the :class:`Fault` of a seat that could
                not be loaded or was not admitted. The rules say what such a seat's match is: lost at
                once, or a place that never acts.
            rng: the match's generator.
        """
        ...

    def brief(self, state: State, seat: int) -> object:
        """Return what ``seat`` is told once, before the first turn; plain data, None for nothing."""
        ...

    def acting(self, state: State) -> tuple[int, ...]:
        """Return the seats asked now, ascending: one, or several at the same time; empty = over."""
        ...

    def observe(self, state: State, seat: int) -> object:
        """Return what ``seat`` may know now, and nothing more; plain data."""
        ...

    def apply(self, state: State, replies: Mapping[int, Reply], rng: Random) -> State:
        """Return the next state.

        Args:
            state: the state in which the seats were asked.
            replies: one reply for each seat of ``acting(state)``, and no other.
            rng: the match's generator.
        """
        ...

    def illegal(self, state: State, seat: int, value: object) -> str | Fault | None:
        """Return why ``value`` is not a legal move for ``seat`` in ``state``, or None when it is legal.

        The referee asks this for every move that arrives, and puts ``Fault("illegal", reason)`` in its place
        when there is a reason, so that ``apply`` and the record see the fault; or the fault that is returned,
        where the answer only says that there was no move (in time). Games in which a bad move
        is an ordinary move with consequences of its own return None and deal with it in ``apply``.
        """
        ...

    def sample(self, state: State, seat: int, rng: Random) -> object:
        """Return a legal move of ``seat``, drawn by ``rng``: for the conformance kit, demonstrations and tests.

        ``rng`` is never the match's own generator.
        """
        ...

    def outcome(self, state: State) -> Outcome | None:
        """Return how the match ended, None while it goes on."""
        ...

    def scene(self, state: State) -> Scene:
        """Return a picture of ``state`` for spectators, who see everything."""
        ...
