"""The contract of rules: one game as a pure, deterministic engine.

The referee drives a match like this, and nothing else ever calls rules::

    declarations = [what each seat said of itself, or the Fault that kept it out]
    state = rules.start(declarations, rng)
    a few turns by lot, from rules.sample, where the match is to have an opening
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

``scene``, ``view`` and ``describe`` are for those who look on: they change nothing, and no match waits for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from botleague.rules.outcome import Outcome
from botleague.rules.replies import Fault, Reply
from botleague.rules.scene import Scene

__all__ = ["LONGEST_DESCRIPTION", "MAX_TURNS", "NotAdmitted", "Rules", "Told"]

MAX_TURNS = 1_000_000
"""Turns after which rules that still ask somebody are taken for broken; a long tournament in one match has 100,000."""

LONGEST_DESCRIPTION = 80
"""Characters of a move in words."""

State = TypeVar("State")


class NotAdmitted(Exception):
    """A seat is not admitted. The message tells the bot's author what is wrong and what is allowed."""


@dataclass(frozen=True, slots=True)
class Told:
    """All that one seat was told, and what it said of itself: plain data, in which a tuple may be a list.

    Attributes:
        declaration: what ``admit`` returned for it.
        briefing: what ``brief`` returned for it.
        observations: what ``observe`` returned for it, from its first question to the one that is asked now.
    """

    declaration: object
    briefing: object
    observations: tuple[object, ...]


class Rules(ABC, Generic[State]):
    """One game, already configured: a game derives from it. See the module for what must always hold.

    ``view`` and ``describe`` have defaults; everything else must be written.
    """

    __slots__ = ()

    @abstractmethod
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

    @abstractmethod
    def start(self, declarations: Sequence[object | Fault], rng: Random) -> State:
        """Return the first state.

        Args:
            declarations: one per seat: what ``admit`` returned, or the :class:`Fault` of a seat that could
                not be loaded or was not admitted. The rules say what such a seat's match is: lost at
                once, or a place that never acts.
            rng: the match's generator.
        """

    @abstractmethod
    def brief(self, state: State, seat: int) -> object:
        """Return what ``seat`` is told once, before the first turn; plain data, None for nothing."""

    @abstractmethod
    def acting(self, state: State) -> tuple[int, ...]:
        """Return the seats asked now, ascending: one, or several at the same time; empty = over."""

    @abstractmethod
    def observe(self, state: State, seat: int) -> object:
        """Return what ``seat`` may know now, and nothing more; plain data."""

    @abstractmethod
    def apply(self, state: State, replies: Mapping[int, Reply], rng: Random) -> State:
        """Return the next state.

        Args:
            state: the state in which the seats were asked.
            replies: one reply for each seat of ``acting(state)``, and no other.
            rng: the match's generator.
        """

    @abstractmethod
    def illegal(self, state: State, seat: int, value: object) -> str | Fault | None:
        """Return why ``value`` is not a legal move for ``seat`` in ``state``, or None when it is legal.

        The referee asks this for every move that arrives, and puts ``Fault("illegal", reason)`` in its place
        when there is a reason, so that ``apply`` and the record see the fault; or the fault that is returned,
        where the answer only says that there was no move (in time). Games in which a bad move
        is an ordinary move with consequences of its own return None and deal with it in ``apply``.
        """

    @abstractmethod
    def sample(self, state: State, seat: int, rng: Random) -> object:
        """Return a legal move of ``seat``, drawn by ``rng``: for the conformance kit, demonstrations and tests.

        ``rng`` is never the match's own generator.
        """

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """Return how the match ended, None while it goes on."""

    @abstractmethod
    def scene(self, state: State) -> Scene:
        """Return a picture of ``state`` for spectators, who see everything."""

    def view(self, told: Told, seat: int) -> Scene | None:
        """Return a picture of what ``seat`` knows; None, the default, if the game has none.

        It is drawn from ``told`` alone, so it cannot show what the seat does not know.

        Args:
            told: with at least one observation.
            seat: whose view it is.
        """
        return None

    def describe(self, state: State, seat: int, move: object) -> str:
        """Return a legal move in words that a spectator understands, like "knight to g3".

        At most :data:`LONGEST_DESCRIPTION` characters; the default is the move's own text. Where the name of a bot
        belongs, write :func:`~botleague.rules.outcome.seat_name`.

        Args:
            state: in which ``seat`` was asked.
            move: decoded to the variant's move type, found to be legal.
        """
        return str(move)[:LONGEST_DESCRIPTION]
