"""Views of the hall for a team, and the messages that carry their changes.

A *view* is one integer per tile: 0 for a tile out of sight, else how many bots stand free and queued on it and
whether it is the end of a line. A turn's message holds the tiles whose number is another than in the view
the team was last told, and nothing of the rest.

Source: rules/careerfair.md, section 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from botleague_careerfair.simulation.fair import TEAM_SIZE, Fair, Hall
from botleague_careerfair.simulation.floor import LINE_TILE_HOLDS

View = tuple[int, ...]

People = tuple[tuple[int, ...], ...]
"""Per tile in sight the bots on it, see :func:`people_of`."""

SEEN = 1
END = 2
_FREE_SHIFT, _FREE_MASK, _QUEUED_SHIFT = 2, 0x3FFF, 16
"""The free ones are in the lower bits: most tiles hold some of them and no line, and travel as one byte."""

PERSON_FIELDS = 3
"""Integers that tell one bot on a tile: id, walk, progress."""


def free_and_queued(number: int) -> tuple[int, int]:
    """Return how many bots stand free and how many queued on a tile of a view."""
    return number >> _FREE_SHIFT & _FREE_MASK, number >> _QUEUED_SHIFT


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
                view[tile] = (counts[tile] - in_line) << _FREE_SHIFT | in_line << _QUEUED_SHIFT | SEEN
    for tile in ends:
        if view[tile]:
            view[tile] |= END
    return tuple(view)


def people_of(fair: Fair, hall: Hall, view: View) -> People:
    """Return who stands on the tiles of ``view`` that are in sight.

    Per tile :data:`PERSON_FIELDS` a bot, first the free ones in order of arrival, then the
    queued ones in the order of the line. The number of each kind is in the view.
    """
    people: list[list[int]] = [[] for _ in view]
    free = sorted((bot for bot, line in enumerate(hall.queued) if line < 0), key=hall.arrivals.__getitem__)
    base = fair.crowd_base
    for bot in (*free, *(bot for queue in hall.queues for bot in queue)):
        place = hall.places[bot]
        if view[place]:
            number = bot % TEAM_SIZE if bot < base else bot - base
            people[place] += (number, hall.walks[bot], hall.progress[bot])
    return tuple(map(tuple, people))


def changes(previous: Sequence[Any], now: Sequence[Any]) -> list[Any]:
    """Return ``tile, value, tile, value ...`` for the tiles on which ``now`` differs from ``previous``."""
    pairs: list[Any] = []
    for tile, (old, new) in enumerate(zip(previous, now, strict=True)):
        if old != new:
            pairs += (tile, new)
    return pairs


def changed(pairs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Return the tiles with their values that :func:`changes` listed."""
    return zip(pairs[::2], pairs[1::2], strict=True)
