"""Records one golden game per game of the catalogue: ``python tests/golden/openspiel/record.py``.

A file holds every action of a random game, and after each a checksum of the library's text and legal actions. A new
minor version of the library is let in when they replay; then nothing has to be recorded again.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from random import Random
from typing import Any

from botleague_openspiel.catalogue import GAMES
from botleague_openspiel.library import load
from botleague_openspiel.setup import seats

MAX_STEPS = 160
HERE = Path(__file__).parent


def checksum(position: Any) -> str:
    """Return eight hexadecimal digits of what a position shows."""
    asks = not position.is_terminal() and not position.is_chance_node()
    legal = [position.legal_actions(seat) for seat in range(position.num_players())] if asks else []
    return f"{zlib.crc32(f'{position}{legal}{position.is_terminal()}'.encode()):08x}"


def step(position: Any, rng: Random) -> list[int]:
    """Apply a random step and return its actions: one, or one per seat at a simultaneous turn."""
    if position.is_simultaneous_node():
        options = [position.legal_actions(seat) for seat in range(position.num_players())]
        actions = [rng.choice(legal) for legal in options]
        position.apply_actions(actions)
        return actions
    choices = (
        [action for action, _ in position.chance_outcomes()]
        if position.is_chance_node()
        else position.legal_actions()
    )
    actions = [rng.choice(choices)]
    position.apply_action(actions[0])
    return actions


def main() -> None:
    """Write all files."""
    for number, name in enumerate(GAMES):
        rng, players = Random(number), seats(name).least
        position = load(name, players).new_initial_state()
        steps: list[Any] = []
        while len(steps) < MAX_STEPS and not position.is_terminal():
            steps.append([*step(position, rng), checksum(position)])
        game = {
            "game": name,
            "players": players,
            "ended": position.is_terminal(),
            "returns": position.returns(),
        }
        lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in steps)
        (HERE / f"{name}.json").write_text(f'{json.dumps(game)[:-1]}, "steps": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
