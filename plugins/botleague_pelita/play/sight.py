"""Sight of enemies: exact nearby, noisy farther away.

Source: rules/pelita.md, section 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from botleague_pelita.mazes.board import Board, near_squares
from botleague_pelita.play.state import Settings


def look_for_enemies(
    settings: Settings, board: Board, bots: Sequence[int], turn: int, rng: Random
) -> tuple[tuple[int, int], tuple[bool, bool]]:
    """Return where bot ``turn`` is shown the enemies, and whether that is a guess."""
    squares = board.squares
    x, y = squares[bots[turn]]
    places: list[int] = []
    noisy: list[bool] = []
    for enemy in (1, 3) if turn % 2 == 0 else (0, 2):
        number = bots[enemy]
        enemy_x, enemy_y = squares[number]
        guess = False
        if abs(x - enemy_x) + abs(y - enemy_y) > settings.sight_distance:
            candidates = near_squares(board, number, settings.noise_radius)
            if len(candidates) > 1:
                number = rng.choice(candidates)
                guess = True
        places.append(number)
        noisy.append(guess)
    return (places[0], places[1]), (noisy[0], noisy[1])
