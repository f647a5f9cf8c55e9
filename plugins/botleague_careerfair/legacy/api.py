"""The rest of what bots import from ``awap2019``: the states of their own bots, a search, and names from habit.

Source: rules/careerfair.md, section 11.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from botleague_careerfair.directions import CARDINAL_DIRECTIONS, Direction, Location


class State:
    """One of a team's own bots."""

    def __init__(
        self,
        dir: Direction,
        id: int,
        team_id: int,
        loc: Location,
        progress: int,
        threshold: int,
        line_pos: int,
    ) -> None:
        self.dir = dir
        self.id = id
        self.team_id = team_id
        self.x, self.y = loc
        self.progress = progress
        self.threshold = threshold
        self.line_pos = line_pos
        if line_pos >= 0:
            self.state = "inline"
        else:
            self.state = dir.name.lower() if dir in CARDINAL_DIRECTIONS.values() else "none"

    def get_num_encoding(self) -> str:
        """Return the fields as the replay log has them."""
        fields = (self.team_id, self.id, self.x, self.y, self.state)
        return " ".join(map(str, (*fields, self.progress, self.threshold, self.line_pos)))

    def __repr__(self) -> str:
        return (
            f"ID_{self.id:02} @{self.x:02}.{self.y:02} "
            f"P_{self.progress:02}_T_{self.threshold:02}_L_{self.line_pos:02}"
        )


class _OnlyForDrivers:
    """A part of the original's engine: bots import it by habit, and could do nothing with it here."""

    def __init__(self, *arguments: object, **named: object) -> None:
        raise RuntimeError(
            f"a bot cannot make a {type(self).__name__}: the platform plays the match and calls Team.step"
        )


class Game(_OnlyForDrivers):
    """The original's driver."""


class Board(_OnlyForDrivers):
    """The original's board."""


class Booth(_OnlyForDrivers):
    """The original's booth. Tiles tell bots only the company's name."""


class Line(_OnlyForDrivers):
    """The original's line. Tiles tell bots only the company's name."""


def set_trace() -> None:
    """Stand for the debugger's entry, which bots leave in their sources: it would wait for a person."""
    raise RuntimeError("there is no debugger in a match: remove pdb.set_trace()")


def BFS(board: Any, src: Location, p: Callable[[Any], bool]) -> list[Location] | None:  # noqa: N802 - the original's name
    """Return a shortest path of locations from ``src`` to the first tile for which ``p`` holds, or None.

    Args:
        board: an object with ``get(location)`` that returns a tile, or None off the grid; or a list of rows.
        src: where to start; the path begins there.
        p: tells goals; booth tiles can be goals but are not walked through.
    """

    def tile_at(loc: Location) -> Any:
        if hasattr(board, "get"):
            return board.get(loc)
        inside = 0 <= loc[0] < len(board) and 0 <= loc[1] < len(board[loc[0]])
        return board[loc[0]][loc[1]] if inside else None

    if p(tile_at(src)):
        return [src]
    paths = {src: [src]}
    waiting = [src]
    for node in waiting:
        for direction in CARDINAL_DIRECTIONS.values():
            loc = direction.get_loc(node)
            tile = tile_at(loc)
            if tile is None or loc in paths:
                continue
            paths[loc] = [*paths[node], loc]
            if p(tile):
                return paths[loc]
            if tile.get_booth() is None:
                waiting.append(loc)
    return None
