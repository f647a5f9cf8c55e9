"""The picture of a game: one scene unit is one square.

Pellets have the colour of the team that defends them and are grey when they are about to move away. Ghosts have
a hem, pac-men a mouth that opens in the direction of their last step; the bot on turn has an outline. The debug
layer shows how far that bot sees, the shadows of ghosts, and the noisy positions of enemies that it received.
A team's view shows such enemies as rings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from botleague.rules import (
    Circle,
    Event,
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
from botleague_pelita.board import LETTERS, Board, near_mask, numbers
from botleague_pelita.state import DRAW, Settings, State

__all__ = ["draw", "draw_view"]

WALL, GROUND = "#4b4b58", "#f7f5f0"
FRESH, TIRED = ("#2f5fa8", "#b8402c"), "#a5a5a5"
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
    for team in (0, 1):
        most = TIRED_SHARE * settings.max_food_age
        tired = {n for n, age in state.ages[team] if age > most and not settings.allow_camping}
        shapes += _pellets(board, team, numbers(state.food[team]), tired, "about to move")
    for bot in (*(n for n in range(4) if n != state.turn), state.turn):
        shapes += _bot(board, state.bots, bot, _facing(state, bot), is_on_turn=bot == state.turn)
    for bot in range(4):
        shapes += _bubble(state, bot)
    return Scene(
        board.width,
        board.height,
        tuple(shapes),
        tuple(_caption(state)),
        GROUND,
        scores=tuple(map(float, state.tally.score)),
        events=tuple(_events(state)),
    )


def draw_view(settings: Settings, told: Told, seat: int) -> Scene:
    """Return the picture of what one team knows at its turn."""
    brief: Any = told.briefing
    observation: Any = told.observations[-1]
    board = _board(tuple(brief["shape"]), tuple(brief["walls"]))
    places, turn = observation["bots"], observation["turn"]
    shapes: list[Shape] = [*_homes(board), *_sight(settings, board, places[turn], turn), *_walls(board)]
    for team in (0, 1):
        shapes += _pellets(
            board, team, observation["food"][team], set(observation["shaded"]), "in the shadow"
        )
    for bot in (*(n for n in range(4) if n != turn), turn):
        if observation["noisy"][bot]:
            shapes += _guess(board, bot, places[bot])
        else:
            shapes += _bot(board, places, bot, 180.0 * (bot % 2), is_on_turn=bot == turn)
    blue, red = observation["score"]
    left = (f"{seat_name(team)}: {_counted(observation['food'][team])} left" for team in (0, 1))
    caption = (f"{seat_name(0)} {blue}:{red} {seat_name(1)}", *left, _on_turn(observation["round"], turn))
    return Scene(board.width, board.height, tuple(shapes), caption, GROUND, (float(blue), float(red)))


def _homes(board: Board) -> Iterator[Shape]:
    for team, color in enumerate(("#eaf1fb", "#fdeeea")):
        left = team * board.width / 2
        yield Rect(left, 0, board.width / 2, board.height, color, title=f"home of {seat_name(team)}")


@lru_cache(maxsize=16)
def _board(shape: tuple[int, int], walls: tuple[int, ...]) -> Board:
    """Return the board with walls of these numbers."""
    return Board.of(shape, (divmod(number, shape[1]) for number in walls))


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
                bars.append(Rect(x, y, length if dx else 1, 1 if dx else length, WALL, title="wall"))
    return tuple(bars)


def _pellets(
    board: Board, team: int, pellets: Iterable[int], tired: Collection[int], how: str
) -> Iterator[Shape]:
    for number in pellets:
        x, y = board.squares[number]
        color, state = (TIRED, f", {how}") if number in tired else (FRESH[team], "")
        title = f"pellet of {seat_name(team)}{state}"
        yield Circle(x + 0.5, y + 0.5, 0.2, color, key=f"pellet {number}", title=title)


def _bot(
    board: Board, places: Sequence[int], bot: int, facing: float, *, is_on_turn: bool
) -> Iterator[Shape]:
    x, y = board.squares[places[bot]]
    # Two bots on a square are drawn side by side.
    mates = [other for other in range(4) if places[other] == places[bot]]
    shift = 0.3 * (mates.index(bot) - (len(mates) - 1) / 2) if len(mates) > 1 else 0.0
    cx, cy = x + 0.5 + shift, y + 0.5
    color, edge = seat_color(bot % 2), "#222222" if is_on_turn else None
    name, kind = LETTERS[bot], _kind(board, places[bot], bot)
    title = f"{kind} {name} of {seat_name(bot % 2)} at ({x}, {y})"
    if kind == "ghost":
        hem = [(cx + 0.42 - 0.21 * n, cy + (0.44 if n % 2 == 0 else 0.3)) for n in range(5)]
        dome = wedge((cx, cy), 0.42, 180, 360)[1:]
        yield Polygon((*dome, *hem), color, edge, key=f"bot {name}", title=title)
        for number, side in enumerate((-0.15, 0.15)):
            yield Circle(cx + side, cy - 0.08, 0.09, "#ffffff", key=f"eye {number} of {name}")
    else:
        shape = wedge((cx, cy), 0.42, facing + 35, facing + 325)
        yield Polygon(shape, color, edge, key=f"bot {name}", title=title)
    yield Text(cx, cy + 0.2, name, 0.35, "#ffffff", key=f"letter {name}")


def _kind(board: Board, number: int, bot: int) -> str:
    return "ghost" if board.team_at(number) == bot % 2 else "pac-man"


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
    text = shortened(text, 0.5, board.width - 0.4)
    width = text_width(text, 0.5) + 0.4
    left = min(max(x + 0.5 - width / 2, 0.0), board.width - width)
    top = y - 0.9 if y >= 1 else y + 1.1
    name = LETTERS[bot]
    yield Rect(left, top, width, 0.8, "#ffffff", seat_color(bot % 2), key=f"bubble of {name}")
    yield Text(left + width / 2, top + 0.4, text, 0.5, key=f"words of {name}", title=f"{name} says: {text}")


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
    yield from _sight(settings, board, state.bots[state.turn], state.turn, DEBUG)
    enemies = (1, 3) if state.team == 0 else (0, 2)
    for enemy, place, noisy in zip(enemies, state.shown, state.noisy, strict=True):
        if noisy:
            yield from _guess(board, enemy, place, DEBUG)


def _sight(settings: Settings, board: Board, place: int, bot: int, layer: str = "") -> Iterator[Shape]:
    """Yield the edge of what a bot sees exactly, unless that is everything."""
    reach = settings.sight_distance + 0.5
    if reach >= board.width:
        return
    x, y = board.squares[place]
    cx, cy = x + 0.5, y + 0.5
    corners = ((cx, cy - reach), (cx + reach, cy), (cx, cy + reach), (cx - reach, cy))
    edge = clipped(corners, board.width, board.height)
    yield Polygon(edge, stroke=seat_color(bot % 2), layer=layer, key="sight")


def _guess(board: Board, bot: int, place: int, layer: str = "") -> Iterator[Shape]:
    """Yield a ring at the noisy position of a bot."""
    x, y = board.squares[place]
    color, name = seat_color(bot % 2), LETTERS[bot]
    title = f"{name} of {seat_name(bot % 2)}, somewhere near"
    yield Circle(x + 0.5, y + 0.5, 0.35, None, color, layer, f"guess {name}", title)
    yield Text(x + 0.5, y + 0.5, f"{name}?", 0.45, color, layer, f"guessed {name}")


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
