"""Golden games: a test module ``test_GAME.py`` gets every trace file of ``--golden DIR/GAME`` in turn.

A test asks for the fixture ``golden_file``. Files are found by content, never by name, so that another folder of
the same layout runs the same tests.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "golden_file" not in metafunc.fixturenames:
        return
    game = Path(metafunc.module.__file__ or "").stem.removeprefix("test_")
    folder: Path = metafunc.config.getoption("--golden") / game
    files = sorted(path for path in folder.glob("*.json*") if path.is_file())
    metafunc.parametrize("golden_file", files, ids=[path.name.split(".")[0] for path in files])
