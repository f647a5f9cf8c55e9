"""``pelita.utils``: test games, background games and geometry for bots.

Source: rules/pelita.md, section 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from botleague_pelita.config import Config
from botleague_pelita.legacy.api.layout import BOT_N2I, initial_positions, parse_layout
from botleague_pelita.legacy.local import LocalGame
from botleague_pelita.mazes.board import LETTERS, Square, manhattan
from botleague_pelita.mazes.layout import Layout, read_layout
from botleague_pelita.mazes.maze import generate
from botleague_pelita.teams.arena import home_zones
from botleague_pelita.teams.bot import Bot, View, build_bots
from botleague_pelita.teams.graph_arena import GraphArena, walls_to_graph
from botleague_pelita.teams.team import MoveFunction

__all__ = [
    "BOT_N2I",
    "create_homezones",
    "default_rng",
    "initial_positions",
    "manhattan_dist",
    "parse_layout",
    "shaded_food",
    "split_food",
    "walls_to_graph",
]

manhattan_dist = manhattan


class BotTools:
    """``setup_test_game`` and ``run_background_game`` for one generation of the rules."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def generate_maze(
        self,
        trapped_food: int = 10,
        total_food: int = 30,
        width: int = 32,
        height: int = 16,
        rng: int | Random | None = None,
    ) -> dict[str, Any]:
        """Return a new maze in the form of ``parse_layout``."""
        maze = self._maze(default_rng(rng), (width, height), (trapped_food, total_food))
        return {"walls": maze.walls, "food": list(maze.food), "bots": list(maze.bots), "shape": maze.shape}

    def setup_test_game(
        self,
        layout: str | None,
        is_blue: bool = True,
        round: int | None = None,
        score: Sequence[int] | None = None,
        seed: int | None = None,
        food: Iterable[Sequence[int]] | None = None,
        bots: Mapping[str, Sequence[int]] | None = None,
        is_noisy: Mapping[str, bool] | None = None,
    ) -> Bot:
        """Return the first bot of a team in a situation that is given, for a bot's own tests.

        Args:
            layout: layout text; None for a new maze of normal size, without ``food`` and ``bots``.
            is_blue: whether to return the first bot of blue.
            round: what ``bot.round`` shall be.
            score: of blue and red.
            seed: of ``bot.random`` (after the maze was drawn from it).
            food: squares of pellets beside those in the layout.
            bots: squares by letter, overriding the layout.
            is_noisy: letters of enemies whose position shall pass for noisy.

        Raises:
            ValueError: the layout is malformed.
        """
        rng = Random(seed)
        board = self._maze(rng) if layout is None else read_layout(layout, food, bots)
        places = [square for square in board.bots if square is not None]
        own = 0 if is_blue else 1
        noisy = [
            bool((is_noisy or {}).get(letter)) and index % 2 != own for index, letter in enumerate(LETTERS)
        ]
        halves = split_food(board.shape[0], board.food)
        sides = (sorted(halves[0]), sorted(halves[1]))
        ghosts = (places[own], places[own + 2])
        shaded = list(shaded_food(ghosts, sides[own], self.config.shadow_distance))
        a, x, b, y = places
        noisy_a, noisy_x, noisy_b, noisy_y = noisy
        blue, red = score or (0, 0)
        view = View(
            round, own, (a, x, b, y), (noisy_a, noisy_x, noisy_b, noisy_y), sides, shaded, score=(blue, red)
        )
        arena = GraphArena(self.config, board.shape, board.walls, is_frozen=False)
        return build_bots(arena, view, rng)

    def run_background_game(
        self,
        *,
        blue_move: MoveFunction,
        red_move: MoveFunction,
        layout: str | None = None,
        max_rounds: int = 300,
        seed: int | None = None,
    ) -> dict[str, Any]:
        """Play a game of two move functions without time limits and return how it ended.

        The returned ``seed`` plays the same game again, also when it was drawn here.

        Args:
            blue_move, red_move: move functions; what they raise goes to the caller.
            layout: layout text, None for a new maze.
            max_rounds: rounds to play at most.
            seed: of the game, maze included.
        """
        if seed is None:
            seed = Random().getrandbits(63)
        rng = Random(seed)
        board_layout = self._maze(rng) if layout is None else read_layout(layout)
        config = replace(self.config, max_rounds=max_rounds)
        game = LocalGame(config, board_layout, (blue_move, red_move), rng)
        state = game.run()
        board, tally, verdict = state.board, state.tally, state.verdict
        assert verdict is not None
        report: dict[str, Any] = {
            "seed": seed,
            "walls": set(board.walls),
            "layout": "",
            "round": state.round or None,
            "draw": verdict.winner not in (0, 1),
        }
        for team, color in enumerate(("blue", "red")):
            mine = (team, team + 2)
            report |= {
                f"{color}_food": board.listed(state.food[team]),
                f"{color}_bots": [board.squares[state.bots[bot]] for bot in mine],
                f"{color}_score": tally.score[team],
                f"{color}_deaths": [tally.deaths[bot] for bot in mine],
                f"{color}_kills": [tally.kills[bot] for bot in mine],
                f"{color}_wins": verdict.winner == team,
            }
            if self.config.error_count:
                report[f"{color}_errors"] = {}
        return report

    def _maze(
        self, rng: Random, size: tuple[int, int] = (32, 16), food: tuple[int, int] = (10, 30)
    ) -> Layout:
        return generate(rng, size, food, self.config.generator)


def default_rng(seed: int | Random | None = None) -> Random:
    """Return a generator for a seed, or the generator itself."""
    return seed if isinstance(seed, Random) else Random(seed)


def create_homezones(shape: tuple[int, int], walls: Iterable[Square]) -> list[tuple[Square, ...]]:
    """Return the free squares of the blue and the red half."""
    return list(home_zones(shape, walls))


def split_food(width: int, food: Iterable[Square]) -> list[set[Square]]:
    """Return the pellets of blue and of red."""
    sides: list[set[Square]] = [set(), set()]
    for pellet in food:
        sides[pellet[0] // (width // 2)].add(pellet)
    return sides


def shaded_food(pos: Iterable[Square], food: Iterable[Square], radius: int) -> Iterator[Square]:
    """Yield the pellets within ``radius`` of any of the squares ``pos``."""
    ghosts = list(pos)
    return (pellet for pellet in food if any(manhattan(ghost, pellet) <= radius for ghost in ghosts))
