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
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import ClassVar, NamedTuple, TypeAlias, TypeVar

from botleague_isolation.board import Setup

Action: TypeAlias = int | tuple[int, int]
"""A cell or a step, or a pair of step and closed cell in Isola."""

Loc: TypeAlias = int | None

MODULE = "isolation.isolation"
"""The name under which bots import and pickle the classes."""

_KEPT_PATTERNS = 4096  # a queen sees up to 2**24 patterns from one cell; a knight only 2**8

_INFINITY = float("inf")


class _Fields(NamedTuple):  # bots use its methods
    board: int = 0
    ply_count: int = 0
    locs: tuple[Loc, Loc] = (None, None)


Self = TypeVar("Self", bound="Position")


class Position(_Fields):
    """A position: ``board`` (bit 1 = open), ``ply_count``, ``locs`` (token cells, None = not placed).

    What it says of itself is the same in every variant; what a token can do is said by a class for each setup, below.
    """

    def player(self) -> int:
        """Return the number of the player to move."""
        return self.ply_count % 2

    def actions(self) -> list[Action]:
        """Return what the player to move can do: any open cell to place the token, else its steps."""
        raise NotImplementedError

    def liberties(self, loc: Loc) -> list[int]:
        """Return the open cells that a token on ``loc`` could step to; every open cell for None."""
        raise NotImplementedError

    def result(self, action: object) -> Position:
        """Return the position after ``action`` of the player to move; whatever is equal to an action is one.

        Raises:
            AssertionError: the token is placed and ``action`` is not one of its steps.
            ValueError: the target is below the board, or an opening is not a number.
            RuntimeError: the target is not an open cell.
            TypeError: ``action`` cannot be an action at all.
        """
        raise NotImplementedError

    def terminal_test(self) -> bool:
        """Return whether the game is over."""
        raise NotImplementedError

    def utility(self, player_id: int) -> float:
        """Return +inf if ``player_id`` has won, -inf if it has lost, 0 during the game."""
        if not self.terminal_test():
            return 0
        active = self.ply_count % 2
        active_won = self._has_liberties(active)
        return _INFINITY if active_won == (player_id == active) else -_INFINITY

    def _has_liberties(self, player_id: int) -> bool:
        """Return whether ``player_id`` can move, as the end of the game counts it."""
        raise NotImplementedError


class DebugPosition(Position):
    """A position that prints as a board."""

    pitch: ClassVar[int]
    rows: ClassVar[Sequence[Sequence[int]]]
    player_symbols: ClassVar[list[str]] = ["1", "2"]

    @classmethod
    def from_state(cls: type[Self], state: Position) -> Self:
        """Return ``state`` as a debug state."""
        return cls(*state)

    @property
    def bitboard_string(self) -> str:
        """The board in base 2, highest cell first, without leading zeros."""
        return f"{self.board:b}"

    @classmethod
    def ind2xy(cls, index: int) -> tuple[int, int]:
        """Return column (from the right) and row (from the bottom) of a cell index or a step."""
        y, x = divmod(int(index), cls.pitch)
        return x, y

    def __str__(self) -> str:
        symbols = dict(zip(self.locs, self.player_symbols, strict=True))
        rule = "+ - " * len(self.rows[0]) + "+"
        lines = ["", rule]
        for row in self.rows:
            marks = [symbols.get(cell) or "X "[self.board >> cell & 1] for cell in row]
            lines += ["|" + "".join(f" {mark} |" for mark in marks), rule]
        return os.linesep.join([*lines, ""])


@dataclass(frozen=True, slots=True)
class Engine:
    """The engine of one setup.

    Attributes:
        setup: what it was built for.
        Isolation: the class of positions.
        DebugState: the same with a readable text form.
        Action: the steps as an ``IntEnum`` (the directions, for a queen).
    """

    setup: Setup
    Isolation: type[Position]
    DebugState: type[DebugPosition]
    Action: type[IntEnum]
    start: Position


@lru_cache(maxsize=64)
def engine(setup: Setup) -> Engine:
    """Return the engine of ``setup``. Engines are created once and shared: they hold only tables."""
    action_class = IntEnum("Action", setup.named_steps, module=MODULE)  # type: ignore[misc]  # members are data
    ways = _Ways(setup, action_class)
    position_class = _stepping(setup, ways)
    if setup.moves == "queen":
        position_class = _sliding(position_class, ways)
    if setup.remove:
        position_class = _removing(position_class)
    _present(position_class, "Isolation")
    start = position_class()
    if setup.start is not None:
        first, second = setup.start
        start = position_class(setup.blank ^ (1 << first) ^ (1 << second), 2, (first, second))
    return Engine(setup, position_class, _printing(setup, position_class), action_class, start)


def _present(cls: type, name: str) -> None:
    cls.__name__ = cls.__qualname__ = name
    cls.__module__ = MODULE


class _Way(NamedTuple):
    """All that a token on one cell can do: which cells matter, and the answers by ``board & reach``."""

    reach: int
    exits: int  # of these one must be open, or the token is stuck
    actions: dict[int, list[Action]]
    cells: dict[int, list[int]]


class _Ways(dict[Loc, _Way]):
    """Cell -> way, made when first asked for. Cells outside the board step to whatever the arithmetic hits."""

    def __init__(self, setup: Setup, action_class: type[IntEnum]) -> None:
        # Where two steps lead to the same cell (knights on one column), both have the name of the first.
        self._steps: list[int] = list(dict.fromkeys(setup.named_steps.values()))
        if isinstance(setup.moves, str):
            self._steps = [action_class(step) for step in self._steps]
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
        actions: dict[int, list[Action]] = _Open(lines, 1)  # type: ignore[assignment]  # lists of their own
        way = self[loc] = _Way(reach, exits, actions, _Open(lines, 0))
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
        cells: list[int] = []
        for line in self._lines:
            for cell, value in line:
                if not pattern >> cell & 1:
                    break
                cells.append(value)
        if len(self) >= _KEPT_PATTERNS:
            self.clear()
        self[pattern] = cells
        return cells


class _RowCells(dict[int, list[int]]):
    """Bits of one row -> its open cells, ascending; ``first`` is the index of the row's cell 0."""

    def __init__(self, first: int, pitch: int) -> None:
        self._cells = range(first, first + pitch)

    def __missing__(self, bits: int) -> list[int]:
        cells = self[bits] = [cell for x, cell in enumerate(self._cells) if bits >> x & 1]
        return cells


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


def _stepping(setup: Setup, ways: _Ways) -> type[Position]:
    """Return positions in which tokens step.

    All values for a call are bound here once, as local names, because attributes would be looked up in every call.
    """
    blank, pitch = setup.blank, setup.pitch
    exits = _Exits(ways, (1 << setup.size) - 1, 0 if setup.cell0_counts else 1)
    rows = [(y * pitch, _RowCells(y * pitch, pitch)) for y in range(setup.height)]
    row_bits = (1 << pitch) - 1
    steps = frozenset(setup.named_steps.values())
    either = setup.terminal == "either"
    new = tuple.__new__

    def open_cells(board: int) -> list[int]:
        targets: list[int] = []
        for shift, cells in rows:
            targets += cells[board >> shift & row_bits]
        return targets

    class Stepping(Position):
        """A position: ``board`` (bit 1 = open), ``ply_count``, ``locs`` (token cells, None = not placed)."""

        def __new__(
            cls, board: int = blank, ply_count: int = 0, locs: tuple[Loc, Loc] = (None, None)
        ) -> Stepping:
            return new(cls, (board, ply_count, locs))

        def actions(self) -> list[Action]:
            board, ply_count, locs = self
            loc = locs[ply_count % 2]
            if loc is None:
                return open_cells(board)  # type: ignore[return-value]  # a list of our own
            reach, _, actions, _ = ways[loc]
            return [*actions[board & reach]]

        def liberties(self, loc: Loc) -> list[int]:
            board = self.board
            if loc is None:
                return open_cells(board)
            reach, _, _, cells = ways[loc]
            return [*cells[board & reach]]

        def result(self, action: object) -> Position:
            board, ply_count, locs = self
            active = ply_count % 2
            loc = locs[active]
            if loc is None:
                target = int(action)  # type: ignore[call-overload]  # raises for what cannot be an action
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
            return new(Stepping, (board ^ cell, ply_count + 1, moved))

        def terminal_test(self) -> bool:
            board, ply_count, locs = self
            if either:
                first, second = locs
                return not (board & exits[first] and board & exits[second])
            return not board & exits[locs[ply_count % 2]]

        def _has_liberties(self, player_id: int) -> bool:
            return self.board & exits[self.locs[player_id]] != 0

    return Stepping


def _sliding(base: type[Position], ways: _Ways) -> type[Position]:
    """Return positions for queens: whether an action is one depends on the way, not on a list of steps."""
    differences = frozenset(  # every difference that is a queen's move somewhere on the empty board
        cell - loc for loc in base().liberties(None) for cell in ways[loc].cells[ways[loc].reach]
    )

    class Sliding(base):  # type: ignore[misc, valid-type]  # the base is made for a setup
        """A position in which tokens slide in eight directions, up to the first closed cell."""

        def result(self, action: object) -> Position:
            board, ply_count, locs = self
            active = ply_count % 2
            loc = locs[active]
            if loc is None:
                return Sliding(*super().result(action))
            if action not in differences:
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


def _removing(base: type[Position]) -> type[Position]:
    """Return positions for Isola: an action is a pair of step and cell to close; the cell left opens again."""

    class Removing(base):  # type: ignore[misc, valid-type]  # the base is made for a setup
        """A position in which the player who has stepped closes an open cell."""

        def actions(self) -> list[Action]:
            left = self.locs[self.ply_count % 2]
            return [
                (step, cell)
                for step in super().actions()
                for cell in sorted([*set(self.liberties(None)) - {left + int(step)}, left])
            ]

        def result(self, action: object) -> Position:
            pair: tuple[object, int] = action  # type: ignore[assignment]  # taking it apart raises for what is none
            step, removed = pair
            left = self.locs[self.ply_count % 2]
            board, ply_count, locs = super().result(step)
            board |= 1 << left
            if removed < 0 or not board >> removed & 1:
                raise RuntimeError(f"cell {removed} is not an open cell, so it cannot be removed")
            return Removing(board ^ (1 << removed), ply_count, locs)

    return Removing


def _printing(setup: Setup, base: type[Position]) -> type[DebugPosition]:
    class Printing(DebugPosition, base):  # type: ignore[misc, valid-type]  # the base is made for a setup
        pitch = setup.pitch
        rows = tuple(
            tuple(y * setup.pitch + x for x in reversed(range(setup.width)))
            for y in reversed(range(setup.height))
        )
        player_symbols: ClassVar[list[str]] = [
            "1",
            "2",
        ]  # bots may change it, which another setup need not know

    Printing.__doc__ = DebugPosition.__doc__
    _present(Printing, "DebugState")
    return Printing
