"""A plugin's executor is chosen by the address of a cluster, and plays the same matches as ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    botleague(*league, "--league", "near")
    proofs = [json.loads(botleague("verify", name, "--json").out) for name in ("far", "near")]
    assert [proof["problems"] for proof in proofs] == [[], []]
    assert proofs[0]["matches"] == proofs[1]["matches"] > 0
    tables = [botleague("standings", name, "--json").out.replace(name, "") for name in ("far", "near")]
    ranks = [[(row["bot"], row["rating"]) for row in map(json.loads, table.splitlines())] for table in tables]
    assert ranks[0] == ranks[1]


def test_address_of_an_executor_that_takes_none_is_refused(botleague: Callable[..., Any]) -> None:
    done = botleague("run", "guessing", "five", "lucky", "--cluster", "local://here", code=2)
    assert "The executor 'local' cannot be used with these options" in done.err
