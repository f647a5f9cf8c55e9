"""Commands that this plugin adds to the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from botleague_botroyale.battle.maps import check_map_file


def check_map(
    file: Annotated[Path, typer.Argument(help="The map, as JSON.")],
    erase_traps: Annotated[
        bool, typer.Option("--erase-traps", help="Allow plates of the optional type ERASE_TRAP.")
    ] = False,
) -> None:
    """Check a map file, in our format or in that of the original's editor: say what it holds, or all that is wrong.

    Examples:

        botleague botroyale check-map arena.json

        botleague botroyale check-map arena.json --erase-traps
    """
    game_map = check_map_file(file, erase_traps)
    units = len(game_map.spawns)
    print(
        f"{game_map.name} is a valid map: {_count(units, 'unit')}, radius {game_map.death_radius}, "
        f"{_count(len(game_map.pits), 'pit')}, {_count(len(game_map.walls), 'wall')}, "
        f"{_count(len(game_map.plates), 'plate')}."
    )
    if units < 2:
        print("A battle needs two units or more, so nothing can be played on it yet.")


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
