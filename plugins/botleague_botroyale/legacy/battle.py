"""A battle inside one process, for scripts that train or compare bots of their own.

The platform's matches do not come this way: there every bot has its own process (the rules module).

Source: rules/botroyale.md, section 13, ``botroyale.logic.battle``.
"""

from __future__ import annotations

from collections.abc import Sequence

from botleague_botroyale.battle.actions import Action
from botleague_botroyale.battle.maps import get_map_state
from botleague_botroyale.battle.state import State
from botleague_botroyale.legacy.bots import BaseBot, BotLike, BotSelection
from botleague_botroyale.legacy.logging import Logger
from botleague_botroyale.legacy.timing import pingpong

__all__ = ["Battle", "TurnTimer"]


class TurnTimer:
    """Milliseconds that each unit used in each round."""

    def __init__(self, num_of_units: int) -> None:
        """Begin with round 0, in which nobody used any time."""
        self._rounds: list[list[float]] = [[0.0] * num_of_units]

    @property
    def all_times(self) -> list[list[float]]:
        """The milliseconds by round and unit, a copy."""
        return [list(times) for times in self._rounds]

    @property
    def round_count(self) -> int:
        """Number of the present round."""
        return len(self._rounds) - 1

    def add_round(self) -> None:
        """Begin the next round."""
        self._rounds.append([0.0] * len(self._rounds[0]))

    def add_time(self, unit_id: int, time: float, round: int | None = None) -> None:
        """Add milliseconds to a unit's time, in the present round unless one is named."""
        self._rounds[self.round_count if round is None else round][unit_id] += time

    def get_time(self, unit_id: int, round: int | None = None) -> float:
        """Return a unit's milliseconds, in the present round unless one is named."""
        return self._rounds[self.round_count if round is None else round][unit_id]

    def rounds_played(self, unit_id: int) -> int:
        """Return in how many rounds a unit used any time."""
        return len(self._used(unit_id))

    def total(self, unit_id: int) -> float:
        """Return a unit's milliseconds in all rounds."""
        return sum(self._used(unit_id))

    def mean(self, unit_id: int) -> float:
        """Return a unit's mean milliseconds in the rounds it played, 0 for none."""
        used = self._used(unit_id)
        return sum(used) / len(used) if used else 0.0

    def max(self, unit_id: int) -> float:
        """Return the most milliseconds that a unit used in one round."""
        return max(self._used(unit_id), default=0.0)

    def _used(self, unit_id: int) -> list[float]:
        return [times[unit_id] for times in self._rounds if times[unit_id]]


class Battle:
    """One battle.

    Args:
        initial_state: a state in round 0; None for the default map.
        bots: what chooses the bots; None for all that are registered.
        description: for logs.
        enable_logging: whether the battle logs.
        enable_bot_logging: whether bots log; None for as they like.
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
        self.history: list[State] = [state]
        self.bot_timer = TurnTimer(state.num_of_units)
        self._automatic = only_bot_turn_states
        self._threshold_ms = 1000 * threshold_bot_block_seconds
        classes: Sequence[BotLike] = (bots or BotSelection()).get_bots(state.num_of_units)
        self.bots: list[BaseBot] = [bot_class(uid) for uid, bot_class in enumerate(classes)]
        for bot in self.bots:
            if enable_bot_logging is not None:
                bot.logging_enabled = enable_bot_logging
            bot.setup(state.copy())
        if self._automatic and not state.game_over:
            self._advance(state.increment_round())

    @property
    def state(self) -> State:
        """The present state."""
        return self.history[-1]

    @property
    def previous_state(self) -> State:
        """The state before the present one, or the first one."""
        return self.history[max(0, len(self.history) - 2)]

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
        """Play one transition; nothing when the game is over."""
        state = self.state
        if state.game_over:
            return
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
        for _ in range(count):
            self.play_state()

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
        """Return one line that says whose turn it is in ``state``."""
        if state.game_over:
            return "Draw" if state.winner is None else f"{self.get_unit_str(state.winner)} won"
        unit = state.current_unit
        return f"Round {state.round_count} is over" if unit is None else f"{self.get_unit_str(unit)}'s turn"

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
        elapsed: list[float] = []
        try:
            with pingpong(return_elapsed=elapsed.append):
                action = bot.poll_action(state.copy())
        except Exception as error:  # a bot's failure is its unit's death
            self.logger(f"{bot.gui_label} failed: {type(error).__name__}: {error}")
        for milliseconds in elapsed:
            self.bot_timer.add_time(unit, milliseconds)
        if self.bot_timer.get_time(unit) > self._threshold_ms:
            self.logger(f"{bot.gui_label} has used more than {self._threshold_ms / 1000:g} s in this turn")
        try:
            legal_kind = isinstance(action, Action) and state.check_legal_action(action) in (True, False)
        except TypeError:  # an action that no unit can do
            legal_kind = False
        return action if legal_kind and isinstance(action, Action) else None
