"""The original's package, of which bots import a base class and types for annotations.

Source: rules/pybots.md, section 10.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from botleague_pybots.battle.geometry import UTIL

UTIL_OF_PACKAGE: Mapping[str, object] = {**UTIL, "get_distance_between_points": UTIL["distance"]}
"""``util`` with the name that the package's last version gave a function."""

Position = tuple[float, float]
"""x, y."""


class BotImplementation(ABC):
    """Base class of a bot in the package's last version; the seven hardware numbers are class attributes."""

    size: int
    armour: int
    maxdamage: int
    maxspeed: int
    shotpower: int
    shotspeed: int
    scanradius: int

    @abstractmethod
    def set_arena_data(self, round_params: dict[str, int]) -> None:
        """Take the arena's numbers at the start of a round."""

    @abstractmethod
    def act(self, data: tuple[str, Position, int, list[Any]]) -> Any:
        """Return direction, speed, scan direction and shots."""


def package(util: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """Return the modules of the package, with the given ``util``."""
    types = {
        "ArenaData": tuple[int, int, int],
        "Position": Position,
        "ScanResult": tuple[str, Position, float, float],
        "ShotRequest": tuple[int, int, int],
    }
    return {
        "pybots": {},
        "pybots.bot_implementation": {"BotImplementation": BotImplementation, **types},
        "pybots.types": types,
        "pybots.util": util,
    }
