"""Options of a configuration that change the rules.

Source: rules/botroyale.md, sections 11 and 14.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from botleague_botroyale.battle.actions import Action, Jump, Move, Push
from botleague_botroyale.board.hexagon import CLOSE_STEPS, DOUBLE_STEPS

Aim: TypeAlias = tuple[str, frozenset[int], int, bool]
"""An action with a target: its name, the differences of tile keys that it reaches, its cost in action
points, and whether it pushes. A plain tuple: it is taken apart in every question for a legal action."""


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """Action points and the ring.

    Attributes:
        max_ap: greatest number of action points that a round change leaves a unit with.
        regen_ap: action points that a living unit gains in a round change.
        cost_move, cost_push, cost_jump: action points of each action.
        ring_step: by how much the ring of death contracts in a round change.
        aims: derived: the actions with a target.
    """

    max_ap: int = 100
    regen_ap: int = 50
    cost_move: int = 20
    cost_push: int = 30
    cost_jump: int = 45
    ring_step: int = 1
    aims: Mapping[type[Action], Aim] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        aims: dict[type[Action], Aim] = {
            Move: ("move", CLOSE_STEPS, self.cost_move, False),
            Push: ("push", CLOSE_STEPS, self.cost_push, True),
            Jump: ("jump", DOUBLE_STEPS, self.cost_jump, False),
        }
        object.__setattr__(self, "aims", aims)


STANDARD = RuleOptions()
