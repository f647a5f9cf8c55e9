"""An encoding: what a seat is told, and what it answers, as arrays of numbers that programs learn from.

An encoding knows what its seat was told and nothing else, so that what has learned with it can play as a bot. A
learner's match runs through it like this::

    known = encoding.begin(seat, declaration, briefing)
    for every question:
        known = encoding.learn(known, observation)
        action = choose(encoding.encode(known), encoding.mask(known))
        move = encoding.decode(known, action)

Spaces are described here in plain words; :mod:`botleague.rl` makes gymnasium's of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Generic, TypeVar

__all__ = ["Box", "Choice", "Encoding"]

Known = TypeVar("Known")


@dataclass(frozen=True, slots=True)
class Box:
    """Real numbers in an array of a shape, each from ``low`` to ``high``, both included."""

    shape: tuple[int, ...]
    low: float = 0.0
    high: float = 1.0

    @property
    def size(self) -> int:
        """How many numbers."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of so many actions, numbered from 0."""

    number: int


class Encoding(ABC, Generic[Known]):
    """How one variant looks to a program that learns: a game that wants it derives from it.

    ``Known`` is all that a seat knows at a point of a match. It is a value: ``learn`` returns a new one.

    Attributes:
        observation: what :meth:`encode` returns.
        action: what :meth:`decode` takes.
    """

    observation: Box
    action: Box | Choice

    @abstractmethod
    def begin(self, seat: int, declaration: object, briefing: object) -> Known:
        """Return what a seat knows before its first question.

        Args:
            declaration: what ``Rules.admit`` returned for it.
            briefing: what ``Rules.brief`` returned for it.
        """

    @abstractmethod
    def learn(self, known: Known, observation: Any) -> Known:
        """Return what a seat knows with what ``Rules.observe`` returned for its next question."""

    @abstractmethod
    def encode(self, known: Known) -> Sequence[float]:
        """Return what is known as the numbers of :attr:`observation`, the last dimension running fastest.

        Not all of them are 0, also before the first question.
        """

    @abstractmethod
    def decode(self, known: Known, action: Any) -> object:
        """Return an action as a move, as plain data of the variant's move type.

        Args:
            known: with at least one observation.
            action: an integer, or as many numbers as a :class:`Box` has.
        """

    def mask(self, known: Known) -> Sequence[bool] | None:
        """Return which actions of a :class:`Choice` are legal; None, the default, if all are.

        Args:
            known: with at least one observation.
        """
        return None
