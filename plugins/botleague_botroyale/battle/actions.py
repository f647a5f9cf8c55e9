"""Actions of a unit in its turn.

The costs on the classes are for bots to read. The engine takes only an action's class and target, and its
costs from the options of the match, so that changing ``ap`` buys nothing.

Source: rules/botroyale.md, sections 4 and 13.
"""

from __future__ import annotations

from botleague_botroyale.board.hexagon import Hexagon, tile

MAX_AP = 100
REGEN_AP = 50


class Action:
    """Base class of actions; not an action that a unit can do."""

    ap: int = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Idle(Action):
    """End the turn."""


class Move(Action):
    """Step on an adjacent free tile.

    Raises:
        AssertionError: the target is not a hexagon.
    """

    ap = 20

    def __init__(self, target_tile: Hexagon) -> None:
        assert isinstance(target_tile, Hexagon)
        self.target = target_tile if type(target_tile) is Hexagon else tile(target_tile.q, target_tile.r)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.target.x}, {self.target.y}>"


class Push(Move):
    """Shove the unit on an adjacent tile one tile straight away."""

    ap = 30


class Jump(Move):
    """Leap to a free tile two steps away, over whatever lies between."""

    ap = 45


ALL_ACTIONS: tuple[type[Action], ...] = (Idle, Move, Push, Jump)
