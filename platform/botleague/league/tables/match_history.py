"""History of a bot's matches, with the names of all bots in them."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.engine import Connection

from botleague.rules import with_names
from botleague_storage import history_queries
from botleague_storage.queries.history_queries import HistoryRow


def history(connection: Connection, game: str | None, bot: str, limit: int) -> list[HistoryRow]:
    """Return a bot's newest matches, of all its versions, with the rating change of each.

    Args:
        game: the bot's game; None if only one game has a bot of that name.
        limit: maximum number of matches.
    """
    rows = history_queries.history(connection, game, bot, limit)
    return [replace(row, reason=with_names(row.reason, _seated(row, bot))) for row in rows]


def _seated(row: HistoryRow, bot: str) -> list[str]:
    return [*row.opponents[: row.seat], bot, *row.opponents[row.seat :]]
