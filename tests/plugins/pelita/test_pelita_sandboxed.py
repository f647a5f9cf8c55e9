"""Whole matches with real sandboxes: bundled teams, teams as people write them, and teams that misbehave."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from botleague.referee import MatchReport, Player, play, read_record, replay
from botleague.rules import Move, Variant
from botleague_pelita import botleague_bots
from botleague_pelita.variants import pelita
from botleague_sandbox import Sandbox

BUNDLED = {bot.name: Path(bot.path).read_text(encoding="utf-8") for bot in botleague_bots()}
ROOM = "##########\n#a.  .  .#\n#b# ## #y#\n#. .  . x#\n##########\n"
STILL = "TEAM_NAME = 'Still'\ndef move(bot, state):\n    return bot.position\n"

Team = str | Mapping[str, str]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def player(name: str, team: Team) -> Player:
    files = {f"{name}.py": team} if isinstance(team, str) else team
    content = {path: text.encode() for path, text in files.items()}
    digest = hashlib.sha256(repr(sorted(content.items())).encode()).hexdigest()
    return Player(name, digest, content, next(iter(files)))


def played(sandbox: Sandbox, blue: Team, red: Team = STILL, seed: int = 1, **config: Any) -> MatchReport:
    variant = pelita({"layout": ROOM, "max_rounds": 10, **config})
    return play(variant, seed, [player("blue", blue), player("red", red)], sandbox)


def team(body: str, head: str = "") -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"{head}\nTEAM_NAME = 'Tested'\ndef move(bot, state):\n{lines}\n"


def faults(report: MatchReport) -> list[dict[str, int]]:
    return [dict(seat.faults) for seat in report.seats]


def test_bundled_teams_play_without_faults_and_their_match_repeats_byte_for_byte(sandbox: Sandbox) -> None:
    variant: Variant = pelita({"size": "small", "max_rounds": 25})
    names = sorted(BUNDLED)
    for blue, red in zip(names[:3], reversed(names[3:]), strict=True):
        teams = [player(blue, BUNDLED[blue]), player(red, BUNDLED[red])]
        first, again = (play(variant, 9, teams, sandbox) for _ in range(2))
        assert faults(first) == [{}, {}], (blue, red, first.outcome)
        assert first.record == again.record
        *_, finished = replay(read_record(first.record), variant)
        assert finished.outcome == first.outcome  # type: ignore[union-attr]  # the last event is the end


def test_a_team_may_be_a_package_with_relative_imports(sandbox: Sandbox) -> None:
    package = {
        "walkers/__init__.py": "from .moving import move\nfrom . import names\nTEAM_NAME = names.NAME\n",
        "walkers/moving.py": "from .names import step\ndef move(bot, state):\n    return step(bot)\n",
        "walkers/names.py": "NAME = 'Walkers'\ndef step(bot):\n    return bot.legal_positions[-1]\n",
    }
    report = played(sandbox, package)
    assert faults(report) == [{}, {}], report.outcome
    assert read_record(report.record).declarations[0].reply(str) == Move("Walkers")


def test_a_team_may_import_its_siblings(sandbox: Sandbox) -> None:
    files = {
        "team.py": "from brain import think as move\nimport brain\nTEAM_NAME = brain.NAME\n",
        "brain.py": "NAME = 'Brainy'\ndef think(bot, state):\n    return bot.position\n",
    }
    assert faults(played(sandbox, files)) == [{}, {}]


def test_everything_a_team_may_rely_on_is_there(sandbox: Sandbox) -> None:
    head = (
        "import networkx\nimport networkx as nx\nimport numpy as np\nimport random\n"
        "import pelita\nfrom pelita.utils import setup_test_game, run_background_game, walls_to_graph\n"
        "from pelita.player import food_eating_player, SmartRandomPlayer\n"
        "from pelita.layout import parse_layout\nfrom pelita.game import run_game\n"
        f"LAYOUT = {ROOM!r}\n"
        "test_bot = setup_test_game(LAYOUT, seed=3)\n"
        "assert test_bot.char == 'a'\n"
        "game = run_background_game(blue_move=food_eating_player, red_move=SmartRandomPlayer.move,\n"
        "                           layout=LAYOUT, max_rounds=4, seed=1)\n"
        "assert game['round'] == 4\n"
        "assert pelita.utils.manhattan_dist((0, 0), (2, 1)) == 3\n"
    )
    body = (
        "print(bot)\n"
        "assert repr(bot).startswith('<Bot: ')\n"
        "assert bot._initial_position in bot.homezone\n"
        "bot.remembered = 1\n"
        "state['calls'] = state.get('calls', 0) + 1\n"
        "path = nx.shortest_path(bot.graph, bot.position, bot.food[0])\n"
        "bot.graph[1, 1][2, 1]['weight'] = 3\n"
        "maze = np.zeros(bot.shape)\n"
        "maze[tuple(zip(*bot.walls))] = 1\n"
        "assert maze.sum() == len(bot.walls)\n"
        "bot.say(f'{bot.round}')\n"
        "return np.array(bot.random.choice(bot.legal_positions))"
    )
    report = played(sandbox, team(body, head))
    assert faults(report) == [{}, {}], report.outcome
    assert "Playing on blue side" in report.seats[0].output
    assert "Exact: {'a': True, " in report.seats[0].output


def test_late_moves_are_replaced_by_random_steps_until_the_fifth(sandbox: Sandbox) -> None:
    late = team("while bot.round > 1:\n    pass\nreturn bot.position")
    report = played(sandbox, late, timeout_s=0.05)
    assert faults(report) == [{"timeout": 5}, {}]
    assert report.outcome.places == (2, 1)
    assert "too late" in report.outcome.reason


def test_a_team_that_must_be_killed_goes_on_in_a_fresh_process(sandbox: Sandbox) -> None:
    stuck = team(
        "if bot.round == 2 and bot.turn == 0:\n    sum(itertools.count())\nreturn bot.position",
        "import itertools",
    )
    report = played(sandbox, stuck, timeout_s=0.05)
    assert faults(report) == [{"timeout": 1}, {}], report.outcome
    assert report.outcome.forfeits == ()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("return 1 // 0", "exception"),
        ("raise SystemExit", "exception"),
        ("raise KeyboardInterrupt", "exception"),
        ("return None", "exception"),
        ("return 0, 0", "illegal"),
        ("return float('nan'), 10 ** 400", "illegal"),
        ("return bot, state", "illegal"),
    ],
)
def test_a_bad_answer_ends_the_game_for_its_team_alone(sandbox: Sandbox, body: str, kind: str) -> None:
    report = played(sandbox, STILL, team(body))
    assert faults(report) == [{}, {kind: 1}]
    assert (report.outcome.places, report.outcome.forfeits) == ((1, 2), (1,))


@pytest.mark.parametrize(
    "source",
    ["TEAM_NAME = 'x'\n", "def move(bot, state): return bot.position\n", "import os\n" + STILL, "1 // 0"],
)
def test_a_team_that_cannot_be_loaded_loses(sandbox: Sandbox, source: str) -> None:
    report = played(sandbox, source)
    assert report.outcome.places == (2, 1)
    assert report.outcome.reason == "{seat 0} could not be loaded: a win for the other team."
    assert report.turns == 0
