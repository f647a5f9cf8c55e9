"""The command line as its users have it: real processes, a folder of their own, a real database."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
GAME = ROOT / "tests" / "platform" / "plugin" / "guessing.py"


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str


Botleague = Callable[..., Done]


def make_project(folder: Path) -> Path:
    """Write a project that names a database and the test game, and return its folder."""
    (folder / "botleague.toml").write_text(f"database = 'league.db'\nplugins = ['{GAME}']\njobs = 1\n")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's working folder, with a project in it."""
    return make_project(tmp_path)


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    variables = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**variables, "HOME": str(tmp_path_factory.mktemp("home")), "NO_COLOR": "1"}


@pytest.fixture
def command() -> list[str]:
    return [sys.executable, "-c", "from botleague.cli import main; main()"]


@pytest.fixture
def botleague(folder: Path, environment: Mapping[str, str], command_server: Any) -> Botleague:
    """Runs the command line in the user's folder. No command may ever end in a traceback."""

    def run(*arguments: str, code: int | None = 0) -> Done:
        done = Done(*command_server.run([arguments], folder, environment, alone=True))
        assert "Traceback" not in done.err, done.err
        if code is not None:
            assert done.code == code, done.out + done.err
        return done

    return run


@pytest.fixture(scope="session")
def try_all(
    tmp_path_factory: pytest.TempPathFactory, run_all: Callable[..., list[Any]]
) -> Callable[..., Mapping[str, tuple[int, str]]]:
    """Tries commands one after another in a new project; returns the code and the errors of each by its arguments."""

    def attempt(
        commands: Sequence[Sequence[str]], files: Mapping[str, str], first: Sequence[Sequence[str]] = ()
    ) -> Mapping[str, tuple[int, str]]:
        folder = make_project(tmp_path_factory.mktemp("project"))
        for name, text in files.items():
            (folder / name).write_text(text)
        (folder / "empty").mkdir()
        os.mkfifo(folder / "pipe.py")
        with (folder / "huge.py").open("wb") as file:
            file.truncate(10**12)
        environment = {**os.environ, "HOME": str(folder), "NO_COLOR": "1"}
        results = run_all([*first, *commands], folder, environment)
        assert [code for code, _, _ in results[: len(first)]] == [0] * len(first), results
        return {
            " ".join(command): (code, errors)
            for command, (code, _, errors) in zip(commands, results[len(first) :], strict=True)
        }

    return attempt


@pytest.fixture
def run_twice(folder: Path, environment: Mapping[str, str], command: list[str]) -> Callable[..., None]:
    """Runs a command in two processes at once, each of which must succeed."""

    def run(*arguments: str) -> None:
        both = [
            subprocess.Popen(
                [*command, *arguments],
                cwd=folder,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        for process in both:
            _, errors = process.communicate()
            assert process.returncode == 0, errors

    return run
