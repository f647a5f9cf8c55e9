"""Lends the ``pelita`` modules out: to teams in the sandbox, and to a bot author's own tests.

A test suite that was written for the original runs unchanged, without the original being installed::

    pytest -p botleague_pelita.compat

or, in a ``conftest.py``, before anything imports ``pelita``::

    import botleague_pelita.compat
    botleague_pelita.compat.install()

Source: rules/pelita.md, section 13.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType

from botleague_pelita.config import PROFILES, Config
from botleague_pelita.legacy import graph_2019
from botleague_pelita.legacy.api import layout as layout_names
from botleague_pelita.legacy.api import player as player_names
from botleague_pelita.legacy.api import utils as utils_names
from botleague_pelita.legacy.api.game import GameTools
from botleague_pelita.legacy.api.utils import BotTools
from botleague_pelita.teams.bot import Bot, PaintingBot

_PLAYER_MODULES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "FoodEatingPlayer": ("Food Eating Players", "food_eating_player", ()),
    "RandomExplorerPlayer": ("Random Explorer Players", "random_explorer_player", ()),
    "RandomPlayers": ("Random Players", "nq_random_player", ("random_player",)),
    "SmartEatingPlayer": ("Smart Eating Players", "smart_eating_player", ()),
    "SmartRandomPlayer": ("Smart Random Players", "smart_random_player", ()),
    "StoppingPlayer": ("Stopping Players", "stopping_player", ()),
}
"""Teams among the players: team name, move function, other names."""

_BASE_PLAYERS = ("move_exception_player", "round_based_player", "speaking_player", "stepping_player")


def pelita_modules(config: Config = PROFILES["classic"]) -> dict[str, dict[str, object]]:
    """Return the public names of every ``pelita`` module by its dotted name.

    Args:
        config: rules, mazes and looks of bots in test games and background games.
    """
    tools = BotTools(config)
    players = _public(player_names)
    modules: dict[str, dict[str, object]] = {
        "pelita.layout": _public(layout_names),
        "pelita.utils": {
            **_public(utils_names),
            "SHADOW_DISTANCE": config.shadow_distance,
            "generate_maze": tools.generate_maze,
            "setup_test_game": tools.setup_test_game,
            "run_background_game": tools.run_background_game,
        },
        "pelita.game": GameTools(config).names(),
        "pelita.team": {"Bot": PaintingBot if config.paint_background else Bot},
        "pelita.maze_generator": {"generate_maze": tools.generate_maze},
        "pelita.gamestate_filters": {"manhattan_dist": utils_names.manhattan_dist},
        "pelita.player": players,
        "pelita.player.base": {name: players[name] for name in _BASE_PLAYERS},
    }
    if config.release_2019:
        modules["pelita.graph"] = {name: getattr(graph_2019, name) for name in graph_2019.__all__}
        modules["pelita.utils"]["Graph"] = graph_2019.Graph
    for module, (team, move, others) in _PLAYER_MODULES.items():
        names = {name: players[name] for name in (move, *others)}
        modules[f"pelita.player.{module}"] = {"TEAM_NAME": team, "move": players[move], **names}
    return {"pelita": {}, **modules}


def install(profile: str = "classic") -> None:
    """Put the ``pelita`` modules into ``sys.modules`` of this process, for a bot author's tests.

    Args:
        profile: ``classic``, ``v26`` or ``v27``: which generation of the rules the test games follow.

    Raises:
        ValueError: there is no such profile.
        RuntimeError: the original has been imported already.
    """
    if profile not in PROFILES:
        raise ValueError(f"unknown profile {profile!r}; choose one of {', '.join(PROFILES)}")
    present = sys.modules.get("pelita")
    if present is not None and not hasattr(present, "__botleague__"):
        raise RuntimeError(
            "the original pelita has been imported already; call botleague_pelita.compat.install() first"
        )
    modules = {}
    for name, names in pelita_modules(PROFILES[profile]).items():
        module = ModuleType(name, f"{name} as botleague offers it to bots.")
        vars(module).update(names, __botleague__=True)
        modules[name] = module
    for name, module in modules.items():
        parent, _, leaf = name.rpartition(".")
        if parent:
            setattr(modules[parent], leaf, module)
        if any(other.startswith(f"{name}.") for other in modules):
            module.__path__ = []
    sys.modules.update(modules)


def pytest_load_initial_conftests() -> None:
    """Install the modules before any ``conftest.py`` is read (``pytest -p botleague_pelita.compat``)."""
    install()


def _public(module: ModuleType) -> dict[str, object]:
    return {name: getattr(module, name) for name in module.__all__}
