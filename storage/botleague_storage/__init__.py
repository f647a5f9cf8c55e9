"""The database: bots, leagues, the queue of matches, results and ratings. Knows nothing of sandboxes or games.

Open a :class:`Database`, take a connection from ``reading()`` or ``writing()``, and pass it to the functions of the
module that holds what you need: :mod:`bots`, :mod:`leagues`, :mod:`fixtures`, :mod:`results`, :mod:`summaries`,
:mod:`ratings`, :mod:`events`, :mod:`matches`, :mod:`chain`, :mod:`journals`, :mod:`accounts`, :mod:`credentials`,
:mod:`uploads`, :mod:`desk`, :mod:`personal`, :mod:`figures`, :mod:`numbers`.
What happens between one ``writing()`` and its end happens completely or not at all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from botleague_storage.errors import (
    ConnectionLost,
    DamagedRow,
    DatabaseAway,
    DatabaseLocked,
    DatabaseOutdated,
    DatabaseTooNew,
    DatabaseUnusable,
    NotFound,
    SourceErased,
    StorageError,
)

if TYPE_CHECKING:
    from botleague_storage import (
        accounts,
        addresses,
        bots,
        chain,
        credentials,
        desk,
        events,
        figures,
        fixtures,
        journals,
        leagues,
        listing,
        matches,
        numbers,
        personal,
        ratings,
        results,
        server_notes,
        summaries,
        uploads,
    )
    from botleague_storage.database import Database, backup, backup_path
    from botleague_storage.horizon import Horizon, horizon_of, is_limited, whole_season
    from botleague_storage.integrity import problems

__all__ = [
    "ConnectionLost",
    "DamagedRow",
    "Database",
    "DatabaseAway",
    "DatabaseLocked",
    "DatabaseOutdated",
    "DatabaseTooNew",
    "DatabaseUnusable",
    "Horizon",
    "NotFound",
    "SourceErased",
    "StorageError",
    "accounts",
    "addresses",
    "backup",
    "backup_path",
    "bots",
    "chain",
    "credentials",
    "desk",
    "events",
    "figures",
    "fixtures",
    "horizon_of",
    "is_limited",
    "journals",
    "leagues",
    "listing",
    "matches",
    "numbers",
    "personal",
    "problems",
    "ratings",
    "results",
    "server_notes",
    "summaries",
    "uploads",
    "whole_season",
]

_HOMES = {
    "Database": "database",
    "Horizon": "horizon",
    "backup": "database",
    "backup_path": "database",
    "horizon_of": "horizon",
    "is_limited": "horizon",
    "problems": "integrity",
    "whole_season": "horizon",
}


def __getattr__(name: str) -> Any:
    """Import what needs the database's library when it is first asked for: many know the errors, and open nothing."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
