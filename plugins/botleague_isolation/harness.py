"""Sandboxed side of Isolation: calls a bot as the original system did, so that it plays unmodified.

A turn of the original forks the player's process, so only ``context`` survives it; here
:class:`~botleague_isolation.memory.Memory` puts everything back before each turn instead. Every action that a bot
puts is sent on at once as a provisional move, so it counts whatever the bot does afterwards.

Source: rules/isolation.md, sections 7 and 8.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any

from botleague.rules import LoadedBot, TurnClock, read_config
from botleague_isolation.board import Setup
from botleague_isolation.engine import engine
from botleague_isolation.legacy.pickles import Pickles
from botleague_isolation.legacy.players import StopSearch, TimedQueue, game_modules, player_classes
from botleague_isolation.legacy.stdlib import stand_ins
from botleague_isolation.memory import Memory
from botleague_isolation.wire import MATCH_CONTEXT_BYTES, plain_action

_DATA_FILE = "data.pickle"


class NoPlayerError(Exception):
    """The submission has no class that could play."""


class IsolationHarness:
    """One bot in one match; implements :class:`botleague.rules.Harness`.

    Args:
        seat: the player number that the bot has in the first game, and mostly the only one.
        config: the variant's setup as plain data.
    """

    def __init__(self, seat: int, config: Mapping[str, object]) -> None:
        self._seat = seat
        self._engine = engine(read_config(Setup, config))
        self._modules: Mapping[str, ModuleType] = {}
        self._files: Mapping[str, bytes] = {}
        self._pickles = Pickles(self._engine, lambda: self._modules)
        self._samples = player_classes(self._load_data)
        self._player_class: Any = None
        self._players: dict[int, Any] = {}  # by player number, as their queues
        self._queues: dict[int, TimedQueue] = {}
        self._memory: Memory | None = None
        self._seed = 0
        self._context_room = MATCH_CONTEXT_BYTES
        self._move: dict[str, object] = {}  # of the present turn, so far

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        """Return the original's modules and the stand-ins for parts of the standard library."""
        engine = self._engine
        return {**game_modules(engine), "sample_players": self._samples, **stand_ins(self._pickles)}

    def loaded(self, bot: LoadedBot) -> object:
        """Find the player's class: ``CustomPlayer``, or else the only kind of ``BasePlayer``.

        Raises:
            NoPlayerError: the module has no player.
            LookupError: there is more than one, or not the one that was asked for.
        """
        self._modules, self._files = bot.modules, bot.files
        self._player_class = bot.choose(self._players_in(bot.module), "CustomPlayer")
        return None

    def briefed(self, brief: object, turn: TurnClock) -> None:
        """Build a player for each game and note what all hold: what each turn starts from."""
        self._seed = brief["seed"] if isinstance(brief, dict) else 0
        random.seed(self._seed)
        numbers = [self._seat, 1 - self._seat] if self._engine.setup.fair_rematch else [self._seat]
        self._players = {number: self._player_class(player_id=number) for number in numbers}
        # One for all turns of a player: then a turn leaves nothing behind that has to be put back.
        self._queues = {number: TimedQueue(player, turn) for number, player in self._players.items()}
        for number, queue in self._queues.items():
            self._players[number].queue = queue
        if self._engine.setup.turn_memory == "context":
            unchanging = (self._engine.Isolation, self._engine.DebugState, self._engine.Action, TimedQueue)
            self._memory = Memory(
                self._modules.values(), [self._player_class, *self._players.values()], unchanging
            )

    def answer(self, observation: object, turn: TurnClock) -> object:
        """Give the bot its turn and return what it put, as :class:`~botleague_isolation.wire.Put`."""
        content: Any = observation
        player = self._players[content["player"]]
        if self._memory is not None:
            self._memory.restore()
            context, self._context_room = content["context"], content["context_room"]
            player.context = None if context is None else self._pickles.load_context(context)
        random.seed(self._seed + 1 + content["ply"])  # the original's children are seeded afresh, too
        self._move = {}
        player.queue = queue = self._queues[content["player"]]
        vars(queue).clear()
        TimedQueue.__init__(queue, player, turn, lambda pair: self._propose(pair, turn))
        state = self._engine.Isolation(int(content["board"]), content["ply"], tuple(content["locs"]))
        with contextlib.suppress(StopSearch):  # the usual way out of a search
            player.get_action(state)
        if not self._move and TimedQueue.was_late(queue):
            return {"late": True}
        return self._move

    def _propose(self, pair: tuple[Any, Any] | None, turn: TurnClock) -> None:
        """Make (context, action) the move as they are now; nothing at all says that there is no action."""
        move: dict[str, object] = {}
        if pair is not None:
            context, action = pair
            move.update(plain_action(action))
            if self._memory is not None and context is not None:
                move["context"] = self._pickles.dump_context(context, self._context_room)
        self._move = move
        turn.propose(move)

    def _players_in(self, module: ModuleType) -> dict[str, Any]:
        base = self._samples["BasePlayer"]
        # Only classes: stand-ins of lenient imports raise whenever an attribute is read.
        classes = {name: value for name, value in vars(module).items() if isinstance(value, type)}
        players = {
            name: value
            for name, value in classes.items()
            if name == "CustomPlayer" or (issubclass(value, base) and value.__module__ == module.__name__)
        }
        former = [name for name, value in classes.items() if hasattr(value, "get_move")]
        if former and not any(hasattr(player, "get_action") for player in players.values()):
            raise NoPlayerError(
                f"{former[0]} has the method get_move of the course's first project (2017), whose bots cannot play; "
                "write get_action(self, state)"
            )
        if not players:
            raise NoPlayerError(
                f"{module.__name__} defines no class CustomPlayer, and no other class derived from BasePlayer"
            )
        return players

    def _load_data(self) -> Any:
        """Return what the submission's data file holds, None without one (or when it makes no sense)."""
        paths = sorted(
            (path for path in self._files if PurePosixPath(path).name == _DATA_FILE),
            key=lambda path: (path.count("/"), path),
        )
        if not paths:
            return None
        try:
            return self._pickles.load_data(self._files[paths[0]])
        except TypeError:
            return None
