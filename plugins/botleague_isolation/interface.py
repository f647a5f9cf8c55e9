"""Interface of Isolation for authors of bots. Source: rules/isolation.md, sections 1 to 8."""

from __future__ import annotations

from typing import Annotated, TypedDict

from msgspec import Meta

from botleague.rules import Interface, Item
from botleague_isolation.board import Setup
from botleague_isolation.scene import cell_name


class Briefing(TypedDict):
    """Briefing of a seat before its first turn."""

    seed: Annotated[int, Meta(ge=0, description="what the bot's random numbers start from")]


class Observation(TypedDict):
    """Observation of a seat in its turn."""

    player: Annotated[int, Meta(ge=0, le=1, description="the seat's number in this game")]
    board: Annotated[str, Meta(pattern="^[0-9]+$", description="open cells as bits of a decimal number")]
    ply: Annotated[int, Meta(ge=0, description="actions so far")]
    locs: Annotated[
        list[int | None], Meta(min_length=2, max_length=2, description="cells of both tokens, null before")
    ]
    context: Annotated[bytes | None, Meta(description="what the bot kept in its last turn")]
    context_room: Annotated[int, Meta(ge=0, description="bytes of contexts left in this match")]


_EXAMPLE = """\
from sample_players import DataPlayer


class CustomPlayer(DataPlayer):
    def get_action(self, state):
        best = float("-inf")
        for action in state.actions():
            worth = self.worth(state.result(action))
            if worth > best:
                best = worth
                self.queue.put(action)

    def worth(self, state):
        mine, other = state.locs[self.player_id], state.locs[1 - self.player_id]
        return len(state.liberties(mine)) - len(state.liberties(other))
"""

_TOLD = (
    Item("self.player_id", "int", "0 for the player who moves first, else 1"),
    Item("self.context", "object", "its value when your last counting action was put; None at first"),
    Item("self.data", "object", "content of the submission's data.pickle, else None"),
    Item("state.board", "int", "bit i is 1 while cell i is open; cell 0 is at the bottom right"),
    Item("state.ply_count", "int", "actions so far; player ply_count % 2 moves"),
    Item("state.locs", "tuple[int | None, int | None]", "cells of both tokens, None before they are placed"),
    Item("state.actions()", "list", "the legal actions of the player to move, in a fixed order"),
    Item("state.result(action)", "Isolation", "the state after an action; the old one does not change"),
    Item("state.liberties(cell)", "list[int]", "open cells in reach from there; None: all open cells"),
    Item("state.terminal_test()", "bool", "whether the game is over"),
    Item("state.utility(player_id)", "float", "inf if won by that player, -inf if lost, else 0"),
)

_CALLS = (
    Item("self.queue.put(action)", "None", "make this your action; the last one in time counts"),
    Item("isolation.DebugState.from_state(state)", "DebugState", "print it to see the board"),
    Item("isolation.isolation", "module", "Action, _WIDTH, _HEIGHT and other constants"),
)

_HINTS = (
    "Put a first action at once, then search deeper and put better ones.",
    "Your own liberties minus those of the opponent are a strong first score.",
    "Alpha-beta with iterative deepening; order actions so that good ones come first.",
)


def _numbers(setup: Setup) -> Item:
    """Return how the number of a cell and its name in replays translate, with a cell near the middle as example."""
    row, column = (setup.height + 1) // 2, (setup.width + 1) // 2
    cell = setup.pitch * (row - 1) + setup.width - column
    return Item(
        "cell",
        "int",
        f"{setup.pitch} * (row - 1) + {setup.width} - column: replays call cell {cell} {cell_name(setup, cell)}, in "
        f"column {column} and row {row}, counted from the bottom left",
    )


def interface(setup: Setup) -> Interface:
    """Return what an author of bots for a board must know."""
    steps = setup.moves if isinstance(setup.moves, str) else "free"
    ends = "either player has" if setup.terminal == "either" else "the player to move has"
    answer = Item(
        "the action put",
        "Action | int" if not setup.remove else "tuple[Action | int, int]",
        "one of state.actions(): before your token is placed any open cell, then a step, as the difference of cells"
        + (", and the cell that is removed after it" if setup.remove else ""),
    )
    memory = (
        "Between turns only self.context survives; everything else is as it was when the match began."
        if setup.turn_memory == "context"
        else "The bot remembers everything during a match."
    )
    return Interface(
        rules=(
            f"Two players on a board of {setup.width} x {setup.height} cells. Each first places a token on any open "
            f"cell, then they move in turn, by {steps} steps. Every cell that a token has been on stays closed. "
            f"The game is over when {ends} no open cell to go to: a stuck player who is to move loses. {memory}"
        ),
        define=(
            "class CustomPlayer(DataPlayer):            # from sample_players; or BasePlayer\n"
            "    def get_action(self, state) -> None:   # called once per turn; act by self.queue.put(action)"
        ),
        told=(*_TOLD, _numbers(setup)),
        answers=(answer,),
        calls=_CALLS,
        faults=(
            "An action put in time counts, even after an exception or a search that is cut off. Without an action, or "
            "with an illegal one, the game is lost."
        ),
        example=_EXAMPLE,
        hints=_HINTS,
        observation_type=Observation,
        briefing_type=Briefing,
    )
