"""Encoding of the career fair for learning programs: planes of the hall, and one action for all four bots together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from botleague.rules import Box, Choice, Encoding
from botleague_careerfair.simulation.fair import TEAM_SIZE
from botleague_careerfair.simulation.requests import LETTERS
from botleague_careerfair.view import END, SEEN, View, changed, free_and_queued

PLANES = 7 + TEAM_SIZE

CROWD = 32
"""People on a tile from which on it counts as full."""


@dataclass(frozen=True, slots=True)
class Known:
    """The hall of the briefing, and what was seen last.

    Attributes:
        worth: per tile of a booth its company's reward, relative to the best; 0 on other tiles.
        lines: the same per tile of a line.
        view: per tile what is seen there, see :mod:`botleague_careerfair.view`.
        bots: per bot tile, walk, progress, threshold and place in line; none before the first question.
        step: of the match.
    """

    worth: tuple[float, ...]
    lines: tuple[float, ...]
    view: View
    bots: Sequence[Sequence[int]] = ()
    step: int = 0


class CareerFairEncoding(Encoding[Known]):
    """Planes of the hall: worth of booths, worth of lines, tiles in sight, people there, people in line, ends of lines,
    how much of the game is over, and one for each bot, the main bot first: how far it has come with the step it is in.

    An action is the number of four requests in :data:`LETTERS`, the main bot's as the last digit.

    Args:
        rows, cols: of the hall.
        steps: of a match.
    """

    def __init__(self, rows: int, cols: int, steps: int) -> None:
        self._steps = steps
        self.observation = Box((PLANES, rows, cols))
        self.action = Choice(len(LETTERS) ** TEAM_SIZE)

    def begin(self, seat: int, declaration: object, briefing: Any) -> Known:
        """Return the empty hall."""
        values = [value for _, value in briefing["companies"]]
        best = max(1, *values)

        def worth(companies: Sequence[int]) -> tuple[float, ...]:
            return tuple(max(0.0, values[company] / best) if company >= 0 else 0.0 for company in companies)

        return Known(worth(briefing["booths"]), worth(briefing["lines"]), (0,) * len(briefing["lines"]))

    def learn(self, known: Known, observation: Any) -> Known:
        """Return what the team sees now: the view with its changes."""
        view = [0] * len(known.view) if observation["fresh"] else list(known.view)
        for tile, number in changed(observation["tiles"]):
            view[tile] = number
        return replace(known, view=tuple(view), bots=observation["bots"], step=observation["step"])

    def encode(self, known: Known) -> list[float]:
        people = [free_and_queued(content) for content in known.view]
        over = min(known.step / self._steps, 1.0)
        where: list[float] = []
        for number in range(TEAM_SIZE):
            plane = [0.0] * len(known.view)
            if known.bots:
                place, _, progress, threshold, _ = known.bots[number]
                plane[place] = min((1 + progress) / (1 + max(threshold, 0)), 1.0)
            where += plane
        return [
            *known.worth,
            *known.lines,
            *(float(content & SEEN) for content in known.view),
            *(min(free / CROWD, 1.0) for free, _ in people),
            *(min(queued / CROWD, 1.0) for _, queued in people),
            *(float(bool(content & END)) for content in known.view),
            *(over for _ in known.view),
            *where,
        ]

    def decode(self, known: Known, action: Any) -> str:
        number, letters = int(action), ""
        for _ in range(TEAM_SIZE):
            number, digit = divmod(number, len(LETTERS))
            letters += LETTERS[digit]
        return letters
