"""A battle inside one process, for scripts that train or compare bots of their own.

The platform's matches do not come this way: there every bot has its own process (the rules module).

Source: rules/botroyale.md, section 13, ``botroyale.logic.battle``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from botleague_botroyale.battle.actions import Action
from botleague_botroyale.battle.maps import get_map_state
from botleague_botroyale.battle.state import State
from botleague_botroyale.legacy.bots import BaseBot, BotLike, BotSelection
from botleague_botroyale.legacy.logging import Logger
from botleague_botroyale.legacy.timing import pingpong


class TurnTimer:
    """Milliseconds that each unit used in each round, round 0 included."""

    def __init__(self, num_of_units: int) -> None:
        """Begin with round 0, in which nobody used any time."""
        self.num_of_units = num_of_units
        self.round_timers: NDArray[np.float64] = np.zeros((1, num_of_units))

    @property
    def all_times(self) -> NDArray[np.float64]:
        """The milliseconds by round and unit, not a copy."""
        return self.round_timers

    @property
    def round_count(self) -> int:
        """How many rounds there are in the table."""
        return len(self.round_timers)

    def add_round(self) -> None:
        """Begin the next round."""
        self.round_timers = np.vstack((self.round_timers, np.zeros(self.num_of_units)))

    def add_time(self, unit_id: int, time: float, round: int | None = None) -> None:
        """Add milliseconds to a unit's time, in the last round unless one is named."""
        self.round_timers[-1 if round is None else round, unit_id] += time

    def get_time(self, unit_id: int, round: int | None = None) -> float:
        """Return a unit's milliseconds, in the last round unless one is named."""
        return float(self.round_timers[-1 if round is None else round, unit_id])

    def rounds_played(self, unit_id: int) -> int:
        """Return in how many rounds a unit used any time."""
        return int(np.count_nonzero(self.round_timers[:, unit_id] > 0))

    def total(self, unit_id: int) -> float:
        """Return a unit's milliseconds in all rounds."""
        return float(self.round_timers[:, unit_id].sum())

    def mean(self, unit_id: int) -> float:
        """Return a unit's mean milliseconds in the rounds it played, 0 for none."""
        return self.total(unit_id) / max(1, self.rounds_played(unit_id))

    def max(self, unit_id: int) -> float:
        """Return the most milliseconds that a unit used in one round."""
        return float(self.round_timers[:, unit_id].max())


class Battle:
    """One battle.

    Args:
        initial_state: a state in round 0; None for the default map.
        bots: what chooses the bots; None for all that are registered.
        description: for logs.
        enable_logging: whether the battle logs.
        enable_bot_logging: whether bots log; None for as the battle does.
        only_bot_turn_states: change rounds within the transition that ended one (automatic mode), so that some unit is
            in turn in every state until the end.
        threshold_bot_block_seconds: log units that use more than this in one turn.
    """

    def __init__(
        self,
        initial_state: State | None = None,
        bots: BotSelection | None = None,
        description: str = "No description set",
        enable_logging: bool = True,
        enable_bot_logging: bool | None = None,
        only_bot_turn_states: bool = True,
        threshold_bot_block_seconds: float = 20.0,
    ) -> None:
        """Create the bots, let them set up and, in automatic mode, start the first round."""
        state = get_map_state() if initial_state is None else initial_state
        self.description = description
        self.enable_logging = enable_logging
        self.enable_bot_logging = enable_logging if enable_bot_logging is None else enable_bot_logging
        self.history: list[State] = [state]
        self.bot_timer = TurnTimer(state.num_of_units)
        self._automatic = only_bot_turn_states
        self._threshold_ms = 1000 * threshold_bot_block_seconds
        classes: Sequence[BotLike] = (bots or BotSelection()).get_bots(state.num_of_units)
        self.bots: tuple[BaseBot, ...] = tuple([bot_class(uid) for uid, bot_class in enumerate(classes)])
        with Logger.set_logging_temp(self.enable_bot_logging):
            for bot in self.bots:
                bot.setup(state.copy())
        if self._automatic and not state.game_over:
            self._advance(state.increment_round())

    @property
    def state(self) -> State:
        """The present state."""
        return self.history[-1]

    @property
    def previous_state(self) -> State | None:
        """The state before the present one, None before the first transition."""
        return self.history[-2] if len(self.history) > 1 else None

    @property
    def history_size(self) -> int:
        """How many states there have been."""
        return len(self.history)

    @property
    def winner(self) -> int | None:
        """The unit that won, None as long as nobody did."""
        return self.state.winner

    @property
    def losers(self) -> list[int] | None:
        """All units but the winner, None until the end."""
        if not self.state.game_over:
            return None
        return [uid for uid in range(self.state.num_of_units) if uid != self.winner]

    def play_state(self) -> None:
        """Play one transition.

        Raises:
            OrderError: the game is over.
        """
        state = self.state
        unit = state.current_unit
        if unit is None:
            self._advance(state.increment_round())
            return
        action = self._polled(unit, state)
        if action is None:
            after = state.apply_kill_unit() if self._automatic else state.apply_kill_unit_manual()
        else:
            after = state.apply_action(action) if self._automatic else state.apply_action_manual(action)
        self._advance(after)

    def play_states(self, count: int) -> None:
        """Play so many transitions, fewer if the game ends."""
        while count > 0 and not self.state.game_over:
            self.play_state()
            count -= 1

    def play_all(self, disable_logging: bool = False, print_progress: bool = False) -> None:
        """Play to the end.

        Args:
            disable_logging: keep everybody silent meanwhile.
            print_progress: print a line for each round.
        """
        with Logger.set_logging_temp(Logger.enable_logging and not disable_logging):
            while not self.state.game_over:
                before = self.state.round_count
                self.play_state()
                if print_progress and self.state.round_count != before:
                    print(f"{self.description}: round {self.state.round_count}, step {self.history_size}")

    def get_unit_str(self, unit_id: int) -> str:
        """Return number and name of a unit's bot."""
        return self.bots[unit_id].gui_label

    def get_state_str(self, state: State) -> str:
        """Return a few words that say whose turn it is in ``state``."""
        unit = state.current_unit
        return "end of round" if unit is None else f"{self.get_unit_str(unit)}'s turn"

    def logger(self, text: object) -> None:
        """Log ``text`` if this battle logs."""
        if self.enable_logging:
            Logger.log(text)

    def _advance(self, state: State) -> None:
        for _ in range(state.round_count - self.state.round_count):
            self.bot_timer.add_round()
        self.history.append(state)
        self.logger(self.get_state_str(state))

    def _polled(self, unit: int, state: State) -> Action | None:
        bot = self.bots[unit]
        action: object = None

        def clocked(milliseconds: float) -> None:
            self.bot_timer.add_time(unit, milliseconds)

        with Logger.set_logging_temp(self.enable_bot_logging), pingpong(return_elapsed=clocked):
            try:
                action = bot.poll_action(state.copy())
            except Exception as error:  # a bot's failure is its unit's death
                failure = f"{bot.gui_label} failed: {type(error).__name__}: {error}"
            else:
                failure = ""
        if failure:
            self.logger(failure)
        if self.bot_timer.get_time(unit) > self._threshold_ms:
            self.logger(f"{bot.gui_label} has used more than {self._threshold_ms / 1000:g} s in this turn")
        try:
            legal_kind = isinstance(action, Action) and state.check_legal_action(action) in (True, False)
        except TypeError:  # an action that no unit can do
            legal_kind = False
        return action if legal_kind and isinstance(action, Action) else None
