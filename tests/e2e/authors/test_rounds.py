"""The example of programs that write bots: scripted authors edit, fail and hang, and no bot is lost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]

IMPROVES = """
import os, pathlib
bot = pathlib.Path("bot/my_custom_player.py")
if os.environ["BOTLEAGUE_ROUND"] == "1":
    bot.write_text(bot.read_text().replace("worth > best", "worth > best and not print('hm')"))
else:
    assert "hm" in pathlib.Path("matches/round-1.jsonl").read_text()
    assert "Round 1" in pathlib.Path("told.txt").read_text()
    assert "get_action" in pathlib.Path("brief.txt").read_text()
"""

SPOILS = """
import os, pathlib, sys
bot = pathlib.Path("bot/my_custom_player.py")
if os.environ["BOTLEAGUE_ROUND"] == "1":
    bot.write_text(bot.read_text().replace("if worth > best", "if worth < best or best < 0"))
    sys.exit(3)
bot.write_text("import socket")
"""

HANGS = """
import os, pathlib, time
pathlib.Path(os.environ["BOTLEAGUE_ROUND"]).touch()
while True:
    time.sleep(9)
"""


def play(folder: Path, rounds: int, *more: str) -> subprocess.CompletedProcess[str]:
    for name, text in {"ann": IMPROVES, "bob": SPOILS, "cyd": HANGS}.items():
        (folder / f"{name}.py").write_text(text)
    authors = [f"--author={name}={sys.executable} {folder / name}.py" for name in ("ann", "bob", "cyd")]
    arguments = [
        "isolation-5x5",
        *authors,
        "--out",
        str(folder / "arena"),
        "--meetings",
        "2",
        "--patience",
        "2",
    ]
    return subprocess.run(
        [sys.executable, str(ROOT / "examples" / "rounds.py"), *arguments, "--rounds", str(rounds), *more],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_authors_edit_and_play_and_a_bad_edit_loses_nothing(tmp_path: Path) -> None:
    arena = tmp_path / "arena"
    first = play(tmp_path, 1)
    assert (first.returncode, first.stderr) == (0, "")
    assert len(re.findall(r"%  ?± .*% of 4 sets, rating \d+ ± \d+$", first.stdout, flags=re.MULTILINE)) == 3
    assert "bob: The command failed with exit code 3. Its bot plays." in first.stdout
    assert "cyd: The command took longer than 2 s and was stopped. Its bot plays." in first.stdout
    assert re.search(
        r"^  \w+ (is better than|cannot be told from) \w+: [+-].* where they met$", first.stdout, re.MULTILINE
    )
    own = [
        json.loads(line) for line in (arena / "ann" / "matches" / "round-1.jsonl").read_text().splitlines()
    ]
    assert {"ann" in turn["bots"] for turn in own} == {True}
    assert len({turn["match"] for turn in own}) == 2 * 2 * 2
    second = play(tmp_path, 2)
    assert (second.returncode, second.stderr) == (0, "")
    assert second.stdout.startswith(first.stdout), "what was played is not played again"
    assert (arena / "cyd" / "2").exists()
    assert "bob: The command ended well. Its bot is not accepted, so the one before plays:" in second.stdout
    assert "socket" in (arena / "bob" / "told.txt").read_text()
    assert (arena / "bob" / "bot" / "my_custom_player.py").read_text() == "import socket", (
        "its edit is left as it is"
    )
    assert "ann: The command ended well. Its bot plays." in second.stdout.partition("Round 2")[2]


def test_invalid_round_is_refused_with_one_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "rounds.py"), "isolatoin", "--author", "ann=true"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Unknown variant 'isolatoin'. Did you mean 'isolation'")
    assert list(tmp_path.iterdir()) == []


def arena_round(folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Run the command of an arena, and return its exit code and result."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "arena_round.py"), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_arena_reads_the_result_of_a_round(tmp_path: Path) -> None:
    greedy, random = (
        (ROOT / "plugins/botleague_isolation/bots" / f"{name}.py").read_text()
        for name in ("greedy", "random_walk")
    )
    for name, source in {"ann": greedy, "bob": random, "cyd": "import socket"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "my_custom_player.py").write_text(source)
    players = ("ann=ann", "bob=bob", "cyd=cyd")
    code, result = arena_round(tmp_path, "isolation-5x5", *players, "--sets", "3", "--seed", "4")
    assert (code, result["winner"]) == (0, "ann")
    assert result["scores"]["ann"] + result["scores"]["bob"] == 1
    assert result["scores"]["cyd"] == 0
    assert "socket" in result["refused"]["cyd"][0]
    turns = [json.loads(line) for line in (tmp_path / result["logs"] / "bob.jsonl").read_text().splitlines()]
    assert {"bob" in turn["bots"] for turn in turns} == {True}
    # The next round with the same options plays what the players have written since.
    (tmp_path / "ann/my_custom_player.py").write_text(random)
    (tmp_path / "bob/my_custom_player.py").write_text(greedy)
    assert (
        arena_round(tmp_path, "isolation-5x5", *players, "--sets", "3", "--seed", "4")[1]["winner"] == "bob"
    )
    (tmp_path / "ann/my_custom_player.py").write_text(greedy)
    (tmp_path / "bob/my_custom_player.py").write_text(random)
    assert arena_round(tmp_path, "isolation-5x5", *players, "--sets", "3", "--seed", "4") == (0, result)
    for wrong in (("ann=ann", "bob"), ("ann=ann", "ann=bob")):
        code, refusal = arena_round(tmp_path, "isolation-5x5", *wrong)
        assert (code, refusal["error"]["message"]) == (
            2,
            f"{wrong[1]}: write each player once, as NAME=PATH.",
        )
    code, alone = arena_round(tmp_path, "isolation-5x5", "ann=ann", "cyd=cyd", "--out", "alone")
    assert (code, alone["winner"], alone["scores"]) == (0, "ann", {"ann": 1.0, "cyd": 0.0})
    code, refusal = arena_round(tmp_path, "isolaton-5x5", "ann=ann", "bob=bob")
    assert (code, refusal["error"]["code"]) == (2, "unknown-variant")
