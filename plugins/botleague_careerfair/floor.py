"""A board's tables: where each request leads from each tile, and how a search spreads.

Everything here follows from the board alone and is computed once per board; the engine only looks up.

A search (:mod:`botleague_careerfair.crowd`) shuffles its four directions at every tile, and the shuffles
accumulate. The 24 orders of the directions are therefore the states of a little machine: a :class:`Turn` is one
order, and the three draws of a shuffle lead from it to the next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations
from typing import Any

from botleague_careerfair.board import Board
from botleague_careerfair.requests import CARDINALS, OFFSETS

__all__ = ["IDENTITY", "LINE_TILE_HOLDS", "ORDERS", "Floor", "floor_of", "threshold_for"]

LINE_TILE_HOLDS = 3
"""Queued bots on each tile of a line but the last. Source: rules/careerfair.md, section 5."""

ORDERS: tuple[tuple[int, ...], ...] = tuple(permutations(CARDINALS))
IDENTITY = ORDERS.index(CARDINALS)

_THRESHOLDS = (1, 1, 1, 1, 2, 2, 2, 3, 3, 5)


def threshold_for(bots: int) -> int:
    """Return the steps needed to walk onto a tile with ``bots`` bots. Source: section 2, "Thresholds"."""
    return _THRESHOLDS[min(bots, 9)]


@dataclass(frozen=True, eq=False)
class Floor:
    """The tables of one board. Tiles and requests are integers; -1 is no tile.

    Attributes:
        board: the board.
        lines: per tile the company whose line covers it, or -1.
        beside: per request (first index) and tile the tile that lies there, booths included; the own tile for
            requests that are not cardinal.
        target: the same with -1 where nobody may walk.
        toward: ``tile * tiles + neighbour`` to the cardinal request that leads there.
        turns: per order of the directions its entry in the shuffle machine: a list whose entries 0 to 3 lead
            on by ``turn[a][b][c]`` with three symbols of :class:`~botleague_careerfair.chance.Words`, entry 4
            holds per tile its walkable neighbours in this order, entry 5 the order's number.
        first_valid: per order and tile the first direction in which one may walk, or NONE.
    """

    board: Board
    lines: tuple[int, ...]
    beside: tuple[tuple[int, ...], ...]
    target: tuple[tuple[int, ...], ...]
    toward: dict[int, int]
    turns: tuple[Any, ...]
    first_valid: tuple[bytes, ...]
    thresholds: bytes
    _near: dict[int, bytes] = field(default_factory=dict)
    _squares: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def near(self, goal: int) -> bytes:
        """Return per tile 1 when ``goal`` lies beside it, else 0."""
        found = self._near.get(goal)
        if found is None:
            found = self._near[goal] = self.near_any((goal,))
        return found

    def near_any(self, goals: Sequence[int]) -> bytes:
        """Return per tile 1 when one of ``goals`` lies beside it, else 0."""
        flags = bytearray(self.board.tiles)
        for goal in goals:
            for request in CARDINALS:
                tile = self.beside[request][goal]
                if tile >= 0:
                    flags[tile] = 1
        return bytes(flags)

    def square(self, tile: int) -> tuple[int, ...]:
        """Return the tiles that a bot on ``tile`` sees, in reading order."""
        found = self._squares.get(tile)
        if found is None:
            board = self.board
            row, column = divmod(tile, board.cols)
            rows = range(max(row - board.view, 0), min(row + board.view + 1, board.rows))
            columns = range(max(column - board.view, 0), min(column + board.view + 1, board.cols))
            found = tuple(x * board.cols + y for x in rows for y in columns)
            self._squares[tile] = found
        return found

    def end_of(self, company: int, queued: int) -> int:
        """Return the end of the line of ``company`` when ``queued`` bots stand in it."""
        zone = self.board.zones[company]
        return zone[min(queued // LINE_TILE_HOLDS, len(zone) - 1)]

    def reachable(self) -> set[int]:
        """Return the tiles that can be walked to from the start, the start included."""
        seen = {self.board.start}
        waiting = deque(seen)
        while waiting:
            tile = waiting.popleft()
            for request in CARDINALS:
                target = self.target[request][tile]
                if target >= 0 and target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return seen


@lru_cache(maxsize=32)
def floor_of(board: Board) -> Floor:
    """Return the tables of ``board``; computed on first use (about 20 ms for 432 tiles)."""
    tiles = range(board.tiles)
    beside = [tuple(tiles)] * 7
    target = [tuple(tiles)] * 7
    for request, (down, right) in OFFSETS.items():
        neighbours = [_shifted(board, tile, down, right) for tile in tiles]
        beside[request] = tuple(neighbours)
        target[request] = tuple(tile if tile >= 0 and board.booths[tile] < 0 else -1 for tile in neighbours)
    toward = {
        tile * board.tiles + beside[request][tile]: request
        for request in CARDINALS
        for tile in tiles
        if beside[request][tile] >= 0
    }
    return Floor(
        board=board,
        lines=tuple(board.lines()),
        beside=tuple(beside),
        target=tuple(target),
        toward=toward,
        turns=_turns(target, board.tiles),
        first_valid=tuple(
            bytes(next((d for d in order if target[d][tile] >= 0), 0) for tile in tiles) for order in ORDERS
        ),
        thresholds=bytes(threshold_for(bots) for bots in range(10)),
    )


def _shifted(board: Board, tile: int, down: int, right: int) -> int:
    row, column = tile // board.cols + down, tile % board.cols + right
    return row * board.cols + column if 0 <= row < board.rows and 0 <= column < board.cols else -1


def _turns(target: Sequence[Sequence[int]], tiles: int) -> tuple[Any, ...]:
    """Build the shuffle machine; see :class:`Floor`."""
    turns: tuple[list[Any], ...] = tuple([] for _ in ORDERS)
    known: dict[tuple[int, ...], tuple[int, ...]] = {}
    for number, order in enumerate(ORDERS):
        for a in range(4):
            # A symbol is the three highest bits; a number below 3 or 2 is the two highest of them.
            turns[number].append(
                tuple(
                    tuple(turns[ORDERS.index(_shuffled(order, a, b >> 1, c >> 1))] for c in range(4))
                    for b in range(6)
                )
            )
        spread = []
        for tile in range(tiles):
            neighbours = tuple(target[d][tile] for d in order if target[d][tile] >= 0)
            spread.append(known.setdefault(neighbours, neighbours))
        turns[number].extend((spread, number))
    return turns


def _shuffled(order: Sequence[int], a: int, b: int, c: int) -> tuple[int, ...]:
    """Return ``order`` after the exchanges that ``shuffle`` makes when it draws a, b and c."""
    items = list(order)
    for last, drawn in ((3, a), (2, b), (1, c)):
        items[last], items[drawn] = items[drawn], items[last]
    return tuple(items)
