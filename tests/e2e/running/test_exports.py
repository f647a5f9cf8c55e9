"""Exports of a league of each game, verified by `verify --from-export` and by a script without our code.

In the league of Isolation one bot raises in each match, one cannot be started and one never answers.
"""

from __future__ import annotations

import csv
import json
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

PLAYER = "from sample_players import DataPlayer\n\n\nclass CustomPlayer(DataPlayer):\n"
FAILING = {
    "crasher": "    def get_action(self, state):\n        raise SystemExit\n",
    "unready": "    def __init__(self, player_id):\n        raise ValueError('not today')\n\n"
    "    def get_action(self, state):\n        self.queue.put(state.actions()[0])\n",
    "sleeper": "    def get_action(self, state):\n        while True:\n            pass\n",
}
LEAGUES = {
    "isolation": "isolation-5x5 random crasher.py unready.py sleeper.py --load-failures 2",
    "pelita": "pelita-quick pelita-stopping pelita-random",
    "careerfair": "careerfair-small pacer ferry",
    "botroyale": "botroyale-duel drifter hermit",
    "pybots": "pybots-quick duck rammer hugger --seats 3",
}


@pytest.mark.parametrize("game", LEAGUES)
def test_export_of_each_game_verifies_itself(
    folder: Path, environment: Mapping[str, str], run_all: Callable[..., list[Any]], game: str
) -> None:
    for name, source in FAILING.items():
        (folder / f"{name}.py").write_text(PLAYER + source)
    commands = (
        f"run {LEAGUES[game]} --league lab --format round-robin --rounds 1 --seed 1 --table points --json",
        "export lab --csv --out tables",
        "verify lab --json",
        "verify --from-export tables --json",
    )
    done = run_all([shlex.split(one) for one in commands], folder, environment)
    assert [code for code, _, _ in done] == [0] * len(commands), done
    table, _, proof, outside = (out for _, out, _ in done)
    assert json.loads(proof)["problems"] == json.loads(outside)["problems"] == []
    script = Path(__file__).parents[1] / "recompute.py"
    recomputed = json.loads(
        subprocess.run(
            [sys.executable, "-I", script, folder / "tables"], capture_output=True, text=True, check=True
        ).stdout
    )
    rows = [json.loads(line) for line in table.splitlines()]
    assert {row["bot"]: (row["points"], row["matches"]) for row in rows} == {
        bot: (points, matches) for bot, (points, matches, *_) in recomputed.items()
    }
    for row in rows:
        assert row["rating"] == pytest.approx(recomputed[row["bot"]][2], abs=1e-9)
    if game == "isolation":
        with (folder / "tables" / "seats.csv").open(newline="") as file:
            forfeits = [row for row in csv.DictReader(file) if row["forfeit"] == "1"]
        lost = Counter(row["bot"] for row in forfeits)
        assert lost.keys() == FAILING.keys()
        assert min(lost["crasher"], lost["sleeper"]) > 2, "as often as suspends a bot that cannot be started"
        assert {row["bot"] for row in forfeits if row["not_started"] == "1"} == {"unready"}


def test_export_refuses_to_replace_other_files(botleague: Callable[..., Any], folder: Path) -> None:
    botleague("run", "guessing", "five", "lucky", "--league", "cup")
    botleague("export", "cop", "--csv", "--out", "notes", code=2)
    assert not (folder / "notes").exists(), "a league that does not exist leaves no folder"
    (folder / "notes").mkdir()
    (folder / "notes" / "results.csv").write_text("mine")
    refused = botleague("export", "cup", "--csv", "--out", "notes", code=2)
    assert "results.csv already exists and is not from an export" in " ".join(refused.err.split())
    assert [file.name for file in (folder / "notes").iterdir()] == ["results.csv"]
    assert (folder / "notes" / "results.csv").read_text() == "mine"

    botleague("export", "cup", "--jsonl", "--out", "notes", "--only", "seats")
    botleague("export", "cup", "--jsonl", "--out", "notes")

    (folder / "notes" / "settings.json").write_text('{"editor": "vi"}')
    botleague("export", "cup", "--jsonl", "--out", "notes", code=2)
    assert (folder / "notes" / "settings.json").read_text() == '{"editor": "vi"}'
