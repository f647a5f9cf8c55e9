"""Plays the corpus of hostile bots (``--attacks DIR``) in every mode and privilege this machine offers.

Each setting is one host process (``arena/duel.py``) that plays all files; the tests then look at what it saw, file
by file. As root the files are also played as an ordinary user, and in all cases also without namespaces, as in
containers that forbid them, and with the system call filter as the last lock. In these other settings the slow files
are left out, whose verdict rests on clocks and not on privileges.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

BUT_SECCOMP = ["namespaces", "landlock", "uid"]
SLOW = r"^# (verdict:.*timeout|attack: memory$)"  # as ``is_slow`` of the arena
ARENA = Path(__file__).parent / "arena"
AS_HOST = "as user" if os.geteuid() else "as root"

# setting -> arguments of the arena; the first two play every file
SETTINGS: dict[str, list[str]] = {
    f"full, {AS_HOST}": [],
    f"os-only, {AS_HOST}": ["--os-only"],
    f"os-only, {AS_HOST}, no namespaces": ["--os-only", "--quick", "--without", "namespaces"],
    f"os-only, {AS_HOST}, no namespaces, seccomp alone": ["--os-only", "--quick", "--without", *BUT_SECCOMP],
    f"full, {AS_HOST}, no namespaces": ["--quick", "--without", "namespaces"],
}
if os.geteuid() == 0:
    SETTINGS |= {
        "full, as user": ["--quick", "--user"],
        "os-only, as user": ["--os-only", "--quick", "--user"],
        "os-only, as user, no namespaces": ["--os-only", "--quick", "--user", "--without", "namespaces"],
    }

Seen = dict[str, dict[str, Any]]
_played: dict[str, Future[Seen]] = {}
_arenas = ThreadPoolExecutor(2)


def play(attacks: Path, arguments: list[str]) -> Seen:
    """Return what one host saw, by the name of the file."""
    done = subprocess.run(
        [sys.executable, str(ARENA / "duel.py"), str(attacks.resolve()), *arguments],
        capture_output=True,
        text=True,
        timeout=120 + 3 * len(list(attacks.glob("*.py"))),  # for a host that hangs, on a busy machine
        check=False,
    )
    assert done.returncode == 0, f"the host did not survive: {done.stderr[-3000:]}"
    return {result["name"]: result for result in map(json.loads, done.stdout.splitlines())}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "attack" in metafunc.fixturenames:
        attacks: Path = metafunc.config.getoption("--attacks")
        files = sorted(attacks.glob("*.py"))
        assert files, f"no attacks in {attacks}"
        slow = [path for path in files if re.search(SLOW, path.read_text(errors="replace"), re.MULTILINE)]
        cases = [
            (setting, path)
            for setting, arguments in SETTINGS.items()
            for path in files
            if not ("--quick" in arguments and path in slow)
        ]
        metafunc.parametrize(
            ("setting", "attack"), cases, ids=[f"{setting}: {path.stem}" for setting, path in cases]
        )


@pytest.fixture
def result(setting: str, attack: Path, request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the host saw of one file in one setting."""
    if not _played:
        attacks: Path = request.config.getoption("--attacks")
        for name, arguments in SETTINGS.items():
            _played[name] = _arenas.submit(play, attacks, arguments)
    return _played[setting].result()[attack.stem]


@pytest.fixture
def os_only(setting: str) -> bool:
    return setting.startswith("os-only")
