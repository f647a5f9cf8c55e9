"""The picture of a hall: floor, booths, lines with the people in them, the crowd's density, the teams.

One tile is one unit. Layers: ``names`` (companies), ``walks`` (progress arcs). The people of the crowd are drawn as
numbers on tiles, and only the bots of the teams as things that move: a thousand people would hide them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from botleague.rules import (
    Circle,
    Event,
    Line,
    Polygon,
    Rect,
    Scene,
    Shape,
    Text,
    Told,
    moved_into,
    seat_color,
    seat_name,
    shortened,
    text_width,
    wedge,
)
from botleague_careerfair.board import Board
from botleague_careerfair.companies import Company
from botleague_careerfair.fair import MAIN, TEAM_SIZE, Fair, Hall
from botleague_careerfair.floor import threshold_for
from botleague_careerfair.requests import OFFSETS, WALK_NAMES
from botleague_careerfair.view import END, FREE_MASK, FREE_SHIFT, QUEUED_SHIFT, queued_on

__all__ = ["bot_name", "scene_of", "view_scene"]

FLOOR = "#f3efe6"
HIDDEN = "#dcd7cb"
BOOTHS = {"S": "#b9c7d6", "M": "#8fa5bd", "L": "#64809f"}
LINES = {"S": "#e3e9ef", "M": "#d5dee8", "L": "#c6d3e0"}
BACK = "#9fb0c2"
END_OF_LINE = "#2f9e44"
DENSITY = {1: "#efe3cc", 2: "#e6c99a", 3: "#dba962", 5: "#c9822e"}
"""Colours by threshold: the cost of a walk onto the tile matters most to spectators."""
PEOPLE = "#5b5348"
WALK = "#1d1d1d"

_NAME_HEIGHT, _SMALLEST_NAME = 0.26, 0.13
_NAME_SHARE = 0.86  # of a booth's width: viewers draw in bold letters, which are wider than most


def scene_of(
    fair: Fair,
    hall: Hall,
    companies: Sequence[Company],
    caption: Sequence[str],
    events: Sequence[Event] = (),
) -> Scene:
    """Return the picture of ``hall``."""
    board, queued = fair.board, queued_on(fair, hall)
    shapes: list[Shape] = [
        *_floor(fair, hall.counts, queued, hall.ends),
        *_people(board, hall.counts, queued),
    ]
    shapes += _booth_names(board, [(company.name, company.value) for company in companies])
    for bot in range(fair.crowd_base):
        team, number = divmod(bot, TEAM_SIZE)
        company, place = hall.queued[bot], hall.line_place(bot)
        line = "" if company < 0 else f"{place + 1}. in the line of {companies[company].name}"
        ahead = fair.threshold_ahead(hall, bot)
        shapes += _bot(
            board, team, number, (hall.places[bot], hall.walks[bot], hall.progress[bot], ahead), line
        )
    return Scene(
        board.cols,
        board.rows,
        tuple(shapes),
        tuple(caption),
        FLOOR,
        scores=tuple(map(float, hall.scores)),
        events=(*events, *_served(hall, companies)),
    )


def view_scene(fair: Fair, told: Told, seat: int) -> Scene:
    """Return the picture of what a team knows: the tiles in sight, and its own bots.

    Each observation tells what changed since the one before it.
    """
    board = fair.board
    brief: Any = told.briefing
    observations: Any = told.observations
    first = max(number for number, observation in enumerate(observations) if observation["fresh"])
    tiles: dict[int, int] = {}
    for observation in observations[first:]:
        tiles.update(zip(observation["tiles"][::2], observation["tiles"][1::2], strict=True))
    now = observations[-1]
    occupied = {tile: what for tile, what in tiles.items() if what}
    queued, counts = [0] * board.tiles, [0] * board.tiles
    for tile, what in occupied.items():
        queued[tile] = what >> QUEUED_SHIFT
        counts[tile] = queued[tile] + (what >> FREE_SHIFT & FREE_MASK)
    ends = [tile for tile, what in occupied.items() if what & END]
    shapes: list[Shape] = [*_floor(fair, counts, queued, ends)]
    for tile in range(board.tiles):
        if tile not in occupied and board.booths[tile] < 0:
            y, x = divmod(tile, board.cols)
            shapes.append(Rect(x, y, 1, 1, HIDDEN, title="out of sight"))
    shapes += [*_people(board, counts, queued), *_booth_names(board, brief["companies"])]
    for number, (place, walk, progress, ahead, in_line) in enumerate(now["bots"]):
        line = f"{in_line + 1}. in a line" if in_line >= 0 else ""
        shapes += _bot(board, seat, number, (place, walk, progress, ahead), line)
    caption = (f"step {now['step']}", f"{seat_name(seat)}: {now['score']} points")
    return Scene(board.cols, board.rows, tuple(shapes), caption, FLOOR)


def bot_name(number: int) -> str:
    """Return what the bot of this number in its team is called."""
    return "main" if number == MAIN else f"bot {number}"


def _floor(
    fair: Fair, counts: Sequence[int], queued: Sequence[int], ends: Collection[int]
) -> Iterator[Shape]:
    board, lines = fair.board, fair.floor.lines
    backs, ends = {zone[-1] for zone in board.zones}, set(ends)
    for tile, count in enumerate(counts):
        y, x = divmod(tile, board.cols)
        booth, line = board.booths[tile], lines[tile]
        title = f"{count} here, {queued[tile]} of them in line" if queued[tile] else f"{count} here"
        if booth >= 0:
            yield Rect(x, y, 1, 1, fill=BOOTHS[board.sizes[booth]])
        elif count:
            yield Rect(x, y, 1, 1, fill=DENSITY[threshold_for(count)], title=title)
        if line >= 0:
            if not count:
                yield Rect(x, y, 1, 1, fill=LINES[board.sizes[line]])
            yield Rect(x + 0.04, y + 0.04, 0.92, 0.92, stroke=END_OF_LINE if tile in ends else BACK)
            if tile in backs:
                yield Rect(x + 0.12, y + 0.12, 0.76, 0.76, stroke=BACK)


def _people(board: Board, counts: Sequence[int], queued: Sequence[int]) -> Iterator[Shape]:
    """Draw the queued ones one by one while they fit, the free crowd as a dot that grows with its number."""
    for tile, count in enumerate(counts):
        y, x = divmod(tile, board.cols)
        in_line = queued[tile]
        for place in range(min(in_line, 6)):
            yield Circle(x + 0.22 + 0.28 * (place % 3), y + 0.78 - 0.2 * (place // 3), 0.09, fill=PEOPLE)
        if in_line > 6:
            yield moved_into(Text(x + 0.7, y + 0.25, str(in_line), size=0.3), board.cols, board.rows)
        free = count - in_line
        if free:
            yield Circle(x + 0.3, y + 0.3, min(0.05 + 0.03 * free**0.5, 0.28), fill=PEOPLE)


def _booth_names(board: Board, companies: Sequence[Sequence[Any]]) -> Iterator[Shape]:
    """Yield name and value of each company on its booth, as large as fits."""
    for number, (name, value) in enumerate(companies):
        tiles = [divmod(tile, board.cols) for tile, booth in enumerate(board.booths) if booth == number]
        y = sum(row for row, _ in tiles) / len(tiles) + 0.5
        x = sum(col for _, col in tiles) / len(tiles) + 0.5
        width = _NAME_SHARE * (1 + max(col for _, col in tiles) - min(col for _, col in tiles))
        size = min(
            max(_NAME_HEIGHT * width / max(text_width(name, _NAME_HEIGHT), 1e-9), _SMALLEST_NAME),
            _NAME_HEIGHT,
        )
        title = f"{name}, worth {value}"
        for text, dy, height in ((shortened(name, size, width), -0.16, size), (str(value), 0.18, 0.3)):
            label = Text(x, y + dy, text, height, "#ffffff", layer="names", title=title)
            yield moved_into(label, board.cols, board.rows)


def _bot(board: Board, team: int, number: int, walk: tuple[int, int, int, int], line: str) -> Iterator[Shape]:
    """Yield one bot of a team: ``walk`` is its tile, where to it walks, since how many steps and of how many."""
    place, request, progress, needed = walk
    row, col = divmod(place, board.cols)
    x = col + 0.3 + 0.4 * (number % 2) + 0.06 * team
    y = row + 0.3 + 0.4 * (number // 2) + 0.06 * team
    radius = 0.2 if number == MAIN else 0.15
    color = seat_color(team)
    walking = f"walks {WALK_NAMES[request]}, {progress} of {needed} steps" if progress else "stands"
    yield Circle(
        *(x, y, radius),
        fill=color,
        stroke=WALK if number == MAIN else "#ffffff",
        key=f"bot {team} {number}",
        title=f"{bot_name(number)} of {seat_name(team)}, {line or walking}",
    )
    yield Text(x, y, str(number), size=0.2, fill="#ffffff", key=f"number {team} {number}")
    if progress:
        part = min(progress / needed, 1.0)
        # The arc of a bot in the corner of a tile just reaches the edge of the tile.
        arc = wedge((x, y), radius + 0.08, -90, -90 + 360 * part)
        yield Polygon(arc, stroke=WALK, fill=color, layer="walks")
        down, right = OFFSETS.get(request, (0, 0))
        yield Line(((x, y), (x + 0.4 * right, y + 0.4 * down)), stroke=WALK, width=0.05, layer="walks")


def _served(hall: Hall, companies: Sequence[Company]) -> Iterator[Event]:
    for company, team, number in hall.served:
        if team >= 0:
            text = f"{bot_name(number)} of {seat_name(team)} talks to {companies[company].name}"
            yield Event(text, team, 2 if number == MAIN else 1)
