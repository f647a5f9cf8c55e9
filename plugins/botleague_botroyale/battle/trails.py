"""Trails: the tiles that units left last, for the picture only."""

from __future__ import annotations

from typing import TypeAlias

from botleague_botroyale.battle.state import State
from botleague_botroyale.board.hexagon import Hexagon

MAX_TILES = 3
"""Tiles per unit."""

Trails: TypeAlias = tuple[tuple[Hexagon, ...], ...]
"""Per unit, the tiles that it left, oldest first."""


def trails_after(trails: Trails, before: State, after: State) -> Trails:
    """Return the trails after the step from ``before`` to ``after``."""
    if before.positions == after.positions:
        return trails
    return tuple(
        trail if start is end else (*trail[1 - MAX_TILES :], start)
        for trail, start, end in zip(trails, before.positions, after.positions, strict=True)
    )
