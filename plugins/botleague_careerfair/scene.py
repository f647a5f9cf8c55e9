"""The picture of a hall: floor, booths, lines with the people in them, how full each tile is, the bots of the teams.

One tile is one unit. Layers: ``names`` (companies), ``walks`` (progress and direction of walks). The people of the
crowd are figures or numbers on tiles, and only the bots of the teams things that move: a thousand people would hide
them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from botleague.rules import (
    Circle,
    Emblem,
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
)
from botleague.rules.scene import Point
from botleague_careerfair.simulation.board import Board
from botleague_careerfair.simulation.companies import Company
from botleague_careerfair.simulation.fair import MAIN, TEAM_SIZE, Fair, Hall
from botleague_careerfair.simulation.floor import threshold_for
from botleague_careerfair.simulation.requests import OFFSETS, WALK_NAMES
from botleague_careerfair.view import END, changed, free_and_queued, queued_on

SCORE_WORDS = ("points", "was ahead")

_FLOOR, _GRID, _HIDDEN = "#f6f3ec", "#eae5da", "#dcd7cb"
_BOOTHS = {"S": "#5b6b7d", "M": "#46617f", "L": "#2f547f"}
_STRIPE, _CLOTH, _ON_BOOTH, _VALUE, _ON_VALUE = "#e9eef4", "#92a5ba", "#ffffff", "#f0c04f", "#15181c"
_LINE, _END_OF_LINE = "#a49c8b", "#176f45"
_WARMTH = {1: "#f3e6cd", 2: "#edd3a0", 3: "#e5b769", 5: "#d7993f"}
"""Colours by threshold: the cost of a walk onto the tile matters most to spectators."""
_QUEUED, _FREE = "#4d483f", "#8d8474"
_INK, _CARD, _ON_BOT = "#15181d", "#fefefe", "#fffffe"

DARK = {
    _FLOOR: "#161b23",
    _GRID: "#1f2630",
    _HIDDEN: "#0b0e13",
    _BOOTHS["S"]: "#3a4553",
    _BOOTHS["M"]: "#334b66",
    _BOOTHS["L"]: "#2b517f",
    _STRIPE: "#ccd5df",
    _CLOTH: "#71859b",
    _LINE: "#626b78",
    _END_OF_LINE: "#5fce97",
    _WARMTH[1]: "#2b2924",
    _WARMTH[2]: "#453922",
    _WARMTH[3]: "#604a20",
    _WARMTH[5]: "#7b5c1c",
    _QUEUED: "#d3ccbd",
    _FREE: "#8f887b",
    _INK: "#eef1f5",
    _CARD: "#0e1115",
    _ON_BOT: "#0e1116",
}

_AWNING, _STRIPES = 0.24, 4
"""Height of an awning in tiles, and its stripes per tile."""

_MAX_NAME, _MIN_NAME = 0.27, 0.11
_NAME_SHARE = 0.84  # of a booth's width: viewers draw in bold letters, which are wider than most
_LONG_WORD, _MAX_WORDS = 10, 8
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z]+|.")

_PERSON: tuple[Point, ...] = (
    *((-0.45, 0.5), (-0.4, 0.08), (-0.16, -0.06), (-0.26, -0.29), (-0.14, -0.5)),
    *((0.14, -0.5), (0.26, -0.29), (0.16, -0.06), (0.4, 0.08), (0.45, 0.5)),
)
"""Outline of a figure of height 1."""

_MAX_QUEUED, _MAX_FREE = 6, 3
"""Figures on a tile; for more people there is a number."""

_SLOTS: tuple[tuple[float, tuple[Point, ...]], ...] = (
    (0.25, ((0.64, 0.6),)),
    (0.21, ((0.29, 0.6), (0.71, 0.6))),
    (0.18, ((0.29, 0.4), (0.71, 0.4), (0.29, 0.78), (0.71, 0.78))),
    (0.1, tuple((0.16 + 0.227 * column, y) for y in (0.5, 0.8) for column in range(4))),
)
"""Radius and centres of the bots of teams on a tile, for up to 1, 2, 4 and 8 of them."""


class _Bot(NamedTuple):
    team: int
    number: int
    tile: int
    walk: int
    progress: int
    needed: int  # steps of the whole walk
    line: str  # its place in a line in words, empty for none


def scene_of(
    fair: Fair, hall: Hall, companies: Sequence[Company], caption: Sequence[str], events: Sequence[Event] = ()
) -> Scene:
    """Return the picture of ``hall``."""
    board, queued = fair.board, queued_on(fair, hall)
    shapes: list[Shape] = [
        *_furniture(board, tuple((company.name, company.value) for company in companies)),
        *_floor(board, hall.counts, queued),
        *_line_tiles(board),
        *_ends(board, dict(enumerate(hall.ends))),
    ]
    bots = []
    for bot in range(fair.crowd_base):
        team, number = divmod(bot, TEAM_SIZE)
        company, place = hall.queued[bot], hall.line_place(bot)
        line = "" if company < 0 else f"{place + 1}. in the line of {companies[company].name}"
        walk = (hall.places[bot], hall.walks[bot], hall.progress[bot], fair.threshold_ahead(hall, bot))
        bots.append(_Bot(team, number, *walk, line))
    shapes += _bots(board, bots)
    return Scene(
        board.cols,
        board.rows,
        tuple(shapes),
        tuple(caption),
        _FLOOR,
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
        tiles.update(changed(observation["tiles"]))
    now = observations[-1]
    occupied = {tile: what for tile, what in tiles.items() if what}
    queued, counts = [0] * board.tiles, [0] * board.tiles
    for tile, what in occupied.items():
        free, queued[tile] = free_and_queued(what)
        counts[tile] = queued[tile] + free
    ends = [tile for tile, what in occupied.items() if what & END]
    shapes: list[Shape] = [*_furniture(board, tuple((name, value) for name, value in brief["companies"]))]
    for tile in range(board.tiles):
        if tile not in occupied and board.booths[tile] < 0:
            y, x = divmod(tile, board.cols)
            shapes.append(Rect(x, y, 1, 1, _HIDDEN, title="out of sight"))
    shapes += [*_floor(board, counts, queued), *_line_tiles(board)]
    shapes += _ends(board, {fair.floor.lines[tile]: tile for tile in ends})
    bots = []
    for number, (place, walk, progress, ahead, in_line) in enumerate(now["bots"]):
        line = f"{in_line + 1}. in a line" if in_line >= 0 else ""
        bots.append(_Bot(seat, number, place, walk, progress, ahead, line))
    shapes += _bots(board, bots)
    caption = (f"step {now['step']}", f"{seat_name(seat)}: {now['score']} points")
    return Scene(board.cols, board.rows, tuple(shapes), caption, _FLOOR)


def bot_name(number: int) -> str:
    """Return what the bot of this number in its team is called."""
    return "main" if number == MAIN else f"bot {number}"


@lru_cache(maxsize=16)
def _furniture(board: Board, companies: tuple[tuple[str, int], ...]) -> tuple[Shape, ...]:
    """Return the grid of the floor, and the booths with their labels."""
    shapes: list[Shape] = [Line(((x, 0), (x, board.rows)), _GRID, 0.03) for x in range(1, board.cols)]
    shapes += [Line(((0, y), (board.cols, y)), _GRID, 0.03) for y in range(1, board.rows)]
    for number, (name, value) in enumerate(companies):
        squares = [divmod(tile, board.cols) for tile, booth in enumerate(board.booths) if booth == number]
        shapes += _booth(board, squares, _BOOTHS[board.sizes[number]], f"{name}, worth {value}")
        shapes += _booth_labels(board, squares, name, value)
    return tuple(shapes)


@lru_cache(maxsize=16)
def _line_tiles(board: Board) -> tuple[Shape, ...]:
    squares = (divmod(tile, board.cols) for zone in board.zones for tile in zone)
    return tuple(Polygon(_dashes(x, y), _LINE) for y, x in squares)


def _dashes(x: float, y: float) -> tuple[Point, ...]:
    """Return the dashed edge of a tile as one shape."""
    near, far, thick = 0.06, 0.94, 0.025
    starts = [near + 0.06 + 0.22 * n for n in range(4)]
    bars = [(start, edge, start + 0.11, edge + thick) for start in starts for edge in (near, far - thick)]
    bars += [(top, left, bottom, right) for left, top, right, bottom in bars]
    corners = (((a, b), (c, b), (c, d), (a, d)) for a, b, c, d in bars)
    return _joined([(x + dx, y + dy) for dx, dy in bar] for bar in corners)


def _joined(parts: Iterable[Sequence[Point]]) -> tuple[Point, ...]:
    """Return one outline around several parts: the ways between them are walked to and fro, and enclose no area."""
    points: list[Point] = []
    for part in parts:
        points += (*part, part[0], points[0] if points else part[0])
    return tuple(points)


def _booth(board: Board, squares: Sequence[tuple[int, int]], color: str, title: str) -> Iterator[Shape]:
    left, top, width, height = _bounds(squares)
    if len(squares) == width * height:
        yield Rect(left + 0.04, top + 0.04, width - 0.08, height - 0.08, color, title=title, radius=0.1)
    else:
        for y, x in squares:
            yield Rect(x, y, 1, 1, color, title=title)
        width = sum((top, left + column) in squares for column in range(width))
        left = min(x for y, x in squares if y == top)
    step = (width - 0.08) / (_STRIPES * width + 1)
    for first, cloth in ((0, _STRIPE), (1, _CLOTH)):
        stripes = (left + 0.04 + n * step for n in range(first, _STRIPES * width + 1, 2))
        yield Polygon(_joined(_stripe(x, top + 0.04, step) for x in stripes), cloth)


def _bounds(squares: Sequence[tuple[int, int]]) -> tuple[int, int, int, int]:
    """Return left, top, width and height of the box around squares, which are (row, column)."""
    rows, columns = zip(*squares, strict=True)
    left, top = min(columns), min(rows)
    return left, top, max(columns) + 1 - left, max(rows) + 1 - top


def _stripe(x: float, y: float, width: float) -> Sequence[Point]:
    """Return a stripe of an awning, which is round below."""
    radius = width / 2
    angles = (math.radians(angle) for angle in range(0, 181, 30))
    low = y + _AWNING - radius
    arc = ((x + radius + radius * math.cos(angle), low + radius * math.sin(angle)) for angle in angles)
    return (x, y), (x + width, y), *arc


def _booth_labels(board: Board, squares: Sequence[tuple[int, int]], name: str, value: int) -> Iterator[Shape]:
    """Yield name and value of a company on its booth, as large as fits."""
    left, top, columns, rows = _bounds(squares)
    x, width = left + columns / 2, _NAME_SHARE * columns
    size, words = max(
        ((_fitting(words, width), words) for words in _wrapped(name, 2 * rows - 1)),
        key=lambda fitted: (fitted[0], -len(fitted[1])),
    )
    middle = top + (rows + _AWNING) / 2 - 0.15
    title = f"{name}, worth {value}"
    for number, word in enumerate(words):
        y = middle + 1.15 * size * (number - (len(words) - 1) / 2)
        label = Text(x, y, shortened(word, size, width + 1e-6), size, _ON_BOOTH, layer="names", title=title)
        yield moved_into(label, board.cols, board.rows)
    y = middle + 1.15 * size * len(words) / 2 + 0.17
    worth = shortened(str(value), 0.22, columns - 0.3)
    room = text_width(worth, 0.22) + 0.16
    yield Rect(x - room / 2, y - 0.13, room, 0.26, _VALUE, layer="names", title=title, radius=0.13)
    yield Text(x, y, worth, 0.22, _ON_VALUE, layer="names", title=title)


def _wrapped(name: str, most: int) -> Iterator[tuple[str, ...]]:
    """Yield the name in one line, and in up to ``most`` lines broken where a word starts with a capital.

    A long word alone is also broken in its middle.
    """
    words = _WORD.findall(name)
    yield (name,)
    if len(words) == 1 and len(name) >= _LONG_WORD and most > 1:
        half = (len(name) + 1) // 2
        yield f"{name[:half]}-", name[half:]
    if len(words) > _MAX_WORDS:
        return
    for breaks in range(1, min(most, len(words))):
        for cuts in combinations(range(1, len(words)), breaks):
            ends = (0, *cuts, len(words))
            yield tuple("".join(words[a:b]) for a, b in pairwise(ends))


def _fitting(words: Sequence[str], width: float) -> float:
    """Return the height of letters with which all words fit, unless that is too low or high."""
    widest = max(text_width(word, 1.0) for word in words)
    return min(max(width / max(widest, 1e-9), _MIN_NAME), _MAX_NAME)


def _floor(board: Board, counts: Sequence[int], queued: Sequence[int]) -> Iterator[Shape]:
    """Yield how full the tiles are, and people on them: figures while they fit, and then their number."""
    for tile, count in enumerate(counts):
        if not count:
            continue
        y, x = divmod(tile, board.cols)
        in_line = queued[tile]
        title = f"{count} here, {in_line} of them in line" if in_line else f"{count} here"
        yield Rect(x + 0.05, y + 0.05, 0.9, 0.9, _WARMTH[threshold_for(count)], title=title, radius=0.1)
        free = count - in_line
        is_full = free > _MAX_FREE or in_line > _MAX_QUEUED
        if in_line:
            yield _figures(x, y, min(in_line, _MAX_QUEUED), is_queue=True)
        if free:
            yield _figures(x, y, 1 if is_full else free, is_queue=False)
        if is_full:
            # Bold letters are wider than most: what is reckoned for one sign more is enough.
            size = 0.25 if count < 100 else 0.2
            text = f"×{count}"
            yield Text(x + 0.95 - text_width(f"{text}0", size) / 2, y + 0.21, text, size, _INK)


@lru_cache(maxsize=16_384)
def _figures(x: int, y: int, number: int, *, is_queue: bool) -> Polygon:
    """Return figures on a tile as one shape: those in a line in front, the others behind them and smaller."""
    height = 0.26 if is_queue else 0.17
    feet = [
        (x + 0.23 + 0.27 * (n % 3), y + 0.77 - 0.27 * (n // 3))
        if is_queue
        else (x + 0.19 + 0.17 * n, y + 0.2)
        for n in range(number)
    ]
    figures = ([(cx + height * dx, cy + height * dy) for dx, dy in _PERSON] for cx, cy in feet)
    return Polygon(_joined(figures), _QUEUED if is_queue else _FREE)


def _ends(board: Board, ends: Mapping[int, int]) -> Iterator[Line]:
    """Yield the tile at the end of each line, where bots join it."""
    for company, tile in ends.items():
        y, x = divmod(tile, board.cols)
        yield Line(_rounded(x + 0.07, y + 0.07, 0.86, 0.1), _END_OF_LINE, 0.05, key=f"end {company}")


def _rounded(left: float, top: float, side: float, radius: float) -> tuple[Point, ...]:
    """Return the edge of a square with round corners."""
    low, high = radius, side - radius
    corners = ((high, low, -90), (high, high, 0), (low, high, 90), (low, low, 180))
    points = [
        (left + x + radius * math.cos(math.radians(angle)), top + y + radius * math.sin(math.radians(angle)))
        for x, y, first in corners
        for angle in range(first, first + 91, 30)
    ]
    return (*points, points[0])


def _bots(board: Board, bots: Sequence[_Bot]) -> Iterator[Shape]:
    """Yield the bots of teams, those on the same tile next to each other."""
    mates: dict[int, list[_Bot]] = {}
    for bot in bots:
        mates.setdefault(bot.tile, []).append(bot)
    for bot in bots:
        group = mates[bot.tile]
        radius, slots = next((slots for slots in _SLOTS if len(slots[1]) >= len(group)), _SLOTS[-1])
        if len(group) == 1:  # there is room to be seen on a large board
            radius *= min(max(board.cols / 16, 1.0), 1.6)
        dx, dy = slots[group.index(bot) % len(slots)]
        row, column = divmod(bot.tile, board.cols)
        reach = 1.2 * radius
        x = min(column + dx, board.cols - reach)
        y = min(row + dy, board.rows - reach)
        yield from _bot(bot, x, y, radius)


def _bot(bot: _Bot, x: float, y: float, radius: float) -> Iterator[Shape]:
    """Yield one bot: its emblem, its number, and how far it has walked."""
    team, number, is_main = bot.team, bot.number, bot.number == MAIN
    walking = (
        f"walks {WALK_NAMES[bot.walk]}, {bot.progress} of {bot.needed} steps" if bot.progress else "stands"
    )
    title = f"{bot_name(number)} of {seat_name(team)}, {bot.line or walking}"
    if bot.progress:
        down, right = OFFSETS.get(bot.walk, (0, 0))
        part = min(bot.progress / bot.needed, 1.0)
        yield Line(_arc(x, y, radius + 0.03, part), _INK, 0.07, layer="walks")
        pointer = ((0.17, 0.0), (0.05, 0.12), (0.05, -0.12))  # ahead of the bot and across
        ways = ((radius + ahead, across) for ahead, across in pointer)
        points = tuple((x + a * right - b * down, y + a * down + b * right) for a, b in ways)
        yield Polygon(points, _INK, layer="walks")
    if is_main:
        yield Circle(x, y, radius, _INK, key=f"rim {team} {number}")
    inner = radius - 0.03 if is_main else 0.85 * radius
    yield Circle(x, y, inner, seat_color(team), _CARD, key=f"bot {team} {number}", title=title)
    yield Emblem(x, y, 1.45 * inner, team, _ON_BOT, key=f"emblem {team} {number}")
    label = "M" if is_main else str(number)
    size = max(min(0.2, 0.9 * radius), 0.7 * radius)
    yield Text(
        x + 0.8 * radius, y + 0.75 * radius, label, size, _INK, key=f"number {team} {number}", halo=_CARD
    )


def _arc(x: float, y: float, radius: float, part: float) -> tuple[Point, ...]:
    """Return the first part of a circle, clockwise from the top."""
    steps = max(2, round(24 * part))
    angles = (2 * math.pi * part * n / steps for n in range(steps + 1))
    return tuple((x + radius * math.sin(angle), y - radius * math.cos(angle)) for angle in angles)


def _served(hall: Hall, companies: Sequence[Company]) -> Iterator[Event]:
    for company, team, number in hall.served:
        if team >= 0:
            text = f"{bot_name(number)} of {seat_name(team)} talks to {companies[company].name}"
            yield Event(text, team, 2 if number == MAIN else 1)
