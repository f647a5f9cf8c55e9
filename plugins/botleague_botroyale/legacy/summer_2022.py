"""What bots of June to September 2022 found, before the original became a package.

Source: rules/botroyale.md, section 17.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from botleague_botroyale.battle.actions import Action
from botleague_botroyale.battle.arrays import numpy_module
from botleague_botroyale.battle.state import State
from botleague_botroyale.board.hexagon import ORIGIN, Hexagon
from botleague_botroyale.legacy.bots import BaseBot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A search gives up after this many tiles: more than any board has, and the grid goes on for ever.
_MAX_TILES = 20_000


class Settings:
    """The settings of a user, of whom there is none here."""

    @staticmethod
    def get(name: str, default: Any = None) -> Any:
        """Return the default."""
        return default


class WorldInfo(NamedTuple):
    """What ``get_action`` is told."""

    positions: list[Hexagon]
    walls: set[Hexagon]
    pits: set[Hexagon]
    ring_radius: int
    alive_mask: NDArray[np.bool_]
    turn_count: int
    round_count: int
    ap: NDArray[np.int64]
    round_ap_spent: NDArray[np.int64]
    round_remaining_turns: list[int]


def world_info_of(state: State) -> WorldInfo:
    """Return what a bot was told about ``state``; the ring of death counts among the pits."""
    return WorldInfo(
        positions=list(state.positions),
        walls=set(state.walls),
        pits=set(state.pits) | set(ORIGIN.ring(state.death_radius)),
        ring_radius=state.death_radius,
        alive_mask=state.alive_mask.copy(),
        turn_count=state.turn_count,
        round_count=state.round_count,
        ap=state.ap.copy(),
        round_ap_spent=numpy_module().array(state.round_ap_spent),
        round_remaining_turns=list(state.round_remaining_turns),
    )


class FlatBaseBot(BaseBot):
    """The ``BaseBot`` of the flat layout: it plays by ``get_action`` as well."""

    def poll_action(self, state: State) -> Action:
        """Return what ``get_action`` says, for subclasses that have it."""
        get_action: Callable[[WorldInfo], Action] | None = getattr(self, "get_action", None)
        return super().poll_action(state) if get_action is None else get_action(world_info_of(state))


FlatBaseBot.__name__ = FlatBaseBot.__qualname__ = "BaseBot"


def is_hex(hex: object) -> bool:
    """Return whether this is a hexagon."""
    return isinstance(hex, Hexagon)


def a_star(
    origin: Hexagon,
    target: Hexagon,
    get_neighbors: Callable[[Hexagon], Iterable[Hexagon]] | None = None,
    heuristic: Callable[[Hexagon], float] | None = None,
    cost: Callable[[Hexagon], float] | None = None,
) -> tuple[Hexagon, ...] | None:
    """Return the cheapest way, without the origin; None when there is none.

    Args:
        origin: where it begins.
        target: where it ends.
        get_neighbors: the tiles that follow on a tile; its six neighbours by default.
        heuristic: at least how much the way from a tile costs; its distance from the target by default.
        cost: what entering a tile costs, infinite for an obstacle; 1 by default.
    """
    best: dict[Hexagon, float] = {origin: 0}
    came_from: dict[Hexagon, Hexagon] = {}
    queue: list[tuple[float, int, Hexagon]] = [(0, 0, origin)]
    done: set[Hexagon] = set()
    pushed = 0
    while queue and len(done) < _MAX_TILES:
        here = heapq.heappop(queue)[2]
        if here == target:
            way = []
            while here != origin:
                way.append(here)
                here = came_from[here]
            return tuple(reversed(way))
        if here in done:
            continue
        done.add(here)
        for there in here.neighbors if get_neighbors is None else get_neighbors(here):
            spent = best[here] + (1 if cost is None else cost(there))
            if spent == math.inf or there in done or spent >= best.get(there, math.inf):
                continue
            best[there] = spent
            came_from[there] = here
            ahead = there.get_distance(target) if heuristic is None else heuristic(there)
            pushed += 1
            heapq.heappush(queue, (spent + ahead, pushed, there))
    return None
