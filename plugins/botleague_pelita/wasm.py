"""Interface of Pelita for bots in WebAssembly: squares as pairs, own bots and enemies by name, and legal squares.

Source: rules/pelita.md, sections 2 to 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from botleague.rules import WasmAdapter, WasmInterface, read_config
from botleague_pelita.config import Config
from botleague_pelita.mazes.board import Square
from botleague_pelita.rules import MAX_TINTS
from botleague_pelita.teams.arena import Arena
from botleague_pelita.texts import NAME_LIMIT, TEXT_LIMIT

_Pair = Annotated[list[int], Meta(min_length=2, max_length=2)]
"""A square: x from 0 at the left, y from 0 at the top."""

_WALL, _FREE = "#", "."

_SEEDS = 2**53 - 1  # A team's own generator needs no larger seed, and lines hold smaller integers as numbers.


class Options(msgspec.Struct, frozen=True):
    """Options of the game. Distances are steps along rows and columns, walls ignored."""

    max_rounds: Annotated[int, Meta(description="rounds of a game; in each, all four bots move once")]
    sight_distance: Annotated[int, Meta(description="greatest distance at which an enemy is seen exactly")]
    noise_radius: Annotated[int, Meta(description="greatest error of the position of a `noisy` enemy")]
    shadow_distance: Annotated[
        int, Meta(description="greatest distance at which your ghost shades your pellets")
    ]
    food_points: Annotated[int, Meta(description="points for a pellet")]
    kill_points: Annotated[int, Meta(description="points for a ghost that kills a pac-man")]
    timeout_limit: Annotated[
        int, Meta(description="number of the time-out that loses the game; 0: none does")
    ]


class Declaration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answer to ``start``."""

    name: Annotated[str, Meta(description=f"name of the team, up to {NAME_LIMIT} characters")]


class Briefing(msgspec.Struct, frozen=True):
    """Briefing before the first turn. A square is [x, y]: x from 0 at the left, y from 0 at the top."""

    width: Annotated[int, Meta(ge=1, description="columns of the maze")]
    height: Annotated[int, Meta(ge=1, description="rows of the maze")]
    maze: Annotated[list[str], Meta(description=f"rows from the top: {_WALL} a wall, {_FREE} a free square")]
    is_blue: Annotated[bool, Meta(description="true: your half is the left one, x < width / 2")]
    homes: Annotated[list[_Pair], Meta(description="squares on which your bots 0 and 1 start and come back")]
    enemy_homes: Annotated[list[_Pair], Meta(description="the same for the enemies")]
    names: Annotated[
        list[str], Meta(min_length=2, max_length=2, description="names of your team and of the other one")
    ]
    seed: Annotated[int, Meta(ge=0, description="start value for your random numbers, below 2**53")]


class OwnBot(msgspec.Struct, frozen=True):
    """A bot of your team."""

    at: Annotated[_Pair, Meta(description="its square")]
    was_killed: Annotated[bool, Meta(description="killed since its last move")]
    kills: Annotated[int, Meta(ge=0, description="enemies it killed")]
    deaths: Annotated[int, Meta(ge=0, description="how often it was killed")]


class Enemy(OwnBot, frozen=True):
    """A bot of the other team."""

    noisy: Annotated[bool, Meta(description="true: `at` is a guess")]


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Answer to a turn."""

    to: Annotated[tuple[int, int], Meta(description="square to go to")]
    say: Annotated[
        Annotated[str, Meta(max_length=100)],
        Meta(description=f"text next to the bot; {TEXT_LIMIT} characters are shown"),
    ] = ""
    paint: Annotated[
        Annotated[
            list[tuple[int, int, Annotated[str, Meta(pattern="^#[0-9a-fA-F]{6}$")]]],
            Meta(max_length=MAX_TINTS),
        ],
        Meta(description="squares to tint in replays, [x, y, colour as #rrggbb]; ignored by older rules"),
    ] = []


class Turn(msgspec.Struct, frozen=True):
    """One turn of one of your bots."""

    round: Annotated[int, Meta(ge=1, description="number of the round")]
    bot: Annotated[int, Meta(ge=0, le=1, description="which of your bots moves")]
    legal: Annotated[list[Step], Meta(description="all legal answers, without texts and tints")]
    bots: Annotated[list[OwnBot], Meta(min_length=2, max_length=2, description="your bots")]
    enemies: Annotated[list[Enemy], Meta(min_length=2, max_length=2, description="the enemies")]
    food: Annotated[list[_Pair], Meta(description="pellets that you can eat, in the other half")]
    own_food: Annotated[list[_Pair], Meta(description="pellets that you defend")]
    shaded_food: Annotated[
        list[_Pair], Meta(description="pellets of yours that your ghosts are too close to")
    ]
    score: Annotated[
        list[int], Meta(min_length=2, max_length=2, description="points of your team and of the other one")
    ]
    timeouts: Annotated[int, Meta(ge=0, description="time-outs of your team")]


class PelitaAdapter(WasmAdapter):
    """Questions to a guest that is a team."""

    declaration_type = Declaration
    answer_type = Step

    def __init__(self, seat: int, config: Mapping[str, Any], variant: str) -> None:
        super().__init__(seat, config, variant)
        self._config = read_config(Config, config)
        self._arena: Arena | None = None

    def options(self) -> Any:
        """Return the options that a team needs, as :class:`Options`."""
        return {name: getattr(self._config, name) for name in Options.__struct_fields__}

    def declared(self, answer: Any) -> Any:
        return msgspec.convert(answer, Declaration).name

    def brief(self, brief: Any) -> Any:
        """Return the maze as :class:`Briefing`."""
        width, height = brief["shape"]
        walls = {divmod(number, height) for number in brief["walls"]}
        self._arena = arena = Arena((width, height), walls)
        own, other = self.seat, 1 - self.seat
        homes = arena.initial_positions
        return {
            "width": width,
            "height": height,
            "maze": [
                "".join(_WALL if (x, y) in walls else _FREE for x in range(width)) for y in range(height)
            ],
            "is_blue": own == 0,
            "homes": _pairs((homes[own], homes[own + 2])),
            "enemy_homes": _pairs((homes[other], homes[other + 2])),
            "names": [brief["names"][own], brief["names"][other]],
            "seed": brief["seed"] & _SEEDS,
        }

    def turn(self, observation: Any, is_fresh: bool) -> Any:
        """Return what the team knows as :class:`Turn`."""
        assert self._arena is not None, "brief comes before turn"
        squares, own, other = self._arena.squares, self.seat, 1 - self.seat

        def bot(index: int) -> dict[str, Any]:
            return {
                "at": list(squares[observation["bots"][index]]),
                "was_killed": observation["was_killed"][index],
                "kills": observation["kills"][index],
                "deaths": observation["deaths"][index],
            }

        food = [_pairs(squares[number] for number in side) for side in observation["food"]]
        position = squares[observation["bots"][observation["turn"]]]
        return {
            "round": observation["round"],
            "bot": observation["turn"] // 2,
            "legal": [{"to": list(square)} for square in self._arena.legal[position]],
            "bots": [bot(own), bot(own + 2)],
            "enemies": [{**bot(index), "noisy": observation["noisy"][index]} for index in (other, other + 2)],
            "food": food[other],
            "own_food": food[own],
            "shaded_food": _pairs(squares[number] for number in observation["shaded"]),
            "score": [observation["score"][own], observation["score"][other]],
            "timeouts": observation["timeouts"],
        }

    def answer(self, answer: Any) -> Any:
        """Return the step in the form that the rules expect."""
        assert self._arena is not None, "brief comes before answer"
        step = msgspec.convert(answer, Step)
        move: dict[str, Any] = {"to": list(step.to)}
        if step.say:
            move["say"] = step.say
        if step.paint and self._config.paint_background:
            width, height = self._arena.shape
            move["paint"] = [
                [x * height + y, color] for x, y, color in step.paint if 0 <= x < width and 0 <= y < height
            ]
        return move


def _pairs(squares: Iterable[Square]) -> list[list[int]]:
    return [list(square) for square in squares]


def wasm_interface() -> WasmInterface:
    return WasmInterface(
        adapter="botleague_pelita.wasm:PelitaAdapter",
        config_type=Options,
        brief_type=Briefing,
        turn_type=Turn,
        answer_type=Step,
        declaration_type=Declaration,
        legal="`to` of one of `legal`: the square of the bot that moves, or a free square next to it.",
        declaration={"name": "team"},
    )
