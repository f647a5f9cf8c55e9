"""Encoding of Bot Royale for learning programs: planes of the board in cube coordinates, and 25 actions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from botleague.rules import Box, Choice, Encoding
from botleague_botroyale.battle.ops import Op, conceivable, op_from, replayed
from botleague_botroyale.battle.state import State
from botleague_botroyale.board.hexagon import ORIGIN, Hexagon
from botleague_botroyale.settings import BattleSettings

PLANES = 7
ACTIONS = 1 + 6 + 6 + 12


@dataclass(frozen=True, slots=True)
class Known:
    """The battle, in which nothing is hidden, and the units that the seat steers."""

    battle: State
    units: frozenset[int]


class BotRoyaleEncoding(Encoding[Known]):
    """Planes of the board, rows by r and columns by q: tiles inside the ring, walls, pits, plates, the unit in turn,
    the seat's other units, all others; units by their action points.

    An action is 0 to end the turn, 1 to 6 a move and 7 to 12 a push to each neighbour in order of the directions, 13 to
    24 a jump to each tile two steps away.
    """

    def __init__(self, settings: BattleSettings) -> None:
        self._settings = settings
        self._map = settings.game_map()
        self._options = settings.rules()
        self._side = 2 * self._map.death_radius + 1
        self.observation = Box((PLANES, self._side, self._side))
        self.action = Choice(ACTIONS)

    def begin(self, seat: int, declaration: object, briefing: Any) -> Known:
        """Return the battle before its first round."""
        return Known(self._map.state(briefing["seed"], self._options), frozenset(briefing["units"]))

    def learn(self, known: Known, observation: Any) -> Known:
        """Return the battle after the seat's new observation."""
        battle = known.battle
        for name, q, r in observation["ops"]:
            battle = replayed(battle, (name, q, r), self._settings.round_mode)
        return replace(known, battle=battle)

    def encode(self, known: Known) -> list[float]:
        battle, terrain, reach = known.battle, known.battle.terrain, self._map.death_radius
        planes = [0.0] * (PLANES * self._side**2)

        def fill(plane: int, tiles: Iterable[Hexagon], value: float = 1.0) -> None:
            for one in tiles:
                if one.get_distance(ORIGIN) <= reach:
                    planes[(plane * self._side + one.r + reach) * self._side + one.q + reach] = value

        fill(0, ORIGIN.range(battle.death_radius - 1))
        fill(1, terrain.walls)
        fill(2, terrain.pits)
        fill(3, terrain.plates.values())
        points = battle.action_points
        for unit in battle.living:
            plane = 4 if unit == battle.current_unit else 5 if unit in known.units else 6
            fill(
                plane,
                [battle.positions[unit]],
                (1 + points[unit]) / (1 + max(self._options.max_ap, points[unit])),
            )
        return planes

    def decode(self, known: Known, action: Any) -> Op:
        return op_from([*conceivable(known.battle)][int(action)])

    def mask(self, known: Known) -> list[bool]:
        """Return which actions the unit in turn can do."""
        return [known.battle.check_legal_action(action) for action in conceivable(known.battle)]
