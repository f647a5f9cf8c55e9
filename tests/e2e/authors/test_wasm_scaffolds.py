"""`botleague new bot --language` writes folders that build with one command and play without a fault."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import botleague as api
from botleague.referee import read_record

from ..compilers import COMPILERS, build

TOOLS = {"rust": "rustc", "go": "go", "assemblyscript": "npm"}
OPPONENTS = {
    "isolation-isola-6x8": ["random"],
    "pybots-cup": ["duck"],
    "botroyale-duel": ["hermit"],
    "pelita-quick": ["pelita-random"],
    "careerfair-small": ["ferry"],
}


@pytest.mark.parametrize("variant", OPPONENTS)
def test_a_bot_in_c_plays_every_game(
    botleague: Any, folder: Path, environment: Mapping[str, str], variant: str
) -> None:
    botleague("new", "bot", "ann", "--variant", variant, "--language", "c")
    build(folder / "ann", environment)
    match = api.play(variant, [str(folder / "ann"), *OPPONENTS[variant]], seed=3)
    assert match.seats[0].faults == {}, match.reason
    assert match.turns > 0
    if variant == "isolation-isola-6x8":
        both = [str(folder / "ann")] * 2
        starts = {
            bytes(read_record(api.play(variant, both, seed=seed).record).turns[0].replies[0].value)
            for seed in range(8)
        }
        assert len(starts) > 1, "the seed of the match reaches the bot"


@pytest.mark.parametrize("language", ["c", "zig", "rust", "go", "assemblyscript"])
def test_a_new_folder_passes_its_own_tests(
    botleague: Any, folder: Path, environment: Mapping[str, str], language: str
) -> None:
    tool = TOOLS.get(language)
    if tool is not None and shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    botleague("new", "bot", "ann", "--variant", "isolation-isola-6x8", "--language", language)
    at = folder / "ann"
    if language == "rust":
        target = subprocess.run(
            ["rustc", "--print", "target-libdir", "--target", "wasm32-wasip1"],
            capture_output=True,
            text=True,
            check=False,
        )
        if not Path(target.stdout.strip() or "missing").is_dir():
            pytest.skip("the target wasm32-wasip1 of rustc is not installed")
    if language == "assemblyscript":
        # Without the package registry there is no compiler.
        fetched = subprocess.run(["npm", "install", "--silent"], cwd=at, capture_output=True, check=False)
        if fetched.returncode:
            pytest.skip("npm cannot install assemblyscript here")
    build(at, environment)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "transcript or fault and 1"],
        cwd=at,
        env={**os.environ, **COMPILERS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    checked = botleague("check", "ann", "--variant", "isolation-isola-6x8").out
    assert "ann is accepted" in checked


def test_questions_of_the_transcript_are_json_with_legal_answers(botleague: Any, folder: Path) -> None:
    botleague("new", "bot", "ann", "--variant", "pelita-quick", "--language", "c")
    lines = (folder / "ann" / "transcript.txt").read_text().splitlines()
    questions = [json.loads(line[2:]) for line in lines if line.startswith("> ")]
    answers = [json.loads(line[2:]) for line in lines if line.startswith("< ")]
    assert [question["type"] for question in questions] == ["start", "brief", "turn"]
    assert answers[-1] in questions[-1]["data"]["legal"]
    readme = (folder / "ann" / "README.md").read_text()
    assert all(f"  {field} (" in readme for field in questions[-1]["data"])
    assert "@" not in readme.replace("@if", "@")


def test_an_unknown_language_is_refused(botleague: Any, folder: Path) -> None:
    done = botleague("new", "bot", "ann", "--variant", "isolation", "--language", "cobol", code=2)
    assert "Languages: python, c, zig, rust, go, assemblyscript" in done.err + done.out
    assert not (folder / "ann").exists()


def test_a_variant_without_a_declared_interface_has_no_template(botleague: Any, folder: Path) -> None:
    done = botleague("new", "bot", "ann", "--variant", "guessing", "--language", "c", code=2)
    assert "does not declare its interface for bots in WebAssembly" in done.err + done.out
    assert "--language" not in botleague("variants", "guessing", "--brief").out
