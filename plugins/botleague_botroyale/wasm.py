"""Interface of Bot Royale for bots in WebAssembly: the whole battle in every turn, and all legal actions.

The host sends operations, which mean nothing without the engine. The adapter replays them as the harness of Python
bots does.

Source: rules/botroyale.md, sections 1 to 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from botleague.rules import WasmAdapter, WasmInterface, read_config
from botleague_botroyale.battle.actions import Action as BotAction
from botleague_botroyale.battle.maps import MAPS, load_map, read_plain
from botleague_botroyale.battle.ops import conceivable, op_from, replayed
from botleague_botroyale.battle.state import State
from botleague_botroyale.board.hexagon import Hexagon
from botleague_botroyale.board.plates import Plate
from botleague_botroyale.settings import BattleSettings

for _map in MAPS:  # After the lock-down nothing can be opened.
    load_map(_map)

_FARTHEST = 100_000

_Tile = Annotated[list[int], Meta(min_length=2, max_length=2)]
"""A tile in axial coordinates q and r."""


class Options(msgspec.Struct, frozen=True):
    """Options of the battle."""

    max_ap: Annotated[int, Meta(ge=1, description="greatest number of action points of a unit")]
    regen_ap: Annotated[int, Meta(ge=0, description="action points that a unit gains in each new round")]
    cost_move: Annotated[int, Meta(ge=1, description="action points of a move")]
    cost_push: Annotated[int, Meta(ge=1, description="action points of a push")]
    cost_jump: Annotated[int, Meta(ge=1, description="action points of a jump")]
    ring_step: Annotated[int, Meta(ge=1, description="tiles by which the ring contracts in each new round")]
    illegal_limit: Annotated[
        int | None, Meta(description="number of the illegal action that kills the unit; null: none does")
    ]


class PlateOnBoard(msgspec.Struct, frozen=True):
    """A pressure plate."""

    at: Annotated[_Tile, Meta(description="its tile")]
    type: Annotated[
        Literal["death_radius_trap", "pit_trap", "wall_trap", "erase_trap"],
        Meta(description="its effect: the ring contracts; pits, walls or nothing appear on `targets`"),
    ]
    pressure: Annotated[int, Meta(description="negative; each arrival adds 1, and at 0 it takes effect")]
    resets: Annotated[bool, Meta(description="whether it is armed again afterwards")]
    targets: Annotated[list[_Tile], Meta(description="tiles that change")]


_DEATH_RADIUS = Meta(description="units at this distance from the centre, or farther, die")
_PITS = Meta(description="tiles that kill")
_WALLS = Meta(description="tiles that no unit can enter")
_PLATES = Meta(description="pressure plates")


class Briefing(msgspec.Struct, frozen=True):
    """Briefing before the first turn, with the board as it is before round 1.

    Tiles are hexagons [q, r]; the centre is [0, 0]. The neighbours of [q, r] are [q+1, r], [q+1, r-1], [q, r-1],
    [q-1, r], [q-1, r+1] and [q, r+1]. The distance from the centre is (|q| + |r| + |q + r|) / 2.
    """

    units: Annotated[list[int], Meta(description="units that you steer; numbers from 0")]
    seed: Annotated[int, Meta(ge=0, description="seed of the order of rounds, the same for all")]
    spawns: Annotated[list[_Tile], Meta(description="tile of each unit, by number")]
    death_radius: Annotated[int, _DEATH_RADIUS]
    pits: Annotated[list[_Tile], _PITS]
    walls: Annotated[list[_Tile], _WALLS]
    plates: Annotated[list[PlateOnBoard], _PLATES]


class Unit(msgspec.Struct, frozen=True):
    """A unit."""

    at: Annotated[_Tile, Meta(description="its tile; of a dead unit, the last one")]
    alive: Annotated[bool, Meta(description="whether it lives")]
    mine: Annotated[bool, Meta(description="whether you steer it")]
    ap: Annotated[int, Meta(description="its action points")]
    spent: Annotated[int, Meta(description="action points it spent in this round")]


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answer to a turn."""

    action: Annotated[
        Literal["idle", "move", "push", "jump"],
        Meta(
            description="idle: end the turn; move: to a free neighbour; push: the unit on a neighbour one tile on; "
            "jump: to a free tile two steps away"
        ),
    ]
    target: Annotated[
        tuple[
            Annotated[int, Meta(ge=-_FARTHEST, le=_FARTHEST)],
            Annotated[int, Meta(ge=-_FARTHEST, le=_FARTHEST)],
        ],
        Meta(description="tile of the action; left out to idle"),
    ] = (0, 0)


class Turn(msgspec.Struct, frozen=True):
    """One question for one action. A unit is asked until it idles or cannot act."""

    round: Annotated[int, Meta(ge=0, description="number of the round")]
    unit: Annotated[int, Meta(ge=0, description="the unit that acts, one of yours")]
    legal: Annotated[list[Action], Meta(description="all legal answers; some of them are deadly")]
    death_radius: Annotated[int, _DEATH_RADIUS]
    units: Annotated[list[Unit], Meta(description="all units by number")]
    order: Annotated[list[int], Meta(description="units with a turn left in this round; `unit` is the first")]
    next_order: Annotated[list[int], Meta(description="order of the next round if this one ended now")]
    pits: Annotated[list[_Tile], _PITS]
    walls: Annotated[list[_Tile], _WALLS]
    plates: Annotated[list[PlateOnBoard], _PLATES]


class BotRoyaleAdapter(WasmAdapter):
    """Questions to a guest that steers units."""

    def __init__(self, seat: int, config: Mapping[str, Any], variant: str) -> None:
        super().__init__(seat, config, variant)
        self._settings = read_config(BattleSettings, config)
        self._state: State | None = None
        self._units: frozenset[int] = frozenset()

    def options(self) -> Any:
        """Return the options that a bot needs, as :class:`Options`."""
        return {name: getattr(self._settings, name) for name in Options.__struct_fields__}

    def brief(self, brief: Any) -> Any:
        """Return the board as :class:`Briefing`, and set the battle up."""
        game_map = read_plain(brief["map"], "the map", self._settings.erase_traps)
        self._state = game_map.state(brief["seed"], self._settings.rules())
        self._units = frozenset(brief["units"])
        spawns = [list(tile.qr) for tile in self._state.positions]
        return {"units": brief["units"], "seed": brief["seed"], "spawns": spawns, **_board(self._state)}

    def turn(self, observation: Any, is_fresh: bool) -> Any:
        """Return the battle after all operations as :class:`Turn`."""
        assert self._state is not None, "brief comes before turn"
        for name, q, r in observation["ops"]:
            self._state = replayed(self._state, (name, q, r), self._settings.round_mode)
        state = self._state
        return {
            "round": state.round_count,
            "unit": state.round_remaining_turns[0],
            "legal": [_plain(action) for action in conceivable(state) if state.check_legal_action(action)],
            "units": [
                {
                    "at": list(place.qr),
                    "alive": unit in state.living,
                    "mine": unit in self._units,
                    "ap": ap,
                    "spent": spent,
                }
                for unit, (place, ap, spent) in enumerate(
                    zip(state.positions, state.action_points, state.round_ap_spent, strict=True)
                )
            ],
            "order": list(state.round_remaining_turns),
            "next_order": state.next_round_order,
            **_board(state),
        }

    def answer(self, answer: Any) -> Any:
        action = msgspec.convert(answer, Action)
        return (action.action, *((0, 0) if action.action == "idle" else action.target))


def _board(state: State) -> dict[str, Any]:
    terrain = state.terrain
    return {
        "death_radius": state.death_radius,
        "pits": _tiles(terrain.pits),
        "walls": _tiles(terrain.walls),
        "plates": [_plate(plate) for plate in sorted(terrain.plates.values(), key=_place)],
    }


def _plain(action: BotAction) -> dict[str, Any]:
    name, q, r = op_from(action)
    return {"action": name} if name == "idle" else {"action": name, "target": [q, r]}


def _plate(plate: Plate) -> dict[str, Any]:
    return {
        "at": list(plate.qr),
        "type": plate.plate_type.name.lower(),
        "pressure": plate.pressure,
        "resets": plate.pressure_reset,
        "targets": _tiles(plate.targets),
    }


def _tiles(tiles: Iterable[Hexagon]) -> list[list[int]]:
    return [list(tile.qr) for tile in sorted(tiles, key=_place)]


def _place(tile: Hexagon) -> tuple[int, int]:
    return tile.qr


def wasm_interface() -> WasmInterface:
    return WasmInterface(
        adapter="botleague_botroyale.wasm:BotRoyaleAdapter",
        config_type=Options,
        brief_type=Briefing,
        turn_type=Turn,
        answer_type=Action,
        legal="One of `legal`. Another action of a known name is a move, too: it ends the turn.",
    )
