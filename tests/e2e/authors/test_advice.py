"""Other games that `check` names for a bot that fails."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GUIDE = (Path(__file__).parents[3] / "docs" / "write-a-game.md").read_text()
(GAME,) = re.findall(r"```python title=\"higher.py\"\n(.*?)```", GUIDE, flags=re.DOTALL)

TWO_GAMES = """
import ctypes
from dataclasses import replace


class Lower(Higher):
    def observe(self, state, seat):
        return {"low": True}


class Native(Harness):
    def modules(self):
        return {"native": {"crash": lambda: ctypes.string_at(0)}}


@hookimpl
def botleague_variants():
    usual = Variant(
        name="higher", game="higher", summary="", rules=Higher(), harness="games:Native", move_type=int
    )
    return [usual, replace(usual, name="lower", game="lower", rules=Lower(), harness="games:HARNESS")]
"""


@pytest.mark.parametrize(
    ("harness", "source", "is_advised"),
    [
        ("Other", "def name(o):\n    return 1 if 'low' in o else 1 // 0\n", True),
        ("Native", "def name(o):\n    return 1 if 'low' in o else 1 // 0\n", False),
        ("Other", "import native\ndef name(o):\n    return 1 if 'low' in o else native.crash()\n", False),
    ],
    ids=["exception", "exception with the same harness", "crash"],
)
def test_other_games_are_named_after_a_failure_of_the_interface_only(
    botleague: Callable[..., Any], folder: Path, harness: str, source: str, is_advised: bool
) -> None:
    game = GAME[: GAME.index("@hookimpl")] + TWO_GAMES.replace("HARNESS", harness)
    (folder / "games.py").write_text(game + "\n\nclass Other(Native):\n    pass\n")
    (folder / "botleague.toml").write_text("plugins = ['games.py']\n")
    (folder / "bot.py").write_text(source)
    done = botleague("check", "bot.py", "--variant", "higher", code=2)
    text = done.out + done.err
    assert ("crash" if "crash" in source else "ZeroDivisionError") in text, text
    assert ("--variant lower" in text) == is_advised, text
