"""Wrong input gets one clear message and exit code 2, never a traceback."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from botleague_storage.connection.database import HEAD

# Path.exists says no to such a name from Python 3.14 on, where it raised before.
TOO_LONG = "File name too long" if sys.version_info < (3, 14) else "There is no file or folder"


REFUSED: list[tuple[list[str], str]] = [
    # before any other has made one
    (["standings", "cup"], "There is no database"),
    (["replay", "7"], "There is no database"),
    (["history", "ann"], "There is no database"),
    (["db", "check"], "There is no database"),
    (["play", "isolation", "none.py", "greedy"], "no file or folder none.py"),
    (["play", "isolation", "./empty", "greedy"], "empty is empty"),
    (["play", "isolation", "empty", "greedy"], "a file or folder of that name: write ./empty for it"),
    (["play", "isolation", "greedyy", "greedy"], "Did you mean 'greedy'"),
    (["play", "isolaton", "greedy", "greedy"], "Did you mean 'isolation'"),
    (["play", "isolation", "greedy"], "has 2 seats, so it needs as many bots, not 1"),
    (["play", "isolation", "greedy", "greedy", "--seed", "-1"], "must be a whole number from 0"),
    (["play", "isolation", "greedy", "greedy", "--sandbox", "loose"], "must be one of strong"),
    (["run", "isolation", "greedy"], "only 1 entered"),
    (["run", "isolation", "greedy", "greedy"], "is listed twice"),
    (["run", "isolation", "greedy", "random", "--jobs", "0"], "whole number from 1"),
    (["replay", "botleague.toml"], "botleague.toml: The file is not a record of a match"),
    (["replay", "none.match"], "No such file"),
    (["db", "check", "--db", "botleague.toml"], "damaged or is not a botleague database"),
    (["db", "check", "--db", "empty"], "is a folder"),
    (["variants", "ludo"], "Unknown variant 'ludo'"),
    (["submit", "text.txt", "-v", "isolation"], "text.txt is not a bot: give a .py or .wasm file"),
    (["submit", "five.py", "-v", "guessing", "--name", "../x"], "cannot be a bot's name"),
    (["submit", "five.py", "-v", "guessing", "--owner", "\x1b[31mred"], "cannot be the owner of a bot"),
    (["check", "x" * 5000 + ".py", "-v", "guessing"], TOO_LONG),
    (["check", "pipe.py", "-v", "guessing"], "neither a file nor a folder"),
    (["check", "huge.py", "-v", "guessing"], "larger than 5000 kB"),
    (["replay", "9" * 30], "neither a match number like cup/17 nor"),
    (["history", "five", "--limit", "9" * 30], "--limit"),
    (["play", "guessing", "five", "five", "--record", "no/folder"], "the folder no does not exist"),
    (["play", "guessing", "five", "five", "--record", "text.txt/it"], "the folder text.txt does not exist"),
    (["run", "guessing", "five", "lucky", "--league", "x" * 65], "use 1 to 64 printable characters"),
    (["run", "guessing", "--table", "round"], "--table round: choose one of online, batch, points"),
    (["run", "guessing", "--clock", "sun"], "--clock sun: choose one of cpu, wall"),
    (["run", "guessing", "--format-option", "rounds=" + "[" * 100_000], "rounds: must be a whole number"),
    (["standings", "--db", "~nobody-at-all/cup.db"], "There is no database"),
    (["run", "guessing", "five", "lucky", "--jobs", "1000000"], "the maximum is"),
    (["run", "guessing", "five", "lucky", "--league", ""], "cannot be the name of a league"),
    (["run", "none.toml"], "none.toml cannot be read: No such file"),
    (["league", "new", "botleague.toml"], "unknown setting 'database'"),
    (["league", "new", "empty"], "empty cannot be read: Is a directory"),
    (
        ["run", "guessing", "five", "lucky", "--staff", "five"],
        "The format round-robin does not accept --staff",
    ),
    (
        ["run", "guessing", "five", "--league", "exam", "--format", "gauntlet", "--staff", "five"],
        "only the staff entered",
    ),
    (["run", "guessing", "--format", "gauntlet", "--staff", "fife"], "Did you mean 'five'"),
    (["nonsense"], "No such command"),
    (["play"], "Missing argument"),
]


@pytest.fixture(scope="module")
def refusals(try_all: Callable[..., Mapping[str, tuple[int, str]]]) -> Mapping[str, tuple[int, str]]:
    """What each refused command says, in a folder that has no database at first."""
    files = {"text.txt": "hello", "five.py": "def move(observation):\n    return 5\n"}
    return try_all([arguments for arguments, _ in REFUSED], files)


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=[" ".join(case[0])[:60] for case in REFUSED])
def test_wrong_input_is_refused_in_one_message(
    refusals: Mapping[str, tuple[int, str]], arguments: list[str], message: str
) -> None:
    code, text = refusals[" ".join(arguments)]
    assert message in " ".join(text.split())
    assert code == 2


def test_a_syntax_error_is_shown_with_line_and_caret(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "bad.py").write_text("import math\n\ndef move(observation:\n    return 5\n")
    done = botleague("check", "bad.py", "-v", "guessing", code=2)
    assert "bad.py, line 3" in done.err
    lines = done.err.splitlines()
    at = next(number for number, line in enumerate(lines) if "def move(observation:" in line)
    assert lines[at + 1].strip(" |") == "^"


def test_other_staff_bots_are_refused(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "cup.toml").write_text('league = "cup"\nvariant = "guessing"\n')
    new = ("league", "new", "cup.toml", "--staff")
    botleague(*new, "five,lucky")
    assert "already has these settings" in botleague(*new, "lucky,five", code=2).err
    for other in ("five", "five,counter", "five,lucky,counter"):
        said = " ".join(botleague(*new, other, code=2).err.split())
        assert f"different staff bots: five, lucky, not {', '.join(sorted(other.split(',')))}." in said


def test_all_findings_are_listed_at_once(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "bad.py").write_text("import os\nimport socket\ndef move(observation):\n    return eval('5')\n")
    done = botleague("check", "bad.py", "-v", "guessing", code=2)
    for line in (1, 2, 4):
        assert f"bad.py, line {line}" in done.err


def test_started_league_keeps_its_settings(botleague: Callable[..., Any]) -> None:
    botleague("run", "guessing", "five", "lucky", "--league", "cup", "--seed", "4")
    for arguments, message in [
        (["run", "isolation", "--league", "cup"], "plays guessing, not isolation"),
        (["run", "guessing", "five", "counter", "--league", "cup"], "different bots"),
        (["run", "guessing", "--league", "cup", "--seed", "5"], "has seed 4, not 5"),
        (["run", "guessing", "--league", "cup", "--rounds", "9"], "has 1 round, not 9"),
    ]:
        assert message in botleague(*arguments, code=2).err
    assert botleague("run", "guessing", "--league", "cup").code == 0


def test_an_unknown_setting_is_named_with_its_file(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "botleague.toml").write_text("databse = 'x.db'\n")
    done = botleague("standings", code=2)
    assert "unknown setting 'databse'. Did you mean 'database'" in done.err


def test_a_broken_plugin_is_reported_and_everything_else_works(
    botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "broken_game.py").write_text("1 / 0\n")
    (folder / "botleague.toml").write_text("database = 'x.db'\nplugins = ['broken_game.py']\n")
    done = botleague("variants")
    assert "Plugin broken_game" in done.err
    assert "ZeroDivisionError" in done.err
    assert "isolation" in done.out
    assert "left out: ZeroDivisionError" in botleague("plugins").out


def test_damaged_newer_and_locked_databases_are_reported(botleague: Callable[..., Any], folder: Path) -> None:
    botleague("run", "guessing", "five", "lucky", "--league", "cup", "--seed", "4")
    path = folder / "league.db"
    whole = path.read_bytes()

    path.write_bytes(whole[:100] + os.urandom(len(whole) - 100))
    assert "league.db" in botleague("standings", code=2).err

    path.write_bytes(whole)
    with sqlite3.connect(path) as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    connection.close()
    assert "made by a newer botleague" in botleague("standings", code=2).err
    with sqlite3.connect(path) as connection:
        connection.execute("update alembic_version set version_num = ?", (HEAD,))
    connection.close()
    assert "cup" in botleague("standings").out


@pytest.fixture
def small_disk(folder: Path) -> Any:
    """A disk of 400 kB, where this machine lets us mount one; else None, and a file size limit stands in for it."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    yield disk
    if mounted.returncode == 0:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_full_disk_is_reported_and_no_match_is_lost(
    folder: Path, small_disk: Path, environment: Mapping[str, str], command: list[str]
) -> None:
    database = small_disk / "full.db"
    run = [*command, "run", "guessing", "five", "lucky", "counter", "--league", "cup", "--rounds", "400"]
    # Blocks of 1024 bytes: where nothing can be mounted, no file may grow beyond the same size.
    limited = [
        "sh",
        "-c",
        'trap "" XFSZ; ulimit -f 400; exec "$@"',
        "sh",
        *run,
        "--seed",
        "1",
        "--db",
        str(database),
    ]
    done = subprocess.run(limited, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode == 2
    assert "disk is full" in done.stderr
    checked = subprocess.run(
        [*command, "db", "check", "--db", str(database)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in checked.stderr
    assert checked.returncode in (0, 2)
