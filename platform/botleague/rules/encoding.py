"""Contract of encodings: observations and actions of a seat as arrays of numbers for learning programs.

An encoding uses only what its seat received, so a program that learned with it can play as a bot. A
learner's match uses it like this::

    known = encoding.begin(seat, declaration, briefing)
    for every turn:
        known = encoding.learn(known, observation)
        action = choose(encoding.encode(known), encoding.mask(known))
        move = encoding.decode(known, action)

Spaces are described here without gymnasium; :mod:`botleague.rl` converts them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any, Generic, TypeVar

import msgspec

__all__ = ["Box", "Choice", "Encoding"]

Known = TypeVar("Known")


class Box(msgspec.Struct, frozen=True):
    """Real numbers in an array of the given shape, each from ``low`` to ``high``, both included."""

    shape: tuple[int, ...]
    low: float = 0.0
    high: float = 1.0

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)


class Choice(msgspec.Struct, frozen=True):
    """One of ``number`` actions, numbered from 0."""

    number: int


class Encoding(ABC, Generic[Known]):
    """Base class of the view that learning programs have of a variant; a game derives its own.

    ``Known`` holds all that a seat knows at a point of a match. It is a value: ``learn`` returns a new one.

    Attributes:
        observation: space of the result of :meth:`encode`.
        action: space of the argument of :meth:`decode`.
    """

    observation: Box
    action: Box | Choice

    @abstractmethod
    def begin(self, seat: int, declaration: object, briefing: object) -> Known:
        """Return the seat's knowledge before its first turn.

        Args:
            declaration: the result of ``Rules.admit`` for the seat.
            briefing: the result of ``Rules.brief`` for the seat.
        """

    @abstractmethod
    def learn(self, known: Known, observation: Any) -> Known:
        """Return the seat's knowledge with one more observation, the result of ``Rules.observe``."""

    @abstractmethod
    def encode(self, known: Known) -> Sequence[float]:
        """Return the knowledge as the numbers of :attr:`observation`, with the last dimension varying fastest.

        At least one of them is not 0, even before the first turn.
        """

    @abstractmethod
    def decode(self, known: Known, action: Any) -> object:
        """Return an action as a move, in plain data of the variant's move type.

        Args:
            known: with at least one observation.
            action: an integer, or as many numbers as the :class:`Box` has.
        """

    def mask(self, known: Known) -> Sequence[bool] | None:
        """Return which actions of a :class:`Choice` are legal; None, the default, if all are legal.

        Args:
            known: with at least one observation.
        """
        return None
