"""States for bots that rely on numpy scalars.

Source: rules/botroyale.md, section 14.
"""

from __future__ import annotations

from typing import Any

from botleague_botroyale.battle.arrays import numpy_module
from botleague_botroyale.battle.state import State


class NumpyScalarState(State):
    """A state whose derived numbers are numpy's wherever those of the original's first release were."""

    __slots__ = ()

    @property
    def current_unit(self) -> Any:
        """The unit in turn, a numpy integer from round 1 on."""
        unit = super().current_unit
        return unit if unit is None or not self.round_count else numpy_module().int64(unit)

    @property
    def game_over(self) -> Any:
        """Whether at most one unit lives, a numpy bool."""
        return numpy_module().bool_(super().game_over)

    @property
    def winner(self) -> Any:
        """The only living unit, a numpy integer."""
        unit = super().winner
        return unit if unit is None else numpy_module().int64(unit)

    @property
    def next_round_order(self) -> Any:
        """The order of turns in the next round, numpy integers."""
        return [numpy_module().int64(unit) for unit in super().next_round_order]

    @property
    def death_order(self) -> Any:
        """The dead in order of their death, numpy integers."""
        return [numpy_module().int64(unit) for unit in super().death_order]
