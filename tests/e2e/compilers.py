"""Compilers of bots in WebAssembly."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# Compilers store what they made for all programs in the user's own cache: a C library takes 12 s of CPU.
CACHE = Path.home() / ".cache"
COMPILERS = {
    "PYTHON": sys.executable,
    "ZIG_GLOBAL_CACHE_DIR": str(CACHE / "zig"),
    "GOCACHE": str(CACHE / "go-build"),
}


def build(folder: Path, environment: Mapping[str, str]) -> None:
    """Build the bot in a folder that `botleague new bot --language` made."""
    done = subprocess.run(
        ["sh", "build.sh"],
        cwd=folder,
        env={**environment, **COMPILERS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
