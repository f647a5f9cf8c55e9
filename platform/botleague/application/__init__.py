"""What can be done with leagues: the layer on which the command line, the Python API and the pages stand.

It opens what is needed (:class:`Workspace`), reads what is asked for (:class:`LeagueOptions`), and does it. It prints
nothing, and what it has to say beside its results it logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botleague.application.workspace import Workspace

if TYPE_CHECKING:
    from botleague.application.leagues import LeagueOptions

__all__ = ["LeagueOptions", "Workspace"]


def __getattr__(name: str) -> Any:
    """Import the terms of leagues when they are first asked for: who holds no league does not wait for the database's
    library, which takes longer than most commands."""
    if name == "LeagueOptions":
        from botleague.application.leagues import LeagueOptions

        return LeagueOptions
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
