"""Reports of `botleague conformance` for a valid and for a broken game."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

GUIDE = (Path(__file__).parents[3] / "docs" / "write-a-game.md").read_text()
(GAME,) = re.findall(r"```python title=\"higher.py\"\n(.*?)```", GUIDE, flags=re.DOTALL)


@pytest.mark.parametrize("options", [(), ("--quick",)])
def test_valid_game_is_reported_with_its_checks(
    botleague: Callable[..., Any], options: Sequence[str]
) -> None:
    report = json.loads(botleague("conformance", "isolation-queen-3x2", *options, "--json").out)
    assert (report["variant"], report["problem"]) == ("isolation-queen-3x2", None)
    assert min(report["checked"].values()) > 0
    assert set(report["checked"]) == {
        *("matches", "turns", "moves of any kind", "actions of programs that learn", "pictures"),
        *("wrong configurations", "openings with equal data", "matches of guests", "turns of guests"),
    }


@pytest.mark.parametrize(
    ("sound", "broken", "message"),
    [
        # No range check in `illegal`: sampled moves are fine, and a league would die of the first odd answer.
        (
            "named = [reply.value if isinstance(reply, Move) else -1 for _, reply in sorted(replies.items())]",
            "named = [range(10)[reply.value] if isinstance(reply, Move) else -1 for reply in replies.values()]",
            "turn 0: the rules failed at the move",
        ),
        ('{"seats": state["seats"]}', 'state["sets"]', "failed: KeyError: 'sets' ("),
        (
            "    def modules(self):",
            "    def modules(self):\n        1 / 0",
            "harness of higher failed: ZeroDivisionError",
        ),
        ('{"seats": state["seats"]}', '__import__("ctypes").string_at(0)', "the process died (SIGSEGV) in "),
    ],
)
def test_broken_game_is_reported_with_its_place(
    botleague: Callable[..., Any], folder: Path, sound: str, broken: str, message: str
) -> None:
    game = GAME.replace(sound, broken).replace("0 <= value <= 9", "True") if "range" in broken else GAME
    (folder / "higher.py").write_text(game.replace(sound, broken))
    (folder / "botleague.toml").write_text("plugins = ['higher.py']\n")
    done = botleague("conformance", "higher", code=1)
    assert message in done.out, done.out
    assert "higher" in done.out.splitlines()[0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("isolatoin", "Did you mean 'isolation' or 'isolation-"),
        ("builtin", "offers no variants"),
        ("torn", "could not be loaded"),
    ],
)
def test_invalid_variant_is_refused(
    botleague: Callable[..., Any], folder: Path, name: str, message: str
) -> None:
    (folder / "torn.py").write_text("1 / 0\n")
    (folder / "botleague.toml").write_text("plugins = ['torn.py']\n")
    assert message in botleague("conformance", name, code=2).err
