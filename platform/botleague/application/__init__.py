"""Use cases of leagues and bots, shared by the command line, the Python API and the pages.

It opens what is needed (:class:`Workspace`), reads what is requested (:class:`LeagueOptions`), and does it. It prints
nothing; besides its results, it logs.

Both classes are imported on first use: commands without a league do not wait for the database's library, which takes
longer than most commands, and completion needs only the settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.application.leagues import LeagueOptions
    from botleague.application.workspace import Workspace

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
