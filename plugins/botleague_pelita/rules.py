"""Pelita for the referee: the engine behind the contract of :mod:`botleague.rules`.

A seat is a team that steers two bots. Since observations must not draw, every ``apply`` plays the turn and then
begins the next one: what a seat is shown lies ready in the state, and the generator is used in exactly the
order of the original. A bad move becomes an ``illegal`` fault in the record, because it ends the game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta
from msgspec.structs import replace

from botleague.rules import Fault, Move, Outcome, Reply, Rules, Scene, Told, seat_name
from botleague_pelita.config import PROFILES, Config
from botleague_pelita.mazes.board import LETTERS, near_squares, numbers
from botleague_pelita.mazes.layout import Layout, read_layout
from botleague_pelita.mazes.maze import generate
from botleague_pelita.play.engine import play, prepare, set_up
from botleague_pelita.play.state import DRAW, Action, FatalKind, State
from botleague_pelita.scene import draw, draw_view
from botleague_pelita.texts import clean_team_name, clean_text

Coordinate = Annotated[int, Meta(ge=-10_000, le=10_000)]
Tint = tuple[Annotated[int, Meta(ge=0, le=1_000_000)], Annotated[str, Meta(max_length=7)]]

MAX_TINTS = 1024
"""Squares that a bot may tint in one turn; more are left out."""


class Answer(TypedDict):
    """A move as it travels.

    Attributes:
        to: the target square, None when the bot returned something that is no pair of integers.
        shown: how such a thing reads, for the message.
        say: the text of this turn.
        paint: square numbers with colours ``#rrggbb``.
    """

    to: tuple[Coordinate, Coordinate] | None
    shown: NotRequired[Annotated[str, Meta(max_length=100)]]
    say: NotRequired[Annotated[str, Meta(max_length=100)]]
    paint: NotRequired[Annotated[list[Tint], Meta(max_length=MAX_TINTS)]]


_FATAL: Mapping[str, FatalKind] = {
    "exception": "exception",
    "timeout": "timeout",
    "illegal": "illegal",
    "crash": "disconnect",
    "garbage": "disconnect",
    "rejected": "disconnect",
}
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_COLORS = ("Blue", "Red")
_WAYS = {(0, -1): "north", (1, 0): "east", (0, 1): "south", (-1, 0): "west", (0, 0): "stays"}


@dataclass(frozen=True, slots=True)
class PelitaRules(Rules[State]):
    """Pelita with its options: on a fixed board, or on a new maze in every match."""

    config: Config = PROFILES["classic"]

    def board(self, rng: Random) -> Layout:
        """Return the board of a match with its pellets and bots."""
        config = self.config
        if config.layout is not None:
            return read_layout(config.layout)
        return generate(rng, config.size, config.food, config.generator)

    def admit(self, seat: int, declaration: object) -> str:
        """Return the team's name, cleaned."""
        return clean_team_name(declaration) if isinstance(declaration, str) else "???"

    def start(self, declarations: Sequence[object | Fault], rng: Random) -> State:
        """Return the first turn of a game on a new maze; over at once if a team could not be loaded."""
        layout = self.board(rng)
        names = [
            f"{color.lower()} team" if isinstance(name, Fault) else str(name)
            for color, name in zip(_COLORS, declarations, strict=True)
        ]
        absent = [seat for seat, name in enumerate(declarations) if isinstance(name, Fault)]
        state = set_up(self.config, layout, rng, (names[0], names[1]), absent)
        return state if state.verdict else prepare(self.config, state, rng)

    def brief(self, state: State, seat: int) -> dict[str, Any]:
        """Return what stays: shape, walls and pellets as square numbers, names, the team's seed."""
        board = state.board
        return {
            "shape": [board.width, board.height],
            "walls": [board.number(square) for square in board.walls],
            "food": [list(_listed(side)) for side in state.food],
            "names": list(state.names),
            "seed": state.team_seeds[seat],
        }

    def acting(self, state: State) -> tuple[int, ...]:
        """Return the team on turn."""
        return () if state.verdict else (state.turn % 2,)

    def observe(self, state: State, seat: int) -> dict[str, Any]:
        """Return what the team knows, see :func:`observation_of`."""
        return observation_of(state, seat)

    def apply(self, state: State, replies: Mapping[int, Reply], rng: Random) -> State:
        """Play the turn, then begin the next one."""
        reply = replies[state.turn % 2]
        action: Action
        say = ""
        paint: tuple[tuple[int, str], ...] = ()
        if isinstance(reply, Move):
            action, say, paint = _read(state, reply.value)
        else:
            action = _FATAL[reply.kind]
        state = play(self.config, state, action, rng, say, paint)
        return state if state.verdict else prepare(self.config, state, rng)

    def illegal(self, state: State, seat: int, value: object) -> str | None:
        """Return why the bot on turn cannot go where it wants to."""
        target, _, _ = _read(state, value)
        origin = state.bots[state.turn]
        if target in state.board.legal[origin]:
            return None
        wish = value.get("to") if isinstance(value, dict) else None
        if wish is None:
            action = value.get("shown", value) if isinstance(value, dict) else value
            return f"bot {LETTERS[state.turn]}: {str(action)[:100]!r} is not a square; return a pair of integers (x, y)"
        squares = [state.board.squares[number] for number in state.board.legal[origin]]
        return (
            f"bot {LETTERS[state.turn]} at {state.board.squares[origin]} cannot go to {tuple(wish)}; "
            f"legal: {', '.join(map(str, squares))}"
        )

    def sample(self, state: State, seat: int, rng: Random) -> Answer:
        """Return a random legal step of the bot on turn."""
        return {"to": state.board.squares[rng.choice(state.board.legal[state.bots[state.turn]])]}

    def outcome(self, state: State) -> Outcome | None:
        """Return win, draw or loss; the scores are points and do not decide (an error loses whatever they are)."""
        verdict = state.verdict
        if verdict is None:
            return None
        winner = verdict.counted
        places = (1, 1) if winner == DRAW else (1 + winner, 2 - winner)
        forfeits = verdict.absent
        if verdict.why in ("fatal", "timeouts"):
            forfeits = (1 - winner,)
        blue, red = state.tally.score
        return Outcome(places, (float(blue), float(red)), _reason(state), tuple(sorted(forfeits)))

    def scene(self, state: State) -> Scene:
        """Return the picture: maze, pellets, ghosts and pac-men, speech bubbles; sight and shadow to debug."""
        return draw(self.config, state)

    def view(self, told: Told, seat: int) -> Scene:
        """Return the maze as a team knows it: far enemies are rings where they were guessed to be."""
        return draw_view(self.config, told, seat)

    def twins(self, state: State, seat: int) -> Iterator[State]:
        """Yield states with another seed and other pellets' ages of the enemy, and far enemies at other squares."""
        seeds, (blue, red) = state.team_seeds, state.ages
        yield replace(
            state,
            team_seeds=(seeds[0] + seat, seeds[1] + 1 - seat),
            ages=((), red) if seat else (blue, ()),
            said=("", "", "", ""),
            painted=(),
            step=None,
        )
        if state.team != seat:
            return
        board, bots = state.board, list(state.bots)
        x, y = board.squares[bots[state.turn]]
        for enemy, place, is_noisy in zip((1 - seat, 3 - seat), state.shown, state.noisy, strict=True):
            for number in near_squares(board, place, self.config.noise_radius) if is_noisy else ():
                enemy_x, enemy_y = board.squares[number]
                if abs(x - enemy_x) + abs(y - enemy_y) > self.config.sight_distance:
                    bots[enemy] = number
        yield replace(state, bots=(bots[0], bots[1], bots[2], bots[3]))

    def describe(self, state: State, seat: int, move: object) -> str:
        """Return where the bot on turn goes and whom it meets there: "pac-man a east, eats"."""
        board, bot = state.board, state.turn
        target, say, _ = _read(state, move)
        origin, enemy = state.bots[bot], 1 - bot % 2
        kind = "ghost" if board.team_at(origin) == bot % 2 else "pac-man"
        (x0, y0), (x1, y1) = board.squares[origin], board.squares[target]
        text = f"{kind} {LETTERS[bot]} {_WAYS[x1 - x0, y1 - y0]}"
        if state.food[enemy] >> target & 1:
            text += ", eats"
        met = [LETTERS[other] for other in (enemy, enemy + 2) if state.bots[other] == target]
        if met:
            text += f", meets {' and '.join(met)}"
        return f"{text}: {say}" if say.strip() else text


def observation_of(state: State, seat: int) -> dict[str, Any]:
    """Return what a team knows at its turn; fours are in the order a, x, b, y, squares are numbers.

    It is complete, so that a restarted team can continue.
    """
    tally = state.tally
    positions = list(state.bots)
    noisy = [False] * 4
    for enemy, place, guess in zip((1 - seat, 3 - seat), state.shown, state.noisy, strict=True):
        positions[enemy] = place
        noisy[enemy] = guess
    return {
        "round": state.round,
        "turn": state.turn,
        "bots": positions,
        "noisy": noisy,
        "food": [list(_listed(state.food[0])), list(_listed(state.food[1]))],
        "moved": [list(move) for move in state.food_moves],
        "shaded": [number for number, _ in state.ages[seat]],
        "score": list(tally.score),
        "kills": list(tally.kills),
        "deaths": list(tally.deaths),
        "was_killed": list(state.was_killed),
        "timeouts": tally.timeouts[seat],
    }


@lru_cache(maxsize=256)
def _listed(mask: int) -> tuple[int, ...]:
    return tuple(numbers(mask))


def _read(state: State, value: object) -> tuple[int, str, tuple[tuple[int, str], ...]]:
    """Return target number (-1 = none on the board), text and tints of a move, whatever it is."""
    if type(value) is not dict:
        return -1, "", ()
    board = state.board
    target = -1
    to: Any = value.get("to")
    if type(to) in (tuple, list) and len(to) == 2:
        x, y = to
        if type(x) is int and type(y) is int and 0 <= x < board.width and 0 <= y < board.height:
            target = board.number((x, y))
    say, paint = value.get("say"), value.get("paint")
    tints = tuple((n, c) for n, c in paint if n < len(board.squares) and _COLOR.fullmatch(c)) if paint else ()
    return target, clean_text(say) if say else "", tints


def _reason(state: State) -> str:
    verdict = state.verdict
    assert verdict is not None
    if verdict.why == "setup":
        if not verdict.absent:
            return "The game could not begin: a side has no food, or there is no round to play."
        names = " and ".join(map(seat_name, verdict.absent))
        ending = "a win for the other team" if len(verdict.absent) == 1 else "a draw"
        return f"{names} could not be loaded: {ending}."
    blue, red = state.tally.score
    if verdict.why in ("food", "rounds"):
        eaten = [seat_name(seat) for seat, side in enumerate(state.food) if not side]
        what = f"{' and '.join(eaten)} ran out of food" if eaten else "the last round was played"
        return f"{what[0].upper()}{what[1:]} (round {state.round}): {blue}:{red}."
    loser = 1 - verdict.winner
    bot = LETTERS[state.turn]
    events = state.tally.fatal[loser]
    kind = events[-1][2] if events else "timeout"
    deed = {
        "exception": f"bot {bot} raised an exception",
        "illegal": f"bot {bot} made an illegal move",
        "disconnect": "its process ended",
        "timeout": f"bot {bot} was too late once too often",
    }[kind]
    return f"{seat_name(loser)} loses at {blue}:{red}, since {deed} in round {state.round}."
