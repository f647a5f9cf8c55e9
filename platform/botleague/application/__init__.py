"""Use cases of leagues and bots, shared by the command line, the Python API and the pages.

It opens what is needed (:class:`Workspace`), reads what is requested (:class:`LeagueOptions`), and does it. It prints
nothing; besides its results, it logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from botleague.application.leagues import LeagueOptions
    from botleague.application.workspace import Workspace

__all__ = ["LeagueOptions", "Workspace"]


def __getattr__(name: str) -> Any:
    """Import on first use: commands without a league do not wait for the database's library, which takes longer than
    most commands, and completion needs only the settings."""
    if name == "Workspace":
        from botleague.application.workspace import Workspace

        return Workspace
    if name == "LeagueOptions":
        from botleague.application.leagues import LeagueOptions

        return LeagueOptions
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
