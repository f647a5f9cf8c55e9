"""What can be said of each bot: the nine fields that teams, replay logs and traces share.

Source: rules/careerfair.md, section 11 ("State").
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from botleague_careerfair.simulation.fair import TEAM_SIZE, Fair, Hall
from botleague_careerfair.simulation.requests import LETTERS, WALK_NAMES


class BotReport(NamedTuple):
    """One bot as others may know it; ``walk`` is the letter of the walk in progress."""

    team: int
    id: int
    row: int
    col: int
    state: str
    progress: int
    threshold: int
    line_place: int
    walk: str


def report(fair: Fair, hall: Hall, bot: int) -> BotReport:
    """Return the nine fields of ``bot``."""
    team, number = divmod(bot, TEAM_SIZE) if bot < fair.crowd_base else (-1, bot - fair.crowd_base)
    place, walk = hall.places[bot], hall.walks[bot]
    row, col = divmod(place, fair.board.cols)
    return BotReport(
        team=team,
        id=number,
        row=row,
        col=col,
        state="inline" if hall.queued[bot] >= 0 else WALK_NAMES[walk],
        progress=hall.progress[bot],
        threshold=fair.threshold_ahead(hall, bot),
        line_place=hall.line_place(bot),
        walk=LETTERS[walk],
    )


def replay_log(fair: Fair, halls: Iterable[Hall], companies: Iterable[str]) -> str:
    """Return the original's replay log of successive ``halls``, the first one before step 1.

    The points that a block names are, as in the original, those of the step *before* the one it shows.
    """
    blocks = []
    gains: tuple[int, ...] = (0, 0)
    for time, hall in enumerate(halls):
        points = (*gains, 0)[:2]
        blocks.append(f"{time} {points[0]} {points[1]}")
        for bot in range(len(hall.places)):
            said = report(fair, hall, bot)
            fields = (*said[:6], said.threshold, said.line_place)
            blocks.append(" ".join(map(str, fields)))
        gains = hall.gains
    second = TEAM_SIZE if fair.teams == 2 else 0
    head = [f"{TEAM_SIZE} {second} {len(fair.kinds)}", *companies, ""]
    return "\n".join([*head, *blocks]) + "\n"
