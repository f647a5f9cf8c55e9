"""Scaffolds of `botleague new` install, pass their own tests and play unchanged."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from ..compilers import build


@pytest.fixture
def run(folder: Path, environment: Mapping[str, str]) -> Callable[..., str]:
    """Runs Python with what was installed into ``site``, in the user's folder."""

    def call(*arguments: str, at: str = ".") -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder / at,
            env={**environment, "PYTHONPATH": str(folder / "site")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return call


CLI = ("-c", "from botleague.cli import main; main()")
TESTS = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


@pytest.mark.parametrize(
    ("name", "options", "players"),
    [
        ("nimble", [], ["nimble-first", "nimble-lucky"]),
        (
            "auction",
            ["--simultaneous", "--seats", "2-4"],
            ["auction-first", "auction-lucky", "auction-lucky"],
        ),
    ],
)
def test_a_new_game_is_installed_tested_and_played(
    run: Callable[..., str],
    folder: Path,
    environment: Mapping[str, str],
    name: str,
    options: list[str],
    players: list[str],
) -> None:
    run(*CLI, "new", "game", name, *options)
    run("-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", "site", f"./{name}")
    assert " passed" in run(*TESTS, at=name)
    assert json.loads(run(*CLI, "play", name, *players, "--json"))["seats"]
    (sheet,) = [json.loads(line) for line in run(*CLI, "variants", name, "--json").splitlines()]
    (folder / "own.py").write_text(sheet["interface"]["example"])
    run(*CLI, "run", name, "./own.py", *sorted(set(players)), "--rounds", "1", "--league", "first")
    table = [json.loads(line) for line in run(*CLI, "standings", "first", "--json").splitlines()]
    assert {row["bot"] for row in table} == {"own", *players}
    assert not any(row["faults"] for row in table)
    run(*CLI, "new", "bot", "cyd", "--variant", name, "--language", "c")
    build(folder / "cyd", environment)
    match = json.loads(run(*CLI, "play", name, "./cyd", *players[1:], "--json"))
    assert not match["seats"][0]["faults"]


@pytest.mark.parametrize("variant", ["isolation-5x5", "careerfair-small"])
def test_a_new_bot_passes_its_test_and_is_accepted(
    run: Callable[..., str], folder: Path, variant: str
) -> None:
    run(*CLI, "new", "bot", "owls/ann", "--variant", variant)
    if variant == "isolation-5x5":
        assert "10 passed" in run(*TESTS, at="owls/ann")
    assert "ann is accepted" in run(*CLI, "check", "owls/ann", "--variant", variant)
    run(*CLI, "submit", "owls/ann", "--variant", variant)


def test_a_new_variant_plays_and_its_options_can_be_uncommented(botleague: Any, folder: Path) -> None:
    settings = folder / "botleague.toml"
    for name, base in (("isolation-4x4.a", "isolation-5x5"), ("pybots-mine", "pybots-quick")):
        botleague("new", "variant", name, "--base", base)
    text = settings.read_text()
    settings.write_text(text.replace("# width = 5", "width = 4").replace("# height = 5", "height = 4"))
    variant = json.loads(botleague("variants", "isolation-4x4.a", "--json").out)
    assert (variant["config"]["width"], variant["config"]["height"]) == (4, 4)
    botleague("play", "isolation-4x4.a", "greedy", "random")
    settings.write_text(text.replace("# ", ""))  # every option as the base has it
    for name, base in (("isolation-4x4.a", "isolation-5x5"), ("pybots-mine", "pybots-quick")):
        mine, theirs = (json.loads(botleague("variants", one, "--json").out) for one in (name, base))
        assert (mine["config"], mine["time"]) == (theirs["config"], theirs["time"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("game Nim-2", "is not a valid name of a game"),
        ("game nimble --seats 9", "2 to 6 seats, not 9"),
        ("game nimble --seats x", "must be a number, or two like 2-6"),
        ("game taken", "taken already exists"),
        ("bot taken --variant isolation", "taken already exists"),
        ("bot owl --variant isolatoin", "Did you mean 'isolation'"),
        ("bot owl --variant guessing", "does not describe its bot interface"),
        ("variant isolation-5x5 --base isolation", "already exists, from isolation. Choose another name."),
        ("variant isolation-3x3", "`botleague new variant isolation-3x3 --base isolation`"),
        (
            "variant isolation-3x3 --of isolation-5x5",
            "`botleague new variant isolation-3x3 --base isolation-5x5`",
        ),
        (
            "bot greedy --variant isolation",
            "'greedy' is the name of a bundled bot of isolation. Choose another name.",
        ),
        ("bot pelita --variant isolation", "'pelita' is the name of a variant"),
        ("game isolation", "'isolation' is the name of a variant"),
        ("game builtin", "'builtin' is the name of an installed plugin"),
        ("game sandbox", "A package named botleague_sandbox is already installed"),
        ("game run", "'run' is a command of botleague"),
        ("variant ludo --base isolation", "isolation-SOMETHING"),
    ],
)
def test_invalid_scaffold_is_refused_and_not_written(
    botleague: Any, folder: Path, words: str, message: str
) -> None:
    (folder / "taken").mkdir()
    before = sorted(os.walk(folder))
    assert message in botleague("new", *words.split(), code=2).err
    assert sorted(os.walk(folder)) == before


@pytest.mark.parametrize(
    "words", ["bot nimble --variant isolation", "game nimble", "variant isolation-nimble --base isolation"]
)
def test_a_full_disk_leaves_no_part_of_a_scaffold(
    folder: Path,
    environment: Mapping[str, str],
    command: list[str],
    words: str,
    full_disk: Callable[[int], AbstractContextManager[None]],
) -> None:
    before = sorted(os.walk(folder))

    def new() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, "new", *words.split()],
            cwd=folder,
            env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    settings = (folder / "botleague.toml").read_text()
    with full_disk(len(settings) + 16):
        assert re.search("(nimble|botleague.toml) cannot be written", new().stderr)
    assert sorted(os.walk(folder)) == before
    assert (folder / "botleague.toml").read_text() == settings
    assert new().returncode == 0
