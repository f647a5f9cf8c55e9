"""The error of the conformance kit."""

from __future__ import annotations


class NotConforming(AssertionError):
    """The variant breaks the contract; the message describes the violation and the match.

    Attributes:
        turn: turn of the violation, -1 before the first turn or without a match.
    """

    def __init__(self, text: str, turn: int = -1) -> None:
        super().__init__(text)
        self.turn = turn
