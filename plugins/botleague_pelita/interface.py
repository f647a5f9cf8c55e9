"""Interface of Pelita for authors of teams. Source: rules/pelita.md, sections 2 to 11."""

from __future__ import annotations

from typing import Annotated, TypedDict

from msgspec import Meta

from botleague.rules import Interface, Item
from botleague_pelita.config import Config

_Squares = Annotated[list[int], Meta(description="squares as numbers, x x height + y")]
_Four = Annotated[list[int], Meta(min_length=4, max_length=4, description="in the order a, x, b, y")]


class Briefing(TypedDict):
    """Briefing of a team before its first turn."""

    shape: Annotated[list[int], Meta(min_length=2, max_length=2, description="width and height")]
    walls: _Squares
    food: list[_Squares]
    names: Annotated[list[str], Meta(min_length=2, max_length=2)]
    seed: Annotated[int, Meta(ge=0, description="of bot.random")]


class Observation(TypedDict):
    """Observation of a team in the turn of one of its bots."""

    round: Annotated[int, Meta(ge=1)]
    turn: Annotated[int, Meta(ge=0, le=3, description="0 to 3 for a, x, b, y")]
    bots: _Four
    noisy: Annotated[list[bool], Meta(min_length=4, max_length=4)]
    food: list[_Squares]
    moved: Annotated[list[list[int]], Meta(description="pellets that moved: from, to")]
    shaded: _Squares
    score: list[int]
    kills: _Four
    deaths: _Four
    was_killed: Annotated[list[bool], Meta(min_length=4, max_length=4)]
    timeouts: Annotated[int, Meta(ge=0)]


_EXAMPLE = """\
import networkx

TEAM_NAME = "First Steps"


def move(bot, state):
    ghosts = {e.position for e in bot.enemy if e.position in e.homezone} - {bot.position}
    ways = bot.graph.subgraph(set(bot.graph) - ghosts)
    far = networkx.single_source_shortest_path_length(ways, bot.position)
    food = [pellet for pellet in bot.enemy[0].food if pellet in far]
    if not food:
        return bot.position
    goal = min(food, key=lambda pellet: (far[pellet], pellet[1] * (1 - 2 * bot.turn)))
    return networkx.shortest_path(ways, bot.position, goal)[1]
"""

_TOLD = (
    Item("bot.position", "tuple[int, int]", "where this bot is; (0, 0) is at the top left"),
    Item("bot.legal_positions", "list[tuple[int, int]]", "the squares it may go to, including its own"),
    Item("bot.walls, bot.shape", "tuple", "all walls; width and height"),
    Item("bot.homezone", "tuple", "the free squares of the own half: a ghost there, a pac-man elsewhere"),
    Item("bot.graph", "networkx.Graph", "the free squares and ways between them; do not change it"),
    Item("bot.food, bot.enemy[0].food", "list[tuple[int, int]]", "pellets to defend, pellets to eat"),
    Item("bot.shaded_food", "list[tuple[int, int]]", "own pellets too near to your ghost"),
    Item("bot.enemy[0], bot.enemy[1]", "bot", "the enemies: position, is_noisy, homezone, kills, deaths ..."),
    Item("bot.other", "bot", "the team mate"),
    Item("bot.turn, bot.round", "int", "0 or 1 for the bots of the team; the round, from 1"),
    Item("bot.score, bot.enemy[0].score", "int", "points of the two teams"),
    Item("bot.was_killed, bot.track", "bool, list", "killed since its last move; squares since then"),
    Item("bot.random", "random.Random", "the team's generator: the same numbers for the same seed"),
    Item("state", "dict", "the team's own data; empty at first, kept for one game"),
)

_CALLS = (
    Item("bot.say(text)", "None", "show a text of up to 30 characters next to the bot"),
    Item("pelita.utils", "module", "setup_test_game(...), manhattan_dist(a, b), walls_to_graph(walls)"),
)

_HINTS = (
    "Do not step next to a ghost in its half; hunt pac-men in yours.",
    "Let one bot defend the border and the other one eat; they share state.",
    "Where an enemy is_noisy, its position is a guess: average over several turns.",
)


def interface(config: Config) -> Interface:
    """Return what an author of teams for a configuration must know."""
    late = (
        f"time-out {config.timeout_limit} loses it too, and before that the engine plays a random step"
        if config.timeout_limit
        else "the engine plays a random step instead of a late one"
    )
    return Interface(
        rules=(
            f"Two teams of two bots in a maze, {config.max_rounds} rounds; in each, all four bots move one square. "
            "In its own half a bot is a ghost, in the other half a pac-man. A pac-man eats enemy pellets "
            f"({config.food_points} point each); a ghost that meets a pac-man sends it home "
            f"({config.kill_points} points). The game ends when one side has no pellets left; more points win. "
            f"Enemies farther than {config.sight_distance} squares are seen with an error of up to "
            f"{config.noise_radius}."
        ),
        define=(
            'TEAM_NAME = "My Team"\n'
            "def move(bot, state) -> tuple[int, int]:   # called for both bots of the team in turn"
        ),
        told=_TOLD,
        answers=(
            Item("the value of move", "tuple[int, int]", "one of bot.legal_positions: stay, or one step"),
        ),
        calls=_CALLS,
        faults=f"An exception or an illegal move loses the game at once; {late}.",
        example=_EXAMPLE,
        hints=_HINTS,
        observation_type=Observation,
        briefing_type=Briefing,
    )
