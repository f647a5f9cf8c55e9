"""A plugin's executor is chosen by the address of a cluster, and plays the same matches as ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..conftest import GAME

PLUGIN = """
from botleague.executors import InProcess
from botleague.rules import hookimpl


class Nearby(InProcess):
    capacity = 3

    def __init__(self, setup, jobs, address):
        print(f"jobs {jobs} at {address}")
        super().__init__(setup)


@hookimpl
def botleague_executors():
    return {"nearby": Nearby}
"""


def test_executor_of_a_plugin_plays_a_league(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "nearby.py").write_text(PLUGIN)
    (folder / "botleague.toml").write_text(
        f"database = 'league.db'\nplugins = ['{GAME}', 'nearby.py']\njobs = 1\n"
    )
    league = ["run", "guessing", "five", "lucky", "counter", "--seed", "3"]
    done = botleague(*league, "--league", "far", "--cluster", "nearby://room/7", "--jobs", "2")
    assert done.out.startswith("jobs 2 at nearby://room/7\n")
    mistyped = botleague(*league, "--league", "near", "--cluster", "neraby://room/7", code=2)
    assert "no executor is called 'neraby'. Did you mean 'nearby'?" in " ".join(mistyped.err.split())
    botleague(*league, "--league", "near")
    proofs = [json.loads(botleague("verify", name, "--json").out) for name in ("far", "near")]
    assert [proof["problems"] for proof in proofs] == [[], []]
    assert proofs[0]["matches"] == proofs[1]["matches"] > 0
    tables = [botleague("standings", name, "--json").out.replace(name, "") for name in ("far", "near")]
    ranks = [[(row["bot"], row["rating"]) for row in map(json.loads, table.splitlines())] for table in tables]
    assert ranks[0] == ranks[1]


BROKEN = """
from botleague.executors import InProcess
from botleague.rules import hookimpl


class Broken(InProcess):
    def __init__(self, setup, jobs, address):
        self.fails = address.partition("//")[2]
        self.fail("start")
        super().__init__(setup)

    def fail(self, step):
        if step == self.fails:
            raise RuntimeError(f"no {step} today")

    def submit(self, order):
        self.fail("submit")
        super().submit(order)

    def wait(self, timeout_s):
        self.fail("wait")
        outcomes = super().wait(timeout_s)
        return {"junk": ["won"], "twice": [*outcomes, *outcomes]}.get(self.fails, outcomes)

    def close(self):
        super().close()
        self.fail("close")


@hookimpl
def botleague_executors():
    return {"broken": Broken}
"""


@pytest.mark.parametrize("step", ["start", "submit", "wait", "junk", "twice", "close"])
def test_failing_executor_of_a_plugin_is_named(
    botleague: Callable[..., Any], folder: Path, step: str
) -> None:
    (folder / "broken.py").write_text(BROKEN)
    (folder / "botleague.toml").write_text(
        f"database = 'league.db'\nplugins = ['{GAME}', 'broken.py']\njobs = 1\n"
    )
    league = ["run", "guessing", "five", "lucky", "--league", "cup", "--seed", "3"]
    done = botleague(*league, "--cluster", f"broken://{step}", code=None)
    assert done.code == 1
    message = f"failed: RuntimeError: no {step} today ({folder}/broken.py, line 14)"
    if step in ("junk", "twice"):
        message = "returned what is no outcome of a match under way"
    assert f"The executor broken {message}" in " ".join(done.err.split())
    botleague(*league)  # nothing is lost: our executor plays the rest
    assert json.loads(botleague("verify", "cup", "--json").out)["problems"] == []


def test_address_of_an_executor_that_takes_none_is_refused(botleague: Callable[..., Any]) -> None:
    done = botleague("run", "guessing", "five", "lucky", "--cluster", "local://here", code=2)
    assert "The executor 'local' cannot be used with these options" in done.err
