"""Later deadlines of single owners in a season, by their names in small letters.

They are in no export, chain or log of a season: only the owner and organisers may see them.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import upsert
from botleague_storage.schema.league_tables import extension

_EXTENSIONS = (
    sa.select(extension.c.owner, extension.c.until)
    .where(extension.c.season_id == sa.bindparam("season"))
    .order_by(extension.c.owner)
)


def extensions(connection: Connection, season_id: int) -> dict[str, float]:
    """Return the deadlines of owners, in seconds since the epoch, by owner in order."""
    return {row.owner: row.until for row in connection.execute(_EXTENSIONS, {"season": season_id})}


def extend(connection: Connection, season_id: int, owner: str, until: float | None) -> None:
    """Store the deadline of an owner; None removes it. Needs a write transaction."""
    mine = (extension.c.season_id == season_id, extension.c.owner == owner.lower())
    if until is None:
        connection.execute(extension.delete().where(*mine))
    else:
        upsert(connection, extension, [{"season_id": season_id, "owner": owner.lower(), "until": until}])
