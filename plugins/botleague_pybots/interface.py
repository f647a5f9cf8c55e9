"""Interface of Pybots for authors of bots. Source: rules/pybots.md, sections 1 to 10."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypedDict

from msgspec import Meta

from botleague.rules import Interface, Item
from botleague_pybots.hardware import LIMITS
from botleague_pybots.options import MatchOptions


class ArenaData(TypedDict):
    """Argument of ``set_arena_data``."""

    ARENA_W: int | float
    ARENA_H: int | float
    ARENA_WALL_DMG: int | float
    ROUND_DURATION: int


class Briefing(TypedDict):
    """Briefing of a seat before its first turn."""

    name: Annotated[str, Meta(description="the robot's name in this match")]
    seed: Annotated[int, Meta(ge=0, description="what the bot's random numbers start from")]


class OneRoundBriefing(Briefing):
    """Briefing in a match of one round."""

    arena: ArenaData


class Seen(NamedTuple):
    """Another robot in the scanned sector."""

    name: str
    position: tuple[float, float]
    direction: int | float
    speed: int | float


class Act(NamedTuple):
    """Arguments of ``act`` after the name."""

    x: float
    y: float
    damage: int | float
    seen: list[Seen]


class Observation(TypedDict):
    """Observation of a seat in a step."""

    act: Act


class RoundsObservation(TypedDict, total=False):
    """Observation in a match of several rounds; ``arena`` at the start of each."""

    act: Act
    arena: ArenaData


_EXAMPLE = """\
import random
from pybots import util


class bot:
    size, armour, maxdamage = 9, 0, 10
    maxspeed, shotpower, shotspeed, scanradius = 2, 5, 5, 3
    look = way = 0

    def set_arena_data(self, data):
        self.middle = (data["ARENA_W"] / 2, data["ARENA_H"] / 2)

    def act(self, data):
        name, place, damage, seen = data
        if random.random() < 0.1:
            self.way = util.get_direction(place, self.middle) + random.uniform(-90, 90)
        self.look = util.get_direction(place, seen[0][1]) if seen else self.look + 50
        shots = [(self.look, 5, 5)] if seen else []
        return (self.way, self.maxspeed, self.look, shots)
"""

_TOLD = (
    Item("data of set_arena_data", "dict", "ARENA_W, ARENA_H, ARENA_WALL_DMG, ROUND_DURATION; each round"),
    Item("data[0]", "str", "the robot's own name"),
    Item("data[1]", "tuple[float, float]", "its position; x grows to the right, y downwards"),
    Item("data[2]", "float", "damage so far; at maxdamage it is out"),
    Item(
        "data[3]",
        "list[tuple]",
        "what the last scan saw, nearest first: (name, (x, y), direction in radians, speed)",
    ),
)

_CALLS = (
    Item("util.get_direction(a, b)", "float", "bearing from point a to b, in degrees"),
    Item("util.distance(a, b)", "float", "of two points"),
    Item("util.newpos(pos, direction, speed)", "tuple[float, float]", "after one move; direction in radians"),
    Item("util.rad2deg(x), util.deg2rad(x)", "float", "between directions in scans and in actions"),
)

_HINTS = (
    "Turn the scan by less than its width each step until you see a robot, then hold it there.",
    "Aim where the target will be: the scan has its direction and speed.",
    "Never stop: a shot hits where you stand at the end of a step.",
)


def interface(config: MatchOptions) -> Interface:
    """Return what an author of robots for these arenas must know."""
    limits = ", ".join(f"{name} {limit.least} to {limit.most}" for name, limit in LIMITS.items())
    price = " + ".join(
        ("" if limit.price == 1 else f"{limit.price} x ")
        + (f"|{name} - {limit.free_at}|" if limit.free_at else name)
        for name, limit in LIMITS.items()
    )
    places = ", ".join(
        f"{arena.width:g} x {arena.height:g} (wall power {arena.wall_power:g})" for arena in config.arenas
    )
    rounds, options = config.rounds, config.options
    return Interface(
        rules=(
            f"Round robots drive, scan and shoot in an arena: {places}. Each step, all living robots act at the "
            "same time; then shots move, robots move, hits are counted, and each scans. A hit costs power minus "
            "armour; walls and ramming hit too. At maxdamage a robot is out. A round ends when one is left, or after "
            f"{options.round_duration} steps, and all survivors win it. "
            + (f"The most wins in {rounds} rounds decide." if rounds > 1 else "")
        ).strip(),
        define=(
            "class bot:                                  # lower case, constructor without arguments\n"
            "    size = 9                                # with six more numbers of hardware, below\n"
            "    def act(self, data) -> tuple:           # every step\n"
            "    def set_arena_data(self, data) -> None: # optional, at the start of each round"
        ),
        told=_TOLD,
        answers=(
            Item("direction", "float", "degrees; 0 to the right, 90 down"),
            Item("speed", "float", "0 to maxspeed, in units per step; more is cut"),
            Item("scan direction", "float", "degrees, the middle of a sector of 20 x scanradius degrees"),
            Item(
                "shots",
                "list[tuple[float, float, float]]",
                "(direction in degrees, speed up to shotspeed, power); the powers of a step add up to shotpower",
            ),
            Item(
                "the seven numbers of hardware",
                "int",
                f"{limits}; they cost {price}, at most {options.max_bot_cost:g}",
            ),
        ),
        calls=_CALLS,
        faults=(
            f"An exception, a late action or an action without four values costs a hit of {options.exception_cost:g} "
            "(minus armour); values before the error stay in force. A robot with hardware that is not allowed does "
            "not take part."
        ),
        example=_EXAMPLE,
        hints=_HINTS,
        observation_type=RoundsObservation if rounds > 1 else Observation,
        briefing_type=(Briefing if rounds > 1 else OneRoundBriefing) | None,
    )
