"""The picture of a game: one scene unit is one square.

Homes and pellets have the colour of their team; a pellet that is about to move away is grey and does not glow. Ghosts
have a hem, pac-men a mouth, both look in the direction of their last step, and a ring is around the bot on turn.
The debug layer shows how far that bot sees, the shadows of ghosts, and the noisy positions of enemies that it
received. A team's view shows such enemies as rings, and no trails.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
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
    clipped,
    seat_color,
    seat_name,
    shortened,
    text_width,
    wedge,
)
from botleague.rules.scene import Point
from botleague_pelita.mazes.board import LETTERS, Board, numbers
from botleague_pelita.play.state import DRAW, Settings, State

SCORE_WORDS = ("points", "was ahead")

_GROUND, _WALL, _WALL_TOP, _WALL_FOOT = "#fbfaf7", "#5c6370", "#868d99", "#3e434d"
_INK, _SOFT, _CARD, _ON_BOT = "#15181d", "#59616c", "#ffffff", "#fffffe"
_EYE, _PUPIL = "#fefefe", "#101317"

DARK = {
    _GROUND: "#12161c",
    _WALL: "#3c4455",
    _WALL_TOP: "#6b7587",
    _WALL_FOOT: "#252b37",
    _INK: "#eef1f5",
    _SOFT: "#9ba6b4",
    _CARD: "#1f2630",
    _ON_BOT: "#0e1116",
}

_HOME, _GLOW, _MIDDLE, _SHADOW = "2e", "40", "90", "30"
"""Opacities: of homes, of the light around pellets, of the line between the homes, of what lies in a shadow."""

_TRAIL = ("30", "44", "5c", "78", "98", "c0")
"""Opacities of the steps of a trail, oldest first."""

_EDGE = 0.09
"""Height of the edges of walls, in squares."""

_CIRCLE = tuple((math.cos(math.radians(angle)), math.sin(math.radians(angle))) for angle in range(0, 361, 20))
"""Corners of a circle of radius 1 around (0, 0), the first one also at the end."""

TIRED_SHARE = 0.8
"""A pellet that spent this share of its time in the shadow is about to move."""

DEBUG = "debug"


def draw(settings: Settings, state: State) -> Scene:
    """Return the picture of ``state`` for spectators."""
    board = state.board
    shapes: list[Shape] = [*_homes(board)]
    for number, color in state.painted:
        x, y = board.squares[number]
        shapes.append(Rect(x, y, 1, 1, color.lower()))
    shapes += _debug(settings, state)
    shapes += _walls(board)
    for bot in range(4):
        shapes += _trail(state, bot)
    for team in (0, 1):
        most = TIRED_SHARE * settings.max_food_age
        tired = {n for n, age in state.ages[team] if age > most and not settings.allow_camping}
        shapes += _pellets(board, team, numbers(state.food[team]), tired, "about to move")
    shapes.append(_turn_ring(board, state.bots, state.turn))
    for bot in range(4):
        shapes += _bot(board, state.bots, bot, _facing(state, bot))
    shapes += _bubbles(state)
    return Scene(
        board.width,
        board.height,
        tuple(shapes),
        tuple(_caption(state)),
        _GROUND,
        scores=tuple(map(float, state.tally.score)),
        events=tuple(_events(state)),
    )


def draw_view(settings: Settings, told: Told, seat: int) -> Scene:
    """Return the picture of what one team knows at its turn."""
    brief: Any = told.briefing
    observation: Any = told.observations[-1]
    board = _board(tuple(brief["shape"]), tuple(brief["walls"]))
    places, turn = observation["bots"], observation["turn"]
    shapes: list[Shape] = [*_homes(board), *_walls(board), *_sight(settings, board, places[turn], turn)]
    for team in (0, 1):
        shapes += _pellets(
            board, team, observation["food"][team], set(observation["shaded"]), "in the shadow"
        )
    shapes.append(_turn_ring(board, places, turn))
    for bot in range(4):
        if observation["noisy"][bot]:
            shapes += _guess(board, bot, places[bot])
        else:
            shapes += _bot(board, places, bot, _onward(bot))
    blue, red = observation["score"]
    left = (f"{seat_name(team)}: {_counted(observation['food'][team])} left" for team in (0, 1))
    caption = (f"{seat_name(0)} {blue}:{red} {seat_name(1)}", *left, _on_turn(observation["round"], turn))
    return Scene(board.width, board.height, tuple(shapes), caption, _GROUND, (float(blue), float(red)))


@lru_cache(maxsize=16)
def _board(shape: tuple[int, int], walls: tuple[int, ...]) -> Board:
    """Return the board with walls of these numbers."""
    return Board.of(shape, (divmod(number, shape[1]) for number in walls))


@lru_cache(maxsize=64)
def _homes(board: Board) -> tuple[Rect, ...]:
    """Return the grounds of both teams, and dashes between them."""
    half = board.width / 2
    homes = (
        Rect(team * half, 0, half, board.height, seat_color(team) + _HOME, title=f"home of {seat_name(team)}")
        for team in (0, 1)
    )
    dashes = (Rect(half - 0.04, y / 2 + 0.1, 0.08, 0.3, _SOFT + _MIDDLE) for y in range(2 * board.height))
    return (*homes, *dashes)


@lru_cache(maxsize=64)
def _walls(board: Board) -> tuple[Rect, ...]:
    """Return the walls as bars: first what joins in a row, then single squares by columns; then their edges."""
    walls = set(board.walls)
    left = set(walls)
    bars: list[Rect] = []
    for dx, dy, least in ((1, 0, 2), (0, 1, 1)):
        for x, y in sorted(left, key=lambda square: (square[1], square[0]) if dx else square):
            length = 0
            while (x + length * dx, y + length * dy) in left:
                length += 1
            if length >= least:
                left -= {(x + n * dx, y + n * dy) for n in range(length)}
                bars.append(Rect(x, y, length if dx else 1, 1 if dx else length, _WALL, title="wall"))
    for dy, inset, color in ((-1, 0.0, _WALL_TOP), (1, 1 - _EDGE, _WALL_FOOT)):
        edges = {(x, y) for x, y in walls if (x, y + dy) not in walls and 0 <= y + dy < board.height}
        for x, y in sorted(edges):
            if (x - 1, y) not in edges:
                length = next(n for n in range(1, board.width) if (x + n, y) not in edges)
                bars.append(Rect(x, y + inset, length, _EDGE, color))
    return tuple(bars)


def _pellets(
    board: Board, team: int, pellets: Iterable[int], tired: Collection[int], how: str
) -> Iterator[Shape]:
    for number in pellets:
        x, y = board.squares[number]
        color, state = (_SOFT, f", {how}") if number in tired else (seat_color(team), "")
        if number not in tired:
            yield Circle(x + 0.5, y + 0.5, 0.36, color + _GLOW)
        title = f"pellet of {seat_name(team)}{state}"
        yield Circle(x + 0.5, y + 0.5, 0.2, color, key=f"pellet {number}", title=title)


def _trail(state: State, bot: int) -> Iterator[Line]:
    """Yield the newest steps of a bot, older ones paler."""
    color, steps = seat_color(bot % 2), _newest_steps(state, bot)
    for opacity, step in zip(_TRAIL[len(_TRAIL) - len(steps) :], steps, strict=True):
        if step[0] != step[1]:
            # From left to right or downwards, whatever the direction: then few lines differ.
            ends = (state.board.squares[number] for number in sorted(step))
            yield Line(tuple((x + 0.5, y + 0.5) for x, y in ends), color + opacity, 0.16)


def _bot(board: Board, places: Sequence[int], bot: int, facing: Point) -> Iterator[Shape]:
    """Yield a bot that looks into the direction ``facing``."""
    x, y = board.squares[places[bot]]
    cx, cy, unit = _place(board, places, bot)
    right, down = facing
    color, name, kind = seat_color(bot % 2), LETTERS[bot], _kind(board, places[bot], bot)
    title = f"{kind} {name} of {seat_name(bot % 2)} at ({x}, {y})"
    if kind == "ghost":
        hem = [
            (cx + unit * (0.47 - 0.47 / 3 * n), cy + unit * (0.47 if n % 2 == 0 else 0.35)) for n in range(7)
        ]
        dome = wedge((cx, cy - 0.03 * unit), 0.47 * unit, 180, 360)[1:]
        eyes = _pair(cx, cy - 0.18 * unit, 0.2 * unit, 0.14 * unit)
        looking = (cx + 0.06 * unit * right, cy + unit * (0.06 * down - 0.18))
        yield Polygon((*dome, *hem), color, _GROUND, key=f"bot {name}", title=title)
        yield Polygon(eyes, _EYE, key=f"eyes of {name}")
        yield Polygon(_pair(*looking, 0.2 * unit, 0.07 * unit), _PUPIL, key=f"pupils of {name}")
        yield Text(cx, cy + 0.16 * unit, name, 0.42 * unit, _ON_BOT, key=f"letter {name}")
    else:
        angle = math.degrees(math.atan2(down, right))
        shape = wedge((cx, cy), 0.5 * unit, angle + 35, angle + 325)
        yield Polygon(shape, color, _GROUND, key=f"bot {name}", title=title)
        letter = (cx - 0.2 * unit * right, cy - 0.2 * unit * down)
        yield Text(*letter, name, 0.46 * unit, _ON_BOT, key=f"letter {name}")


def _turn_ring(board: Board, places: Sequence[int], bot: int) -> Line:
    x, y, unit = _place(board, places, bot)
    return Line(_ring(x, y, 0.72 * unit), _INK, 0.08 * unit, key=f"ring {LETTERS[bot]}")


def _place(board: Board, places: Sequence[int], bot: int) -> tuple[float, float, float]:
    """Return the centre of a bot, which is next to others on its square, and its size, larger on large boards."""
    x, y = board.squares[places[bot]]
    mates = [other for other in range(4) if places[other] == places[bot]]
    shift = 0.4 * (mates.index(bot) - (len(mates) - 1) / 2) if len(mates) > 1 else 0.0
    return x + 0.5 + shift, y + 0.5, min(max(board.width / 40, 1.0), 1.5)


def _ring(x: float, y: float, radius: float) -> tuple[Point, ...]:
    return tuple((x + radius * right, y + radius * down) for right, down in _CIRCLE)


def _pair(x: float, y: float, distance: float, radius: float) -> tuple[Point, ...]:
    """Return two discs as one shape, their centres at ``distance`` to the left and right of a point."""
    return (*_ring(x - distance, y, radius), *_ring(x + distance, y, radius))


def _kind(board: Board, number: int, bot: int) -> str:
    return "ghost" if board.team_at(number) == bot % 2 else "pac-man"


def _newest_steps(state: State, bot: int) -> list[tuple[int, int]]:
    """Return where the newest turns of a bot began and ended, oldest first."""
    return list(pairwise((*state.trails[bot], state.bots[bot])))


def _facing(state: State, bot: int) -> Point:
    for origin, target in reversed(_newest_steps(state, bot)):
        if origin != target:
            (x0, y0), (x1, y1) = state.board.squares[origin], state.board.squares[target]
            return x1 - x0, y1 - y0
    return _onward(bot)


def _onward(bot: int) -> Point:
    """Return the direction of the enemy's home."""
    return (1, 0) if bot % 2 == 0 else (-1, 0)


def _bubbles(state: State) -> Iterator[Shape]:
    """Yield what bots say, above or below them: where it hides fewer bots and bubbles."""
    board = state.board
    size = board.width / 42
    height = 1.7 * size
    taken = [(x + 0.5, y + 0.5, 1.0, 1.0) for x, y in (board.squares[number] for number in state.bots)]
    for bot, words in enumerate(state.said):
        if not words.strip():
            continue
        x, y = board.squares[state.bots[bot]]
        text = shortened(words, size, board.width - 1.4 * size)
        width = text_width(text, size) + size
        cx = min(max(x + 0.5, width / 2 + 0.1), board.width - width / 2 - 0.1)
        middles = [
            cy
            for cy in (y - 0.1 - height / 2, y + 1.1 + height / 2)
            if height / 2 < cy < board.height - height / 2
        ]

        def hidden(cy: float, cx: float = cx, width: float = width) -> int:
            return sum(
                abs(cx - other_x) < (width + other_width) / 2
                and abs(cy - other_y) < (height + other_height) / 2
                for other_x, other_y, other_width, other_height in taken
            )

        cy = min(middles, key=hidden, default=board.height / 2)
        taken.append((cx, cy, width, height))
        left, top, rim = cx - width / 2, cy - height / 2, 0.07 * size
        color, name = seat_color(bot % 2), LETTERS[bot]
        yield Rect(left, top, width, height, color, key=f"rim of {name}", radius=0.5 * size)
        inside = (left + rim, top + rim, width - 2 * rim, height - 2 * rim)
        yield Rect(*inside, _CARD, key=f"bubble of {name}", radius=0.5 * size - rim)
        yield Text(cx, cy, text, size, _INK, key=f"words of {name}", title=f"{name} says: {words}")


def _debug(settings: Settings, state: State) -> Iterator[Shape]:
    board = state.board
    for bot in range(4):
        if board.team_at(state.bots[bot]) != bot % 2:
            continue
        shadow = _diamond(board, state.bots[bot], settings.shadow_distance)
        yield Polygon(shadow, _SOFT + _SHADOW, layer=DEBUG)
    if state.round == 0:
        return
    yield from _sight(settings, board, state.bots[state.turn], state.turn, DEBUG)
    enemies = (1, 3) if state.team == 0 else (0, 2)
    for enemy, place, noisy in zip(enemies, state.shown, state.noisy, strict=True):
        if noisy:
            yield from _guess(board, enemy, place, DEBUG)


def _sight(settings: Settings, board: Board, place: int, bot: int, layer: str = "") -> Iterator[Shape]:
    """Yield the edge of what a bot sees exactly, unless that is everything."""
    if settings.sight_distance + 0.5 < board.width:
        edge = _diamond(board, place, settings.sight_distance)
        yield Polygon(edge, stroke=seat_color(bot % 2), layer=layer, key="sight")


def _diamond(board: Board, place: int, distance: int) -> tuple[Point, ...]:
    """Return the edge of what is up to ``distance`` from a square, cut at the rim of the board."""
    x, y = board.squares[place]
    cx, cy, reach = x + 0.5, y + 0.5, distance + 0.5
    corners = ((cx, cy - reach), (cx + reach, cy), (cx, cy + reach), (cx - reach, cy))
    return clipped(corners, board.width, board.height)


def _guess(board: Board, bot: int, place: int, layer: str = "") -> Iterator[Shape]:
    """Yield a letter at the noisy position of a bot; in a view, a ring around it."""
    x, y = board.squares[place]
    color, name = seat_color(bot % 2), LETTERS[bot]
    title = f"{name} of {seat_name(bot % 2)}, somewhere near"
    if not layer:
        yield Line(_ring(x + 0.5, y + 0.5, 0.46), color, 0.08, key=f"ring {name}", title=title)
    yield Text(x + 0.5, y + 0.5, f"{name}?", 0.5, color, layer, f"guess {name}", title, halo=_GROUND)


def _caption(state: State) -> Iterator[str]:
    tally = state.tally
    blue, red = tally.score
    yield f"{seat_name(0)} {blue}:{red} {seat_name(1)}"
    for team, name in enumerate(state.names):
        kills = tally.kills[team] + tally.kills[team + 2]
        deaths = tally.deaths[team] + tally.deaths[team + 2]
        yield (
            f"{seat_name(team)} as {name}: {_counted(numbers(state.food[team]))} left, kills {kills}, "
            f"deaths {deaths}, time-outs {tally.timeouts[team]}"
        )
    for bot, text in enumerate(state.said):
        if text.strip():
            yield f"{LETTERS[bot]}: {text}"
    if state.verdict is None:
        yield _on_turn(state.round, state.turn)
    elif state.verdict.counted == DRAW:
        yield "A draw"
    else:
        yield f"{seat_name(state.verdict.counted)} wins"


def _on_turn(round: int, bot: int) -> str:
    return f"Round {round}, bot {LETTERS[bot]} to move"


def _counted(pellets: Iterable[int]) -> str:
    number = len(list(pellets))
    return f"{number} pellet{'' if number == 1 else 's'}"


def _events(state: State) -> Iterator[Event]:
    step, played = state.step, state.serial - (state.verdict is None)
    for serial, team, origin, target in state.food_moves:
        if target >= 0 and serial == state.serial:
            yield Event(
                f"a pellet of {seat_name(team)} moves away from {state.board.squares[origin]}", team, 0.5
            )
        elif target < 0 and serial == played:
            yield Event(f"{seat_name(1 - team)} eats a pellet", 1 - team)
    if step is None:
        return
    for bot in step.killed:
        yield Event(f"{seat_name(1 - bot % 2)} kills {LETTERS[bot]} of {seat_name(bot % 2)}", 1 - bot % 2, 3)
    if step.by_chance:
        yield Event(f"{seat_name(step.bot % 2)} was too late: a random step", step.bot % 2, 2)
    if not step.done:
        yield Event(f"{seat_name(step.bot % 2)} loses by bot {LETTERS[step.bot]}", step.bot % 2, 4)
