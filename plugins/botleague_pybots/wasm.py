"""Interface of Pybots for bots in WebAssembly: names for all values, and degrees in both directions.

Source: rules/pybots.md, sections 1 to 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from botleague.rules import WasmAdapter, WasmInterface, read_config
from botleague_pybots.battle.geometry import rad2deg
from botleague_pybots.hardware import LIMITS, Declared, HardwareRefused, check
from botleague_pybots.hardware import Hardware as CheckedHardware
from botleague_pybots.options import MESSAGE_SHOTS, MatchOptions
from botleague_pybots.orders import read_answer

_Number = int | float
_Angle = "0 points right, 90 points down"


class Config(msgspec.Struct, frozen=True):
    """Options of the match. Lengths are units of the arena; a step is one turn of every robot."""

    rounds: Annotated[int, Meta(ge=1, description="rounds of the match; the memory of the bot lasts for all")]
    round_duration: Annotated[int, Meta(ge=1, description="steps after which a round ends")]
    max_bot_cost: Annotated[_Number, Meta(description="greatest cost of hardware, in points")]
    exception_cost: Annotated[_Number, Meta(description="power of the hit for an answer that is a fault")]
    shots_per_step: Annotated[int, Meta(ge=0, description="greatest number of shots in one answer")]
    reads_hardware: Annotated[
        bool, Meta(description="true: a turn that `asks` for hardware precedes each round")
    ]


class Briefing(msgspec.Struct, frozen=True):
    """Briefing before the first turn."""

    name: Annotated[str, Meta(description="name of the robot in this match")]
    seed: Annotated[int, Meta(ge=0, description="start value for your random numbers, below 2**53")]


def _part(name: str, meaning: str) -> Meta:
    limit = LIMITS[name]
    price = "" if limit.price == 1 else f"{limit.price} x "
    return Meta(
        description=f"{meaning}; {limit.least} to {limit.most}, costs {price}|{name} - {limit.free_at}| points"
    )


class Hardware(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hardware of a robot."""

    size: Annotated[_Number, _part("size", "radius in units")]
    armour: Annotated[_Number, _part("armour", "reduction of the power of each hit")]
    maxdamage: Annotated[_Number, _part("maxdamage", "damage at which the robot is out")]
    maxspeed: Annotated[_Number, _part("maxspeed", "units per step")]
    shotpower: Annotated[_Number, _part("shotpower", "sum of the powers of the shots of a step")]
    shotspeed: Annotated[_Number, _part("shotspeed", "units per step")]
    scanradius: Annotated[_Number, _part("scanradius", "half width of the scanned sector in tens of degrees")]


class Declaration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answer to ``start``."""

    hardware: Annotated[Hardware, Meta(description="hardware of the robot")]
    name: Annotated[str, Meta(description="name of the robot; empty for a name by seat")] = ""


class Arena(msgspec.Struct, frozen=True):
    """Arena of a round, from (0, 0) at the top left to (width, height)."""

    width: Annotated[_Number, Meta(description="units")]
    height: Annotated[_Number, Meta(description="units")]
    wall_power: Annotated[_Number, Meta(description="power of the hit for touching a wall")]


class Seen(msgspec.Struct, frozen=True):
    """Another robot in the scanned sector."""

    name: Annotated[str, Meta(description="its name")]
    x: Annotated[float, Meta(description="units from the left")]
    y: Annotated[float, Meta(description="units from the top")]
    direction: Annotated[float, Meta(description=f"the way it was told to go, in degrees: {_Angle}")]
    speed: Annotated[_Number, Meta(description="the speed it was told to have, in units per step")]


class Turn(msgspec.Struct, frozen=True):
    """One step; or the question for hardware, which lacks the last five fields."""

    asks: Annotated[
        Literal["orders", "hardware"],
        Meta(description="orders: the orders of a step; hardware: hardware for the next round"),
    ]
    round: Annotated[int, Meta(ge=1, description="number of the round")]
    arena: Annotated[Arena, Meta(description="arena of the round")]
    step: Annotated[int | UnsetType, Meta(description="step of the round, from 0")] = UNSET
    x: Annotated[float | UnsetType, Meta(description="your position: units from the left")] = UNSET
    y: Annotated[float | UnsetType, Meta(description="your position: units from the top")] = UNSET
    damage: Annotated[_Number | UnsetType, Meta(description="your damage; at maxdamage you are out")] = UNSET
    seen: Annotated[
        list[Seen] | UnsetType, Meta(description="robots in the sector of your scan, nearest first")
    ] = UNSET


class Shot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A shot."""

    direction: Annotated[_Number, Meta(description=f"degrees: {_Angle}")]
    speed: Annotated[_Number, Meta(description="units per step, up to shotspeed")]
    power: Annotated[_Number, Meta(description="the powers of one step add up to shotpower")]


class Orders(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answer to a turn."""

    direction: Annotated[_Number, Meta(description=f"the way to go in degrees: {_Angle}")] = 0
    speed: Annotated[_Number, Meta(description="units per step, 0 to maxspeed; more is cut")] = 0
    scan: Annotated[
        _Number,
        Meta(description="middle of the sector to scan, in degrees; it is 20 x scanradius degrees wide"),
    ] = 0
    shots: Annotated[
        Annotated[list[Shot], Meta(max_length=MESSAGE_SHOTS)], Meta(description="shots to fire")
    ] = []
    hardware: Annotated[
        Hardware | None, Meta(description="if the turn asks for it; null or absent to keep yours")
    ] = None


class PybotsAdapter(WasmAdapter):
    """Questions to a guest that steers a robot."""

    declaration_type = Declaration
    answer_type = Orders

    def __init__(self, seat: int, config: Mapping[str, Any], variant: str) -> None:
        super().__init__(seat, config, variant)
        self._match = read_config(MatchOptions, config)
        self._options = self._match.options
        self._declared: tuple[Declared, ...] = ()
        self._arena: dict[str, Any] = {}
        self._round, self._step = 1, 0
        self._asks_hardware = False

    def options(self) -> Any:
        """Return the options that a bot needs, as :class:`Config`."""
        return {
            "rounds": self._match.rounds,
            "round_duration": self._options.round_duration,
            "max_bot_cost": self._options.max_bot_cost,
            "exception_cost": self._options.exception_cost,
            "shots_per_step": self._options.shots_per_step,
            "reads_hardware": self._match.rereads_hardware,
        }

    def declared(self, answer: Any) -> Any:
        """Return the name and the seven numbers of the hardware."""
        declaration = msgspec.convert(answer, Declaration)
        self._declared = msgspec.structs.astuple(declaration.hardware)
        return (declaration.name or f"bot{self.seat}", *self._declared)

    def brief(self, brief: Any) -> Any:
        """Return name and seed, and store the arena for the turns."""
        if "arena" in brief:
            self._enter(brief["arena"])
        return {"name": brief["name"], "seed": brief["seed"]}

    def turn(self, observation: Any, is_fresh: bool) -> Any:
        """Return a step as :class:`Turn`."""
        if "arena" in observation:
            if self._arena:
                self._round += 1
            self._enter(observation["arena"])
        self._asks_hardware = "act" not in observation
        question = {"asks": "hardware", "round": self._round, "arena": self._arena}
        if self._asks_hardware:
            return question
        x, y, damage, robots = observation["act"]
        step, self._step = self._step, self._step + 1
        visible = [
            {"name": name, "x": other_x, "y": other_y, "direction": rad2deg(direction), "speed": speed}
            for name, (other_x, other_y), direction, speed in robots
        ]
        return {**question, "asks": "orders", "step": step, "x": x, "y": y, "damage": damage, "seen": visible}

    def answer(self, answer: Any) -> Any:
        """Return orders, cut to the hardware; or hardware, if the question asked for it."""
        orders = msgspec.convert(answer, Orders)
        if self._asks_hardware:
            if orders.hardware is not None:
                self._declared = msgspec.structs.astuple(orders.hardware)
            return (None, None, None, (), "", self._declared)
        shots = [[shot.direction, shot.speed, shot.power] for shot in orders.shots]
        return tuple(
            read_answer((orders.direction, orders.speed, orders.scan, shots), self._hardware(), self._options)
        )

    def _hardware(self) -> CheckedHardware:
        try:
            return check(self._declared, self._options)
        except HardwareRefused as refusal:
            raise ValueError(str(refusal)) from None

    def _enter(self, arena: Mapping[str, Any]) -> None:
        self._step = 0
        self._arena = {
            "width": arena["ARENA_W"],
            "height": arena["ARENA_H"],
            "wall_power": arena["ARENA_WALL_DMG"],
        }


def wasm_interface() -> WasmInterface:
    return WasmInterface(
        adapter="botleague_pybots.wasm:PybotsAdapter",
        config_type=Config,
        brief_type=Briefing,
        turn_type=Turn,
        answer_type=Orders,
        declaration_type=Declaration,
        legal=(
            "All numbers are legal; they are cut to your hardware. Hardware outside of its limits, or above the cost "
            "limit, is not admitted."
        ),
        safe=[
            {"direction": 45, "speed": 1, "scan": 0, "shots": [{"direction": 0, "speed": 3, "power": 1}]},
            {"direction": 225, "speed": 1, "scan": 180, "shots": []},
        ],
        declaration={"name": "robot", "hardware": {name: limit.free_at for name, limit in LIMITS.items()}},
    )
