"""Unrated matches: requested by a team, played between others, without effect on any rating."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import add_row
from botleague_storage.schema.league_tables import bot, league, version
from botleague_storage.schema.people_tables import practice
from botleague_storage.schema.storage_errors import NotFound


class UnratedMatchRow(msgspec.Struct, frozen=True):
    """Row of one unrated match.

    Attributes:
        owner: who asked for it.
        bot, version: whose own bot plays, on ``seat``.
        opponent, opponent_version: which bot has the other seats.
        state: waiting, played or failed.
    """

    id: int
    league: str
    owner: str
    bot: str
    version: int
    version_id: int
    opponent: str
    opponent_version: int
    opponent_id: int
    seat: int
    seed: int
    state: str
    failure: str
    asked_at: float
    played_at: float | None
    tries: int


def add(
    connection: Connection,
    league_id: int,
    owner: str,
    versions: tuple[int, int],
    seat: int,
    seed: int,
    now: float,
) -> int:
    """Store that a match is wanted, and return its number.

    Args:
        versions: the own one, and the opponent's.
    """
    players = {"version_id": versions[0], "opponent_id": versions[1], "seat": seat, "seed": seed}
    state = {"state": "waiting", "asked_at": now, "record": b"", "journal": b""}
    return add_row(connection, practice, league_id=league_id, owner=owner, **players, **state)


def asked(connection: Connection, league_id: int, owner: str, since: float) -> list[float]:
    """Return when an owner asked for matches in a league since then, the newest first."""
    mine = sa.and_(practice.c.league_id == league_id, practice.c.owner == owner, practice.c.asked_at > since)
    return list(
        connection.scalars(sa.select(practice.c.asked_at).where(mine).order_by(practice.c.asked_at.desc()))
    )


def find(connection: Connection, number: int) -> UnratedMatchRow:
    """Return an unrated match.

    Raises:
        NotFound: no unrated match with that number.
    """
    row = connection.execute(_rows().where(practice.c.id == number)).one_or_none()
    if row is None:
        raise NotFound(f"No unrated match {number}.")
    return UnratedMatchRow(*row)


def matches(connection: Connection, league_id: int, owner: str, limit: int) -> list[UnratedMatchRow]:
    """Return an owner's newest unrated matches in a league, the newest first."""
    mine = sa.and_(practice.c.league_id == league_id, practice.c.owner == owner)
    return [
        UnratedMatchRow(*row)
        for row in connection.execute(_rows().where(mine).order_by(practice.c.id.desc()).limit(limit))
    ]


def content(connection: Connection, number: int) -> tuple[bytes, bytes]:
    """Return the record of a match that was played, and the journal of its own seat."""
    query = sa.select(practice.c.record, practice.c.journal).where(practice.c.id == number)
    record, journal = connection.execute(query).one()
    return record, journal


def before(connection: Connection, number: int) -> int:
    """Return how many matches are played before one that waits."""
    earlier = sa.and_(_WAITING, practice.c.id < number)
    return connection.scalar(sa.select(sa.func.count()).select_from(practice).where(earlier)) or 0


def is_any_waiting(
    connection: Connection, now: float, lease_s: float, only: Sequence[str], without: Sequence[str] = ()
) -> bool:
    """Return whether an unclaimed match waits; see :func:`claim`."""
    return bool(_free(connection, now, lease_s, 1, only, without))


def claim(
    connection: Connection,
    runner: str,
    now: float,
    lease_s: float,
    most: int,
    only: Sequence[str],
    without: Sequence[str] = (),
) -> list[UnratedMatchRow]:
    """Take the matches that were asked for first.

    Args:
        most: maximum number of matches.
        only: of these leagues; of all if it is empty.
        without: not of these leagues.
    """
    rows = _free(connection, now, lease_s, most, only, without)
    mine = practice.c.id.in_([row.id for row in rows])
    values = {"claimed_by": runner, "lease_until": now + lease_s, "tries": practice.c.tries + 1}
    connection.execute(practice.update().where(mine).values(**values))
    return rows


def _free(
    connection: Connection, now: float, lease_s: float, most: int, only: Sequence[str], without: Sequence[str]
) -> list[UnratedMatchRow]:
    # A lease that ends later than any begun now was begun by a clock that was set back since.
    is_free = sa.or_(practice.c.lease_until <= now, practice.c.lease_until > now + lease_s)
    query = _rows().where(_WAITING, is_free).order_by(practice.c.id).limit(most)
    if only:
        query = query.where(league.c.name.in_(only))
    if without:
        query = query.where(league.c.name.not_in(without))
    return [UnratedMatchRow(*row) for row in connection.execute(query)]


def claimants(connection: Connection) -> set[str]:
    """Return who holds matches."""
    query = sa.select(practice.c.claimed_by).where(_WAITING, practice.c.claimed_by.is_not(None)).distinct()
    return set(connection.scalars(query))


def release(connection: Connection, runners: Sequence[str]) -> None:
    """Release the claims of these runners."""
    held = sa.and_(_WAITING, practice.c.claimed_by.in_(runners))
    connection.execute(practice.update().where(held).values(claimed_by=None, lease_until=0))


def give_back(connection: Connection, number: int) -> None:
    """Let a match be taken again that this machine could not hold."""
    _let_go(connection, number, lease_until=0)


def finish(connection: Connection, number: int, record: bytes, journal: bytes, now: float) -> None:
    """Store the record of a match, unless another runner has."""
    _let_go(connection, number, state="played", record=record, journal=journal, played_at=now)


def fail(connection: Connection, number: int, why: str, now: float) -> None:
    """Give a match up."""
    _let_go(connection, number, state="failed", failure=why, played_at=now)


_WAITING = practice.c.state == "waiting"


def _let_go(connection: Connection, number: int, **values: Any) -> None:
    mine = sa.and_(practice.c.id == number, _WAITING)
    connection.execute(practice.update().where(mine).values(claimed_by=None, **values))


@functools.cache
def _rows() -> sa.Select[Any]:
    own, own_bot, other, other_bot = version.alias(), bot.alias(), version.alias(), bot.alias()
    return (
        sa.select(
            practice.c.id,
            league.c.name,
            practice.c.owner,
            own_bot.c.name,
            own.c.number,
            own.c.id,
            other_bot.c.name,
            other.c.number,
            other.c.id,
            practice.c.seat,
            practice.c.seed,
            practice.c.state,
            practice.c.failure,
            practice.c.asked_at,
            practice.c.played_at,
            practice.c.tries,
        )
        .join(league, league.c.id == practice.c.league_id)
        .join(own, own.c.id == practice.c.version_id)
        .join(own_bot, own_bot.c.id == own.c.bot_id)
        .join(other, other.c.id == practice.c.opponent_id)
        .join(other_bot, other_bot.c.id == other.c.bot_id)
    )
