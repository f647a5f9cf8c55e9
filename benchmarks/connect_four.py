"""Connect Four as a one-file plugin: a game that other platforms have too, for comparing with them."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from botleague.rules import Move, Outcome, Reply, Rules, Scene, Seats, Text, TurnClock, Variant, hookimpl

ROWS, COLS = 6, 7
CELLS = ROWS * COLS
LINES = tuple(
    tuple((row + step * down) * COLS + col + step * right for step in range(4))
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    for row in range(ROWS)
    for col in range(COLS)
    if row + 3 * down < ROWS and 0 <= col + 3 * right < COLS
)

State = tuple[int | None, ...]
"""Who has each cell, row by row from the top, and last of all who has forfeited."""


class ConnectFour(Rules[State]):
    """Seats drop discs in turn; whoever does not name a column with room has lost."""

    def start(self, declarations: object, rng: Random) -> State:
        return (None,) * (CELLS + 1)

    def acting(self, state: State) -> tuple[int, ...]:
        dropped = sum(cell is not None for cell in state[:CELLS])
        is_over = dropped == CELLS or state[CELLS] is not None or winner(state) is not None
        return () if is_over else (dropped % 2,)

    def observe(self, state: State, seat: int) -> object:
        return list(state[:CELLS])

    def illegal(self, state: State, seat: int, value: Any) -> str | None:
        return None if 0 <= value < COLS and state[value] is None else f"{value} is no column with room"

    def sample(self, state: State, seat: int, rng: Random) -> int:
        return rng.choice([col for col in range(COLS) if state[col] is None])

    def apply(self, state: State, replies: Mapping[int, Reply], rng: Random) -> State:
        ((seat, reply),) = replies.items()
        if not isinstance(reply, Move):
            return (*state[:CELLS], seat)
        assert isinstance(reply.value, int)
        at = max(cell for cell in range(reply.value, CELLS, COLS) if state[cell] is None)
        return (*state[:at], seat, *state[at + 1 :])

    def outcome(self, state: State) -> Outcome | None:
        loser = state[CELLS]
        won = winner(state) if loser is None else 1 - loser
        if won is None:
            return Outcome((1, 1), (0.5, 0.5), "nobody has a line") if None not in state[:CELLS] else None
        places = (1, 2) if won == 0 else (2, 1)
        return Outcome(places, (float(won == 0), float(won == 1)), f"{{seat {won}}} wins")

    def scene(self, state: State) -> Scene:
        marks = {0: "X", 1: "O"}
        return Scene(
            COLS,
            ROWS,
            tuple(
                Text(at % COLS + 0.5, at // COLS + 0.5, marks[cell])
                for at, cell in enumerate(state[:CELLS])
                if cell is not None
            ),
        )


def winner(state: State) -> int | None:
    """Return who has a line."""
    return next(
        (
            state[a]
            for a, b, c, d in LINES
            if state[a] is not None and state[a] == state[b] == state[c] == state[d]
        ),
        None,
    )


class Harness:
    """Calls the bot's ``move(cells)``."""

    def __init__(self, seat: int, config: Mapping[str, object]) -> None:
        self._move: Any = None

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        return {}

    def loaded(self, bot: Any) -> None:
        self._move = bot.module.move

    def briefed(self, brief: object, turn: TurnClock) -> None:
        pass

    def answer(self, observation: object, turn: TurnClock) -> object:
        return self._move(observation)


@hookimpl
def botleague_variants() -> list[Variant]:
    """Return the game."""
    return [
        Variant(
            name="four-in-a-row",
            game="four-in-a-row",
            summary="four in a row",
            rules=ConnectFour(),
            harness="connect_four:Harness",
            move_type=int,
            seats=Seats(2),
        )
    ]
