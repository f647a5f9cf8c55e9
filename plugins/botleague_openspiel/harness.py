"""Sandboxed side of every game: calls the bot's ``act`` with the observation of its seat.

The library is imported here, before any lock is set, so a bot may search with it. No function that opens files is
offered, and the bot's process could not open any.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pyspiel

from botleague.rules import LoadedBot, TurnClock, read_config
from botleague_openspiel.boards import text_of
from botleague_openspiel.library import Game, Position, action_name, advance_through, load
from botleague_openspiel.setup import Setup, entry, parse, seats

_OFFERED = ("ChildSelectionPolicy", "Evaluator", "MCTSBot", "RandomRolloutEvaluator")
_EXACT = 2**53
_NAME_LENGTH = 80


class NoActError(Exception):
    """The bot has no function ``act``."""


class State:
    """Knowledge of a bot in its turn; :mod:`~botleague_openspiel.interface` describes the attributes."""

    def __init__(
        self, game: Game, observation: Mapping[str, Any], position: Position | None, turn: TurnClock
    ) -> None:
        self.player: int = observation["player"]
        self.seats: int = game.num_players()
        self.game = game
        self.since: Sequence[str] = observation.get("since", ())
        self.history: Sequence[int] = observation.get("history", ())
        self._observation = observation
        self._position = position
        self._turn = turn
        self.legal_actions: list[int] = (
            observation["legal_actions"] if position is None else position.legal_actions(self.player)
        )

    @property
    def observation(self) -> str:
        """Return what the bot knows, as text."""
        return str(
            self._observation["observation"] if self._position is None else text_of(str(self._position))
        )

    def name(self, action: int) -> str:
        """Return the name of a legal action; raise ValueError for another."""
        if action not in self.legal_actions:
            raise ValueError(f"{action!r} is not one of state.legal_actions")
        if self._position is not None:
            return action_name(self._position, self.player, action)
        return str(self._observation["names"][self.legal_actions.index(action)])

    def position(self) -> Position:
        """Return a copy of the position; raise LookupError if the game hides something."""
        if self._position is None:
            raise LookupError("this game has hidden information: use state.observation and state.since")
        return self._position.clone()

    def time_left_ms(self) -> float:
        """Return the milliseconds left for this turn; using more than its own share takes from the reserve."""
        return self._turn.limit_ms - self._turn.elapsed_ms()

    def reserve_ms(self) -> float:
        """Return the milliseconds of this turn's limit that are the reserve for the whole match."""
        return self._turn.bank_ms


class OpenSpielHarness:
    """One bot in one match; implements :class:`botleague.rules.Harness`.

    Args:
        seats: the number of players.
        config: the variant's :class:`~botleague_openspiel.setup.Setup` as plain data.
    """

    def __init__(self, seats: int, config: Mapping[str, object]) -> None:
        setup = read_config(Setup, config)
        self._is_hidden = "h" in entry(parse(setup.game)[0]).traits
        self._act: Any = None
        self._game: Game = load(setup.game, seats)
        self._position: Position | None = None
        self._applied: list[int] = []

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        """Return the part of the library that bots may use."""
        return {"pyspiel": {**{name: getattr(pyspiel, name) for name in _OFFERED}, "load_game": _load_game}}

    def loaded(self, bot: LoadedBot) -> object:
        """Find the bot's function.

        Raises:
            NoActError: the bot has no function ``act``.
        """
        self._act = getattr(bot.module, "act", None)
        if not callable(self._act):
            raise NoActError("the bot defines no function act(state)")
        return None

    def briefed(self, brief: object, turn: TurnClock) -> None:
        """Seed the bot's random numbers."""
        content: Any = brief
        random.seed(content["seed"])

    def answer(self, observation: object, turn: TurnClock) -> object:
        """Ask the bot, and return its action as a number, or as a text that is no legal one."""
        content: Any = observation
        if not self._is_hidden:
            self._follow(content["history"])
        state = State(self._game, content, self._position, turn)
        legal = list(state.legal_actions)
        return _plain(self._act(state), legal, state)

    def _follow(self, history: list[int]) -> None:
        """Bring the position to the end of a history."""
        if self._position is None or history[: len(self._applied)] != self._applied:
            self._position, self._applied = self._game.new_initial_state(), []
        advance_through(self._position, history[len(self._applied) :])
        self._applied = history


def _load_game(game: str) -> Game:
    """Load a game of the catalogue, for the least number of its players unless ``players`` is given."""
    return load(game, seats(game).least)


def _plain(answer: Any, legal: list[int], state: State) -> int | str:
    """Return an answer as an exact type: the action of a name, or what it is instead."""
    if isinstance(answer, str):
        text = str.__getitem__(answer, slice(_NAME_LENGTH))
        return next((action for action in legal if state.name(action) == text), text)
    if isinstance(answer, int) and not isinstance(answer, bool):
        number = int.__add__(answer, 0)
        return number if abs(number) <= _EXACT else "<a number beyond 2**53>"
    return f"<{type(answer).__name__}>"[:_NAME_LENGTH]
