"""Formats: who meets whom next, each a pure function of the entrants and the results so far.

Read :mod:`~botleague.league.formats.contract` first; every other module is one format, or a table.
"""

from botleague.league.formats.contract import (
    Entrant,
    Format,
    FormatError,
    Game,
    GroupResult,
    Pairing,
    Plan,
    mirrored,
    unplayed,
)
from botleague.league.formats.round_robin import RoundRobin

__all__ = [
    "Entrant",
    "Format",
    "FormatError",
    "Game",
    "GroupResult",
    "Pairing",
    "Plan",
    "RoundRobin",
    "mirrored",
    "unplayed",
]
