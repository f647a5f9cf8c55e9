"""What a team sees of the hall, and the messages that tell it.

A *view* is one integer per tile: 0 for a tile out of sight, else how many bots stand free and queued on it and
whether it is the end of a line. A turn's message holds the tiles whose number is another than in the view
the team was last told, and nothing of the rest: a few hundred bytes on the largest boards.

Source: rules/careerfair.md, section 8.
"""

from __future__ import annotations

from collections.abc import Sequence

from botleague_careerfair.fair import TEAM_SIZE, Fair, Hall
from botleague_careerfair.floor import LINE_TILE_HOLDS

__all__ = [
    "END",
    "FREE_SHIFT",
    "QUEUED_MASK",
    "QUEUED_SHIFT",
    "SEEN",
    "View",
    "changes",
    "queued_on",
    "view_of",
]

View = tuple[int, ...]

SEEN = 1
END = 2
QUEUED_SHIFT = 2
QUEUED_MASK = 0xFFFF
FREE_SHIFT = 18


def queued_on(fair: Fair, hall: Hall) -> list[int]:
    """Return per tile how many bots stand queued on it."""
    queued = [0] * fair.board.tiles
    for zone, queue in zip(fair.board.zones, hall.queues, strict=True):
        left = len(queue)
        for tile in zone[:-1]:
            queued[tile] = min(left, LINE_TILE_HOLDS)
            left -= queued[tile]
            if not left:
                break
        queued[zone[-1]] += left
    return queued


def view_of(fair: Fair, hall: Hall, team: int, queued: Sequence[int]) -> View:
    """Return what ``team`` sees; ``queued`` as :func:`queued_on` returns it."""
    view = [0] * fair.board.tiles
    ends = set(hall.ends)
    counts = hall.counts
    for place in set(hall.places[team * TEAM_SIZE : (team + 1) * TEAM_SIZE]):
        for tile in fair.floor.square(place):
            if not view[tile]:
                in_line = queued[tile]
                view[tile] = (counts[tile] - in_line) << FREE_SHIFT | in_line << QUEUED_SHIFT | SEEN
    for tile in ends:
        if view[tile]:
            view[tile] |= END
    return tuple(view)


def changes(told: View, view: View) -> list[int]:
    """Return ``tile, number, tile, number ...`` for the tiles on which ``view`` differs from ``told``."""
    if told == view:
        return []
    found: list[int] = []
    for tile, (old, new) in enumerate(zip(told, view, strict=True)):
        if old != new:
            found += (tile, new)
    return found
