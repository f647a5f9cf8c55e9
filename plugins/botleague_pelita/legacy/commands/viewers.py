"""Who looks on while a game is played: nobody, text boards, or a line of progress; and where the game is stopped."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from botleague_pelita.legacy.textview import board_text, progress_line
from botleague_pelita.play.state import State

ViewerName: TypeAlias = Literal["null", "ascii", "progress"]
VIEWERS: tuple[ViewerName, ...] = ("null", "ascii", "progress")


@dataclass(slots=True)
class Spectator:
    """Sees every state of a game, shows it, and says where the game is to stop.

    Boards go to standard output, progress goes to standard error: redrawn in place on a terminal, elsewhere a
    line whenever the bar grows.

    Attributes:
        viewer: how states are shown.
        max_rounds: of the game, for the bar.
        stop_at: the round before which the game stops.
        after_kill: the game stops when a bot was killed.
    """

    viewer: ViewerName
    max_rounds: int
    stop_at: int | None = None
    after_kill: bool = False
    _round: int = field(default=-1, init=False)
    _deaths: int = field(default=0, init=False)
    _bar: str = field(default="", init=False)

    def __call__(self, state: State) -> bool:
        """Show ``state``; return whether the game is to stop there, its board shown in any case."""
        stops = self._stops(state)
        self._round, self._deaths = state.round, sum(state.tally.deaths)
        if stops or self.viewer == "ascii":
            sys.stdout.write(board_text(state) + "\n")
        elif self.viewer == "progress":
            self._show_progress(state)
        return stops

    def _stops(self, state: State) -> bool:
        if state.verdict is not None:
            return False
        arrived = self.stop_at is not None and self._round < self.stop_at <= state.round
        return arrived or (self.after_kill and sum(state.tally.deaths) > self._deaths)

    def _show_progress(self, state: State) -> None:
        line = progress_line(state, self.max_rounds)
        is_last = state.verdict is not None
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{line}" + "\n" * is_last)
        elif is_last or line.partition("]")[0] != self._bar:
            sys.stderr.write(line + "\n")
        self._bar = line.partition("]")[0]
        sys.stderr.flush()
