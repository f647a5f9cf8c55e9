"""A variant's interface: what an author of bots must know, as data that every face can show.

It speaks of what a bot's source sees, in the words of the game's original; the types of what crosses the wire beside
it let the conformance kit hold the data against real matches, and give programs a JSON Schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["LONGEST_EXAMPLE", "Interface", "Item"]

LONGEST_EXAMPLE = 20
"""Lines of an example bot, at most."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a bot is told, answers or may call.

    Attributes:
        name: as the bot writes it, like ``state.actions()``.
        type: in Python's words, like ``list[int]``.
        meaning: in one sentence, with unit and range.
    """

    name: str
    type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Interface:
    """How a bot of a variant is written.

    Attributes:
        rules: the game in a few sentences: what happens, what wins.
        define: what the bot's module must define, as Python signatures.
        told: what the bot is told, and when.
        answers: what it answers, with what is legal.
        calls: what it may call or import beyond the modules that every bot has.
        faults: what exceptions, late and illegal answers cost.
        example: a complete bot of at most :data:`LONGEST_EXAMPLE` lines that plays without a fault.
        hints: first ideas for a bot that plays well.
        observation_type: what ``Rules.observe`` returns, as a type that msgspec can convert to.
        briefing_type: the same of ``Rules.brief``.

    Raises:
        ValueError: the example is too long.
    """

    rules: str
    define: str
    told: Sequence[Item]
    answers: Sequence[Item]
    faults: str
    example: str
    calls: Sequence[Item] = ()
    hints: Sequence[str] = ()
    observation_type: Any = Any
    briefing_type: Any = Any

    def __post_init__(self) -> None:
        if len(self.example.strip().splitlines()) > LONGEST_EXAMPLE:
            raise ValueError(f"the example bot has more than {LONGEST_EXAMPLE} lines")
