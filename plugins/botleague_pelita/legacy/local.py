"""A game in this process: two move functions, no sandbox, no clocks.

For bots' own tests (``run_background_game``) and for trying things out; a match between strangers is the
referee's.

Source: rules/pelita.md, section 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from botleague_pelita.config import Config
from botleague_pelita.mazes.layout import Layout
from botleague_pelita.play.engine import play, prepare, set_up
from botleague_pelita.play.state import Action, State
from botleague_pelita.rules import observation_of
from botleague_pelita.teams.graph_arena import GraphArena
from botleague_pelita.teams.team import MoveFunction, Team, checked_target, painted, read_view, said


class LocalGame:
    """Two teams and the state of their game; :meth:`step` plays one turn.

    Attributes:
        state: as the last turn left it.
    """

    def __init__(
        self,
        config: Config,
        layout: Layout,
        moves: Sequence[MoveFunction],
        rng: Random,
        *,
        names: tuple[str, str] = ("blue", "red"),
        raise_errors: bool = True,
    ) -> None:
        self.config = config
        self.rng = rng
        self.raise_errors = raise_errors
        self.state: State = set_up(config, layout, rng, names)
        self.teams = [
            Team(GraphArena(config, layout.shape, layout.walls), team, self.state.team_seeds[team], move)
            for team, move in enumerate(moves)
        ]

    @property
    def is_over(self) -> bool:
        return self.state.verdict is not None

    def step(self) -> State:
        """Play one turn and return the new state.

        Raises:
            Exception: what the bot raised, with ``raise_errors``; else it loses the game.
        """
        state = prepare(self.config, self.state, self.rng)
        board = state.board
        team = self.teams[state.team]
        view = read_view(observation_of(state, state.team), board.squares, state.names)
        action: Action
        say = ""
        tints: tuple[tuple[int, str], ...] = ()
        try:
            answer, bot = team.ask(view)
            target = checked_target(answer, team.arena.legal[view.positions[view.turn]])
            action = -1 if target is None else board.number(target)
            say = said(bot)
            tints = tuple((board.number(square), color) for square, color in painted(bot))
        except (Exception, SystemExit):
            if self.raise_errors:
                raise
            action = "exception"
        self.state = play(self.config, state, action, self.rng, say, tints)
        return self.state

    def run(self) -> State:
        """Play until the end and return the last state."""
        while not self.is_over:
            self.step()
        return self.state
