"""Encoding of Pelita for learning programs: planes of the maze for the bot on turn, and five actions.

Mazes are symmetric under half a turn, with the halves exchanged. Red's is turned, so that a learner plays from
left to right on both seats.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from botleague.rules import Box, Choice, Encoding

STEPS = ((0, -1), (1, 0), (-1, 0), (0, 1), (0, 0))
"""The actions: up, right, left, down, stay."""

PLANES = 11


@dataclass(frozen=True, slots=True)
class Known:
    """The maze from the briefing, and the latest observation, None before the first."""

    seat: int
    walls: frozenset[int]
    pellets: tuple[tuple[int, ...], tuple[int, ...]]
    seen: Any = None


class PelitaEncoding(Encoding[Known]):
    """Planes of the maze, rows from the top: walls, the own half, own pellets, pellets to eat, own pellets in the
    shadow, the bot on turn, the other bot of the team, enemies, enemies that are only guessed to be there, how much of
    the game is over, and whether the bot on turn is the team's first.

    Args:
        size: width and height of the maze.
        rounds: of a game.
    """

    def __init__(self, size: tuple[int, int], rounds: int) -> None:
        self._width, self._height = size
        self._rounds = max(rounds, 1)
        self.observation = Box((PLANES, self._height, self._width))
        self.action = Choice(len(STEPS))

    def begin(self, seat: int, declaration: object, briefing: Any) -> Known:
        """Return the maze with all its pellets."""
        blue, red = (tuple(side) for side in briefing["food"])
        return Known(seat, frozenset(briefing["walls"]), (blue, red))

    def learn(self, known: Known, observation: Any) -> Known:
        """Return the knowledge after an observation."""
        blue, red = (tuple(side) for side in observation["food"])
        return replace(known, pellets=(blue, red), seen=observation)

    def encode(self, known: Known) -> list[float]:
        squares, half, seat = self._width * self._height, self._width // 2, known.seat
        planes = [0.0] * (PLANES * squares)

        def fill(plane: int, numbers: Iterable[int], value: float = 1.0) -> None:
            for number in numbers:
                x, y = divmod(number, self._height)
                place = y * self._width + x
                planes[plane * squares + (squares - 1 - place if seat else place)] = value

        everywhere = range(squares)
        fill(0, known.walls)
        fill(1, (number for number in everywhere if (number >= half * self._height) == bool(seat)))
        fill(2, known.pellets[seat])
        fill(3, known.pellets[1 - seat])
        observation = known.seen
        if observation is not None:
            bots, turn = observation["bots"], observation["turn"]
            fill(4, observation["shaded"])
            fill(5, [bots[turn]])
            fill(6, [bots[(turn + 2) % 4]])
            for enemy in (1 - seat, 3 - seat):
                fill(8 if observation["noisy"][enemy] else 7, [bots[enemy]])
            fill(9, everywhere, min(observation["round"] / self._rounds, 1.0))
            fill(10, everywhere, float(turn < 2))
        return planes

    def decode(self, known: Known, action: Any) -> dict[str, tuple[int, int]]:
        """Return the square that an action leads to."""
        x, y = self._position(known)
        dx, dy = self._step(known, int(action))
        return {"to": (x + dx, y + dy)}

    def mask(self, known: Known) -> list[bool]:
        """Return which ways are not walls."""
        x, y = self._position(known)
        steps = (self._step(known, action) for action in range(len(STEPS)))
        return [(x + dx) * self._height + y + dy not in known.walls for dx, dy in steps]

    def _position(self, known: Known) -> tuple[int, int]:
        x, y = divmod(known.seen["bots"][known.seen["turn"]], self._height)
        return x, y

    def _step(self, known: Known, action: int) -> tuple[int, int]:
        dx, dy = STEPS[action]
        return (-dx, -dy) if known.seat else (dx, dy)
