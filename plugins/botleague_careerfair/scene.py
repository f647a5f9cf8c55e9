"""The picture of a hall: floor, booths, lines with the people in them, the crowd's density, the teams.

One tile is one unit. Layers: ``names`` (companies), ``walks`` (progress arcs).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from botleague.rules import Circle, Line, Polygon, Rect, Scene, Shape, Text, seat_color, wedge
from botleague_careerfair.companies import Company
from botleague_careerfair.fair import MAIN, TEAM_SIZE, Fair, Hall
from botleague_careerfair.requests import OFFSETS
from botleague_careerfair.view import queued_on

__all__ = ["scene_of"]

FLOOR = "#f3efe6"
BOOTHS = {"S": "#b9c7d6", "M": "#8fa5bd", "L": "#64809f"}
LINES = {"S": "#e3e9ef", "M": "#d5dee8", "L": "#c6d3e0"}
BACK = "#9fb0c2"
END_OF_LINE = "#2f9e44"
DENSITY = {1: "#efe3cc", 2: "#e6c99a", 3: "#dba962", 5: "#c9822e"}
"""By threshold: what it costs to walk there is what a spectator wants to see."""
PEOPLE = "#5b5348"
WALK = "#1d1d1d"


def scene_of(fair: Fair, hall: Hall, companies: Sequence[Company], caption: Sequence[str]) -> Scene:
    """Return the picture of ``hall``."""
    return Scene(
        width=fair.board.cols,
        height=fair.board.rows,
        shapes=(
            *_floor(fair, hall),
            *_people(fair, hall),
            *_booth_names(fair, companies),
            *_teams(fair, hall),
        ),
        caption=tuple(caption),
        background=FLOOR,
    )


def _floor(fair: Fair, hall: Hall) -> Iterator[Shape]:
    board, lines = fair.board, fair.floor.lines
    backs, ends = {zone[-1] for zone in board.zones}, set(hall.ends)
    for tile, count in enumerate(hall.counts):
        y, x = divmod(tile, board.cols)
        booth, line = board.booths[tile], lines[tile]
        if booth >= 0:
            yield Rect(x, y, 1, 1, fill=BOOTHS[board.sizes[booth]])
        elif count:
            yield Rect(x, y, 1, 1, fill=DENSITY[fair.floor.thresholds[min(count, 9)]])
        if line >= 0:
            if not count:
                yield Rect(x, y, 1, 1, fill=LINES[board.sizes[line]])
            yield Rect(x + 0.04, y + 0.04, 0.92, 0.92, stroke=END_OF_LINE if tile in ends else BACK)
            if tile in backs:
                yield Rect(x + 0.12, y + 0.12, 0.76, 0.76, stroke=BACK)


def _people(fair: Fair, hall: Hall) -> Iterator[Shape]:
    """Draw the queued ones one by one while they fit, the free crowd as a dot that grows with its number."""
    board, queued = fair.board, queued_on(fair, hall)
    for tile, count in enumerate(hall.counts):
        y, x = divmod(tile, board.cols)
        in_line = queued[tile]
        for place in range(min(in_line, 6)):
            yield Circle(x + 0.22 + 0.28 * (place % 3), y + 0.78 - 0.2 * (place // 3), 0.09, fill=PEOPLE)
        if in_line > 6:
            yield Text(x + 0.8, y + 0.25, str(in_line), size=0.3)
        free = count - in_line
        if free:
            yield Circle(x + 0.3, y + 0.3, min(0.05 + 0.03 * free**0.5, 0.28), fill=PEOPLE)


def _booth_names(fair: Fair, companies: Sequence[Company]) -> Iterator[Shape]:
    board = fair.board
    for number, company in enumerate(companies):
        tiles = [divmod(tile, board.cols) for tile, booth in enumerate(board.booths) if booth == number]
        y = sum(row for row, _ in tiles) / len(tiles) + 0.5
        x = sum(col for _, col in tiles) / len(tiles) + 0.5
        width = 1 + max(col for _, col in tiles) - min(col for _, col in tiles)
        size = min(0.26, 1.7 * width / len(company.name))
        yield Text(x, y - 0.16, company.name, size=size, fill="#ffffff", layer="names")
        yield Text(x, y + 0.18, str(company.value), size=0.3, fill="#ffffff", layer="names")


def _teams(fair: Fair, hall: Hall) -> Iterator[Shape]:
    for bot in range(fair.crowd_base):
        team, number = divmod(bot, TEAM_SIZE)
        row, col = divmod(hall.places[bot], fair.board.cols)
        x = col + 0.3 + 0.4 * (number % 2) + 0.06 * team
        y = row + 0.3 + 0.4 * (number // 2) + 0.06 * team
        radius = 0.2 if number == MAIN else 0.15
        color = seat_color(team)
        yield Circle(x, y, radius, fill=color, stroke=WALK if number == MAIN else "#ffffff")
        yield Text(x, y, str(number), size=0.2, fill="#ffffff")
        if hall.progress[bot]:
            part = min(hall.progress[bot] / fair.threshold_ahead(hall, bot), 1.0)
            yield Polygon(
                wedge((x, y), radius + 0.1, -90, -90 + 360 * part), stroke=WALK, fill=color, layer="walks"
            )
            down, right = OFFSETS.get(hall.walks[bot], (0, 0))
            yield Line(((x, y), (x + 0.4 * right, y + 0.4 * down)), stroke=WALK, width=0.05, layer="walks")
