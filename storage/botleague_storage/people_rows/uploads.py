"""Uploads: stored unchanged until they are decided, in two queues that are fair to owners.

The first is for the language alone and quick; what it lets through waits in the second one, for its games.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import add_row, columns, upsert
from botleague_storage.schema.league_tables import bot, entrant, league, season, variant, version
from botleague_storage.schema.people_tables import upload, upload_limit
from botleague_storage.schema.storage_errors import NotFound

Files = Sequence[tuple[str, bytes]]

Stage: TypeAlias = Literal["language", "games"]
"""Stages of a check; each has a queue of its own."""


class Limits(msgspec.Struct, frozen=True):
    """Upload limits of one owner in a league.

    Attributes:
        a_day: uploads within 24 hours.
        gap_s: seconds between two.
        size: bytes of all that is sent at once.
        bots: that may play in the league.
        matches: of practice within an hour.
    """

    a_day: int = 50
    gap_s: float = 5.0
    size: int = 2_000_000
    bots: int = 5
    matches: int = 20


class UploadRow(msgspec.Struct, frozen=True):
    """One upload, without its content.

    Attributes:
        owner: owner of the bot.
        bot, entry: its requested name, and its entry module; "" if not given.
        state: waiting; checked, of which the games are still to come; accepted, unchanged or refused.
        report: what the check said.
        tries: number of attempts at its present stage.
    """

    id: int
    league: str
    owner: str
    bot: str
    entry: str
    state: str
    report: Mapping[str, Any]
    version_id: int | None
    received_at: float
    tries: int

    @property
    def is_open(self) -> bool:
        """Whether it is still to be decided."""
        return self.state in ("waiting", "checked")


def limits(connection: Connection, league_id: int) -> Limits:
    """Return the limits of a league: those that were set, else the usual ones."""
    query = sa.select(*columns(upload_limit, Limits)).where(upload_limit.c.league_id == league_id)
    row = connection.execute(query).one_or_none()
    return Limits() if row is None else Limits(*row)


def set_limits(connection: Connection, league_id: int, new_limits: Limits) -> None:
    """Store the limits of a league."""
    upsert(connection, upload_limit, [{"league_id": league_id, **msgspec.structs.asdict(new_limits)}])


def received(connection: Connection, league_id: int, owner: str, since: float) -> list[float]:
    """Return when an owner's uploads to a league came that came since then, the newest first."""
    return list(connection.scalars(_RECEIVED, {"league": league_id, "owner": owner, "since": since}))


def bots_in(connection: Connection, league_id: int, owner: str) -> set[str]:
    """Return the names of an owner's bots that have entered a season of a league, or wait to."""
    entered = (
        sa.select(bot.c.name)
        .join(version, version.c.bot_id == bot.c.id)
        .join(entrant, entrant.c.version_id == version.c.id)
        .join(season, season.c.id == entrant.c.season_id)
        .where(season.c.league_id == league_id, bot.c.owner == owner)
    )
    handed_in = (
        sa.select(bot.c.name)
        .join(version, version.c.bot_id == bot.c.id)
        .join(upload, upload.c.version_id == version.c.id)
        .where(upload.c.league_id == league_id, bot.c.owner == owner)
    )
    return set(connection.scalars(entered.union(handed_in)))


def only_of_other_variants(connection: Connection, game: str, name: str) -> set[str]:
    """Return the names of a game's bots that were uploaded, but never to a league of the variant called ``name``."""
    is_of_variant = sa.case((variant.c.name == name, 1), else_=0)
    query = (
        sa.select(bot.c.name)
        .join(version, version.c.bot_id == bot.c.id)
        .join(upload, upload.c.version_id == version.c.id)
        .join(league, league.c.id == upload.c.league_id)
        .join(variant, variant.c.id == league.c.variant_id)
        .where(bot.c.game == game)
        .group_by(bot.c.name)
        .having(sa.func.max(is_of_variant) == 0)
    )
    return set(connection.scalars(query))


def add(
    connection: Connection,
    league_id: int,
    account_id: int,
    owner: str,
    bot_name: str,
    entry: str,
    files: Files,
    now: float,
) -> int:
    """Store what came, and return its number."""
    sent = {"bot": bot_name, "entry": entry, "content": msgspec.msgpack.encode(files)}
    sender = {"league_id": league_id, "account_id": account_id, "owner": owner}
    return add_row(connection, upload, state="waiting", received_at=now, **sender, **sent)


def find(connection: Connection, number: int) -> UploadRow:
    """Return an upload.

    Raises:
        NotFound: no upload with that number.
    """
    row = connection.execute(_upload(), {"number": number}).one_or_none()
    if row is None:
        raise NotFound(f"There is no upload {number}.")
    return _row(row)


def uploads(connection: Connection, league_id: int, owner: str, limit: int) -> list[UploadRow]:
    """Return an owner's newest uploads to a league, the newest first."""
    mine = sa.and_(upload.c.league_id == league_id, upload.c.owner == owner)
    query = _uploads().where(mine).order_by(upload.c.id.desc()).limit(limit)
    return [_row(row) for row in connection.execute(query)]


def waiting(connection: Connection, league_id: int, limit: int) -> list[UploadRow]:
    """Return the uploads to a league that wait for their check, the oldest first."""
    mine = sa.and_(upload.c.league_id == league_id, upload.c.state == "waiting")
    return [
        _row(row) for row in connection.execute(_uploads().where(mine).order_by(upload.c.id).limit(limit))
    ]


def content(connection: Connection, number: int) -> Files:
    """Return the files of an upload as they came."""
    packed = connection.scalar(_CONTENT, {"number": number})
    return msgspec.msgpack.decode(packed or b"\x90", type=list[tuple[str, bytes]])


def is_any_waiting(connection: Connection, stage: Stage, now: float, lease_s: float) -> bool:
    """Return whether a queue has an unclaimed upload."""
    return connection.scalar(_any_waiting(stage), {"now": now, "latest": now + lease_s}) is not None


def is_waiting(connection: Connection, number: int) -> bool:
    """Return whether an upload has no verdict yet."""
    mine = sa.and_(upload.c.id == number, upload.c.state == "waiting")
    return connection.scalar(sa.select(upload.c.id).where(mine)) is not None


def claim(connection: Connection, stage: Stage, holder: str, now: float, lease_s: float) -> UploadRow | None:
    """Take the next upload of a queue: the oldest of the owner of whom none was begun there for the longest time.

    A later upload of an owner does not overtake an earlier one: the last one must become the newest version.
    """
    latest = now + lease_s
    number = connection.scalar(_next(stage), {"now": now, "latest": latest})
    if number is None:
        return None
    taken = {"number": number, "now": now, "lease_until": latest, "claimed_by": holder}
    connection.execute(_take(stage), taken)
    return find(connection, number)


def let_through(connection: Connection, numbers: Sequence[int], now: float) -> None:
    """Note that the language of uploads is good: their games are next."""
    if numbers:
        connection.execute(_LET_THROUGH, {"numbers": numbers, "now": now})


def renew(connection: Connection, numbers: Sequence[int], until: float) -> None:
    """Keep uploads that are being checked from others until then."""
    connection.execute(upload.update().where(upload.c.id.in_(numbers), _OPEN).values(lease_until=until))


def postpone(connection: Connection, number: int, until: float) -> None:
    """Give an upload back that could not be checked; it is taken again at ``until`` at the earliest."""
    _change(connection, number, {"lease_until": until, "claimed_by": None})


def give_back(connection: Connection, numbers: Sequence[int]) -> None:
    """Return uploads to the queue whose check has not started."""
    if numbers:
        _untake(connection, upload.c.id.in_(numbers))


def claimants(connection: Connection) -> set[str]:
    """Return who holds uploads."""
    query = sa.select(upload.c.claimed_by).where(_OPEN, upload.c.claimed_by.is_not(None)).distinct()
    return set(connection.scalars(query))


def release(connection: Connection, holders: Sequence[str]) -> None:
    """Release the uploads of holders that ended; this does not count as an attempt."""
    _untake(connection, upload.c.claimed_by.in_(holders))


def finish(
    connection: Connection, number: int, state: str, report: Mapping[str, Any], version_id: int | None = None
) -> bool:
    """Store the verdict of an upload and delete its content. Return False if another process has done so."""
    values = {"state": state, "report": json.dumps(dict(report)), "version_id": version_id, "content": b""}
    return _change(connection, number, {**values, "claimed_by": None})


def before(connection: Connection, row: UploadRow) -> int:
    """Return how many uploads are likely to come before one in its queue: of each owner as many as of its own."""
    stage: Stage = "language" if row.state == "waiting" else "games"
    ahead: Counter[str] = Counter()
    own = 0
    for owner, number in connection.execute(_waiting(stage)):
        ahead[owner] += owner != row.owner
        own += owner == row.owner and number < row.id
    return own + sum(min(count, own + 1) for count in ahead.values())


def _begun_at(stage: Stage) -> sa.Column[float]:
    return upload.c.begun_at if stage == "language" else upload.c.tried_at


@functools.cache  # these take longer to put together than to execute
def _any_waiting(stage: Stage) -> sa.Select[Any]:
    return sa.select(upload.c.id).where(_in(stage), _is_free()).limit(1)


@functools.cache
def _waiting(stage: Stage) -> sa.Select[Any]:
    return sa.select(upload.c.owner, upload.c.id).where(_in(stage))


@functools.cache
def _next(stage: Stage) -> sa.Select[Any]:
    """Return the query for the upload that is next in a queue at the time ``now``."""
    waiting = sa.and_(_in(stage), _is_free())
    if stage == "games":
        first = sa.select(sa.func.min(upload.c.id)).where(_OPEN).group_by(upload.c.league_id, upload.c.owner)
        waiting = sa.and_(waiting, upload.c.id.in_(first))
    owners = sa.select(upload.c.owner).where(waiting).distinct()
    # By a clock that was set back since: such a turn is over.
    begun = sa.case((_begun_at(stage) <= sa.bindparam("now"), _begun_at(stage)), else_=0)
    last = (
        sa.select(upload.c.owner, sa.func.max(begun).label("begun"))
        .where(upload.c.owner.in_(owners))
        .group_by(upload.c.owner)
        .subquery()
    )
    return (
        sa.select(upload.c.id)
        .join(last, last.c.owner == upload.c.owner)
        .where(waiting)
        .order_by(last.c.begun, upload.c.id)
        .limit(1)
    )


@functools.cache
def _take(stage: Stage) -> sa.Update:
    values = {
        _begun_at(stage): sa.bindparam("now"),
        upload.c.lease_until: sa.bindparam("lease_until"),
        upload.c.claimed_by: sa.bindparam("claimed_by"),
        upload.c.tries: upload.c.tries + 1,
    }
    return upload.update().where(upload.c.id == sa.bindparam("number"), _OPEN).values(values)


_OPEN = upload.c.state == "waiting"

_CONTENT = sa.select(upload.c.content).where(upload.c.id == sa.bindparam("number"))

_RECEIVED = (
    sa.select(upload.c.received_at)
    .where(
        upload.c.league_id == sa.bindparam("league"),
        upload.c.owner == sa.bindparam("owner"),
        upload.c.received_at > sa.bindparam("since"),
    )
    .order_by(upload.c.received_at.desc())
)


def _is_free() -> sa.ColumnElement[bool]:
    # A lease that ends later than any begun now was begun by a clock that was set back since.
    return sa.or_(upload.c.lease_until <= sa.bindparam("now"), upload.c.lease_until > sa.bindparam("latest"))


def _in(stage: Stage) -> sa.ColumnElement[bool]:
    return sa.and_(
        _OPEN, upload.c.checked_at.is_(None) if stage == "language" else upload.c.checked_at.is_not(None)
    )


_LET_THROUGH = (
    upload.update()
    .where(upload.c.id.in_(sa.bindparam("numbers", expanding=True)), _in("language"))
    .values(checked_at=sa.bindparam("now"), lease_until=0, claimed_by=None, tries=0)
)


def _untake(connection: Connection, which: sa.ColumnElement[bool]) -> None:
    held = sa.and_(_OPEN, upload.c.claimed_by.is_not(None), which)
    values = {"lease_until": 0, "claimed_by": None, "tries": upload.c.tries - 1}
    connection.execute(upload.update().where(held).values(**values))


def _change(connection: Connection, number: int, values: Mapping[str, Any]) -> bool:
    statement = upload.update().where(upload.c.id == number, _OPEN)
    return bool(connection.execute(statement.values(**values)).rowcount)


@functools.cache
def _uploads() -> sa.Select[Any]:
    return sa.select(
        upload.c.id,
        league.c.name.label("league"),
        upload.c.owner,
        upload.c.bot,
        upload.c.entry,
        sa.case((sa.and_(_OPEN, upload.c.checked_at.is_not(None)), "checked"), else_=upload.c.state).label(
            "state"
        ),
        upload.c.report,
        upload.c.version_id,
        upload.c.received_at,
        upload.c.tries,
    ).join(league, league.c.id == upload.c.league_id)


@functools.cache
def _upload() -> sa.Select[Any]:
    return _uploads().where(upload.c.id == sa.bindparam("number"))


def _row(row: sa.Row[Any]) -> UploadRow:
    return UploadRow(**{**row._mapping, "report": json.loads(row.report)})
