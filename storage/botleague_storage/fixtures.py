"""The queue of matches. A fixture is planned, claimed for a time by one runner, and done when its result is in.

A claim carries an **epoch**, one more than the claim before. Only the holder of the newest epoch can record a
result, so a fixture is recorded once, whoever is killed, stalls or comes back late.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema import fixture

__all__ = [
    "Claim",
    "Planned",
    "claim",
    "claimants",
    "counts",
    "finish",
    "group_size",
    "open_count",
    "plan",
    "planned",
    "release",
    "renew",
]


@dataclass(frozen=True, slots=True)
class Planned:
    """A match that is planned.

    Attributes:
        round, group: as the format planned it; fixtures of one group share seed and entrants.
        seed: of the match.
        versions: bot version ids by seat.
        label: what the format calls it, like "semifinal".
    """

    round: int
    group: int
    seed: int
    versions: tuple[int, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A fixture that its holder may play and record until the lease ends."""

    fixture_id: int
    ordinal: int
    epoch: int
    seed: int
    versions: tuple[int, ...]


def plan(connection: Connection, season_id: int, fixtures: Iterable[Planned]) -> int:
    """Append fixtures to a season, with the next ordinal numbers.

    Returns:
        How many.
    """
    first = connection.scalar(sa.select(sa.func.count()).where(fixture.c.season_id == season_id)) or 0
    rows = [
        {
            "season_id": season_id,
            "ordinal": first + place,
            "round": item.round,
            "group": item.group,
            "label": item.label,
            "seed": item.seed,
            "versions": json.dumps(item.versions),
        }
        for place, item in enumerate(fixtures)
    ]
    if rows:
        connection.execute(fixture.insert(), rows)
    return len(rows)


def planned(connection: Connection, season_id: int) -> list[Planned]:
    """Return all fixtures of a season in order of their ordinal numbers."""
    query = sa.select(
        fixture.c.round, fixture.c.group, fixture.c.seed, fixture.c.versions, fixture.c.label
    ).where(fixture.c.season_id == season_id)
    return [
        Planned(row.round, row.group, row.seed, tuple(json.loads(row.versions)), row.label)
        for row in connection.execute(query.order_by(fixture.c.ordinal))
    ]


def claim(
    connection: Connection, season_id: int, runner: str, now: float, lease_s: float, number: int
) -> list[Claim]:
    """Claim up to ``number`` fixtures that nobody holds, lowest ordinal first. Needs a write transaction."""
    free = sa.or_(
        fixture.c.status == "planned",
        sa.and_(fixture.c.status == "claimed", fixture.c.lease_until < now),
    )
    query = sa.select(
        fixture.c.id, fixture.c.ordinal, fixture.c.epoch, fixture.c.seed, fixture.c.versions
    ).where(fixture.c.season_id == season_id, free)
    rows = connection.execute(
        query.order_by(fixture.c.ordinal).limit(number).with_for_update(skip_locked=True)
    ).all()
    claims = []
    for row in rows:
        connection.execute(
            fixture.update()
            .where(fixture.c.id == row.id)
            .values(status="claimed", epoch=row.epoch + 1, claimed_by=runner, lease_until=now + lease_s)
        )
        claims.append(Claim(row.id, row.ordinal, row.epoch + 1, row.seed, tuple(json.loads(row.versions))))
    return claims


def renew(connection: Connection, runner: str, until: float) -> None:
    """Extend every lease that ``runner`` holds."""
    held = sa.and_(fixture.c.claimed_by == runner, fixture.c.status == "claimed")
    connection.execute(fixture.update().where(held).values(lease_until=until))


def release(connection: Connection, runners: Sequence[str]) -> int:
    """Give back what ``runners`` hold (their epochs stay used up).

    Returns:
        How many fixtures are free again.
    """
    held = sa.and_(fixture.c.claimed_by.in_(runners), fixture.c.status == "claimed")
    changed = connection.execute(
        fixture.update().where(held).values(status="planned", claimed_by=None, lease_until=None)
    )
    return int(changed.rowcount)


def claimants(connection: Connection, season_id: int) -> set[str]:
    """Return who holds fixtures of a season."""
    query = sa.select(fixture.c.claimed_by).where(
        fixture.c.season_id == season_id, fixture.c.status == "claimed"
    )
    return {name for name in connection.scalars(query.distinct()) if name is not None}


def finish(connection: Connection, fixture_id: int, epoch: int) -> bool:
    """Mark a fixture as done if ``epoch`` still is its newest claim.

    Returns:
        False when the claim was lost: the caller must record nothing.
    """
    mine = sa.and_(fixture.c.id == fixture_id, fixture.c.epoch == epoch, fixture.c.status == "claimed")
    changed = connection.execute(
        fixture.update().where(mine).values(status="done", claimed_by=None, lease_until=None)
    )
    return changed.rowcount == 1


def counts(connection: Connection, season_id: int) -> tuple[int, int]:
    """Return how many fixtures of a season are planned in all, and how many of them are done."""
    query = sa.select(
        sa.func.count(), sa.func.coalesce(sa.func.sum(sa.case((fixture.c.status == "done", 1), else_=0)), 0)
    ).where(fixture.c.season_id == season_id)
    planned, done = connection.execute(query).one()
    return planned, done


def group_size(connection: Connection, season_id: int, group: int) -> int:
    """Return how many fixtures a group has."""
    query = sa.select(sa.func.count()).where(fixture.c.season_id == season_id, fixture.c.group == group)
    return connection.scalar(query) or 0


def open_count(connection: Connection, season_id: int) -> int:
    """Return how many fixtures of a season have no result yet."""
    query = sa.select(sa.func.count()).where(fixture.c.season_id == season_id, fixture.c.status != "done")
    return connection.scalar(query) or 0
