"""The command line as its users have it: real processes, a folder of their own, a real database."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str


Botleague = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's working folder, with a project that names a database and the test game."""
    plugin = ROOT / "tests" / "platform" / "plugin" / "guessing.py"
    (tmp_path / "botleague.toml").write_text(f"database = 'league.db'\nplugins = ['{plugin}']\njobs = 2\n")
    return tmp_path


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(tmp_path_factory.mktemp("home")), "NO_COLOR": "1"}


@pytest.fixture
def command() -> list[str]:
    return [sys.executable, "-c", "from botleague.cli import main; main()"]


@pytest.fixture
def botleague(folder: Path, environment: Mapping[str, str], command: list[str]) -> Botleague:
    """Runs the command line in the user's folder. No command may ever end in a traceback."""

    def run(*arguments: str, code: int | None = 0) -> Done:
        done = subprocess.run(
            [*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in done.stderr, done.stderr
        if code is not None:
            assert done.returncode == code, done.stdout + done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    return run
