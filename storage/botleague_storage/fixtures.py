"""The queue of matches. A fixture is planned, claimed for a time by one runner, and done when its result is in.

A claim carries an **epoch**, one more than the claim before. Only the holder of the newest epoch can record a
result, so a fixture is recorded once, whoever is killed, stalls or comes back late.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema import LABEL_LENGTH, fixture, season
from botleague_storage.statements import in_portions

__all__ = [
    "Claim",
    "Planned",
    "claim",
    "claimants",
    "counts",
    "finish",
    "group_size",
    "ids",
    "is_open",
    "plan",
    "read_versions",
    "release",
    "renew",
]

read_versions: Callable[[str], tuple[int, ...]] = msgspec.json.Decoder(tuple[int, ...]).decode
"""Returns the version ids by seat that a fixture's ``versions`` hold."""


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
    first = _planned_count(connection, season_id)
    rows = [
        {
            "season_id": season_id,
            "ordinal": first + place,
            "round": item.round,
            "group": item.group,
            "label": item.label[:LABEL_LENGTH],  # for people: what is longer is cut
            "seed": item.seed,
            "versions": json.dumps(item.versions),
        }
        for place, item in enumerate(fixtures)
    ]
    if rows:
        connection.execute(fixture.insert(), rows)
    return len(rows)


def claim(
    connection: Connection, season_id: int, runner: str, now: float, lease_s: float, number: int
) -> list[Claim]:
    """Claim up to ``number`` fixtures that nobody holds, lowest ordinal first. Needs a write transaction."""
    columns = (fixture.c.id, fixture.c.ordinal, fixture.c.epoch, fixture.c.seed, fixture.c.versions)
    query = sa.select(*columns).where(fixture.c.season_id == season_id).order_by(fixture.c.ordinal)
    query = query.limit(number).with_for_update(skip_locked=True)
    # Two queries, so that each finds its rows through the index instead of passing all that are done.
    late = query.where(fixture.c.status == "claimed", fixture.c.lease_until < now)
    rows = [*connection.execute(late), *connection.execute(query.where(fixture.c.status == "planned"))]
    rows = sorted(rows, key=lambda row: row.ordinal)[:number]
    if rows:
        connection.execute(
            fixture.update().where(fixture.c.id == sa.bindparam("of")),
            [
                {
                    "of": row.id,
                    "status": "claimed",
                    "epoch": row.epoch + 1,
                    "claimed_by": runner,
                    "lease_until": now + lease_s,
                }
                for row in rows
            ],
        )
    return [Claim(row.id, row.ordinal, row.epoch + 1, row.seed, read_versions(row.versions)) for row in rows]


def renew(connection: Connection, runner: str, until: float) -> None:
    """Extend every lease that ``runner`` holds."""
    held = sa.and_(fixture.c.claimed_by == runner, fixture.c.status == "claimed")
    connection.execute(fixture.update().where(held).values(lease_until=until))


def release(connection: Connection, runners: Sequence[str], keep: Collection[int] = ()) -> int:
    """Give back what ``runners`` hold (their epochs stay used up), but for the fixtures in ``keep``.

    Returns:
        How many fixtures are free again.
    """
    held = sa.and_(fixture.c.claimed_by.in_(runners), fixture.c.status == "claimed")
    if keep:
        held = sa.and_(held, fixture.c.id.not_in(keep))
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


def finish(connection: Connection, claims: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Mark fixtures as done whose claims, as (fixture id, epoch), still are the newest.

    Returns:
        Those claims. The others were lost: the caller must record nothing of them.
    """
    asked = set(claims)
    held = sa.select(fixture.c.id, fixture.c.epoch).where(fixture.c.status == "claimed")
    done = fixture.update().values(status="done", claimed_by=None, lease_until=None)
    finished: set[tuple[int, int]] = set()
    for some in in_portions(sorted({fixture_id for fixture_id, _ in asked})):
        rows = connection.execute(held.where(fixture.c.id.in_(some)).with_for_update())
        mine = {(row.id, row.epoch) for row in rows} & asked
        connection.execute(done.where(fixture.c.id.in_([fixture_id for fixture_id, _ in mine])))
        finished |= mine
    return finished


def counts(connection: Connection, season_id: int) -> tuple[int, int]:
    """Return how many fixtures of a season are planned in all, and how many of them are done.

    The time it takes does not grow with the season: all before ``season.settled`` are known to be done.
    """
    settled = sa.select(season.c.settled).where(season.c.id == season_id).scalar_subquery()
    later = sa.select(sa.func.count()).where(
        fixture.c.season_id == season_id, fixture.c.status == "done", fixture.c.ordinal >= settled
    )
    covered, tail = connection.execute(sa.select(settled, later.scalar_subquery())).one()
    return _planned_count(connection, season_id), covered + tail


def group_size(connection: Connection, season_id: int, group: int) -> int:
    """Return how many fixtures a group has, void ones left out."""
    query = sa.select(sa.func.count()).where(
        fixture.c.season_id == season_id, fixture.c.group == group, fixture.c.void == 0
    )
    return connection.scalar(query) or 0


def ids(connection: Connection, season_id: int, ordinals: Sequence[int]) -> dict[int, int]:
    """Return the ids of fixtures by their ordinal numbers."""
    query = sa.select(fixture.c.ordinal, fixture.c.id).where(fixture.c.season_id == season_id)
    return {
        row.ordinal: row.id
        for some in in_portions(ordinals)
        for row in connection.execute(query.where(fixture.c.ordinal.in_(some)))
    }


def is_open(connection: Connection, season_id: int) -> bool:
    """Return whether any fixture of a season has no result yet."""
    query = sa.select(fixture.c.id).where(
        fixture.c.season_id == season_id, fixture.c.status.in_(("planned", "claimed"))
    )
    return connection.execute(query.limit(1)).first() is not None


def _planned_count(connection: Connection, season_id: int) -> int:
    """Ordinal numbers have no gaps."""
    last = connection.scalar(
        sa.select(sa.func.max(fixture.c.ordinal)).where(fixture.c.season_id == season_id)
    )
    return 0 if last is None else last + 1
