"""Streams of the command line: closed and full ones, and terminals with few letters."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Shell = Callable[..., "subprocess.CompletedProcess[bytes]"]

LISTINGS = ["variants", "variants --json", "variants isolation --json"]
"""Written at once; more than fits into the buffer of standard output (before Python 3.14); less than that."""

NOISY = """
import os
import sys
from botleague.rules import hookimpl
print("NOISE at import")
if "greet" not in sys.argv:
    os.write(1, b"NOISE of a library\\n")

@hookimpl
def botleague_variants():
    print("NOISE of a hook")
    return []

@hookimpl
def botleague_commands():
    print("NOISE of a hook")
    return [("greet", lambda: print("hello"))]
"""

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def shell(folder: Path, environment: Mapping[str, str], command: list[str]) -> Shell:
    """Runs a shell script in which ``"$@"`` is the command line. No command may ever end in a traceback."""

    def run(script: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
        done = subprocess.run(
            ["sh", "-c", script, "sh", *command],
            cwd=folder,
            env={**environment, **variables},
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        assert b"Exception ignored" not in done.stderr, done.stderr.decode()
        return done

    return run


@pytest.mark.parametrize("listing", LISTINGS)
def test_closed_pipe_is_no_error(shell: Shell, listing: str) -> None:
    # The reader is gone before a word is written.
    done = shell(f'("$@" {listing}; echo "ended with $?" >&2) | :')
    assert done.stderr.decode().strip() in ("ended with 0", "ended with 1")


@pytest.mark.parametrize("listing", LISTINGS)
def test_output_that_cannot_be_written_is_explained(shell: Shell, listing: str) -> None:
    done = shell(f'"$@" {listing} > /dev/full')
    assert done.returncode == 1
    assert "No space left on device" in done.stderr.decode()


def test_a_database_never_takes_the_place_of_a_closed_stream(shell: Shell, folder: Path) -> None:
    done = shell('"$@" run guessing five lucky --league cup --seed 4 <&- >&- 2>&-')
    assert done.returncode == 0
    assert shell('"$@" db check').stdout.decode().strip().endswith("is undamaged.")
    (row,) = map(json.loads, shell('"$@" leagues --json').stdout.splitlines())
    assert row["done"] == 2


def test_a_terminal_without_a_letter_gets_another_and_programs_always_get_utf_8(shell: Shell) -> None:
    shell('"$@" run guessing five lucky --league cup --seed 4 && "$@" organise retire cup five --reason Über')
    assert b"retired: ?ber" in shell('"$@" standings cup --wide', **ASCII).stdout
    assert shell('"$@" standings cup --batch', **ASCII).returncode == 0
    assert shell('"$@" play guessing five lucky --watch --fps 60', **ASCII).returncode == 0
    for listing in ("organise log cup --json", "standings cup --json"):
        assert "Über" in shell(f'"$@" {listing}', **ASCII).stdout.decode()


def test_an_argument_that_is_no_text_is_refused(shell: Shell) -> None:
    done = shell(r'"$@" run guessing five lucky --league "$(printf "\377")"', LC_ALL="C.UTF-8")
    assert done.returncode == 2
    assert "not text in the encoding utf-8" in done.stderr.decode()


def test_deleted_working_directory_is_named(shell: Shell) -> None:
    done = shell('mkdir gone; cd gone; rmdir ../gone; "$@" bots')
    assert (done.returncode, done.stderr.decode().strip()) == (
        2,
        "Error: The working directory no longer exists. Change to another one.",
    )


def test_ctrl_c_before_a_command_begins_is_no_traceback(shell: Shell, folder: Path) -> None:
    (folder / "slow_game.py").write_text("raise KeyboardInterrupt\n")
    (folder / "botleague.toml").write_text("plugins = ['slow_game.py']\n")
    # The first word is none of ours, so plugins are loaded before any command is.
    assert shell('"$@" elsewhere').returncode == 130


def test_second_ctrl_c_while_a_connection_closes_is_no_traceback(shell: Shell, folder: Path) -> None:
    # As the pool of connections logs an interrupted closing, which the command reports itself.
    logs = 'logging.getLogger("sqlalchemy.pool.impl.QueuePool").error("not closed", exc_info=KeyboardInterrupt())'
    (folder / "closing.py").write_text(f"import logging\n{logs}\nraise KeyboardInterrupt\n")
    (folder / "botleague.toml").write_text("plugins = ['closing.py']\n")
    done = shell('"$@" elsewhere')
    assert (done.returncode, b"not closed" in done.stderr) == (130, False)


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        ("variants --json", b"{"),
        ("play guessing five lucky --seed 4 --json", b"{"),
        ("standings missing --json", b'{"error"'),
        ("standings cup --marks 1:beats\\ five --csv", b"bot,"),
        ("export cup --only results", b"match,"),
        ("noisy greet", b"hello"),
    ],
)
def test_prints_of_plugins_are_not_part_of_output_for_programs(
    shell: Shell, folder: Path, arguments: str, first: bytes
) -> None:
    shell('"$@" run guessing five lucky --league cup --seed 4')
    project = (folder / "botleague.toml").read_text()
    (folder / "botleague.toml").write_text(project.replace("plugins = [", "plugins = ['noisy.py', "))
    (folder / "noisy.py").write_text(NOISY)
    done = shell(f'"$@" {arguments}')
    assert done.stdout.startswith(first), done
    assert b"NOISE" not in done.stdout
    assert b"NOISE at import" in done.stderr
    if "greet" not in arguments:  # a command of a plugin owns its standard output
        assert b"NOISE of a library" in done.stderr
