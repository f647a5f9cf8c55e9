"""Sandboxed side of Pelita: the ``pelita`` modules, and the call of ``move(bot, state)``.

What is constant arrives with the briefing; a turn brings numbers, from which the four bot objects are made.

Source: rules/pelita.md, sections 11 to 13.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botleague.rules import LoadedBot, TurnClock, read_config
from botleague_pelita.compat import pelita_modules
from botleague_pelita.config import Config
from botleague_pelita.legacy.graph_2019 import is_of_2019
from botleague_pelita.rules import MAX_TINTS
from botleague_pelita.teams.bot import View
from botleague_pelita.teams.graph_arena import GraphArena
from botleague_pelita.teams.team import (
    MoveFunction,
    SetOrder,
    Team,
    checked_target,
    integers,
    painted,
    read_view,
    said,
    shown,
)
from botleague_pelita.texts import clean_team_name


class PelitaHarness:
    """The harness of one team in one match."""

    def __init__(self, *, seat: int, config: Mapping[str, Any]) -> None:
        self.seat = seat
        self.config = read_config(Config, config)
        self.set_order = self.config.food_order == "set"
        self.used_ms = 0.0
        self.move: MoveFunction | None = None
        self.is_of_2019 = False

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        """Return ``pelita`` and its modules."""
        return pelita_modules(self.config)

    def loaded(self, bot: LoadedBot) -> str:
        """Return the team's name.

        Raises:
            TypeError, AttributeError: the entry module has no ``move`` function or no ``TEAM_NAME`` string.
        """
        moves = {
            name: value for name, value in vars(bot.module).items() if name[:4] == "move" and callable(value)
        }
        if "move" not in moves and not bot.choice:
            raise AttributeError("a team needs a function move(bot, state) in its entry module")
        move = bot.choose(moves, "move")
        name = getattr(bot.module, "TEAM_NAME", None)
        if not isinstance(name, str):
            raise TypeError("a team needs a string TEAM_NAME in its entry module")
        self.move = move
        self.is_of_2019 = is_of_2019(bot.files.values())
        return clean_team_name(name)

    def briefed(self, brief: Any, turn: TurnClock) -> None:
        """Build the board and the team."""
        width, height = brief["shape"]
        squares = [(x, y) for x in range(width) for y in range(height)]
        walls = [squares[number] for number in brief["walls"]]
        self.names = (brief["names"][0], brief["names"][1])
        self.arena = GraphArena(self.config, (width, height), walls)
        assert self.move is not None, "briefed before loaded"
        self.team = Team(self.arena, self.seat, brief["seed"], self.move)
        if self.config.release_2019 and self.is_of_2019:
            self.team.state = None
        blue, red = ([squares[number] for number in side] for side in brief["food"])
        self.food_order = SetOrder(self.seat, (blue, red)) if self.set_order else None

    def answer(self, observation: Any, turn: TurnClock) -> dict[str, object]:
        """Ask the team for its move; what it raises is its fault."""
        view = self.view(observation)
        try:
            answer, bot = self.team.ask(view)
            target = checked_target(answer, self.arena.legal[view.positions[view.turn]])
            reply: dict[str, object] = {"to": target or integers(answer)}
            if reply["to"] is None:
                reply["shown"] = shown(answer)
            if text := said(bot):
                reply["say"] = text
            height = self.arena.shape[1]
            if tints := painted(bot)[:MAX_TINTS]:
                reply["paint"] = [(x * height + y, color) for (x, y), color in tints]
            return reply
        finally:
            self.used_ms += turn.elapsed_ms()

    def view(self, observation: Any) -> View:
        """Return what an observation says, in squares."""
        seconds = self.used_ms / 1000
        times = (seconds, 0.0) if self.seat == 0 else (0.0, seconds)
        view = read_view(observation, self.arena.squares, self.names, times)
        if self.food_order is not None:
            serial = (observation["round"] - 1) * 4 + observation["turn"]
            food, shaded = self.food_order.update(
                serial, observation["moved"], view.shaded_food, self.arena.squares
            )
            if [*map(sorted, (*food, shaded))] == [*map(sorted, (*view.food, view.shaded_food))]:
                view.food, view.shaded_food = food, shaded
            else:  # a turn was missed: the history of the sets is lost
                self.food_order = SetOrder(self.seat, view.food, serial)
        return view
