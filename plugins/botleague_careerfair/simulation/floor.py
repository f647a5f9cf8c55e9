"""A board's tables: where each request leads from each tile, and how a search spreads.

Everything here follows from the board alone and is computed once per board; the engine only looks up.

A search (:mod:`botleague_careerfair.simulation.crowd`) shuffles its four directions at every tile, and the shuffles
accumulate. The 24 orders of the directions are therefore the states of a little machine: a *turn* is one order, and
a shuffle leads from it to the next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations
from typing import Any

from botleague_careerfair.simulation.board import Board
from botleague_careerfair.simulation.chance import SHUFFLES, numbers_of
from botleague_careerfair.simulation.requests import CARDINALS, OFFSETS

LINE_TILE_HOLDS = 3
"""Queued bots on each tile of a line but the last. Source: rules/careerfair.md, section 5."""

ORDERS: tuple[tuple[int, ...], ...] = tuple(permutations(CARDINALS))
IDENTITY = ORDERS.index(CARDINALS)

AWAY = SHUFFLES
"""The first entry of a turn after those that shuffles lead to: one for each set of directions."""

ORDER = AWAY + 2 ** len(CARDINALS)
"""The last entry of a turn, the number of its order."""

MAX_CACHED_TILES = 4_000_000
"""Tiles in all the tables of :meth:`Floor.away` that are kept, a byte each."""

_THRESHOLDS = (1, 1, 1, 1, 2, 2, 2, 3, 3, 5)


def threshold_for(bots: int) -> int:
    """Return the steps needed to walk onto a tile with ``bots`` bots. Source: section 2, "Thresholds"."""
    return _THRESHOLDS[min(bots, 9)]


@dataclass(frozen=True, eq=False)
class Floor:
    """The tables of one board. Tiles and requests are integers; -1 is no tile.

    Attributes:
        lines: per tile the company whose line covers it, or -1.
        adjacent: per request (first index) and tile the tile that lies there, booths included; the own tile for
            requests that are not cardinal.
        target: the same with -1 on tiles that cannot be walked on.
        toward: per tile its neighbours and the cardinal request that leads to each.
        choices: per size of companies, or ``"*"``, those that a random member chooses among.
        turns: per order of the directions its entry in the shuffle machine: a list that holds the turn that each
            shuffle of ``chance`` leads to, from ``AWAY`` on the offsets of each set of
            directions in this order, and at ``ORDER`` the order's number.
        first_valid: per order and tile the first direction in which one may walk, or NONE.
        exits: per cardinal request a bit for each tile from which it leads to another.
    """

    board: Board
    lines: tuple[int, ...]
    adjacent: tuple[tuple[int, ...], ...]
    target: tuple[tuple[int, ...], ...]
    toward: tuple[dict[int, int], ...]
    choices: dict[str, Sequence[int]]
    turns: tuple[Any, ...]
    first_valid: tuple[bytes, ...]
    exits: tuple[int, ...]
    _near: dict[int, bytes] = field(default_factory=dict)
    _away: dict[int, bytes] = field(default_factory=dict)
    _squares: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def near(self, goal: int) -> bytes:
        """Return per tile 1 if ``goal`` is next to it, else 0."""
        flags = self._near.get(goal)
        if flags is None:
            flags = self._near[goal] = self.near_any((goal,))
        return flags

    def near_any(self, goals: Sequence[int]) -> bytes:
        """Return per tile 1 if one of ``goals`` is next to it, else 0."""
        flags = bytearray(self.board.tiles)
        for goal in goals:
            for request in CARDINALS:
                tile = self.adjacent[request][goal]
                if tile >= 0:
                    flags[tile] = 1
        return bytes(flags)

    def away(self, source: int) -> bytes:
        """Return per tile the entry of a turn for the directions that lead on, farther away from ``source``."""
        steps = self._away.get(source)
        if steps is None:
            if len(self._away) * self.board.tiles > MAX_CACHED_TILES:
                self._away.clear()
            steps = self._away[source] = self._spread_from(source)
        return steps

    def _spread_from(self, source: int) -> bytes:
        """Spread from ``source`` by one step at a time, as integers with a bit for each tile."""
        import numpy as np  # here, as most who import this module have no crowd to think for

        tiles, cols = self.board.tiles, self.board.cols
        left, up, right, down = self.exits
        onward = [0, 0, 0, 0]
        wave = reached = 1 << source
        while wave:
            to_left, to_up, to_right, to_down = wave & left, wave & up, wave & right, wave & down
            wave = (to_left >> 1 | to_up >> cols | to_right << 1 | to_down << cols) & ~reached
            reached |= wave
            onward[0] |= to_left & wave << 1
            onward[1] |= to_up & wave << cols
            onward[2] |= to_right & wave >> 1
            onward[3] |= to_down & wave >> cols
        entries = np.full(tiles, AWAY, np.uint8)
        for bit, its_tiles in enumerate(onward):
            packed = np.frombuffer(its_tiles.to_bytes(tiles // 8 + 1, "little"), np.uint8)
            entries |= np.unpackbits(packed, count=tiles, bitorder="little") << bit
        return entries.tobytes()

    def square(self, tile: int) -> tuple[int, ...]:
        """Return the tiles that a bot on ``tile`` sees, in reading order."""
        square = self._squares.get(tile)
        if square is None:
            board = self.board
            row, column = divmod(tile, board.cols)
            rows = range(max(row - board.view, 0), min(row + board.view + 1, board.rows))
            columns = range(max(column - board.view, 0), min(column + board.view + 1, board.cols))
            square = tuple(x * board.cols + y for x in rows for y in columns)
            self._squares[tile] = square
        return square

    def end_of(self, company: int, queued: int) -> int:
        """Return the end of the line of ``company`` when ``queued`` bots stand in it."""
        zone = self.board.zones[company]
        return zone[min(queued // LINE_TILE_HOLDS, len(zone) - 1)]

    def reachable(self) -> set[int]:
        """Return the tiles that can be walked to from the start, the start included."""
        reached = {self.board.start}
        waiting = deque(reached)
        while waiting:
            tile = waiting.popleft()
            for request in CARDINALS:
                target = self.target[request][tile]
                if target >= 0 and target not in reached:
                    reached.add(target)
                    waiting.append(target)
        return reached


@lru_cache(maxsize=32)
def floor_of(board: Board) -> Floor:
    """Return the tables of ``board``; computed on first use (about 5 ms for 432 tiles)."""
    tiles = range(board.tiles)
    adjacent = [tuple(tiles)] * 7
    target = [tuple(tiles)] * 7
    for request, (down, right) in OFFSETS.items():
        neighbours = [_shifted(board, tile, down, right) for tile in tiles]
        adjacent[request] = tuple(neighbours)
        target[request] = tuple(tile if tile >= 0 and board.booths[tile] < 0 else -1 for tile in neighbours)
    companies = range(len(board.sizes))
    of_size = {size: [company for company in companies if board.sizes[company] == size] for size in "SML*"}
    return Floor(
        board=board,
        lines=tuple(board.lines()),
        adjacent=tuple(adjacent),
        target=tuple(target),
        toward=tuple({adjacent[d][tile]: d for d in CARDINALS if adjacent[d][tile] >= 0} for tile in tiles),
        choices={size: numbers or companies for size, numbers in of_size.items()},
        turns=_turns(board.cols),
        first_valid=tuple(
            bytes(next((d for d in order if target[d][tile] >= 0), 0) for tile in tiles) for order in ORDERS
        ),
        exits=tuple(sum(1 << tile for tile in tiles if target[d][tile] >= 0) for d in CARDINALS),
    )


def _shifted(board: Board, tile: int, down: int, right: int) -> int:
    row, column = tile // board.cols + down, tile % board.cols + right
    return row * board.cols + column if 0 <= row < board.rows and 0 <= column < board.cols else -1


def _turns(cols: int) -> tuple[Any, ...]:
    """Build the shuffle machine; see :class:`Floor`."""
    turns: tuple[list[Any], ...] = tuple([] for _ in ORDERS)
    offsets = {request: down * cols + right for request, (down, right) in OFFSETS.items()}
    for number, order in enumerate(ORDERS):
        for shuffle in range(SHUFFLES):
            turns[number].append(turns[ORDERS.index(_shuffled(order, *numbers_of(shuffle)))])
        for chosen in range(2 ** len(CARDINALS)):
            directions = {request for bit, request in enumerate(CARDINALS) if chosen >> bit & 1}
            turns[number].append(tuple(offsets[request] for request in order if request in directions))
        turns[number].append(number)
    return turns


def _shuffled(order: Sequence[int], a: int, b: int, c: int) -> tuple[int, ...]:
    """Return ``order`` after the exchanges that ``shuffle`` makes when it draws a, b and c."""
    items = list(order)
    for last, drawn in ((3, a), (2, b), (1, c)):
        items[last], items[drawn] = items[drawn], items[last]
    return tuple(items)
