"""Contract of rules: a game as a pure, deterministic engine.

The referee drives a match like this; no other code calls rules::

    declarations = [the declaration of each seat, or the Fault that excluded it]
    state = rules.start(declarations, rng)
    a few random turns from rules.sample, if the match has an opening
    brief every admitted seat
    while acting := rules.acting(state):
        replies = request a move from every acting seat at the same time, with rules.observe(state, seat)
        state = rules.apply(state, replies, rng)
    outcome = rules.outcome(state)

Requirements for every implementation (the conformance kit checks them):

* A state is a value. ``apply`` returns a new one and never changes the old one. A cache is a field of a frozen
  dataclass that neither compares nor prints (``field(compare=False, repr=False)``); it may change.
* All chance comes from the given ``rng``; nothing depends on hash seeds, clocks or the machine.
  One generator serves ``start`` and every ``apply`` of a match, in order, so variant, seed, declarations and
  replies reproduce a match. Chance that an observation needs (noise) is therefore drawn by the preceding
  ``apply`` and stored in the state.
* ``observe`` and ``brief`` return plain data (None, bool, int, float, str, bytes, lists, tuples, dicts with
  string or integer keys), without any value that the seat may not know.
* ``apply`` handles every reply: a legal move, an illegal one, and every kind of fault. It never raises
  for any reply of a bot.
* A match ends after at most :data:`MAX_TURNS` turns.

``scene``, ``view`` and ``describe`` serve spectators, and ``twins`` serves the kit: they change nothing, and no match
waits for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Generic, TypeVar

import msgspec

from botleague.rules.outcome import Outcome
from botleague.rules.replies import Fault, Reply
from botleague.rules.scene import Scene

__all__ = ["MAX_DESCRIPTION_LENGTH", "MAX_TURNS", "NotAdmitted", "Rules", "Told"]

MAX_TURNS = 1_000_000
"""Turns after which a match without an outcome counts as an error in the rules. Long tournaments have 100,000."""

MAX_DESCRIPTION_LENGTH = 80
"""Maximum number of characters of a move's description."""

State = TypeVar("State")


class NotAdmitted(Exception):
    """The rules refuse a seat. The message tells the bot's author what is wrong and what is allowed."""


class Told(msgspec.Struct, frozen=True):
    """Everything that one seat declared and received: plain data, in which a tuple may be a list.

    Attributes:
        declaration: the result of ``admit`` for the seat.
        briefing: the result of ``brief`` for the seat.
        observations: the results of ``observe`` for the seat, from its first turn to the current one.
    """

    declaration: object
    briefing: object
    observations: tuple[object, ...]


class Rules(ABC, Generic[State]):
    """Base class of one game with its configuration. The module's docstring lists the requirements.

    ``admit``, ``brief``, ``view``, ``describe`` and ``twins`` have defaults; all other methods are abstract.
    """

    __slots__ = ()

    def admit(self, seat: int, declaration: object) -> object:
        """Check the declaration of a bot before the match (hardware, a team name).

        The default returns None: in most games bots declare nothing.

        Args:
            seat: the bot's seat.
            declaration: what the harness declared, decoded to the variant's ``declaration_type``.

        Returns:
            The declaration as the match uses it (normalised), plain data.

        Raises:
            NotAdmitted: the declaration is refused.
        """
        return None

    @abstractmethod
    def start(self, declarations: Sequence[object | Fault], rng: Random) -> State:
        """Return the first state.

        Args:
            declarations: one per seat: the result of ``admit``, or the :class:`Fault` of a seat that could
                not be loaded or was not admitted. The rules decide how such a seat plays: it loses at
                once, or it never acts.
            rng: the match's generator.
        """

    def brief(self, state: State, seat: int) -> object:
        """Return the briefing that ``seat`` receives once before the first turn; plain data, or None, the default."""
        return None

    @abstractmethod
    def acting(self, state: State) -> tuple[int, ...]:
        """Return the seats that act now, ascending; several act at the same time; empty at the end."""

    @abstractmethod
    def observe(self, state: State, seat: int) -> object:
        """Return the observation of ``seat``: only what it may know now; plain data."""

    @abstractmethod
    def apply(self, state: State, replies: Mapping[int, Reply], rng: Random) -> State:
        """Return the next state.

        Args:
            state: the state of the observations that the seats received.
            replies: one reply for each seat of ``acting(state)``, and no others.
            rng: the match's generator.
        """

    @abstractmethod
    def illegal(self, state: State, seat: int, value: object) -> str | Fault | None:
        """Return why ``value`` is not a legal move for ``seat`` in ``state``, or None when it is legal.

        The referee checks every move that arrives and replaces it by ``Fault("illegal", reason)``
        if a reason is returned, so ``apply`` and the record see the fault. A returned fault replaces the move as
        it is; use it for replies that only report a missing or late move. Games in which a bad move
        is an ordinary move with its own consequences return None and handle it in ``apply``.
        """

    @abstractmethod
    def sample(self, state: State, seat: int, rng: Random) -> object:
        """Return a legal move of ``seat``, drawn by ``rng``: for the conformance kit, demonstrations and tests.

        ``rng`` is never the match's own generator.
        """

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """Return the result of the match, None while it is running."""

    @abstractmethod
    def scene(self, state: State) -> Scene:
        """Return a picture of ``state`` for spectators, who see all of it."""

    def view(self, told: Told, seat: int) -> Scene | None:
        """Return a picture of the seat's knowledge; None, the default, if the game has no such picture.

        It is drawn from ``told`` alone, so it cannot show information that the seat lacks.

        Args:
            told: with at least one observation.
            seat: whose view it is.
        """
        return None

    def twins(self, state: State, seat: int) -> Iterable[State]:
        """Yield states that ``seat`` must not be able to tell apart from ``state``: other hidden cards, places, seeds.

        The conformance kit requires the same briefing and observation in all of them, texts included. The default
        is none; games with hidden information should yield a few states that together change everything hidden.

        Args:
            state: the state before the first turn, or one in which ``seat`` acts.
        """
        return ()

    def describe(self, state: State, seat: int, move: object) -> str:
        """Return a legal move in words for spectators, like "knight to g3".

        At most :data:`MAX_DESCRIPTION_LENGTH` characters; the default is ``str(move)``. For the name of a bot,
        write :func:`~botleague.rules.outcome.seat_name`.

        Args:
            state: the state in which ``seat`` moves.
            move: a legal move, decoded to the variant's move type.
        """
        return str(move)[:MAX_DESCRIPTION_LENGTH]
