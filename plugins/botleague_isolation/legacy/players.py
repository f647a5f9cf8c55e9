"""The modules ``isolation`` and ``sample_players`` as the original's bots know them, minus processes and pipes.

A player gets a queue before each turn and answers by ``self.queue.put(action)``, as often as it likes: the last
action put within the time limit counts, together with the value that ``self.context`` had then.

Source: rules/isolation.md, sections 7 to 9.
"""

from __future__ import annotations

import contextlib
import random
from collections import namedtuple
from collections.abc import Callable, Mapping
from enum import Enum
from queue import Empty
from time import monotonic
from typing import Any, Protocol, TypeAlias

from botleague_isolation.board import Setup
from botleague_isolation.engine import MODULE, Engine, Position


class StopSearch(Exception):
    """The time limit has passed: nothing that is put from now on counts."""


StopSearch.__module__ = "isolation"

Agent = namedtuple("Agent", ("agent_class", "name"))  # the original's form
Agent.__module__ = "isolation"


class Status(Enum):
    """How a match of the original ends."""

    NORMAL = 0
    EXCEPTION = 1
    TIMEOUT = 2
    INVALID_MOVE = 3
    GAME_OVER = 4


Status.__module__ = "isolation"


_Send: TypeAlias = Callable[[tuple[Any, Any] | None], None]


class Clock(Protocol):
    """The part of a turn's clock that a queue needs."""

    @property
    def limit_ms(self) -> float: ...

    def elapsed_ms(self) -> float: ...


class StopWatch:
    """A clock that starts when it is made; for matches that a bot plays inside itself."""

    def __init__(self, limit_ms: float) -> None:
        self.limit_ms = limit_ms
        self._started = monotonic()

    def elapsed_ms(self) -> float:
        """Return the wall milliseconds since the start."""
        return (monotonic() - self._started) * 1000


class TimedQueue:
    """Holds the one action that counts if the turn ends now.

    Args:
        player: whose ``context`` goes with each action.
        clock: of this turn.
        send: called with (context, action) at each put, and with None when ``get`` takes the pair back; what
            it raises goes to the bot, and the pair from before is gone, which the original takes out first.
    """

    def __init__(self, player: Any, clock: Clock, send: _Send = lambda pair: None) -> None:
        self._player = player
        self._clock = clock
        self._send = send
        self._pair: tuple[Any, Any] | None = None
        self._late = False

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Make ``item`` the action of this turn.

        Raises:
            StopSearch: the time limit has passed.
        """
        if self._clock.elapsed_ms() >= self._clock.limit_ms:
            self._late = True
            raise StopSearch("the time limit has passed")
        pair = getattr(self._player, "context", None), item
        try:
            self._send(pair)
        except Exception:
            if self._pair is not None:
                self.get()
            raise
        self._pair = pair

    def put_nowait(self, item: Any) -> None:
        """The same as :meth:`put`."""
        self.put(item, block=False)

    def get(self, block: bool = True, timeout: float | None = None) -> tuple[Any, Any]:
        """Remove and return (context, action); then the turn has no action until the next put.

        Raises:
            queue.Empty: there is none.
        """
        if self._pair is None:
            raise Empty
        pair, self._pair = self._pair, None
        self._send(None)
        return pair

    def get_nowait(self) -> tuple[Any, Any]:
        """The same as :meth:`get`."""
        return self.get(block=False)

    def qsize(self) -> int:
        """Return how many actions are held: 0 or 1."""
        return int(self._pair is not None)

    def empty(self) -> int:
        """Return a number that is true, as the original does: -1 when empty, -2 when not."""
        return -1 if self._pair is None else -2

    def full(self) -> bool:
        """Return whether an action is held."""
        return self._pair is not None

    @staticmethod
    def pair(queue: TimedQueue) -> tuple[Any, Any] | None:
        """Return the (context, action) that counts, None for nothing."""
        return queue._pair

    @staticmethod
    def was_late(queue: TimedQueue) -> bool:
        """Return whether something was put after the limit."""
        return queue._late


def player_classes(load_data: Callable[[], Any]) -> dict[str, Any]:
    """Return the content of ``sample_players``.

    Args:
        load_data: returns the content of the submission's data file, None without one.
    """

    class BasePlayer:
        """What every player has: who it is, and where it puts its action."""

        def __init__(self, player_id: int) -> None:
            self.player_id = player_id
            self.timer = None
            self.queue: Any = None
            self.context: Any = None
            self.data: Any = None

        def get_action(self, state: Position) -> None:
            """Put an action for ``state`` into ``self.queue``."""
            raise NotImplementedError

    class DataPlayer(BasePlayer):
        """A player with the content of the submission's ``data.pickle`` in ``self.data``."""

        def __init__(self, player_id: int) -> None:
            super().__init__(player_id)
            self.data = load_data()

    class RandomPlayer(BasePlayer):
        """Moves at random."""

        def get_action(self, state: Position) -> None:
            self.queue.put(random.choice(state.actions()))

    class GreedyPlayer(BasePlayer):
        """Keeps the most ways out for itself after its move; the first such action."""

        def score(self, state: Position) -> int:
            """Return the number of own liberties."""
            return len(state.liberties(state.locs[self.player_id]))

        def get_action(self, state: Position) -> None:
            self.queue.put(max(state.actions(), key=lambda action: self.score(state.result(action))))

    class MinimaxPlayer(BasePlayer):
        """Opens at random, then searches three plies."""

        def get_action(self, state: Position) -> None:
            if state.ply_count < 2:
                self.queue.put(random.choice(state.actions()))
            else:
                self.queue.put(self.minimax(state, depth=3))

        def minimax(self, state: Position, depth: int) -> Any:
            """Return the action with the best value after ``depth`` plies, the first of equal ones."""

            def value(position: Any, plies: int) -> float:
                if position.terminal_test():
                    utility: float = position.utility(self.player_id)
                    return utility
                if plies <= 0:
                    return self.score(position)
                best = max if position.player() == self.player_id else min
                return best(value(position.result(action), plies - 1) for action in position.actions())

            return max(state.actions(), key=lambda action: value(state.result(action), depth - 1))

        def score(self, state: Position) -> float:
            """Return own minus the opponent's liberties."""
            own, other = state.locs[self.player_id], state.locs[1 - self.player_id]
            return len(state.liberties(own)) - len(state.liberties(other))

    classes = (BasePlayer, DataPlayer, RandomPlayer, GreedyPlayer, MinimaxPlayer)
    for cls in classes:
        cls.__module__ = "sample_players"
        cls.__qualname__ = cls.__name__
    return {cls.__name__: cls for cls in classes}


def fork_get_action(game_state: Position, active_player: Any, time_limit: float, debug: bool = False) -> Any:
    """Return the action that ``active_player`` puts within ``time_limit`` ms, None for none; does not fork."""
    queue = TimedQueue(active_player, StopWatch(time_limit))
    active_player.queue = queue
    with contextlib.suppress(StopSearch):
        active_player.get_action(game_state)
    pair = TimedQueue.pair(queue)
    if pair is None:
        return None
    active_player.context = pair[0]
    return pair[1]


def play(match: tuple[Any, ...]) -> tuple[Any, list[Any], int]:
    """Play one match inside this process: (agents, start state, time limit in ms, id[, debug]).

    Returns:
        The winning agent, the actions played, and the id. Whoever puts no legal action loses.
    """
    agents, state, time_limit, match_id, *_ = match
    players = [agent.agent_class(player_id=number) for number, agent in enumerate(agents)]
    history: list[Any] = []
    while not state.terminal_test():
        active = state.player()
        action = fork_get_action(state, players[active], time_limit)
        if action not in state.actions():
            return agents[1 - active], history, match_id
        history.append(action)
        state = state.result(action)
    return agents[0 if state.utility(0) > 0 else 1], history, match_id


def game_modules(engine: Engine) -> dict[str, Mapping[str, object]]:
    """Return the modules ``isolation`` and ``isolation.isolation`` for ``engine``."""
    setup: Setup = engine.setup
    states = {"Isolation": engine.Isolation, "DebugState": engine.DebugState}
    package = {
        "Agent": Agent,
        "Status": Status,
        "StopSearch": StopSearch,
        "TimedQueue": TimedQueue,
        "fork_get_action": fork_get_action,
        "play": play,
        **states,
    }
    module = {
        "Action": engine.Action,
        "E": -1,
        "N": setup.pitch,
        "S": -setup.pitch,
        "W": 1,
        "_ACTIONSET": frozenset(engine.Action),
        "_BLANK_BOARD": setup.blank,
        "_HEIGHT": setup.height,
        "_SIZE": setup.size,
        "_WIDTH": setup.width,
        **states,
    }
    return {"isolation": package, MODULE: module}
