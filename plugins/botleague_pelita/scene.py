"""The picture of a game: one scene unit is one square.

Pellets have the colour of the team that defends them and are grey when they are about to move away. Ghosts have
a hem, pac-men a mouth that opens in the direction of their last step; the bot on turn has an outline. The debug
layer shows how far that bot sees, the shadows of ghosts, and where it is told its enemies are when that is a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from botleague.rules import Circle, Line, Polygon, Rect, Scene, Shape, Text, seat_color, wedge
from botleague_pelita.board import LETTERS, Board, near_mask, numbers
from botleague_pelita.state import DRAW, Settings, State

__all__ = ["draw"]

WALL, GROUND = "#4b4b58", "#f7f5f0"
FRESH, TIRED = ("#2f5fa8", "#b8402c"), "#a5a5a5"
TIRED_SHARE = 0.8
"""A pellet that spent this share of its time in the shadow is about to move."""

DEBUG = "debug"


def draw(settings: Settings, state: State) -> Scene:
    """Return the picture of ``state`` for spectators."""
    board = state.board
    shapes: list[Shape] = [
        Rect(0, 0, board.width / 2, board.height, "#eaf1fb"),
        Rect(board.width / 2, 0, board.width / 2, board.height, "#fdeeea"),
    ]
    for number, color in state.painted:
        x, y = board.squares[number]
        shapes.append(Rect(x, y, 1, 1, color))
    shapes += _debug(settings, state)
    shapes += _walls(board)
    shapes += _pellets(settings, state)
    for bot in (*(n for n in range(4) if n != state.turn), state.turn):
        shapes += _bot(state, bot)
    for bot in range(4):
        shapes += _bubble(state, bot)
    return Scene(board.width, board.height, tuple(shapes), tuple(_caption(state)), GROUND)


@lru_cache(maxsize=64)
def _walls(board: Board) -> tuple[Rect, ...]:
    """Return the walls as bars: first what joins in a row, then single squares by columns."""
    left = set(board.walls)
    bars: list[Rect] = []
    for dx, dy, least in ((1, 0, 2), (0, 1, 1)):
        for x, y in sorted(left, key=lambda square: (square[1], square[0]) if dx else square):
            length = 0
            while (x + length * dx, y + length * dy) in left:
                length += 1
            if length >= least:
                left -= {(x + n * dx, y + n * dy) for n in range(length)}
                bars.append(Rect(x, y, length if dx else 1, 1 if dx else length, WALL))
    return tuple(bars)


def _pellets(settings: Settings, state: State) -> Iterator[Shape]:
    for team in (0, 1):
        ages = dict(state.ages[team])
        for number in numbers(state.food[team]):
            x, y = state.board.squares[number]
            tired = not settings.allow_camping and ages.get(number, 0) > TIRED_SHARE * settings.max_food_age
            yield Circle(x + 0.5, y + 0.5, 0.2, TIRED if tired else FRESH[team])


def _bot(state: State, bot: int) -> Iterator[Shape]:
    board = state.board
    x, y = board.squares[state.bots[bot]]
    # Two bots on a square are drawn side by side.
    mates = [other for other in range(4) if state.bots[other] == state.bots[bot]]
    shift = 0.3 * (mates.index(bot) - (len(mates) - 1) / 2) if len(mates) > 1 else 0.0
    cx, cy = x + 0.5 + shift, y + 0.5
    color = seat_color(bot % 2)
    if board.team_at(state.bots[bot]) == bot % 2:
        hem = [(cx + 0.42 - 0.21 * n, cy + (0.44 if n % 2 == 0 else 0.3)) for n in range(5)]
        dome = wedge((cx, cy), 0.42, 180, 360)[1:]
        yield Polygon((*dome, *hem), color, "#222222" if bot == state.turn else None)
        for side in (-0.15, 0.15):
            yield Circle(cx + side, cy - 0.08, 0.09, "#ffffff")
    else:
        facing = _facing(state, bot)
        yield Polygon(
            wedge((cx, cy), 0.42, facing + 35, facing + 325), color, "#222222" if bot == state.turn else None
        )
    yield Text(cx, cy + 0.2, LETTERS[bot], 0.35, "#ffffff")


def _facing(state: State, bot: int) -> float:
    step = state.step
    if step and step.bot == bot and step.done:
        (x0, y0), (x1, y1) = state.board.squares[step.origin], state.board.squares[step.target]
        for angle, direction in ((0, (1, 0)), (90, (0, 1)), (180, (-1, 0)), (270, (0, -1))):
            if (x1 - x0, y1 - y0) == direction:
                return angle
    return 0 if bot % 2 == 0 else 180


def _bubble(state: State, bot: int) -> Iterator[Shape]:
    text = state.said[bot]
    if not text.strip():
        return
    board = state.board
    x, y = board.squares[state.bots[bot]]
    width = min(0.32 * len(text) + 0.4, board.width)
    left = min(max(x + 0.5 - width / 2, 0.0), board.width - width)
    top = y - 0.9 if y >= 1 else y + 1.1
    yield Rect(left, top, width, 0.8, "#ffffff", seat_color(bot % 2))
    yield Text(left + width / 2, top + 0.4, text, 0.5)


def _debug(settings: Settings, state: State) -> Iterator[Shape]:
    board = state.board
    for bot in range(4):
        if board.team_at(state.bots[bot]) != bot % 2:
            continue
        for number in numbers(near_mask(board, state.bots[bot], settings.shadow_distance)):
            x, y = board.squares[number]
            yield Rect(x, y, 1, 1, "#dddddd", layer=DEBUG)
    if state.round == 0:
        return
    x, y = board.squares[state.bots[state.turn]]
    reach = settings.sight_distance + 0.5
    cx, cy = x + 0.5, y + 0.5
    color = seat_color(state.team)
    corners = ((cx, cy - reach), (cx + reach, cy), (cx, cy + reach), (cx - reach, cy))
    if reach < board.width:
        yield Line((*corners, corners[0]), color, 0.06, DEBUG)
    enemies = (1, 3) if state.team == 0 else (0, 2)
    for enemy, shown, noisy in zip(enemies, state.shown, state.noisy, strict=True):
        if noisy:
            ex, ey = board.squares[shown]
            yield Circle(ex + 0.5, ey + 0.5, 0.35, None, seat_color(enemy % 2), DEBUG)
            yield Text(ex + 0.5, ey + 0.5, f"{LETTERS[enemy]}?", 0.45, seat_color(enemy % 2), DEBUG)


def _caption(state: State) -> Iterator[str]:
    tally = state.tally
    blue, red = state.names
    yield f"{blue} {tally.score[0]}:{tally.score[1]} {red}"
    for team, name in enumerate(state.names):
        kills = tally.kills[team] + tally.kills[team + 2]
        deaths = tally.deaths[team] + tally.deaths[team + 2]
        left = state.food[team].bit_count()
        yield (
            f"{name}: {left} pellet{'' if left == 1 else 's'} left, kills {kills}, deaths {deaths}, "
            f"time-outs {tally.timeouts[team]}"
        )
    for bot, text in enumerate(state.said):
        if text.strip():
            yield f"{LETTERS[bot]}: {text}"
    if state.verdict is None:
        yield f"Round {state.round}, bot {LETTERS[state.turn]} to move"
    elif state.verdict.counted == DRAW:
        yield "A draw"
    else:
        yield f"{state.names[state.verdict.counted]} wins"
