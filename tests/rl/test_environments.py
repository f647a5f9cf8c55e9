"""Matches as PettingZoo environments: its own tests pass, nothing leaks, and faults cost what the rules say."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import botleague
from botleague.application import Workspace
from botleague.errors import UsageError
from botleague.film import svg
from botleague.rl import env, parallel_env
from botleague.rl.sandboxes import shared_sandbox

ROOT = Path(__file__).parents[2]

PLAYED: list[tuple[str, dict[int, str]]] = [
    ("isolation-5x5", {}),
    ("isolation-isola-6x8", {0: "random"}),
    ("pybots-quick", {0: "duck"}),
    ("pelita-quick", {1: "pelita-random"}),
    ("careerfair-small", {}),
    ("botroyale", {}),
]
"""Variants with opponents by seat. Those without play at the speed of the engine."""

CYCLES = 60


@pytest.fixture(scope="module", autouse=True)
def _own_settings_and_zygotes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOTLEAGUE_DB", str(tmp_path_factory.mktemp("rl") / "league.db"))
        with shared_sandbox(Workspace()):
            yield


@pytest.mark.parametrize(
    ("variant", "opponents"), PLAYED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_pettingzoos_own_tests_pass(variant: str, opponents: dict[int, str]) -> None:
    with closing(parallel_env(variant, opponents)) as parallel:
        parallel_api_test(parallel, num_cycles=CYCLES)
    with closing(env(variant, opponents)) as turns:
        api_test(turns, num_cycles=CYCLES)
    parallel_seed_test(lambda: parallel_env(variant, opponents), num_cycles=CYCLES)
    seed_test(lambda: env(variant, opponents), num_cycles=CYCLES)


def test_a_table_learns_to_beat_a_bot(tmp_path: Path) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "learn_isolation.py"))
    table = example["train"]("isolation-5x5", games=120, seed=1)
    results = example["play"]("isolation-5x5", table, "random", matches=30, seed=1)
    assert sum(results) >= 12, results  # a table that knows nothing comes to 0, give or take 5.5
    # As a bot in its sandbox, where only the exported table is left.
    example["export"](table, tmp_path / "learnt")
    bots = ["random", str(tmp_path / "learnt")]
    matches = [botleague.play("isolation-5x5", bots, seed=seed) for seed in range(20)]
    assert [match.seats[1].faults for match in matches] == [{}] * 20
    assert sum(match.winners == ("learnt",) for match in matches) >= 15
    few = [example["train"]("isolation-5x5", games=20, seed=1).seen for _ in range(2)]
    assert few[0] == few[1]


ABANDONING = """
import gc, os
from pathlib import Path
from botleague.rl import parallel_env

def family():
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            pass  # it ended meanwhile
    found, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found, grown = found | more, bool(more)
    return len(found)

alone = family()
agents = parallel_env("pelita-quick")
agents.reset()
assert family() == alone, "without opponents there is no sandbox"
match = parallel_env("pybots-quick", {1: "duck"})
sizes = []
for seed in range(8):
    match.reset(seed=seed)
    match.step({"seat_0": [0.0] * 6})
    sizes.append(family())
# One more or less is in waiting for the next match; seven that leaked would be seven more.
assert alone < sizes[-1] < sizes[0] + 4, sizes
match.close()
match.close()
closed = family()
match.reset(seed=1)
match.step({"seat_0": [0.0] * 6})
assert family() > closed
del match
gc.collect()
assert family() == closed, (alone, sizes, closed, family())
other = parallel_env("pybots-quick", {1: "duck"})
other.reset()  # and the program ends
"""


def test_an_abandoned_match_leaves_no_process() -> None:
    done = subprocess.run([sys.executable, "-c", ABANDONING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("seat", [0, 1])
def test_an_opponent_that_fails_loses_by_the_rules(seat: int, tmp_path: Path) -> None:
    bot = tmp_path / "broken.py"
    bot.write_text(
        "class CustomPlayer:\n    def __init__(self, player_id): ...\n    def get_action(self, state): 1 / 0\n"
    )
    with closing(env("isolation-5x5", {seat: bot})) as match:
        match.reset(seed=1)
        for _ in match.agent_iter():
            _, reward, is_over, _, info = match.last()
            # A match that ends before an agent is asked ends with its first action, which does not count.
            match.step(None if is_over else int(np.flatnonzero(info["action_mask"])[0]))
    assert reward == 1.0
    assert (seat, "exception") in info["faults"]
    assert info["reason"].startswith("broken forfeits: raised an exception")


def test_reason_names_agents_as_agents() -> None:
    match = env("isolation-5x5")
    match.reset(seed=7)
    for agent in match.agent_iter():
        _, _, is_over, _, info = match.last()
        match.step(None if is_over else match.action_space(agent).sample(info["action_mask"]))
    assert re.match(r"seat_[01] has no open cell", info["reason"]), info["reason"]


def test_an_illegal_action_costs_what_it_costs_a_bot() -> None:
    match = parallel_env("isolation-5x5")
    match.reset(seed=1)
    match.step({"seat_0": 3, "seat_1": 0})
    _, rewards, ended, _, infos = match.step({"seat_0": 0, "seat_1": 3})
    assert rewards == {"seat_0": 1.0, "seat_1": -1.0}
    assert all(ended.values())
    assert infos["seat_0"]["faults"] == [(1, "illegal")]
    assert match.step({}) == ({}, {}, {}, {}, {})


def test_agents_that_are_asked_together_see_nothing_of_each_other() -> None:
    match = env("careerfair-small")
    match.reset(seed=1)
    observation = match.observe("seat_1")
    assert match.agent_selection == "seat_0"
    match.step(2400)
    assert match.agent_selection == "seat_1"
    assert np.array_equal(match.observe("seat_1"), observation)
    match.step(0)
    assert not np.array_equal(match.observe("seat_1"), observation)


def test_a_seed_gives_one_match_with_its_opening() -> None:
    film = botleague.play("isolation-7x7", ["greedy", "random"], seed=5, openings=2).film()
    with closing(env("isolation-7x7", {1: "random"}, openings=2, render_mode="svg")) as match:
        match.reset(seed=5)
        scene = film.scene(4)
        assert scene is not None
        assert match.render() == svg(scene, 640), "the state after the opening that the bots had"
        first = match.observe("seat_0")
        match.step(int(np.flatnonzero(match.infos["seat_0"]["action_mask"])[0]))
        match.reset(seed=np.int64(5))  # type: ignore[arg-type]  # numbers of NumPy have no types here
        assert np.array_equal(match.observe("seat_0"), first)


def test_a_declaration_is_the_agents_own() -> None:
    light = ("light", 15, 0, 10, 5, 1, 3, 1)
    match = parallel_env("pybots-quick", declarations={0: light})
    observations, _ = match.reset(seed=1)
    assert not np.array_equal(observations["seat_0"][3:10], observations["seat_1"][3:10])
    dear = parallel_env("pybots-quick", declarations={0: ("dear", 5, 3, 15, 5, 5, 10, 9)})
    with pytest.raises(UsageError, match=r"The declaration of seat 0 is refused: .* points"):
        dear.reset()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"variant": "isolatoin"}, "Unknown variant"),
        ({"opponents": {0: "random", 1: "random"}}, "All 2 seats"),
        ({"opponents": {5: "random"}}, r"opponents on \[5\] do not fit"),
        ({"opponents": {"seat_1": "random"}}, "by seat number, like {1: 'random'}, not {'seat_1'"),
        ({"opponents": ["random"]}, r"by seat number, .*, not \['random'\]"),
        ({"seats": 3}, "has 2 seats, not 3"),
        ({"seats": "2"}, "has 2 seats, not '2'"),
        ({"variant": 5}, "variant must be a name"),
        ({"opponents": {1: 5}}, r"opponents\[1\] must be a name or a path"),
        ({"openings": "2"}, "openings must be a whole number from 0 to .*, not '2'"),
        ({"opponents": {1: "nobody"}}, "nobody"),
        ({"opponents": {1: "nobody"}, "database": __file__}, "test_environments.py"),
        ({"declarations": {7: "x"}}, r"declarations\[7\]: no agent"),
        ({"variant": "pybots", "declarations": {0: "x"}}, r"declarations\[0\]: 'x' is not a declaration"),
        ({"openings": -1}, "openings must be"),
        ({"render_mode": "human"}, "render_mode"),
    ],
)
def test_misfit_is_refused_in_one_sentence(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        env(**{"variant": "isolation-5x5", **arguments})


@pytest.mark.parametrize("action", [25, -1, "up", 1.5, None])
def test_an_action_that_is_none_is_refused(action: object) -> None:
    match = env("isolation-5x5")
    with pytest.raises(UsageError, match="call reset"):
        match.observe("seat_0")
    match.reset()
    with pytest.raises(UsageError, match=r"seat_0: the action .* is not in Discrete\(25\)"):
        match.step(action)
    robots = parallel_env("pybots-quick")
    robots.reset()
    with pytest.raises(UsageError, match="seat_0: the action"):
        robots.step({"seat_0": [2.0] * 6, "seat_1": [0.0] * 6})
    with pytest.raises(UsageError, match="seat_1 acts in this turn, but has no action"):
        robots.step({"seat_0": [0.0] * 6})
