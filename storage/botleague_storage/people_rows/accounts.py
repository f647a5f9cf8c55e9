"""People as the database knows them: accounts, the teams they are in, and what each may do in which league."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import add_row
from botleague_storage.schema.league_tables import bot, entrant, league, season, version
from botleague_storage.schema.people_tables import account, login_address, role, team, upload
from botleague_storage.schema.storage_errors import NotFound


class AccountRow(msgspec.Struct, frozen=True):
    """A person's account.

    Attributes:
        team: the handle of their team.
        name, email: never public, and mostly empty.
        has_password: whether they have chosen one.
        failures: wrong passwords in a row, from addresses that are not known.
        locked_until: when all addresses may try again.
        asked_at: when they asked for a login link, None without an open request.
        roles: by the name of a league, None for every league.
    """

    id: int
    handle: str
    team_id: int
    team: str
    name: str
    email: str
    has_password: bool
    failures: int
    locked_until: float
    created_at: float
    asked_at: float | None
    roles: Mapping[str | None, str]


class TeamRow(msgspec.Struct, frozen=True):
    """A team, with the handles of its members and the number of its bots."""

    id: int
    handle: str
    created_at: float
    members: tuple[str, ...]
    bots: int


def add_team(connection: Connection, handle: str, now: float) -> int:
    """Store a new team, and return its id; the caller must have checked that the handle is free."""
    return add_row(connection, team, handle=handle, folded=_folded(handle), created_at=now)


def add(
    connection: Connection, handle: str, team_id: int, now: float, *, name: str = "", email: str = ""
) -> int:
    """Store a new account, and return its id; the caller must have checked that the handle is free."""
    who = {"handle": handle, "folded": _folded(handle), "name": name, "email": email}
    return add_row(connection, account, team_id=team_id, created_at=now, **who)


def has_any(connection: Connection) -> bool:
    """Return whether there is an account."""
    return connection.scalar(sa.select(account.c.id).limit(1)) is not None


def is_taken(connection: Connection, handle: str) -> bool:
    """Whether an account or a team has a handle, in small or capital letters."""
    return any(
        connection.scalar(sa.select(table.c.id).where(table.c.folded == _folded(handle))) is not None
        for table in (account, team)
    )


def owns_bots(connection: Connection, handle: str) -> int:
    """Return how many bots have an owner of that name, in small or capital letters."""
    query = sa.select(sa.func.count()).where(sa.func.lower(bot.c.owner) == _folded(handle))
    return connection.scalar(query) or 0


def find(connection: Connection, handle: str) -> AccountRow:
    """Return the account with a handle, in small or capital letters.

    Raises:
        NotFound: no such account.
    """
    rows = accounts(connection, account.c.folded == _folded(handle))
    if not rows:
        raise NotFound(f"There is no account called {handle[:40]!r}. `botleague account list` lists them.")
    return rows[0]


def by_id(connection: Connection, account_id: int) -> AccountRow:
    """Return an account that is there."""
    row = connection.execute(_ACCOUNT, {"this": account_id}).one()
    return _row(row, roles(connection, account_id))


def accounts(connection: Connection, *which: sa.ColumnElement[bool]) -> list[AccountRow]:
    """Return accounts by handle: all, or those that meet all conditions in ``which``."""
    rows = connection.execute(_ACCOUNTS.where(*which)).all()
    granted = roles(connection, None if len(rows) != 1 else rows[0].id)
    return [_row(row, granted) for row in rows]


def roles(connection: Connection, account_id: int | None = None) -> dict[int, dict[str | None, str]]:
    """Return what accounts may do: by account, by the name of a league, None for every league."""
    query = _ROLES if account_id is None else _ROLES_OF
    by_account: dict[int, dict[str | None, str]] = defaultdict(dict)
    for row in connection.execute(query, {"this": account_id}):
        by_account[row.account_id][row.name] = row.role
    return dict(by_account)


def grant(connection: Connection, account_id: int, league_id: int | None, granted: str | None) -> None:
    """Set an account's role in a league, or in all leagues for None; a ``granted`` of None removes it."""
    connection.execute(
        role.delete().where(role.c.account_id == account_id, role.c.league_id.is_not_distinct_from(league_id))
    )
    if granted is not None:
        connection.execute(role.insert().values(account_id=account_id, league_id=league_id, role=granted))


def find_team(connection: Connection, handle: str) -> TeamRow:
    """Return the team with a handle, in small or capital letters.

    Raises:
        NotFound: no such team.
    """
    rows = teams(connection, team.c.folded == _folded(handle))
    if not rows:
        raise NotFound(f"There is no team called {handle[:40]!r}. `botleague team list` lists them.")
    return rows[0]


def teams(connection: Connection, *which: sa.ColumnElement[bool]) -> list[TeamRow]:
    """Return teams by handle: all, or those that meet all conditions in ``which``."""
    members: dict[int, list[str]] = defaultdict(list)
    for row in connection.execute(
        sa.select(account.c.team_id, account.c.handle)
        .join(team, team.c.id == account.c.team_id)
        .where(*which)
        .order_by(account.c.folded)
    ):
        members[row.team_id].append(row.handle)
    owned = sa.select(sa.func.count()).where(bot.c.owner == team.c.handle).scalar_subquery()
    query = sa.select(team, owned.label("bots")).where(*which).order_by(team.c.folded)
    return [
        TeamRow(row.id, row.handle, row.created_at, tuple(members[row.id]), row.bots)
        for row in connection.execute(query)
    ]


def leagues_of_owner(connection: Connection, owner: str) -> list[str]:
    """Return the names of the leagues with bots or uploads of an owner, in order."""
    is_mine = sa.func.lower(bot.c.owner) == _folded(owner)
    return _leagues(connection, is_mine, sa.func.lower(upload.c.owner) == _folded(owner))


def leagues_of_bot(connection: Connection, game: str, name: str) -> list[str]:
    """Return the names of the leagues that a bot entered in any season or was uploaded to, in order."""
    is_bot = sa.and_(bot.c.game == game, bot.c.name == name)
    versions = sa.select(version.c.id).join(bot, bot.c.id == version.c.bot_id).where(is_bot)
    return _leagues(connection, is_bot, upload.c.version_id.in_(versions))


def _leagues(
    connection: Connection, is_chosen: sa.ColumnElement[bool], is_sent: sa.ColumnElement[bool]
) -> list[str]:
    """Return the names of the leagues that the chosen bots entered, or to which the uploads were sent, in order."""
    plays = (
        sa.select(season.c.league_id)
        .join(entrant, entrant.c.season_id == season.c.id)
        .join(version, version.c.id == entrant.c.version_id)
        .join(bot, bot.c.id == version.c.bot_id)
        .where(is_chosen)
    )
    sent = sa.select(upload.c.league_id).where(is_sent)
    query = sa.select(league.c.name).where(league.c.id.in_(plays.union(sent)))
    return list(connection.scalars(query.order_by(league.c.name)))


def move(connection: Connection, account_id: int, team_id: int) -> None:
    """Move an account to another team."""
    _change(connection, account_id, team_id=team_id)


def password(connection: Connection, handle: str) -> tuple[int, str] | None:
    """Return the id and the stored password of an account, None where there is no such account."""
    row = connection.execute(
        sa.select(account.c.id, account.c.password).where(account.c.folded == _folded(handle))
    ).one_or_none()
    return None if row is None else (row.id, row.password)


def set_password(connection: Connection, account_id: int, stored: str) -> None:
    """Store another password, and forget wrong ones."""
    _change(connection, account_id, password=stored, failures=0, locked_until=0)


def ask_for_link(connection: Connection, handle: str, now: float) -> None:
    """Store that someone asked for a login link of an account; nothing for an unknown handle or an open request."""
    mine = (account.c.folded == _folded(handle), account.c.asked_at.is_(None))
    connection.execute(account.update().where(*mine).values(asked_at=now))


def close_request(connection: Connection, account_id: int) -> None:
    """Close the request for a login link."""
    _change(connection, account_id, asked_at=None)


def lock(connection: Connection, account_id: int) -> tuple[int, float]:
    """Return what :func:`set_lock` stored."""
    query = sa.select(account.c.failures, account.c.locked_until).where(account.c.id == account_id)
    failures, locked_until = connection.execute(query).one()
    return failures, locked_until


def set_lock(connection: Connection, account_id: int, failures: int, locked_until: float) -> None:
    """Store the wrong passwords in a row from all addresses that are not known, and until when none is checked."""
    _change(connection, account_id, failures=failures, locked_until=locked_until)


def _change(connection: Connection, account_id: int, **values: Any) -> None:
    connection.execute(account.update().where(account.c.id == account_id).values(values))


_LOCKED = (
    sa.select(sa.func.max(login_address.c.locked_until))
    .where(login_address.c.account_id == account.c.id)
    .scalar_subquery()
)
_ACCOUNTS = (
    sa.select(account, team.c.handle.label("team"), _LOCKED.label("address_locked_until"))
    .join(team, team.c.id == account.c.team_id)
    .order_by(account.c.folded)
)
# Put together once, as every request asks: that takes longer than executing them.
_ACCOUNT = _ACCOUNTS.where(account.c.id == sa.bindparam("this"))
_ROLES = (
    sa.select(role.c.account_id, league.c.name, role.c.role)
    .outerjoin(league, league.c.id == role.c.league_id)
    .order_by(league.c.name.nulls_first())
)
_ROLES_OF = _ROLES.where(role.c.account_id == sa.bindparam("this"))


def _row(row: sa.Row[Any], granted: Mapping[int, Mapping[str | None, str]]) -> AccountRow:
    return AccountRow(
        id=row.id,
        handle=row.handle,
        team_id=row.team_id,
        team=row.team,
        name=row.name,
        email=row.email,
        has_password=bool(row.password),
        failures=row.failures,
        locked_until=max(row.locked_until, row.address_locked_until or 0.0),
        created_at=row.created_at,
        asked_at=row.asked_at,
        roles=granted.get(row.id, {}),
    )


def _folded(handle: str) -> str:
    return handle.lower()
