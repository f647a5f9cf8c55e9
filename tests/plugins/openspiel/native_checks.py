"""Checks of the library in a process that faults of native code end: ``native_checks.py CHECK [GAME ...]``.

Each game is printed before it is checked, so that the last line names the one that ended the process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from botleague_openspiel.catalogue import GAMES, OTHERS, Entry
from botleague_openspiel.library import advance_through, load
from botleague_openspiel.setup import seats

TURNS = 60


def values(allowed: str) -> list[str]:
    """Return the least and the greatest value of a parameter, or all words."""
    if allowed == "?":
        return ["true", "false"]
    return allowed.split("..") if ".." in allowed else allowed.split("|")


def parameters(name: str, entry: Entry) -> Iterator[str]:
    """Yield the game with each parameter at its ends, and with all at their least and at their greatest."""
    ranges = [pair.split("=", 1) for pair in entry.parameters.split()]
    for key, allowed in ranges:
        yield from (f"{name}({key}={value})" for value in values(allowed))
    for end in (0, -1):
        yield f"{name}({','.join(f'{key}={values(allowed)[end]}' for key, allowed in ranges)})"


def played(position: Any, rng: Random, turns: int = TURNS) -> Iterator[Any]:
    """Yield the position at each turn of a random game; it changes."""
    for _ in range(turns):
        yield position
        if position.is_terminal():
            return
        if position.is_chance_node():
            actions, weights = zip(*position.chance_outcomes(), strict=True)
            position.apply_action(rng.choices(actions, weights)[0])
        elif position.is_simultaneous_node():
            options = [position.legal_actions(seat) or [0] for seat in range(position.num_players())]
            position.apply_actions([rng.choice(legal) for legal in options])
        else:
            position.apply_action(rng.choice(position.legal_actions()))


def look(position: Any) -> tuple[object, ...]:
    """Return everything that is shown of a position."""
    legal = [] if position.is_terminal() or position.is_chance_node() else [
        position.legal_actions(seat) for seat in range(position.num_players())
    ]  # fmt: skip
    return str(position), position.history(), position.is_terminal(), legal, position.returns()


def check_parameters(name: str, entry: Entry) -> None:
    """Load and play a game with the ends of its parameters."""
    for game in parameters(name, entry):
        print(game, flush=True)
        for position in played(load(game, seats(game).least).new_initial_state(), Random(1)):
            look(position)


def check_clones(name: str, entry: Entry) -> None:
    """A clone equals a replay of its history, and what happens to it leaves its parent alone."""
    rng = Random(2)
    game = load(name, seats(name).least)
    for number, position in enumerate(played(game.new_initial_state(), rng, 400)):
        if number % 9:
            continue
        before, clone = look(position), position.clone()
        again = game.new_initial_state()
        advance_through(again, position.history())
        assert look(clone) == look(again) == before, f"{name}: a replay differs after {position.history()}"
        for _ in played(clone, rng, 3):
            pass
        assert look(position) == before, f"{name}: a clone changed its parent after {position.history()}"


CHECKS: dict[str, Callable[[str, Entry], None]] = {"parameters": check_parameters, "clones": check_clones}

if __name__ == "__main__":
    chosen, *names = sys.argv[1:]
    catalogue = {**GAMES, **OTHERS}
    for each in names or catalogue:
        print(each, flush=True)
        CHECKS[chosen](each, catalogue[each])
