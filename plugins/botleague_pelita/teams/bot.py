"""The bot object: what a move function sees of the game, from the view of one bot.

Every call gets four new ones that refer to each other; changing them changes nothing in the game.
What is the same at every call of a game is in the arena.

Source: rules/pelita.md, section 11.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from botleague_pelita.mazes.board import LETTERS, Square
from botleague_pelita.mazes.layout import format_layout
from botleague_pelita.teams.graph_arena import GraphArena

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(slots=True)
class View:
    """Knowledge of a team at one call. Fours are in the order a, x, b, y, pairs blue, red.

    Attributes:
        round: None only in test games without one.
        turn: of the bot on turn, 0 to 3.
        positions: squares as shown to this team.
        noisy: whether they are guesses.
        shaded_food: of the own team.
        error_count: time-outs of the own team.
    """

    round: int | None
    turn: int
    positions: tuple[Square, Square, Square, Square]
    noisy: tuple[bool, bool, bool, bool]
    food: tuple[list[Square], list[Square]]
    shaded_food: list[Square]
    score: tuple[int, int] = (0, 0)
    kills: tuple[int, int, int, int] = (0, 0, 0, 0)
    deaths: tuple[int, int, int, int] = (0, 0, 0, 0)
    was_killed: tuple[bool, bool, bool, bool] = (False, False, False, False)
    names: tuple[str, str] = ("blue", "red")
    error_count: int = 0
    team_time: tuple[float, float] = (0.0, 0.0)


class Bot:
    """One of the four bots, as the team on turn sees it. Section 11.2 lists the attributes."""

    turn: int
    char: str
    position: Square
    legal_positions: list[Square]
    has_exact_position: bool
    is_noisy: bool
    walls: tuple[Square, ...]
    shape: tuple[int, int]
    homezone: tuple[Square, ...]
    graph: Any
    food: list[Square]
    shaded_food: list[Square]
    track: list[Square]
    score: int
    kills: int
    deaths: int
    was_killed: bool
    round: int | None
    is_blue: bool
    team_name: str
    team_time: float
    error_count: int
    random: Random
    other: Bot
    enemy: list[Bot]

    def __init__(
        self, arena: GraphArena, view: View, index: int, random: Random, track: list[Square]
    ) -> None:
        team, own = index % 2, view.turn % 2
        config = self._config = arena.config
        self.turn = index // 2
        self.char = LETTERS[index - team + own] if config.enemy_char_own_letters else LETTERS[index]
        self.position = view.positions[index]
        self.legal_positions = list(arena.legal[self.position])
        self.is_noisy = view.noisy[index]
        self.has_exact_position = not self.is_noisy
        self.walls = arena.walls
        self.shape = arena.shape
        self.homezone = arena.homezones[team]
        self.graph = arena.graph
        self.food = list(view.food[team])
        self.shaded_food = list(view.shaded_food) if team == own else []
        self.track = track
        self.score = view.score[team]
        self.kills = view.kills[index]
        self.deaths = view.deaths[index]
        self.was_killed = view.was_killed[index]
        self.round = view.round
        self.is_blue = team == 0
        self.team_name = view.names[team]
        self.team_time = view.team_time[team]
        if config.error_count:
            self.error_count = view.error_count if team == own else 0
        self.random = random
        self._initial_position = arena.initial_positions[index]
        self._said: object = ""
        self._index = index

    def say(self, text: object) -> None:
        """Show ``text`` in a speech bubble until this bot's next turn; of several calls the last one counts."""
        self._said = text

    def __repr__(self) -> str:
        color = "blue" if self.is_blue else "red"
        if self._config.long_repr:
            color, position = f"team {color}", f"pos: {self.position}"
        else:
            position = str(self.position)
        return f"<Bot: {self.char} ({color}), {position}, turn: {self.turn}, round: {self.round}>"

    def __str__(self) -> str:
        mine, theirs = self._team(), list(self.enemy)
        blue, red = (mine, theirs) if self.is_blue else (theirs, mine)
        order = (blue[0], red[0], blue[1], red[1])
        you = [" (you)" if side is mine else "" for side in (blue, red)]
        late = f" timeouts: {blue[0].error_count}:{red[0].error_count}" if self._config.error_count else ""
        food = mine[0].food + theirs[0].food
        positions = {letter: bot.position for letter, bot in zip(LETTERS, order, strict=True)}
        exact = {letter: bot.has_exact_position for letter, bot in zip(LETTERS, order, strict=True)}
        return (
            f"{blue[0].team_name}{you[0]} vs {red[0].team_name}{you[1]}.\n"
            f"Playing on {'blue' if self.is_blue else 'red'} side. Current turn: {self.turn}. "
            f"Bot: {self.char}. Round: {self.round}, score: {blue[0].score}:{red[0].score}.{late}\n"
            f"{format_layout(self.walls, food, [bot.position for bot in order], self.shape)}"
            f"Bots: {positions}\n"
            f"Exact: {exact}\n"
            f"Food: {food}\n"
        )

    def _team(self) -> list[Bot]:
        return [self, self.other] if self.turn == 0 else [self.other, self]


class BotOf2019(Bot):
    """A bot with the names of the releases until August 2019, whose teams could move by a direction."""

    @property
    def eaten(self) -> bool:
        """The former name of ``was_killed``."""
        return self.was_killed

    @property
    def legal_moves(self) -> list[Square]:
        """The directions to the legal positions, (0, 0) to stay."""
        return sorted(self._direction(position) for position in self.legal_positions)

    def get_move(self, position: Square) -> Square:
        """Return the direction to a legal position.

        Raises:
            ValueError: it is not legal.
        """
        if tuple(position) not in self.legal_positions:
            raise ValueError(f"no legal move leads to {position}")
        return self._direction(position)

    def get_position(self, move: Square) -> Square:
        """Return the position to which a direction leads.

        Raises:
            ValueError: it is not legal.
        """
        position = (self.position[0] + move[0], self.position[1] + move[1])
        if position not in self.legal_positions:
            raise ValueError(f"move {move} is not legal")
        return position

    def _direction(self, position: Square) -> Square:
        return position[0] - self.position[0], position[1] - self.position[1]


class PaintingBot(Bot):
    """A bot of the newest generation, which may wish for coloured squares."""

    def __init__(
        self, arena: GraphArena, view: View, index: int, random: Random, track: list[Square]
    ) -> None:
        super().__init__(arena, view, index, random, track)
        self._painted: dict[Square, str] = {}

    def paint_background(self, pos: Any, color: str = "#96FF96") -> None:
        """Wish that viewers tint the square ``pos`` in this turn.

        Args:
            pos: a pair (x, y); outside the board nothing happens.
            color: ``#rrggbb``.

        Raises:
            ValueError: ``pos`` is not a pair of numbers, or ``color`` is malformed.
        """
        try:
            x, y = (int(number) for number in pos)
        except (TypeError, ValueError):
            raise ValueError(f"paint_background: {pos!r} is not a square (x, y)") from None
        if not (isinstance(color, str) and _COLOR.fullmatch(color)):
            raise ValueError(f"paint_background: colour {color!r} must be '#' and six hexadecimal digits")
        if 0 <= x < self.shape[0] and 0 <= y < self.shape[1]:
            self._painted[x, y] = color


def build_bots(
    arena: GraphArena, view: View, random: Random, tracks: Mapping[int, list[Square]] | None = None
) -> Bot:
    """Return the bot on turn, joined with its team mate and the two enemies.

    Args:
        view: what the team knows now.
        random: the generator of the team.
        tracks: the way of the own bots by index.
    """
    config = arena.config
    kind = PaintingBot if config.paint_background else BotOf2019 if config.release_2019 else Bot
    own = view.turn % 2
    histories = tracks or {}
    bots = [
        kind(arena, view, index, random, list(histories.get(index, ())) if index % 2 == own else [])
        for index in range(4)
    ]
    for index, bot in enumerate(bots):
        bot.other = bots[(index + 2) % 4]
        enemy = 1 - index % 2
        bot.enemy = [bots[enemy], bots[enemy + 2]]
    return bots[view.turn]
