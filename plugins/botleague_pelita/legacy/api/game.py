"""``pelita.game``: whole games of move functions, turn by turn, on a dictionary as in the original.

Teams are move functions here. Games between files and strangers are played by ``botleague play``.

Source: rules/pelita.md, section 13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from botleague_pelita.config import Config
from botleague_pelita.legacy.api.utils import default_rng, split_food
from botleague_pelita.legacy.local import LocalGame
from botleague_pelita.legacy.textview import result_line
from botleague_pelita.mazes.layout import Layout
from botleague_pelita.mazes.maze import SIZES

_LOCAL = "_local_game"


class GameTools:
    """``setup_game``, ``play_turn`` and ``run_game`` for one generation of the rules."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def names(self) -> dict[str, object]:
        """Return the public names of the module."""
        sizes = SIZES["classic"]
        return {
            "run_game": self.run_game,
            "setup_game": self.setup_game,
            "play_turn": play_turn,
            "split_food": split_food,
            "KILL_POINTS": self.config.kill_points,
            "MAX_FOOD_AGE": self.config.max_food_age,
            "NOISE_RADIUS": self.config.noise_radius,
            "SHADOW_DISTANCE": self.config.shadow_distance,
            "SIGHT_DISTANCE": self.config.sight_distance,
            "MSIZE": {name: size[:2] for name, size in sizes.items()},
            "NFOOD": {size[:2]: size[2:] for size in sizes.values()},
        }

    def setup_game(
        self,
        team_specs: Sequence[Any],
        *,
        layout_dict: Mapping[str, Any],
        max_rounds: int = 300,
        rng: int | Random | None = None,
        allow_camping: bool = False,
        error_limit: int | None = None,
        timeout_length: float = 3,
        initial_timeout_length: float = 6,
        viewers: object = None,
        store_output: object = False,
        team_names: Sequence[str | None] = (None, None),
        team_infos: Sequence[str | None] = (None, None),
        allow_exceptions: bool = False,
        raise_bot_exceptions: bool = False,
        print_result: bool = True,
    ) -> dict[str, Any]:
        """Return the dictionary of a game before its first turn.

        Args:
            team_specs: two move functions. There are no time-outs in this process and no viewers, so the
                options about them are accepted and have no effect.
            layout_dict: as ``parse_layout`` returns it.
            max_rounds: rounds to play at most.
            rng: generator of the game, or its seed.
            allow_camping: pellets never move.
            allow_exceptions, raise_bot_exceptions: what a bot raises goes to the caller.

        Raises:
            TypeError: a team is not a function.
        """
        for spec in team_specs:
            if not callable(spec):
                raise TypeError(f"{spec!r} is not a move function; play files with 'botleague play'")
        config = replace(self.config, max_rounds=max_rounds, allow_camping=allow_camping)
        a, x, b, y = layout_dict["bots"]
        layout = Layout(
            tuple(layout_dict["shape"]),
            tuple(sorted(layout_dict["walls"])),
            tuple(sorted(layout_dict["food"])),
            (a, x, b, y),
        )
        names = [
            name or f"local-team ({getattr(spec, '__name__', 'move')})"
            for name, spec in zip(team_names, team_specs, strict=True)
        ]
        game = LocalGame(
            config,
            layout,
            team_specs,
            default_rng(rng),
            names=(names[0], names[1]),
            raise_errors=allow_exceptions or raise_bot_exceptions,
        )
        state: dict[str, Any] = {
            "walls": set(layout.walls),
            "shape": layout.shape,
            "max_rounds": max_rounds,
            "timeout_length": timeout_length,
            "noise_radius": config.noise_radius,
            "sight_distance": config.sight_distance,
            "shadow_distance": config.shadow_distance,
            "max_food_age": config.max_food_age,
            "team_names": names,
            "team_infos": tuple(team_infos),
            "team_time": [0, 0],
            _LOCAL: game,
        }
        _refresh(state)
        return state

    def run_game(self, team_specs: Sequence[Any], **options: Any) -> dict[str, Any]:
        """Play a game to its end and return its dictionary; the arguments are those of ``setup_game``."""
        state = self.setup_game(team_specs, **options)
        while not state["gameover"]:
            play_turn(state)
        if options.get("print_result", True):
            print(result_line(state[_LOCAL].state))
        return state


def play_turn(game_state: dict[str, Any], allow_exceptions: bool = False) -> dict[str, Any]:
    """Play one turn, and return the same dictionary changed.

    Args:
        game_state: from ``setup_game``.
        allow_exceptions: what a bot raises goes to the caller.
    """
    game: LocalGame = game_state[_LOCAL]
    game.raise_errors = game.raise_errors or allow_exceptions
    game.step()
    _refresh(game_state)
    return game_state


def _refresh(plain: dict[str, Any]) -> None:
    game: LocalGame = plain[_LOCAL]
    state = game.state
    board, tally = state.board, state.tally
    begun = state.round > 0
    plain |= {
        "turn": state.turn if begun else None,
        "round": state.round if begun else None,
        "food": [set(board.listed(side)) for side in state.food],
        "food_age": [{board.squares[number]: age for number, age in ages} for ages in state.ages],
        "bots": [board.squares[bot] for bot in state.bots],
        "score": list(tally.score),
        "kills": list(tally.kills),
        "deaths": list(tally.deaths),
        "bot_was_killed": list(state.was_killed),
        "fatal_errors": [list(events) for events in tally.fatal],
        "errors": [{}, {}],
        "say": list(state.said),
        "gameover": state.verdict is not None,
        "whowins": None if state.verdict is None else state.verdict.winner,
    }
