"""Description of a variant's interface for authors of bots, as data that every interface can show.

It describes the interface that a bot's source sees, in the terms of the original game. With the types of the wire
format, the conformance kit checks the data of real matches, and programs get a JSON Schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

__all__ = ["MAX_EXAMPLE_LINES", "Interface", "Item"]

MAX_EXAMPLE_LINES = 20
"""Maximum number of lines of an example bot."""


class Item(msgspec.Struct, frozen=True):
    """A value that a bot receives or returns, or a function that it may call.

    Attributes:
        name: in the bot's source, like ``state.actions()``.
        type: in Python's notation, like ``list[int]``.
        meaning: one sentence, with unit and range.
    """

    name: str
    type: str
    meaning: str


class Interface(msgspec.Struct, frozen=True):
    """Description of how to write a bot for a variant.

    Attributes:
        rules: the game in a few sentences: its course and its goal.
        define: definitions that the bot's module needs, as Python signatures.
        told: values that the bot receives, and when.
        answers: values that it returns, with conditions for legal ones.
        calls: functions and modules that it may use beyond those of every bot.
        faults: penalties for exceptions, late answers and illegal ones.
        example: a complete bot of at most :data:`MAX_EXAMPLE_LINES` lines that plays without faults.
        hints: first ideas for a bot that plays well.
        observation_type: type of the result of ``Rules.observe``, convertible by msgspec.
        briefing_type: the same for ``Rules.brief``.

    Raises:
        ValueError: a field has another type, or the example is too long.
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
        texts = (self.rules, self.define, self.faults, self.example, *self.hints)
        if not all(isinstance(text, str) for text in texts) or not all(
            isinstance(item, Item) for item in (*self.told, *self.answers, *self.calls)
        ):
            raise ValueError("an interface consists of texts, and of sequences of Item")
        if len(self.example.strip().splitlines()) > MAX_EXAMPLE_LINES:
            raise ValueError(f"the example bot has more than {MAX_EXAMPLE_LINES} lines")
