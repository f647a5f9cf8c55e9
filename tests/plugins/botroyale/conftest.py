"""Boards that the tests of Bot Royale play on."""

from __future__ import annotations

from typing import Any

import pytest

from botleague_botroyale.battle.state import State
from botleague_botroyale.board.hexagon import tile


@pytest.fixture
def tiny_map() -> dict[str, Any]:
    """Three units, a pit, a wall and one plate of every type on a board that is over in a few rounds."""
    return {
        "death_radius": 5,
        "spawns": [[3, 0], [-3, 0], [0, 3]],
        "pits": [[1, 1]],
        "walls": [[0, -1]],
        "plates": [
            {"xy": [2, 0], "plate_type": "PIT_TRAP", "pressure": -1, "targets": [[2, 0], [1, 0]]},
            {"xy": [-2, 0], "plate_type": "WALL_TRAP", "pressure": -1, "targets": [[-1, 0], [-2, 1]]},
            {"xy": [0, 2], "plate_type": "DEATH_RADIUS_TRAP", "pressure": -1, "pressure_reset": True},
        ],
    }


@pytest.fixture
def duel() -> State:
    """Unit 0 in turn at the centre with 100 points, unit 1 beside it, a pit behind unit 1, a wall, a far ring."""
    return State(
        10,
        [tile(0, 0), tile(1, 0)],
        pits={tile(2, 0)},
        walls={tile(0, 1)},
        ap=[100, 50],
        round_remaining_turns=[0, 1],
        round_done_turns=[],
        round_count=1,
        seed=7,
    )
