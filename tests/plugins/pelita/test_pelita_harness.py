"""A team meets the interface of the original: bot objects, state, randomness, loading, and what moves may be."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from types import ModuleType
from typing import Any

import numpy
import pytest

from botleague.rules import Fault, Move
from botleague_pelita.compat import pelita_modules
from botleague_pelita.config import Config
from botleague_pelita.harness import PelitaHarness
from botleague_pelita.teams.bot import Bot


def team(body: str, head: str = "") -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"TEAM_NAME = 'Tested'\n{head}\ndef move(bot, state):\n{lines}\n"


@pytest.mark.parametrize(
    "answer",
    [
        "(1, 1)",
        "[1, 1]",
        "(1.0, True)",
        "numpy.array([1, 1])",
        "(numpy.int64(1), numpy.int8(1))",
        "bot.legal_positions[0]",
    ],
)
def test_whatever_equals_a_legal_square_is_a_move(table: Callable[..., Any], answer: str) -> None:
    game = table(team(f"return {answer}", "import numpy"))
    reply: Any = game.turn()
    assert reply == Move({"to": (1, 1)})
    assert [type(number) for number in reply.value["to"]] == [int, int]


@pytest.mark.parametrize("answer", ["None", "7", "()", "(1, 1, 1)", "numpy.array(3)"])
def test_invalid_pair_counts_as_an_exception(table: Callable[..., Any], answer: str) -> None:
    reply = table(team(f"return {answer}", "import numpy")).turn()
    assert reply == Fault("exception", reply.detail)
    assert "must return a pair (x, y)" in reply.detail


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        ("(0, 1)", "cannot go to (0, 1); legal: (2, 1), (1, 2), (1, 1)"),
        ("(10**30, 2)", "is not a square"),
        ("'ab'", "'ab'"),
        ("(None, [])", "(None, [])"),
        ("numpy.zeros((2, 3))", "is not a square"),
        ("{1: 2, 3: 4}", "is not a square"),
        ("(Odd(), Odd())", "is not a square"),
    ],
)
def test_a_pair_that_is_no_legal_square_is_an_illegal_move(
    table: Callable[..., Any], answer: str, detail: str
) -> None:
    head = "import numpy\nclass Odd:\n    def __eq__(self, other):\n        raise OSError('no')\n    __hash__ = None"
    game = table(team(f"return {answer}", head))
    reply = game.turn()
    assert reply.kind == "illegal", reply
    assert detail in reply.detail or "Odd" in reply.detail
    assert game.state.verdict.winner == 1
    assert game.state.tally.fatal[0] == ((1, 0, "illegal"),)


def test_state_and_randomness_belong_to_the_team_for_the_whole_game(table: Callable[..., Any]) -> None:
    game = table(
        team(
            "assert (state == {}) == (bot.round == 1 and bot.turn == 0)\n"
            "state.setdefault('turns', []).append((bot.round, bot.turn))\n"
            "state.setdefault('random', bot.random)\n"
            "for known in (bot, bot.other, *bot.enemy):\n"
            "    assert known.random is state['random']\n"
            "assert bot.enemy[0].other is bot.enemy[1]\n"
            "assert bot.enemy[1].enemy[bot.turn] is bot\n"
            "seen.append(bot.random.randrange(10 ** 6))\n"
            "return bot.position",
            "seen = []",
        )
    )
    state = game.rounds(3)
    assert not any(isinstance(reply, Fault) for reply in game.replies), game.replies
    blue = game.harnesses[0]
    assert blue.team.state["turns"] == [(r, t) for r in (1, 2, 3) for t in (0, 1)]
    twin = Random(state.team_seeds[0])
    assert blue.move.__globals__["seen"] == [twin.randrange(10**6) for _ in range(6)]


def test_bots_may_spoil_their_objects_without_changing_anything(table: Callable[..., Any]) -> None:
    game = table(
        team(
            "assert len(bot.food) == 3 and len(bot.enemy[0].food) == 3, bot.food\n"
            "assert bot.track[-1] == bot.position\n"
            "for one in (bot, bot.other, *bot.enemy):\n"
            "    for spoilt in (one.food, one.legal_positions, one.shaded_food, one.track):\n"
            "        spoilt.clear()\n"
            "    one.position, one.score, one.anything = (0, 0), 99, 'new'\n"
            "return numpy.array([1, 2 - (bot.turn == 0)])",
            "import numpy",
        )
    )
    game.rounds(3)
    assert not any(isinstance(reply, Fault) for reply in game.replies), game.replies


def test_texts_of_a_team_can_always_be_sent(table: Callable[..., Any]) -> None:
    odd = (
        "class Odd(str):\n"
        "    def __str__(self):\n        return self\n"
        "    def __repr__(self):\n        return '\\ud800\\x1b[0m' * 90\n"
        "    def __iter__(self):\n        return iter(['Od', 'd'])\n"
    )
    game = table(team("bot.say(Odd('x'))\nreturn Odd('xy')", odd).replace("'Tested'", "'\\ud800Te\\x00st'"))
    reply = game.turn()
    assert game.state.names[0] == "Test"
    assert reply.kind == "illegal"
    assert reply.detail.isprintable()


def test_the_graph_cannot_be_rebuilt_but_edges_can_be_weighted(table: Callable[..., Any]) -> None:
    game = table(
        team(
            "if bot.round == 1 and bot.turn == 0:\n"
            "    for change in (lambda: bot.graph.remove_node((1, 1)), lambda: bot.graph.add_edge((1, 1), (9, 9))):\n"
            "        try:\n"
            "            change()\n"
            "        except networkx.NetworkXError:\n"
            "            state['refused'] = state.get('refused', 0) + 1\n"
            "    bot.graph[1, 1][2, 1]['weight'] = 7\n"
            "    free = bot.graph.copy()\n"
            "    free.remove_node((1, 1))\n"
            "assert bot.graph[1, 1][2, 1]['weight'] == 7\n"
            "assert bot.enemy[0].graph is bot.graph\n"
            "return bot.position",
            "import networkx",
        )
    )
    game.rounds(2)
    assert game.harnesses[0].team.state["refused"] == 2
    assert not any(isinstance(reply, Fault) for reply in game.replies), game.replies


def test_speech_is_kept_until_the_bots_next_turn_and_always_clean(table: Callable[..., Any]) -> None:
    game = table(
        team(
            "class Sulky:\n"
            "    def __str__(self):\n"
            "        raise OSError\n"
            "bot.say('first')\n"
            "bot.other.say('nobody hears this')\n"
            "if bot.round == 1:\n"
            "    bot.say('two\\nlines, \\x1b[31mred\\ud800, and longer than thirty')\n"
            "if bot.round == 2:\n"
            "    bot.say(Sulky())\n"
            "return bot.position"
        )
    )
    game.turn()
    assert game.state.said == ("two lines, [31mred, and longer", "", "", "")
    game.turn()
    assert game.state.said[0].startswith("two lines")
    game.rounds(1)
    assert game.state.said[0] == ""


def test_the_newest_generation_paints_and_has_no_error_count(table: Callable[..., Any]) -> None:
    body = (
        "assert not hasattr(bot, 'error_count')\n"
        "bot.paint_background((2, 1))\n"
        "bot.paint_background((2.0, 1), '#010203')\n"
        "bot.paint_background((99, 1))\n"
        "bot.other.paint_background((3, 1))\n"
        "for bad in (((1,), '#000000'), ((1, 1), 'red'), (None, '#000000')):\n"
        "    try:\n"
        "        bot.paint_background(*bad)\n"
        "        raise AssertionError(bad)\n"
        "    except ValueError:\n"
        "        pass\n"
        "return bot.position"
    )
    game = table(team(body), profile="v27")
    assert isinstance(game.turn(), Move)
    assert game.state.painted == ((2 * 5 + 1, "#010203"),)
    assert not hasattr(Bot, "paint_background")


def test_the_count_of_timeouts_reaches_the_team_that_was_late(table: Callable[..., Any]) -> None:
    game = table(team("assert bot.error_count == (0, 2)[bot.round > 1]\nreturn bot.position"))
    for _ in range(4):
        (seat,) = game.rules.acting(game.state)
        game.state = game.rules.apply(game.state, {seat: Fault("timeout")}, game.rng)
    reply = game.turn()
    assert isinstance(reply, Move), reply
    assert game.state.tally.timeouts == (2, 2)


def test_team_time_grows_with_every_call(table: Callable[..., Any]) -> None:
    game = table(team("assert bot.team_time == 2 * (bot.round - 1) + bot.turn\nreturn bot.position"))
    game.rounds(3)
    assert not any(isinstance(reply, Fault) for reply in game.replies), game.replies


def test_walls_of_old_are_sets_on_demand(table: Callable[..., Any]) -> None:
    body = "assert (1, 1) in bot.walls.union({(1, 1)})\nassert (0, 0) not in bot.walls.difference([(0, 0)])\n"
    assert isinstance(table(team(body + "return bot.position"), legacy_walls=True).turn(), Move)
    assert table(team(body + "return bot.position")).turn().kind == "exception"


OF_2019 = """
from pelita.utils import Graph
from pelita.graph import NoPathException
TEAM_NAME = 'Old'
def move(bot, state):
    if state is None:
        state = {'graph': Graph(bot.position, bot.walls), 'turns': 0}
    state = {**state, 'turns': state['turns'] + 1}
    assert state['turns'] == 2 * (bot.round - 1) + bot.turn + 1
    assert bot.eaten is bot.was_killed
    target = bot.enemy[0].food[0]
    path = state['graph'].a_star(bot.position, target)
    assert path[0] == target and len(path) == len(state['graph'].bfs(bot.position, [target]))
    assert state['graph'].pos_within(bot.position, 2) == set(bot.legal_positions)
    return path.pop(), state
"""


def test_team_of_2019_returns_its_state_and_finds_its_graph(table: Callable[..., Any]) -> None:
    for name, names in pelita_modules(Config(release_2019=True)).items():
        vars(sys.modules.setdefault(name, ModuleType(name))).update(names)
    game = table(OF_2019, release_2019=True)
    game.rounds(3)
    assert not any(isinstance(reply, Fault) for reply in game.replies), game.replies
    by_direction = team(
        "assert (0, 0) in bot.legal_moves\nstep = bot.get_move(bot.legal_positions[-1])\n"
        "assert bot.get_position(step) == bot.legal_positions[-1]\nreturn step, state"
    )
    game = table(by_direction, release_2019=True)
    game.rounds(3)
    assert not any(isinstance(reply, Fault) for reply in game.replies), game.replies
    assert table(by_direction).turn().kind == "exception"
    assert isinstance(table(team("assert state == {}\nreturn bot.position"), release_2019=True).turn(), Move)


def test_a_fresh_process_can_go_on_in_the_middle_of_a_game(table: Callable[..., Any]) -> None:
    source = team("assert bot.track[-1] == bot.position\nreturn bot.legal_positions[-1]")
    game = table(source, food_order="set")
    game.rounds(4)
    fresh = game.harness(0, source)
    fresh.briefed(game.rules.brief(game.state, 0), None)
    game.harnesses[0] = fresh
    before = len(game.replies)
    game.rounds(4)
    assert not any(isinstance(reply, Fault) for reply in game.replies[before:]), game.replies


def test_lists_of_food_have_the_originals_order_on_demand(table: Callable[..., Any]) -> None:
    """Recorded from release 2.6.0: sets list squares in an order of their own, and the shadow takes it over."""
    source = team("seen.append((bot.food, bot.shaded_food))\nreturn bot.position", "seen = []")
    food = [(3, 4), (4, 1), (4, 3), (4, 6), (1, 4), (3, 3), (5, 6), (6, 6), (6, 3), (1, 3)]
    for order, expected in (
        ("set", (food, [(1, 4), (1, 3)])),
        ("sorted", (sorted(food), [(1, 3), (1, 4)])),
    ):
        game = table(source, seed=0, profile="v26", layout=None, size="small", food_order=order)
        game.turn()
        assert game.harnesses[0].move.__globals__["seen"] == [expected]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("TEAM_NAME = 'x'", "needs a function move"),
        ("TEAM_NAME = 'x'\nmove = (1, 1)", "needs a function move"),
        ("def move(bot, state): pass", "needs a string TEAM_NAME"),
        ("TEAM_NAME = 7\ndef move(bot, state): pass", "needs a string TEAM_NAME"),
    ],
)
def test_invalid_team_is_not_loaded(table: Callable[..., Any], source: str, message: str) -> None:
    with pytest.raises((AttributeError, TypeError), match=message):
        table(source)


def test_names_are_cleaned(table: Callable[..., Any]) -> None:
    game = table(
        "TEAM_NAME = '  The\\n<b>Ünited</b>  ' + 'x' * 500\ndef move(bot, state): pass",
        "TEAM_NAME = '!!'\ndef move(bot, state): pass",
    )
    assert game.state.names == ("The bÜnitedb  xxxxxxxxxxx", "???")


def test_harness_needs_nothing_but_seat_and_config() -> None:
    modules = PelitaHarness(seat=1, config={}).modules()
    names = {"pelita", "pelita.utils", "pelita.player", "pelita.layout", "pelita.game"}
    assert names <= set(modules)
    assert all(parent in modules for name in modules for parent in [name.rpartition(".")[0]] if parent)
    assert numpy.__name__ not in modules, "numpy comes with the import tier"
