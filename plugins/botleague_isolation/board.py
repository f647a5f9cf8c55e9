"""The shape of one game of Isolation: board, steps and options, as a checked value.

Cells are numbered from the lower right corner. A row has ``pitch`` bits: ``width`` cells and a gap that is never
open, so that a step past the edge lands on a closed bit instead of reappearing on the other side. Everything
else (what a position is, what a step does) is in :mod:`~botleague_isolation.engine`.

Source: rules/isolation.md, sections 1, 3 and 10.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from botleague.rules import Configuration

_MAX_CELLS = 1024

_Extent: TypeAlias = Annotated[int, Meta(ge=1, le=_MAX_CELLS)]
_Delta: TypeAlias = Annotated[int, Meta(ge=-99, le=99)]

Step: TypeAlias = tuple[_Delta, _Delta]
Moves: TypeAlias = Literal["knight", "king", "queen"] | Annotated[tuple[Step, ...], Meta(min_length=1)]
TurnMemory = Literal["context", "persistent"]

KNIGHT_STEPS: dict[str, Step] = {
    "NNE": (-1, 2),
    "ENE": (-2, 1),
    "ESE": (-2, -1),
    "SSE": (-1, -2),
    "SSW": (1, -2),
    "WSW": (2, -1),
    "WNW": (2, 1),
    "NNW": (1, 2),
}
"""Name -> (columns to the west, rows to the north), in the order in which a position lists its actions."""

KING_STEPS: dict[str, Step] = {
    "NW": (1, 1),
    "N": (0, 1),
    "NE": (-1, 1),
    "W": (1, 0),
    "E": (-1, 0),
    "SW": (1, -1),
    "S": (0, -1),
    "SE": (-1, -1),
}
"""The same for kings; a queen slides in these eight directions."""

_NARROWEST_GAP = 2


class Setup(Configuration, frozen=True):
    """One configuration of the rules.

    Attributes:
        width, height: the board, in cells.
        moves: how a token moves: a leaper with the knight's or the king's steps or with a list of its own of
            (columns to the west, rows to the north), or a queen, which slides.
        terminal: the game ends when ``either`` player is stuck, or only when the player to move (``active``) is.
        cell0_counts: False repeats a slip of the original: a way out to cell 0 alone does not count as one when
            the end of the game is decided.
        blocked: cells that are closed from the start.
        start: cells on which the tokens of seats 0 and 1 stand at the start, None to place them by choice.
        remove: after a step the player also closes one open cell, and the cell that was left opens again
            (Isola); an action is then a pair of step and closed cell.
        fair_rematch: a match is two games: after the first, its first two actions are played again with the seats
            exchanged, so that each side also plays the other's opening.
        turn_memory: what a bot keeps from turn to turn: its ``context`` alone, or everything (``persistent``).
    """

    width: _Extent = 11
    height: _Extent = 9
    moves: Moves = "knight"
    terminal: Literal["either", "active"] = "either"
    cell0_counts: bool = True
    blocked: tuple[int, ...] = ()
    start: tuple[int, int] | None = None
    remove: bool = False
    fair_rematch: bool = False
    turn_memory: TurnMemory = "context"

    def __post_init__(self) -> None:
        if self.width * self.height > _MAX_CELLS:
            raise ValueError(
                f"width: a board of {self.width} x {self.height} has more than {_MAX_CELLS} cells"
            )
        if not isinstance(self.moves, str) and (0, 0) in self.moves:
            raise ValueError("moves: a step must not stay in place")
        cells = {cell for cell in range(self.size) if cell % self.pitch < self.width}
        if not cells.issuperset(self.blocked):
            raise ValueError(f"blocked: {sorted(set(self.blocked) - cells)} are not cells of this board")
        if self.start is not None and (
            len(set(self.start)) != 2 or not cells.difference(self.blocked).issuperset(self.start)
        ):
            raise ValueError(f"start: must be two different open cells of this board, not {self.start}")
        if self.remove and self.start is None:
            raise ValueError("remove: the tokens need fixed places, give start too")

    @property
    def pitch(self) -> int:
        """Index difference between a cell and the one north of it."""
        widest = 0 if isinstance(self.moves, str) else max(abs(dx) for dx, _ in self.moves)
        return self.width + max(_NARROWEST_GAP, widest)

    @property
    def size(self) -> int:
        """Number of bits from the lower right to the upper left cell, gaps included."""
        return self.pitch * self.height - (self.pitch - self.width)

    @property
    def blank(self) -> int:
        """The board before any token is placed: bit ``index`` is 1 when the cell is open."""
        board = sum((1 << self.width) - 1 << y * self.pitch for y in range(self.height))
        for cell in self.blocked:
            board &= ~(1 << cell)
        return board

    @property
    def named_steps(self) -> dict[str, int]:
        """Name -> index difference of each step (of each direction for a queen), in the order of the actions."""
        if self.moves == "knight":
            steps = KNIGHT_STEPS
        elif isinstance(self.moves, str):
            steps = KING_STEPS
        else:
            steps = {f"STEP{number}": step for number, step in enumerate(self.moves)}
        return {name: dy * self.pitch + dx for name, (dx, dy) in steps.items()}
