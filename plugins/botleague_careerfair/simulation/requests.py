"""Requests of a bot in one step, as small integers, and their letters.

The engine counts in integers; moves, records and traces are strings of letters, one letter a bot.
"""

from __future__ import annotations

NONE, LEFT, UP, RIGHT, DOWN, ENTER, REPLACE = range(7)

CARDINALS = (LEFT, UP, RIGHT, DOWN)

LETTERS = "NLURDEX"
"""The letter of each request. Source: rules/careerfair.md, section 15."""

OFFSETS = {LEFT: (0, -1), UP: (-1, 0), RIGHT: (0, 1), DOWN: (1, 0)}
"""Rows and columns that a cardinal request moves a bot by; rows grow downwards."""

WALK_NAMES = ("none", "left", "up", "right", "down", "none", "none")
"""Values of ``State.state`` for a free bot with each walk in progress. Source: section 11."""


def request_of(letter: str) -> int:
    """Return the request that ``letter`` stands for; whatever is no letter of ours counts as NONE."""
    return max(LETTERS.find(letter), NONE)
