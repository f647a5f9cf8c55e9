"""A team inside the sandbox: what it remembers from call to call, and how its move function is called.

Source: rules/pelita.md, sections 10 (order of food), 11.1 and 11.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from botleague_pelita.mazes.board import Square
from botleague_pelita.teams.bot import Bot, BotOf2019, PaintingBot, View, build_bots
from botleague_pelita.teams.graph_arena import GraphArena
from botleague_pelita.texts import clean_text

MoveFunction = Callable[[Bot, Any], Any]


class Team:
    """The two bots of one team during one game.

    Attributes:
        state: the dictionary that belongs to the bots alone; in 2019 what they returned last, None at first.
        random: the generator of both bots.
    """

    def __init__(self, arena: GraphArena, index: int, seed: int | None, move: MoveFunction) -> None:
        self.arena = arena
        self.index = index
        self.state: Any = {}
        self.random = Random(seed)
        self.move = move
        self.tracks: dict[int, list[Square]] = {index: [], index + 2: []}

    def look(self, view: View) -> Bot:
        """Return the bot on turn, with the tracks brought up to now."""
        turn, mate = view.turn, (view.turn + 2) % 4
        for index, track in self.tracks.items():
            if view.was_killed[index]:
                track.clear()
        if not self.tracks[turn]:
            self.tracks[turn].append(view.positions[turn])
        self.tracks[mate].append(view.positions[mate])
        return build_bots(self.arena, view, self.random, self.tracks)

    def ask(self, view: View) -> tuple[Any, Bot]:
        """Return what the move function answers, and the bot object that it was given."""
        bot = self.look(view)
        answer = self.move(bot, self.state)
        if self.arena.config.release_2019 and isinstance(answer, tuple) and len(answer) == 2:
            position, state = answer
            if not isinstance(position, int):
                self.state, answer = state, position
        if isinstance(bot, BotOf2019):
            answer = _without_direction(answer, bot)
        return answer, bot


def _without_direction(answer: Any, bot: BotOf2019) -> Any:
    """Return the square of an answer that is a direction, else the answer. No square next to (0, 0) is free."""
    try:
        x, y = answer
        return (bot.position[0] + x, bot.position[1] + y) if abs(x) + abs(y) <= 1 else answer
    except (TypeError, ValueError):
        return answer


def said(bot: Bot) -> str:
    """Return what a bot said in this call, cleaned."""
    return clean_text(bot._said)


def painted(bot: Bot) -> list[tuple[Square, str]]:
    """Return the squares that a bot wished to be tinted in this call, with colours."""
    return list(bot._painted.items()) if isinstance(bot, PaintingBot) else []


def checked_target(answer: Any, legal: Sequence[Square]) -> Square | None:
    """Return the legal square that ``answer`` equals, as plain integers; None if it equals none.

    Any sequence of two is taken that compares equal: lists, numpy integers, ``1.0``.

    Raises:
        ValueError: the answer has no length, or a length other than 2. That counts as an exception of the
            bot and not as an illegal move.

    Source: rules/pelita.md, section 9.
    """
    try:
        length = len(answer)
    except TypeError:
        raise ValueError(f"move must return a pair (x, y), not {shown(answer)}") from None
    if length != 2:
        raise ValueError(f"move must return a pair (x, y), not {shown(answer)}")
    try:
        x, y = answer[0], answer[1]
        return next((square for square in legal if square[0] == x and square[1] == y), None)
    except Exception:  # whatever the answer's own comparison raises, it is no square
        return None


def integers(answer: Any) -> tuple[int, int] | None:
    """Return a pair of plain integers, for the message about an illegal move; None for anything else."""
    try:
        x, y = answer[0], answer[1]
    except Exception:  # whatever a bot's own object raises, it is no pair
        return None
    if type(x) is int and type(y) is int and abs(x) <= 10_000 and abs(y) <= 10_000:
        return x, y
    return None


def read_view(
    observation: Any,
    squares: Sequence[Square],
    names: tuple[str, str],
    team_time: tuple[float, float] = (0.0, 0.0),
) -> View:
    """Return what an observation of the rules says, in squares.

    Args:
        observation: what ``PelitaRules.observe`` returned.
        squares: the square of every number.
        names: of the teams.
        team_time: seconds used by the teams.
    """
    blue, red = observation["food"]
    a, x, b, y = observation["bots"]
    return View(
        observation["round"],
        observation["turn"],
        (squares[a], squares[x], squares[b], squares[y]),
        tuple(observation["noisy"]),
        ([squares[number] for number in blue], [squares[number] for number in red]),
        [squares[number] for number in observation["shaded"]],
        tuple(observation["score"]),
        tuple(observation["kills"]),
        tuple(observation["deaths"]),
        tuple(observation["was_killed"]),
        names,
        observation["timeouts"],
        team_time,
    )


class SetOrder:
    """Food in the order of the original, which lists a set that it copies at the start of every turn.

    CPython's order follows from the history of the set, and the order of shaded food from that of the set in which
    it fell into the shadow. The engine's news of pellets are enough to repeat both.
    """

    def __init__(self, own: int, food: tuple[list[Square], list[Square]], serial: int = -1) -> None:
        self.own = own
        self.sets = [set(side) for side in food]
        self.shaded: dict[Square, None] = {}
        self.serial = serial

    def update(
        self, serial: int, moves: Sequence[Sequence[int]], shaded: Sequence[Square], squares: Sequence[Square]
    ) -> tuple[tuple[list[Square], list[Square]], list[Square]]:
        """Return the pellets of both teams at the turn with this serial number, and the own ones in the shadow.

        Args:
            serial: number of the turn in the game, from 0; a turn of the own team.
            moves: what happened to pellets since the last own turn, see ``FoodMove``.
            shaded: the own pellets in the shadow.
            squares: the square of every number.
        """
        for turn in range(self.serial, serial + 1):
            if turn == serial:
                self._shade(set(shaded))
            if turn > self.serial:
                self.sets = [set(side) for side in self.sets]
            for when, team, old, new in moves:
                # Pellets that moved in our own last turn did so before we were asked then.
                if when != turn or (turn == self.serial and new >= 0):
                    continue
                self.sets[team].discard(squares[old])
                if new >= 0:
                    self.sets[team].add(squares[new])
        self.serial = serial
        return (list(self.sets[0]), list(self.sets[1])), list(self.shaded)

    def _shade(self, now: set[Square]) -> None:
        """Append what fell into the shadow, in the order of the food as the turn before left it."""
        for pellet in self.sets[self.own]:
            if pellet in now:
                self.shaded.setdefault(pellet)
        self.shaded = {pellet: None for pellet in self.shaded if pellet in now}


def shown(answer: Any) -> str:
    """Return how an answer reads in a message, at most 80 characters; never raises."""
    try:
        text = repr(answer)
    except Exception:  # a bot's own __repr__
        text = f"an object of type {type(answer).__name__}"
    text = "".join(char if char.isprintable() else "?" for char in text[:81])
    return text if len(text) <= 80 else text[:77] + "..."
