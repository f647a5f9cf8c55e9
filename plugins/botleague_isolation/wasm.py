"""Interface of Isolation for bots in WebAssembly: open cells as text, steps as numbers, and all legal actions.

Source: rules/isolation.md, sections 1 to 8 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from botleague.rules import WasmAdapter, WasmInterface, read_config
from botleague_isolation.board import Setup
from botleague_isolation.engine import engine
from botleague_isolation.wire import CONTEXT_BYTES, MATCH_CONTEXT_BYTES

_Cell = Annotated[int, Meta(ge=0)]


class Board(msgspec.Struct, frozen=True):
    """Setup of the game. Cells have numbers: 0 at the bottom right, 1 left of it; the row above starts at ``pitch``."""

    width: Annotated[int, Meta(ge=1, description="cells per row")]
    height: Annotated[int, Meta(ge=1, description="rows")]
    pitch: Annotated[int, Meta(ge=3, description="difference of the numbers of a cell and the cell above it")]
    cells: Annotated[
        int, Meta(ge=1, description="length of `board`: numbers of cells and of the gaps between rows")
    ]
    steps: Annotated[list[int], Meta(description="steps of a token, as differences of cell numbers")]
    slides: Annotated[
        bool, Meta(description="true: a token goes any number of steps in one direction over open cells")
    ]
    ends_if_either_is_stuck: Annotated[
        bool,
        Meta(description="true: the game ends when any token is stuck; false: only if its player is to move"),
    ]
    cell0_counts: Annotated[
        bool, Meta(description="false: a token that can only go to cell 0 counts as stuck")
    ]
    removes: Annotated[
        bool,
        Meta(description="true: after a step the player closes a cell, and the cell it left opens again"),
    ]
    rematch: Annotated[bool, Meta(description="true: a second game follows with exchanged players")]


class Briefing(msgspec.Struct, frozen=True):
    """Briefing before the first turn."""

    seed: Annotated[int, Meta(ge=0, description="start value for your random numbers, below 2**53")]


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Answer to a turn."""

    action: Annotated[
        int,
        Meta(
            description="your first action of a game: the cell for your token; later a step: the difference of cell "
            "numbers"
        ),
    ]
    removed: Annotated[
        int | None, Meta(description="cell to close, if `removes` is true; else leave it out")
    ] = None
    context: Annotated[
        Annotated[bytes, Meta(max_length=CONTEXT_BYTES)] | None,
        Meta(description=f"up to {CONTEXT_BYTES} bytes for your next turn, as base64 text"),
    ] = None


class Turn(msgspec.Struct, frozen=True):
    """One turn."""

    player: Annotated[int, Meta(ge=0, le=1, description="your number in this game: 0 moves first")]
    ply: Annotated[int, Meta(ge=0, description="actions so far in this game")]
    board: Annotated[
        str,
        Meta(pattern="^[01]+$", description="character i is 1 if cell i is open; gaps between rows are 0"),
    ]
    locs: Annotated[
        list[_Cell | None],
        Meta(min_length=2, max_length=2, description="cells of the tokens of players 0 and 1; null before"),
    ]
    legal: Annotated[list[Action], Meta(description="all legal answers")]
    context: Annotated[str | None, Meta(description="`context` of your previous answer; null for none")]
    context_room: Annotated[
        int, Meta(ge=0, le=MATCH_CONTEXT_BYTES, description="bytes of contexts left in this match")
    ]


class IsolationAdapter(WasmAdapter):
    """Questions to a guest that plays Isolation."""

    answer_type = Action

    def __init__(self, seat: int, config: Mapping[str, Any], variant: str) -> None:
        super().__init__(seat, config, variant)
        self._setup = read_config(Setup, config)
        self._engine = engine(self._setup)
        self.memory = "turn" if self._setup.turn_memory == "context" else "match"

    def options(self) -> Any:
        """Return the board and its steps as :class:`Board`."""
        setup = self._setup
        return {
            "width": setup.width,
            "height": setup.height,
            "pitch": setup.pitch,
            "cells": setup.size,
            "steps": list(setup.named_steps.values()),
            "slides": setup.moves == "queen",
            "ends_if_either_is_stuck": setup.terminal == "either",
            "cell0_counts": setup.cell0_counts,
            "removes": setup.remove,
            "rematch": setup.fair_rematch,
        }

    def turn(self, observation: Any, is_fresh: bool) -> Any:
        """Return the position as :class:`Turn`."""
        board = int(observation["board"])
        locs = tuple(observation["locs"])
        actions = self._engine.Isolation(board, observation["ply"], locs).actions()
        return {
            "player": observation["player"],
            "ply": observation["ply"],
            "board": f"{board:0{self._setup.size}b}"[::-1],
            "locs": list(locs),
            "legal": [
                {"action": int(action[0]), "removed": int(action[1])}
                if isinstance(action, tuple)
                else {"action": int(action)}
                for action in actions
            ],
            "context": observation["context"],
            "context_room": observation["context_room"],
        }


def wasm_interface(setup: Setup) -> WasmInterface:
    stuck = "both tokens can move" if setup.terminal == "either" else "the player to move can"
    return WasmInterface(
        adapter="botleague_isolation.wasm:IsolationAdapter",
        config_type=Board,
        brief_type=Briefing,
        turn_type=Turn,
        answer_type=Action,
        legal=f"One of `legal`: an open cell first, then a step to an open cell. The game lasts while {stuck}.",
    )
