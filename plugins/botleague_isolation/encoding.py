"""Encoding of Isolation for learning programs: planes of the board, and one action per target cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from botleague.rules import Box, Choice, Encoding
from botleague_isolation.board import Setup
from botleague_isolation.engine import Position, engine

Known: TypeAlias = tuple[Position, int]
"""The position, and the seat's player number in it."""


class IsolationEncoding(Encoding[Known]):
    """Four planes of the board, rows from the south and columns from the east: open cells, the own token, the other's,
    and ones. An action is the number of the cell to go to, row by row; in Isola that number times the number of cells,
    and the number of the cell that is closed.
    """

    action: Choice

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._engine = engine(setup)
        self._cells = [
            row * setup.pitch + column for row in range(setup.height) for column in range(setup.width)
        ]
        self._number = {cell: number for number, cell in enumerate(self._cells)}
        cells = len(self._cells)
        self.observation = Box((4, setup.height, setup.width))
        self.action = Choice(cells * cells if setup.remove else cells)

    def begin(self, seat: int, declaration: object, briefing: object) -> Known:
        """Return the first position."""
        return self._engine.start, seat

    def learn(self, known: Known, observation: Any) -> Known:
        locs = tuple(observation["locs"])
        position = self._engine.Isolation(int(observation["board"]), observation["ply"], locs)
        return position, observation["player"]

    def encode(self, known: Known) -> list[float]:
        position, player = known
        own, other = position.locs[player], position.locs[1 - player]
        return [
            *(float(position.board >> cell & 1) for cell in self._cells),
            *(float(cell == own) for cell in self._cells),
            *(float(cell == other) for cell in self._cells),
            *(1.0 for _ in self._cells),
        ]

    def decode(self, known: Known, action: Any) -> dict[str, int]:
        """Return the step to a cell, or the cell itself while the token is not placed."""
        position, player = known
        here = position.locs[player] or 0
        if not self._setup.remove:
            return {"action": self._cells[action] - here}
        target, removed = divmod(int(action), len(self._cells))
        return {"action": self._cells[target] - here, "removed": self._cells[removed]}

    def mask(self, known: Known) -> list[bool]:
        legal = set(self._legal(known))
        return [number in legal for number in range(self.action.number)]

    def _legal(self, known: Known) -> Iterator[int]:
        position, player = known
        here = position.locs[player] or 0
        actions: Any = position.actions()
        for action in actions:
            if self._setup.remove:
                step, removed = action
                yield self._number[here + step] * len(self._cells) + self._number[removed]
            else:
                yield self._number[here + int(action)]
