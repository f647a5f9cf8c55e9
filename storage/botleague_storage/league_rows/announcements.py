"""Announcements: texts of organisers on the pages of a league. No result depends on them."""

from __future__ import annotations

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import columns
from botleague_storage.schema.league_tables import announcement


class AnnouncementRow(msgspec.Struct, frozen=True):
    """An announcement: its number in the league, from 1, and its time in seconds since the epoch."""

    number: int
    text: str
    announced_at: float


def add(connection: Connection, league_id: int, text: str, now: float) -> int:
    """Store an announcement, and return its number. Needs a write transaction."""
    last = sa.select(sa.func.max(announcement.c.number)).where(announcement.c.league_id == league_id)
    number = (connection.scalar(last) or 0) + 1
    values = {"league_id": league_id, "number": number, "text": text, "announced_at": now}
    connection.execute(announcement.insert().values(values))
    return number


def withdraw(connection: Connection, league_id: int, number: int, now: float) -> bool:
    """Withdraw an announcement. Return whether it was shown until then. Needs a write transaction."""
    mine = sa.and_(_SHOWN, announcement.c.league_id == league_id, announcement.c.number == number)
    return connection.execute(announcement.update().where(mine).values(withdrawn_at=now)).rowcount == 1


def announcements(connection: Connection, league_id: int, limit: int | None = None) -> list[AnnouncementRow]:
    """Return the announcements of a league that were not withdrawn, the newest first."""
    query = sa.select(*columns(announcement, AnnouncementRow)).where(
        _SHOWN, announcement.c.league_id == league_id
    )
    rows = connection.execute(query.order_by(announcement.c.number.desc()).limit(limit))
    return [AnnouncementRow(**row._mapping) for row in rows]


_SHOWN = announcement.c.withdrawn_at.is_(None)
