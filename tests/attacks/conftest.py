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
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ..conftest import MadeOnce

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

Results = dict[str, dict[str, Any]]
_results: dict[str, Results] = {}


def play(attacks: Path, arguments: list[str], folder: Path) -> None:
    """Let one host play all files, and write down in a new folder what it saw and how it ended."""
    folder.mkdir()
    with (folder / "results").open("wb") as results, (folder / "errors").open("wb") as errors:
        program = [sys.executable, str(ARENA / "duel.py"), str(attacks.resolve()), *arguments]
        done = subprocess.run(program, stdout=results, stderr=errors, check=False)
    (folder / "code").write_text(str(done.returncode))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "setting" not in metafunc.fixturenames:
        return  # the corpus of modules has settings of its own
    if "attack" not in metafunc.fixturenames:
        metafunc.parametrize("setting", SETTINGS)
        return
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
def results(setting: str, request: pytest.FixtureRequest, made_once: MadeOnce) -> Results:
    """What the host saw in one setting, by the name of the file; each setting is played once in a run."""
    if setting not in _results:
        attacks: Path = request.config.getoption("--attacks")
        folder = made_once(f"attacks {setting}", partial(play, attacks, SETTINGS[setting]))
        code, errors = ((folder / name).read_text(errors="replace") for name in ("code", "errors"))
        assert code == "0", f"the host did not survive: {errors[-3000:]}"
        lines = (folder / "results").read_text().splitlines()
        _results[setting] = {result["name"]: result for result in map(json.loads, lines)}
    return _results[setting]


@pytest.fixture
def result(results: Results, attack: Path) -> dict[str, Any]:
    """What the host saw of one file in one setting."""
    return results[attack.stem]


@pytest.fixture
def os_only(setting: str) -> bool:
    return setting.startswith("os-only")
