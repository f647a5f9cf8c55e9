"""The database: bots, leagues, the queue of matches, results and ratings. Knows nothing of sandboxes or games.

Open a :class:`Database`, take a connection from ``reading()`` or ``writing()``, and pass it to the functions of the
module with the rows that you need, such as :mod:`bots`, :mod:`results` or :mod:`page_queries`.
What happens between one ``writing()`` and its end happens completely or not at all.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from botleague_storage.schema.storage_errors import (
    ConnectionLost,
    DamagedRow,
    DatabaseAway,
    DatabaseEmpty,
    DatabaseLocked,
    DatabaseOutdated,
    DatabaseTooNew,
    DatabaseUnusable,
    NotFound,
    SourceErased,
    StorageError,
)

if TYPE_CHECKING:
    from botleague_storage.connection.backups import backup, backup_path
    from botleague_storage.connection.damage_check import problems
    from botleague_storage.connection.database import Database
    from botleague_storage.connection.horizon import Horizon, horizon_of, is_limited, whole_season
    from botleague_storage.league_rows import (
        announcements,
        bots,
        chain_rows,
        events,
        extensions,
        fixtures,
        journals,
        leagues,
        matches,
        ratings,
        results,
        runners,
        strengths,
    )
    from botleague_storage.people_rows import (
        accounts,
        credentials,
        login_addresses,
        organiser_notes,
        personal_data,
        practice_matches,
        server_notes,
        uploads,
    )
    from botleague_storage.queries import (
        export_queries,
        history_queries,
        match_numbers,
        page_queries,
        row_digests,
        server_metrics,
        table_queries,
    )

_HOMES = {
    "Database": "connection.database",
    "Horizon": "connection.horizon",
    "backup": "connection.backups",
    "backup_path": "connection.backups",
    "horizon_of": "connection.horizon",
    "is_limited": "connection.horizon",
    "problems": "connection.damage_check",
    "whole_season": "connection.horizon",
}

_FOLDERS = ("league_rows", "people_rows", "queries")
"""Folders whose modules are used as wholes."""


if not TYPE_CHECKING:  # type checkers know the names above, and refuse others

    def __getattr__(name: str) -> Any:
        """Import on first use what needs the database's library: many importers need the errors alone."""
        if name in _HOMES:
            value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        else:
            places = (f"{__name__}.{folder}.{name}" for folder in _FOLDERS)
            place = next(filter(find_spec, places), None)
            if place is None:
                raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
            value = import_module(place)
        # Looking for a module in its folders takes long enough to be done once for each name.
        globals()[name] = value
        return value
