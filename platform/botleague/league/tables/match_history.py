"""The matches of a bot, told with the names of those who sat in them."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.engine import Connection

from botleague.rules import with_names
from botleague_storage import table_queries
from botleague_storage.queries.table_queries import HistoryRow


def history(connection: Connection, game: str | None, bot: str, limit: int) -> list[HistoryRow]:
    """Return a bot's newest matches, of all its versions, and what each did to its rating.

    Args:
        game: which game's bot; None if only one game has a bot of that name.
        limit: how many matches at most.
    """
    rows = table_queries.history(connection, game, bot, limit)
    return [replace(row, reason=with_names(row.reason, _seated(row, bot))) for row in rows]


def _seated(row: HistoryRow, bot: str) -> list[str]:
    return [*row.opponents[: row.seat], bot, *row.opponents[row.seat :]]
