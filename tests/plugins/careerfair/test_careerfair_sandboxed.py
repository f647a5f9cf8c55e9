"""Teams written as for the original, in real sandboxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from botleague.referee import MatchReport, Player, play
from botleague.rules import Variant
from botleague_careerfair import botleague_bots
from botleague_careerfair.config import Config
from botleague_careerfair.variants import career_fair
from botleague_sandbox import Sandbox

SHORT = career_fair("careerfair-test", "", Config(board="atrium", moves=15, strike_limit=0))

OF_ITS_TIME = b'''
from awap2019 import Tile, Direction, State, Game, name
from awap2019.bots import Bot
from awap2019.bots.algs import BFS
from copy import deepcopy
import heapq, pdb, random, math, collections
import numpy as np
from graphsearch import first_ways
import player.util as util

class Team(object):
    def __init__(self, initial_board, team_size, company_info):
        """Initializes the team."""
        self.board = deepcopy(initial_board)
        self.team_size = team_size
        self.company_info = company_info
        self.team_name = "Of its time"
        self.grid = np.array(initial_board, dtype=object)
        self.costs = np.zeros(self.grid.shape)
        print("ready", name, self.grid.shape)

    def step(self, visible_board, states, score):
        assert isinstance(states[0], State) and len(states) == 4
        moves = []
        for state in states:
            state.visited = True
            state.x += 0
            tile = visible_board[state.x][state.y]
            self.board[state.x][state.y] = tile
            tile.mark = Tile.get_threshold(tile)
            if state.state == "inline":
                moves.append(None)
            elif tile.is_end_of_line():
                moves.append(Direction.ENTER)
            else:
                ends = lambda t: t.is_visible() and t.is_end_of_line()
                moves.append(first_ways(visible_board, (state.x, state.y), ends))
        print(score, [str(t) for t in visible_board[0]], states)
        return moves + [util.SURPLUS]
'''

GRAPHSEARCH = b"""
from awap2019.bots.algs import BFS
from awap2019 import Direction

def first_ways(board, src, goal):
    path = BFS(board, src, goal)
    return Direction.get_dir(path[0], path[1]) if path else Direction.UP
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def team(name: str, files: Mapping[str, bytes], entry: str) -> Player:
    return Player(name, name, files, entry)


def bundled(name: str) -> Player:
    path = next(Path(bot.path) for bot in botleague_bots() if bot.name == name)
    return team(name, {path.name: path.read_bytes()}, path.name)


def against_still(sandbox: Sandbox, source: bytes, variant: Variant = SHORT) -> MatchReport:
    return play(variant, 3, [team("tried", {"team.py": source}, "team.py"), bundled("wanderer")], sandbox)


def test_a_package_of_the_contest_plays_unmodified(sandbox: Sandbox) -> None:
    files = {
        "player/team.py": OF_ITS_TIME,
        "player/util.py": b"SURPLUS = 'ignored'\n",
        "player/__init__.py": b"",
        "graphsearch.py": GRAPHSEARCH,
    }
    longer = career_fair("careerfair-test", "", Config(board="atrium", moves=60))
    report = play(longer, 3, [team("old", files, "player/team.py"), bundled("wanderer")], sandbox)
    assert [seat.faults for seat in report.seats] == [{}, {}]
    assert "ready awap2019 (7, 9)" in report.seats[0].output
    assert report.outcome.scores[0] > 0


@pytest.mark.parametrize("name", [bot.name for bot in botleague_bots()])
def test_every_bundled_team_is_accepted_and_plays(sandbox: Sandbox, name: str) -> None:
    report = play(SHORT, 3, [bundled(name), bundled(name)], sandbox)
    assert [seat.faults for seat in report.seats] == [{}, {}]


def test_a_constructor_that_raises_faults_in_every_step(sandbox: Sandbox) -> None:
    report = against_still(
        sandbox, b"class Team:\n    def __init__(self, *told):\n        raise KeyError(1)\n"
    )
    assert report.seats[0].faults["exception"] >= 15
    assert report.seats[1].faults == {}


def test_long_error_is_reported(sandbox: Sandbox) -> None:
    """An answer has four letters, but a refusal or a traceback from deep below has thousands."""
    refused = against_still(sandbox, b"import os\nimport sys\n" * 20 + b"class Team: pass\n")
    assert refused.seats[0].faults == {"rejected": 1}
    deep = b"""
class Team:
    def __init__(self, *told):
        pass
    def shortest_way_through_the_crowd(self, row, column):
        return min(self.shortest_way_through_the_crowd(row + 1, column), column)
    def step(self, visible_board, states, score):
        return self.shortest_way_through_the_crowd(0, 0)
"""
    assert against_still(sandbox, deep).seats[0].faults == {"exception": 15}


def test_a_step_that_never_ends_stands_still_and_the_team_is_asked_again(sandbox: Sandbox) -> None:
    hanging = career_fair("careerfair-test", "", Config(board="atrium", moves=3, strike_limit=2))
    source = b"""
class Team:
    def __init__(self, *told):
        self.turn = 0
    def step(self, visible_board, states, score):
        self.turn += 1
        while self.turn == 2:
            pass
        return [None] * 4
"""
    report = against_still(sandbox, source, hanging)
    assert report.seats[0].faults == {"timeout": 1}


def test_reading_standard_input_fails_at_once(sandbox: Sandbox) -> None:
    source = b"class Team:\n    def __init__(self, *told):\n        self.name = input()\n"
    report = against_still(sandbox, source)
    assert report.outcome.forfeits == (0,)
    assert report.seats[0].faults == {"rejected": 1}
