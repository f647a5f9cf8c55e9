"""Golden games of OpenSpiel: one random game per game of the catalogue, replayed with a checksum after every step.

Source: tests/golden/openspiel/record.py.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path

from botleague_openspiel.catalogue import GAMES
from botleague_openspiel.library import advance_through, load

FOLDER = Path(__file__).parent / "openspiel"
checksum = runpy.run_path(str(FOLDER / "record.py"))["checksum"]


def test_recorded_game_is_replayed(golden_file: Path) -> None:
    game = json.loads(golden_file.read_text())
    position = load(game["game"], game["players"]).new_initial_state()
    for number, (*actions, expected) in enumerate(game["steps"]):
        advance_through(position, actions)
        assert checksum(position) == expected, (
            f"{game['game']}: first difference after step {number}:\n{position}"
        )
    assert position.is_terminal() == game["ended"]
    assert position.returns() == game["returns"]


def test_every_game_has_a_golden_game() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(GAMES)
