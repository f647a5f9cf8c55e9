"""``pelita.player``: simple move functions, as opponents and for scripted tests.

Source: rules/pelita.md, section 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import networkx as nx

from botleague_pelita.mazes.board import Square
from botleague_pelita.teams.bot import Bot
from botleague_pelita.teams.team import MoveFunction

__all__ = [
    "SANE_PLAYERS",
    "food_eating_player",
    "move_exception_player",
    "nq_random_player",
    "random_explorer_player",
    "random_player",
    "round_based_player",
    "smart_eating_player",
    "smart_random_player",
    "speaking_player",
    "stepping_player",
    "stopping_player",
]

State = dict[Any, Any]

_STEPS: Mapping[str, tuple[int, int]] = {"^": (0, -1), "v": (0, 1), "<": (-1, 0), ">": (1, 0), "-": (0, 0)}


def stopping_player(bot: Bot, state: State) -> Square:
    """Stay."""
    return bot.position


def random_player(bot: Bot, state: State) -> Square:
    """Go anywhere, or stay."""
    return _any(bot, bot.legal_positions)


def nq_random_player(bot: Bot, state: State) -> Square:
    """Go anywhere but back, and do not stay unless there is no other way."""
    before = bot.track[-2:-1]
    return _any(bot, [step for step in _ways(bot) if step not in before] or _ways(bot))


def random_explorer_player(bot: Bot, state: State) -> Square:
    """Go where this bot has not been for the longest time; it draws only if its past leaves it a choice."""
    latest: list[Square] = state.setdefault(bot.turn, {}).setdefault("visited", [])
    if bot.position in latest:
        latest.remove(bot.position)
    latest.insert(0, bot.position)
    steps = list(bot.legal_positions)
    for square in latest:
        if len(steps) < 2:
            return steps[0]
        if square in steps:
            steps.remove(square)
    return bot.random.choice(steps)


def food_eating_player(bot: Bot, state: State) -> Square:
    """Go to a random pellet of the enemy on a shortest path, then to the next."""
    return _towards_food(bot, state) or bot.position


def smart_eating_player(bot: Bot, state: State) -> Square:
    """As :func:`food_eating_player`, but stay rather than step onto a ghost as shown, and choose another pellet."""
    step = _towards_food(bot, state) or bot.position
    if step not in _ghosts(bot):
        return step
    state[bot.turn]["next_food"] = None
    return bot.position


def smart_random_player(bot: Bot, state: State) -> Square:
    """Take the first food or kill in reach, else go anywhere but to a ghost; noisy positions pass for true."""
    ghosts = _ghosts(bot)
    targets = {enemy.position for enemy in bot.enemy} - ghosts | set(bot.enemy[0].food)
    steps = [step for step in _ways(bot) if step not in ghosts]
    return next((step for step in steps if step in targets), None) or _any(bot, steps)


def speaking_player(bot: Bot, state: State) -> Square:
    """Go anywhere and say where to."""
    step = _any(bot, bot.legal_positions)
    bot.say(f"Going {step}.")
    return step


def move_exception_player(bot: Bot, state: State) -> Square:
    """Raise an exception."""
    raise RuntimeError("this player always raises an exception")


def stepping_player(*bot_moves: Iterable[str | Sequence[int]]) -> MoveFunction:
    """Return a move function that follows a script.

    Args:
        bot_moves: for each bot of the team its steps, as ``^ v < > -`` or (dx, dy). A script that is used up is
            a ValueError.
    """
    scripts = [iter(moves) for moves in bot_moves]

    def move(bot: Bot, state: State) -> Square:
        step = next(scripts[bot.turn], None)
        if step is None:
            raise ValueError(f"the script of bot {bot.turn} has no step for round {bot.round}")
        return _moved(bot, _STEPS[step] if isinstance(step, str) else step)

    return move


def round_based_player(*bot_moves: Mapping[int, Sequence[int]] | Sequence[Sequence[int]]) -> MoveFunction:
    """Return a move function that moves in certain rounds.

    Args:
        bot_moves: for each bot of the team (dx, dy) by round; it stays in all other rounds.
    """

    def move(bot: Bot, state: State) -> Square:
        script = bot_moves[bot.turn] if bot.turn < len(bot_moves) else {}
        try:
            step = script[bot.round]  # type: ignore[index]  # rounds of a running game are numbers
        except (KeyError, IndexError):
            return bot.position
        return _moved(bot, step)

    return move


SANE_PLAYERS: list[MoveFunction] = [
    random_player,
    nq_random_player,
    food_eating_player,
    smart_eating_player,
    random_explorer_player,
    smart_random_player,
]


def _any(bot: Bot, steps: Sequence[Square]) -> Square:
    return bot.random.choice(steps) if steps else bot.position


def _ways(bot: Bot) -> list[Square]:
    return [step for step in bot.legal_positions if step != bot.position]


def _moved(bot: Bot, step: Sequence[int]) -> Square:
    return bot.position[0] + step[0], bot.position[1] + step[1]


def _ghosts(bot: Bot) -> set[Square]:
    return {enemy.position for enemy in bot.enemy if enemy.position in enemy.homezone}


def _towards_food(bot: Bot, state: State) -> Square | None:
    """Return the first step to the chosen pellet; players that build on this one know where the choice is kept."""
    memory = state.setdefault(bot.turn, {})
    food = bot.enemy[0].food
    goal = memory.get("next_food")
    if goal not in food:
        if not food:
            return None
        goal = bot.random.choice(food)
        memory["next_food"] = goal
    if (
        bot.position not in bot.graph
        or goal not in bot.graph
        or not nx.has_path(bot.graph, bot.position, goal)
    ):
        memory["next_food"] = None
        return None
    path: list[Square] = nx.shortest_path(bot.graph, bot.position, goal)
    return path[1] if len(path) > 1 else None
