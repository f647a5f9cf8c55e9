"""Bot authors' own tests run as with the original: test games, background games, players, layouts."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from botleague_pelita import compat
from botleague_pelita.config import PROFILES

ROOM = """
########
#a # . #
#b.  xy#
########
"""

TEAM = '''
"""A team as one would write it for a school."""

from pelita.utils import manhattan_dist

TEAM_NAME = "The Walkers"


def move(bot, state):
    ghosts = [enemy.position for enemy in bot.enemy if enemy.position in enemy.homezone]
    for step in bot.legal_positions:
        if step in bot.enemy[0].food and step not in ghosts:
            return step
    food = bot.enemy[0].food
    return min(bot.legal_positions, key=lambda step: min(manhattan_dist(step, pellet) for pellet in food))
'''

TESTS = '''
import pytest
from team import move
from pelita.layout import parse_layout
from pelita.player import stepping_player, stopping_player
from pelita.utils import run_background_game, setup_test_game

LAYOUT = """
##########
#a   .   #
#b#    xy#
##########
"""


def test_eats_what_is_next_door():
    bot = setup_test_game(layout=LAYOUT, bots={"a": (4, 1)})
    assert move(bot, {}) == (5, 1)


def test_positional_layout_and_colours():
    bot = setup_test_game(LAYOUT, is_blue=False, round=7, score=[3, 12], is_noisy={"a": True})
    assert (bot.char, bot.score, bot.enemy[0].score, bot.round) == ("x", 12, 3, 7)
    assert bot.enemy[0].is_noisy and not bot.enemy[1].is_noisy
    assert "x" in str(bot)


def test_graph_of_a_test_game_is_free():
    bot = setup_test_game(layout=LAYOUT)
    bot.graph.remove_node((1, 1))
    assert (1, 1) not in bot.graph


def test_the_game_is_won():
    result = run_background_game(
        blue_move=move, red_move=stopping_player, layout=LAYOUT.replace("   .", " . ."), max_rounds=20, seed=1
    )
    assert result["blue_wins"] and result["round"] < 20


def test_exceptions_reach_the_caller():
    with pytest.raises(ValueError):
        run_background_game(
            blue_move=stepping_player("-", "-"), red_move=stopping_player,
            layout=LAYOUT.replace("   .", " . ."), max_rounds=3,
        )


def test_parsing_refuses_nonsense():
    with pytest.raises(ValueError):
        parse_layout("####")
'''


def test_a_test_suite_written_for_the_original_runs_unchanged(tmp_path: Path) -> None:
    (tmp_path / "team.py").write_text(TEAM, encoding="utf-8")
    (tmp_path / "conftest.py").write_text("from pelita.utils import setup_test_game\n", encoding="utf-8")
    (tmp_path / "test_team.py").write_text(TESTS, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "botleague_pelita.compat",
        "-p",
        "no:cacheprovider",
        ".",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


def test_a_background_game_without_seed_returns_one_that_repeats_it(lent_modules: None) -> None:
    utils, player = importlib.import_module("pelita.utils"), importlib.import_module("pelita.player")
    moves = {"blue_move": player.random_player, "red_move": player.nq_random_player, "max_rounds": 15}
    first = utils.run_background_game(**moves)
    again = utils.run_background_game(**moves, seed=first["seed"])
    assert again == first
    assert first["round"] == 15


@pytest.mark.parametrize(
    "name",
    [
        "stopping_player",
        "random_player",
        "nq_random_player",
        "random_explorer_player",
        "food_eating_player",
        "smart_eating_player",
        "smart_random_player",
        "speaking_player",
    ],
)
def test_every_player_can_play_both_sides(lent_modules: None, name: str) -> None:
    utils, player = importlib.import_module("pelita.utils"), importlib.import_module("pelita.player")
    move = getattr(player, name)
    result = utils.run_background_game(blue_move=move, red_move=move, max_rounds=25, seed=4)
    # Only a legal game ends by rounds or food.
    assert result["round"] == 25 or not (result["blue_food"] and result["red_food"])


def test_eaters_finish_their_plate(lent_modules: None) -> None:
    utils, player = importlib.import_module("pelita.utils"), importlib.import_module("pelita.player")
    result = utils.run_background_game(
        blue_move=player.food_eating_player,
        red_move=player.stopping_player,
        layout=ROOM,
        max_rounds=30,
        seed=1,
    )
    assert result["red_food"] == []
    assert result["blue_score"] == 1


def test_a_player_can_be_built_on_another_one(lent_modules: None) -> None:
    """As the original's own cautious eater is: it makes the eater forget the pellet behind the ghost."""
    utils, player = importlib.import_module("pelita.utils"), importlib.import_module("pelita.player")
    bot = utils.setup_test_game("########\n#   ax.#\n#b.   y#\n########\n", seed=1)
    for move, step in ((player.food_eating_player, (5, 1)), (player.smart_eating_player, (4, 1))):
        state: dict[Any, Any] = {0: {}}
        assert move(bot, state) == step
        assert state[0]["next_food"] == ((6, 1) if step == (5, 1) else None)


@pytest.mark.parametrize(
    ("blue", "red", "bots"),
    [
        ("random_explorer_player", "smart_random_player", [(3, 11), (4, 9), (28, 6), (28, 1)]),
        ("smart_random_player", "random_explorer_player", [(1, 13), (4, 13), (20, 6), (22, 7)]),
        ("nq_random_player", "random_explorer_player", [(6, 8), (11, 6), (20, 6), (22, 7)]),
    ],
)
def test_players_draw_as_the_originals_do(
    lent_modules: None, blue: str, red: str, bots: list[tuple[int, int]]
) -> None:
    """Release 2.5.3 ends these games on the same squares."""
    utils, player = importlib.import_module("pelita.utils"), importlib.import_module("pelita.player")
    result = utils.run_background_game(
        blue_move=getattr(player, blue), red_move=getattr(player, red), max_rounds=60, seed=11
    )
    assert result["blue_bots"] + result["red_bots"] == bots


@pytest.mark.parametrize(
    ("row", "name", "step"),
    [
        ("#   ax.#", "smart_eating_player", (4, 1)),  # a ghost before the pellet
        ("#   ax.#", "smart_random_player", (3, 1)),
        ("#.xa . #", "smart_random_player", (2, 1)),  # a kill
        ("#..xa. #", "smart_random_player", (3, 1)),  # a kill comes before food on the right
        ("#  .a. #", "smart_random_player", (5, 1)),  # own food is no food
    ],
)
def test_players_take_noisy_positions_for_true(
    lent_modules: None, row: str, name: str, step: tuple[int, int]
) -> None:
    """The original's values."""
    utils, player = importlib.import_module("pelita.utils"), importlib.import_module("pelita.player")
    bots = {"x": (6, 2)} if "x" not in row else {}
    bot = utils.setup_test_game(
        f"########\n{row}\n#b    y#\n########\n", seed=1, bots=bots, is_noisy={"x": True}
    )
    assert getattr(player, name)(bot, {}) == step


def test_the_module_of_random_players_does_not_turn_back(lent_modules: None) -> None:
    module = importlib.import_module("pelita.player.RandomPlayers")
    assert module.move is importlib.import_module("pelita.player").nq_random_player


def test_a_background_game_that_cannot_begin_counts_as_a_draw(lent_modules: None) -> None:
    compat.install("v27")
    utils, player = importlib.import_module("pelita.utils"), importlib.import_module("pelita.player")
    move = player.stopping_player
    result = utils.run_background_game(blue_move=move, red_move=move, layout=ROOM, max_rounds=0, seed=1)
    assert (result["draw"], result["blue_wins"], result["red_wins"]) == (True, False, False)


def test_bots_find_the_names_that_they_annotate_with(lent_modules: None) -> None:
    names = {
        "pelita.team": "Bot",
        "pelita.maze_generator": "generate_maze",
        "pelita.gamestate_filters": "manhattan_dist",
    }
    modules = {name: getattr(importlib.import_module(module), name) for module, name in names.items()}
    bot = importlib.import_module("pelita.utils").setup_test_game(None, seed=1)
    assert isinstance(bot, modules["Bot"])
    assert bot.walls == modules["generate_maze"](rng=1)["walls"]
    assert modules["manhattan_dist"]((0, 0), (3, 4)) == 7


def test_scripts_move_bots(lent_modules: None) -> None:
    utils, player = importlib.import_module("pelita.utils"), importlib.import_module("pelita.player")
    result = utils.run_background_game(
        blue_move=player.stepping_player("->^-", [(1, 0), "-", "<", (0, 1)]),
        red_move=player.round_based_player({2: (-1, 0)}, {}),
        layout="########\n#  # . #\n#a  . x#\n#b. . y#\n########",
        max_rounds=4,
        seed=1,
    )
    assert result["blue_bots"] == [(2, 1), (1, 3)]
    assert result["red_bots"] == [(5, 2), (6, 3)]


def test_a_game_is_played_turn_by_turn_on_a_dictionary(
    lent_modules: None, capsys: pytest.CaptureFixture[str]
) -> None:
    game, layout = importlib.import_module("pelita.game"), importlib.import_module("pelita.layout")
    player = importlib.import_module("pelita.player")
    players = [player.stopping_player, player.move_exception_player]
    state = game.setup_game(players, layout_dict=layout.parse_layout(ROOM), max_rounds=5, rng=Random(1))
    assert (state["turn"], state["round"], state["gameover"]) == (None, None, False)
    assert game.play_turn(state) is state
    assert (state["turn"], state["round"], state["bots"][0]) == (0, 1, (1, 1))
    with pytest.raises(RuntimeError, match="always raises"):
        game.play_turn(state, allow_exceptions=True)
    end = game.run_game(
        players, layout_dict=layout.parse_layout(ROOM), max_rounds=5, rng=1, team_names=("A", None)
    )
    assert (end["gameover"], end["whowins"]) == (True, 0)
    assert end["fatal_errors"][1] == [(1, 1, "exception")]
    assert capsys.readouterr().out == (
        "Finished after 1 round. 'A' won over 'local-team (move_exception_player)'. (0:0)\n"
    )
    with pytest.raises(TypeError, match="not a move function"):
        game.run_game(["team.py", "other.py"], layout_dict=layout.parse_layout(ROOM))


def test_layout_helpers_speak_the_originals_words(lent_modules: None) -> None:
    layout, utils = importlib.import_module("pelita.layout"), importlib.import_module("pelita.utils")
    parsed = layout.parse_layout(ROOM, food=[(1, 1)])
    assert parsed["shape"] == layout.wall_dimensions(parsed["walls"]) == (8, 4)
    assert layout.layout_as_str(**parsed).splitlines()[1] == "#a # . #"
    assert utils.split_food(8, parsed["food"]) == [{(1, 1), (2, 2)}, {(5, 1)}]
    assert list(utils.shaded_food([(1, 2), (5, 2)], parsed["food"], 1)) == [(1, 1), (2, 2), (5, 1)]
    assert utils.generate_maze(rng=7) == utils.generate_maze(rng=Random(7))
    for square in ((3, 1), (50, 1)):
        with pytest.raises(ValueError, match=r"wall|outside"):
            layout.get_legal_positions(parsed["walls"], parsed["shape"], square)


def test_each_generation_of_the_rules_has_its_own_bots() -> None:
    def test_bot(profile: str) -> Any:
        chosen = PROFILES[profile]
        modules = compat.pelita_modules(chosen)
        make: Callable[..., Any] = modules["pelita.utils"]["setup_test_game"]  # type: ignore[assignment]  # a table of names
        return make(ROOM)

    assert repr(test_bot("classic")) == "<Bot: a (blue), (1, 1), turn: 0, round: None>"
    assert repr(test_bot("v27")) == "<Bot: a (team blue), pos: (1, 1), turn: 0, round: None>"
    assert "timeouts" in str(test_bot("v26"))
    assert "timeouts" not in str(test_bot("v27"))


def test_the_original_is_never_replaced_once_it_was_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pelita", importlib.import_module("string"))
    with pytest.raises(RuntimeError, match="imported already"):
        compat.install()
    with pytest.raises(ValueError, match="choose one of classic, v26, v27"):
        compat.install("v28")
