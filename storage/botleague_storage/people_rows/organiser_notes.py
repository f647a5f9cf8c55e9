"""Data of the organiser pages that is not in the logs of seasons: decisions, and findings about copies.

Neither is in an export or under the chain of a season: who decided what about whom is for organisers alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import upsert
from botleague_storage.schema.people_tables import account, decision, likeness


class DecisionRow(msgspec.Struct, frozen=True):
    """A decision.

    Attributes:
        event: its number in the season's log, None if it is not in it.
        by: the handle of its author, "" for the command line.
        about: the handle of the person concerned, "" for none.
        recorded_at: when, in seconds since the epoch.
    """

    event: int | None
    kind: str
    by: str
    about: str
    content: Mapping[str, Any]
    recorded_at: float


def add_decision(
    connection: Connection,
    season_id: int,
    kind: str,
    content: Mapping[str, Any],
    now: float,
    *,
    event: int | None = None,
    account_id: int | None = None,
    about_id: int | None = None,
) -> None:
    """Store a decision; what is None is as in the row."""
    connection.execute(
        decision.insert().values(
            season_id=season_id,
            event=event,
            kind=kind,
            account_id=account_id,
            about_id=about_id,
            content=json.dumps(dict(content), sort_keys=True),
            recorded_at=now,
        )
    )


def decisions(connection: Connection, season_id: int) -> list[DecisionRow]:
    """Return what was decided while a season was the current one, in order."""
    by, about = account.alias(), account.alias()
    query = (
        sa.select(decision, by.c.handle.label("by"), about.c.handle.label("about"))
        .outerjoin(by, by.c.id == decision.c.account_id)
        .outerjoin(about, about.c.id == decision.c.about_id)
        .where(decision.c.season_id == season_id)
        .order_by(decision.c.id)
    )
    return [
        DecisionRow(
            row.event, row.kind, row.by or "", row.about or "", json.loads(row.content), row.recorded_at
        )
        for row in connection.execute(query)
    ]


def set_likeness(connection: Connection, season_id: int, looked_at: float, finding: str) -> None:
    """Keep what was found when it was looked for copies in a season, instead of what was found before."""
    upsert(connection, likeness, [{"season_id": season_id, "looked_at": looked_at, "found": finding}])


def likeness_of(connection: Connection, season_id: int) -> tuple[float, str] | None:
    """Return the time and the finding of the last search for copies in a season; None before the first."""
    query = sa.select(likeness.c.looked_at, likeness.c.found).where(likeness.c.season_id == season_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else (row.looked_at, row.found)
