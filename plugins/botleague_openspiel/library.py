"""The native library: loading of games, and steps that rules and harness make in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import pyspiel

from botleague_openspiel.boards import text_of
from botleague_openspiel.setup import spelled

Game: TypeAlias = Any
Position: TypeAlias = Any
"""A position of the library, which has no types. It changes in place, so clone it before each change."""


def load(game: str, players: int) -> Game:
    """Return a game of the library, by our spelling.

    Raises:
        ValueError: the game is not allowed.
    """
    return pyspiel.load_game(spelled(game, players))


def advance_through(position: Position, actions: Sequence[int]) -> None:
    """Apply actions of a history, which holds one per player at a simultaneous turn."""
    at = 0
    while at < len(actions):
        if position.is_simultaneous_node():
            together = position.num_players()
            position.apply_actions(list(actions[at : at + together]))
            at += together
        else:
            position.apply_action(actions[at])
            at += 1


def action_name(position: Position, seat: int, action: int) -> str:
    """Return the library's name of a legal action."""
    return text_of(position.action_to_string(seat, action))
