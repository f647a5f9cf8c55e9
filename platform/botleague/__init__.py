"""botleague: the platform on which people let programs compete.

``botleague.rules`` is the contract for authors of games. :func:`play`, :func:`check`, :class:`League` and the rest of
``__all__`` are the platform from Python, see ``docs/python.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botleague.version import __version__

if TYPE_CHECKING:
    from botleague.api import JournalTurn, League, LeagueMatch, Match, Seat, brief, check, play, variants

__all__ = [
    "JournalTurn",
    "League",
    "LeagueMatch",
    "Match",
    "Seat",
    "__version__",
    "brief",
    "check",
    "play",
    "variants",
]


if not TYPE_CHECKING:  # type checkers know the names above, and refuse others

    def __getattr__(name: str) -> Any:
        """Import the platform on first use: authors of games import this package only for its contract."""
        if name in __all__:
            from botleague import api

            return getattr(api, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
