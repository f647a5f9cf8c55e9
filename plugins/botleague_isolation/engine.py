"""Positions of Isolation as bit operations on one integer, quick enough to search and to play out.

:func:`engine` returns, for one :class:`~botleague_isolation.board.Setup`, the classes that bots know from the
original: ``Isolation`` (a position: a tuple of board, ply count and token cells), ``DebugState`` and ``Action``.
The referee's rules use the same class, so bots look ahead with exactly the engine that judges them.

The one idea: what a token can do depends on the open cells within its reach alone, so it is looked up under
``board & reach`` in a table that fills as it is used: at most 256 entries a cell for steps that jump.

Sources: rules/isolation.md, sections 1-6 and 10.
"""

from __future__ import annotations

import os
from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from botleague_isolation.board import Setup

__all__ = ["MODULE", "Action", "Engine", "engine"]

Action: TypeAlias = Any
"""An int, or a pair of ints in Isola; whatever is equal to one is as good."""

Loc: TypeAlias = int | None

MODULE = "isolation.isolation"
"""The name under which bots import and pickle the classes."""

_KEPT_PATTERNS = 4096  # a queen sees up to 2**24 patterns from one cell; a knight only 2**8

_Fields = namedtuple("_Fields", ("board", "ply_count", "locs"))  # bots use its methods


@dataclass(frozen=True, slots=True)
class Engine:
    """The engine of one setup.

    Attributes:
        setup: what it was built for.
        Isolation: the class of positions.
        DebugState: the same with a readable text form.
        Action: the steps as an ``IntEnum`` (the directions, for a queen).
        start: the first position.
    """

    setup: Setup
    Isolation: Any
    DebugState: Any
    Action: Any
    start: Any


@lru_cache(maxsize=64)
def engine(setup: Setup) -> Engine:
    """Return the engine of ``setup``. Engines are made once and shared: they hold nothing but tables."""
    action_class: Any = IntEnum("Action", setup.named_steps, module=MODULE)  # type: ignore[misc]  # data
    ways = _Ways(setup, action_class)
    position_class = _position_class(setup, ways)
    if setup.moves == "queen":
        position_class = _with_sliding(position_class, ways)
    if setup.remove:
        position_class = _with_removal(position_class)
    _present(position_class, "Isolation")
    start = position_class()
    if setup.start is not None:
        first, second = setup.start
        start = position_class(setup.blank ^ (1 << first) ^ (1 << second), 2, (first, second))
    return Engine(setup, position_class, _debug_class(setup, position_class), action_class, start)


def _present(cls: Any, name: str) -> None:
    cls.__name__ = cls.__qualname__ = name
    cls.__module__ = MODULE


class _Way(NamedTuple):
    """All that a token on one cell can do: which cells matter, and the answers by ``board & reach``."""

    reach: int
    exits: int  # of these one must be open, or the token is stuck
    actions: dict[int, list[int]]
    cells: dict[int, list[int]]


class _Ways(dict[Loc, _Way]):
    """Cell -> way, made when first asked for. Cells outside the board step to whatever the arithmetic hits."""

    def __init__(self, setup: Setup, action_class: Any) -> None:
        self._steps = [action_class(step) for step in setup.named_steps.values()]
        if not isinstance(setup.moves, str):
            self._steps = [int(step) for step in self._steps]
        self._size = setup.size
        self._slides = setup.moves == "queen"
        self._board = {cell for cell in range(setup.size) if cell % setup.pitch < setup.width}
        self._nowhere = _Way(0, 0, {0: []}, {0: []})

    def __missing__(self, loc: int) -> _Way:
        lines = [line for line in map(self._line, self._steps, [loc] * len(self._steps)) if line]
        if not lines:
            return self._nowhere  # not kept: a bot may ask for any integer
        reach = sum({1 << cell for line in lines for cell, _ in line})
        exits = sum({1 << line[0][0] for line in lines})
        way = self[loc] = _Way(reach, exits, _Open(lines, 1), _Open(lines, 0))
        return way

    def _line(self, step: int, loc: int) -> list[tuple[int, int]]:
        """Return (cell, action) for every cell that ``step`` leads to, nearer first."""
        target = loc + int(step)
        if not self._slides:
            return [(target, step)] if 0 <= target < self._size else []
        line = []
        while target in self._board:
            line.append((target, target - loc))
            target += int(step)
        return line


class _Open(dict[int, list[int]]):
    """``board & reach`` -> cells (column 0) or actions (column 1) up to the first closed cell of each line."""

    def __init__(self, lines: Sequence[Sequence[tuple[int, int]]], column: int) -> None:
        self._lines = [[(pair[0], pair[column]) for pair in line] for line in lines]

    def __missing__(self, pattern: int) -> list[int]:
        found: list[int] = []
        for line in self._lines:
            for cell, value in line:
                if not pattern >> cell & 1:
                    break
                found.append(value)
        if len(self) >= _KEPT_PATTERNS:
            self.clear()
        self[pattern] = found
        return found


class _RowCells(dict[int, list[int]]):
    """Bits of one row -> its open cells, ascending; ``first`` is the index of the row's cell 0."""

    def __init__(self, first: int, pitch: int) -> None:
        self._cells = range(first, first + pitch)

    def __missing__(self, bits: int) -> list[int]:
        found = self[bits] = [cell for x, cell in enumerate(self._cells) if bits >> x & 1]
        return found


class _Exits(dict[Loc, int]):
    """Cell -> the bits of which one must be open for a player there not to be stuck; None for "not placed"."""

    def __init__(self, ways: _Ways, unplaced: int, ignored: int) -> None:
        self._ways = ways
        self._counted = ~ignored
        self[None] = unplaced & self._counted

    def __missing__(self, loc: int) -> int:
        exits = self._ways[loc].exits & self._counted
        if exits:
            self[loc] = exits
        return exits


def _position_class(setup: Setup, ways: _Ways) -> Any:
    """Return the class of positions; what every call needs is bound here once, as local names."""
    blank, pitch = setup.blank, setup.pitch
    exits = _Exits(ways, (1 << setup.size) - 1, 0 if setup.cell0_counts else 1)
    rows = [(y * pitch, _RowCells(y * pitch, pitch)) for y in range(setup.height)]
    row_bits = (1 << pitch) - 1
    steps = frozenset(setup.named_steps.values())
    either = setup.terminal == "either"
    infinity = float("inf")
    new: Callable[[Any, Iterable[Any]], Any] = tuple.__new__

    def open_cells(board: int) -> list[int]:
        found: list[int] = []
        for shift, cells in rows:
            found += cells[board >> shift & row_bits]
        return found

    class Isolation(_Fields):
        """A position: ``board`` (bit 1 = open), ``ply_count``, ``locs`` (token cells, None = not placed)."""

        def __new__(cls, board: int = blank, ply_count: int = 0, locs: Any = (None, None)) -> Any:
            return new(cls, (board, ply_count, locs))

        def player(self) -> int:
            """Return the number of the player to move."""
            return self.ply_count % 2  # type: ignore[no-any-return]  # a namedtuple's fields are untyped

        def actions(self) -> list[Any]:
            """Return what the player to move can do: any open cell to place the token, else its steps."""
            board, ply_count, locs = self
            loc = locs[ply_count % 2]
            if loc is None:
                return open_cells(board)
            reach, _, actions, _ = ways[loc]
            return actions[board & reach][:]

        def liberties(self, loc: Loc) -> list[int]:
            """Return the open cells that a token on ``loc`` could step to; every open cell for None."""
            board = self.board
            if loc is None:
                return open_cells(board)
            reach, _, _, cells = ways[loc]
            return cells[board & reach][:]

        def result(self, action: Action) -> Any:
            """Return the position after ``action`` of the player to move.

            Raises:
                AssertionError: the token is placed and ``action`` is not one of its steps.
                ValueError: the target is below the board, or an opening is not a number.
                RuntimeError: the target is not an open cell.
                TypeError: ``action`` cannot be an action at all.
            """
            board, ply_count, locs = self
            active = ply_count % 2
            loc = locs[active]
            if loc is None:
                target = int(action)
            elif action in steps:
                target = loc + int(action)
            else:
                raise AssertionError(f"{action!r} is not a step of a token")
            if target < 0:
                raise ValueError(f"cell {target} is below the board")
            cell = 1 << target
            if not board & cell:
                raise RuntimeError(f"cell {target} is not an open cell of the board")
            moved = (locs[0], target) if active else (target, locs[1])
            return new(Isolation, (board ^ cell, ply_count + 1, moved))

        def terminal_test(self) -> bool:
            """Return whether the game is over."""
            board, ply_count, locs = self
            if either:
                first, second = locs
                return not (board & exits[first] and board & exits[second])
            return not board & exits[locs[ply_count % 2]]

        def utility(self, player_id: int) -> float:
            """Return +inf if ``player_id`` has won, -inf if it has lost, 0 while the game goes on."""
            if not self.terminal_test():
                return 0
            active = self.ply_count % 2
            active_won = self._has_liberties(active)
            return infinity if active_won == (player_id == active) else -infinity

        def _has_liberties(self, player_id: int) -> bool:
            """Return whether ``player_id`` can move, as the end of the game counts it."""
            return self.board & exits[self.locs[player_id]] != 0  # type: ignore[no-any-return]  # as above

    return Isolation


def _with_sliding(base: Any, ways: _Ways) -> Any:
    """Return ``base`` for a queen: whether an action is one depends on the way, not on a list of steps."""
    known = frozenset(  # every difference that is a queen's move somewhere on the empty board
        action for loc in base().liberties(None) for action in ways[loc].actions[ways[loc].reach]
    )

    class Sliding(base):  # type: ignore[misc]  # the base is made at run time
        def result(self, action: Action) -> Any:
            board, ply_count, locs = self
            active = ply_count % 2
            loc = locs[active]
            if loc is None:
                return Sliding(*super().result(action))
            if action not in known:
                raise AssertionError(f"{action!r} is not a move of a queen")
            target = loc + int(action)
            if target < 0:
                raise ValueError(f"cell {target} is below the board")
            way = ways[loc]
            if target not in way.cells[board & way.reach]:
                raise RuntimeError(f"cell {target} cannot be reached from {loc}")
            moved = (locs[0], target) if active else (target, locs[1])
            return Sliding(board ^ (1 << target), ply_count + 1, moved)

    return Sliding


def _with_removal(base: Any) -> Any:
    """Return ``base`` for Isola: an action is a pair of step and cell to close; the cell left opens again."""

    class Removing(base):  # type: ignore[misc]  # the base is made at run time
        def actions(self) -> list[Any]:
            left = self.locs[self.ply_count % 2]
            return [
                (step, cell)
                for step in super().actions()
                for cell in sorted([*set(self.liberties(None)) - {left + int(step)}, left])
            ]

        def result(self, action: Action) -> Any:
            step, removed = action
            left = self.locs[self.ply_count % 2]
            board, ply_count, locs = super().result(step)
            board |= 1 << left
            if removed < 0 or not board >> removed & 1:
                raise RuntimeError(f"cell {removed} is not an open cell, so it cannot be removed")
            return Removing(board ^ (1 << removed), ply_count, locs)

    return Removing


def _debug_class(setup: Setup, base: Any) -> Any:
    pitch = setup.pitch
    rows = [[y * pitch + x for x in reversed(range(setup.width))] for y in reversed(range(setup.height))]
    rule = "+ - " * setup.width + "+"

    class DebugState(base):  # type: ignore[misc]  # the base is made at run time
        """A position that prints as a board."""

        player_symbols = ["1", "2"]  # noqa: RUF012  # a list in the original too; bots may change it

        @classmethod
        def from_state(cls, state: Any) -> Any:
            """Return ``state`` as a debug state."""
            return cls(*state)

        @property
        def bitboard_string(self) -> str:
            """The board in base 2, highest cell first, without leading zeros."""
            return f"{self.board:b}"

        @staticmethod
        def ind2xy(index: int) -> tuple[int, int]:
            """Return column (from the right) and row (from the bottom) of a cell index or a step."""
            y, x = divmod(int(index), pitch)
            return x, y

        def __str__(self) -> str:
            symbols = dict(zip(self.locs, self.player_symbols, strict=True))
            lines = ["", rule]
            for row in rows:
                marks = [symbols.get(cell) or "X "[self.board >> cell & 1] for cell in row]
                lines += ["|" + "".join(f" {mark} |" for mark in marks), rule]
            return os.linesep.join([*lines, ""])

    _present(DebugState, "DebugState")
    return DebugState
