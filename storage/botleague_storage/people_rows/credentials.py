"""Credentials: one-time codes, invites, sessions, tokens. Only hashes of them are stored."""

from __future__ import annotations

import functools
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import add_row, columns
from botleague_storage.schema.league_tables import league
from botleague_storage.schema.people_tables import account, invite, one_time_code, session, team, token
from botleague_storage.schema.storage_errors import NotFound


class InviteRow(msgspec.Struct, frozen=True):
    """An invite to create an account.

    Attributes:
        role, league: what they are then, and where; None for every league.
        team: the handle of the team that they are in then, None for one of their own.
        uses, uses_left: number of uses in total, and remaining.
        is_public: whether it can be used without a code.
    """

    id: int
    role: str
    league: str | None
    team: str | None
    uses: int
    uses_left: int
    created_at: float
    expires_at: float
    is_public: bool


class SessionRow(msgspec.Struct, frozen=True):
    """A browser session of an account; ``agent`` describes the browser."""

    id: int
    account_id: int
    agent: str
    created_at: float
    seen_at: float
    expires_at: float


class TokenRow(msgspec.Struct, frozen=True):
    """An access token of a program: its account and scopes."""

    id: int
    account_id: int
    name: str
    scopes: tuple[str, ...]
    created_at: float
    expires_at: float
    used_at: float | None


def add_code(connection: Connection, account_id: int, digest: str, expires_at: float) -> None:
    """Store a one-time code; those that the account had before are void."""
    end_codes(connection, account_id)
    connection.execute(
        one_time_code.insert().values(digest=digest, account_id=account_id, expires_at=expires_at)
    )


def end_codes(connection: Connection, account_id: int) -> None:
    """Delete the one-time codes of an account."""
    connection.execute(one_time_code.delete().where(one_time_code.c.account_id == account_id))


def find_code(connection: Connection, digest: str, now: float) -> str | None:
    """Return the handle of the account that a code is for; None for an unknown or expired code."""
    handle: str | None = connection.scalar(
        sa.select(account.c.handle)
        .join(one_time_code, one_time_code.c.account_id == account.c.id)
        .where(one_time_code.c.digest == digest, one_time_code.c.expires_at > now)
    )
    return handle


def use_code(connection: Connection, digest: str, now: float) -> int | None:
    """Return the account that a code is for, and delete the code; None for an unknown or expired code."""
    used = one_time_code.delete().where(one_time_code.c.digest == digest, one_time_code.c.expires_at > now)
    return connection.scalar(used.returning(one_time_code.c.account_id))


def add_invite(
    connection: Connection,
    digest: str,
    role: str,
    league_id: int | None,
    team_id: int | None,
    uses: int,
    now: float,
    expires_at: float,
    *,
    is_public: bool = False,
) -> int:
    """Store an invite, and return its number."""
    place = {"role": role, "league_id": league_id, "team_id": team_id, "is_public": int(is_public)}
    times = {"created_at": now, "expires_at": expires_at}
    return add_row(connection, invite, digest=digest, uses=uses, uses_left=uses, **place, **times)


def invites(connection: Connection) -> list[InviteRow]:
    """Return all invites, the newest last."""
    return _read(connection)


def public_invites(connection: Connection, now: float) -> list[InviteRow]:
    """Return the public invites, the newest last."""
    return _read(connection, invite.c.is_public == 1, *_usable(now))


def find_invite(connection: Connection, digest: str, now: float) -> InviteRow | None:
    """Return a usable invite; None for an unknown or expired one."""
    return next(iter(_read(connection, invite.c.digest == digest, *_usable(now))), None)


def use_invite(connection: Connection, number: int) -> None:
    """Count one use of an invite."""
    connection.execute(invite.update().where(invite.c.id == number).values(uses_left=invite.c.uses_left - 1))


def withdraw(connection: Connection, number: int) -> None:
    """Revoke an invite.

    Raises:
        NotFound: no invite with that number.
    """
    if not connection.execute(invite.update().where(invite.c.id == number).values(uses_left=0)).rowcount:
        raise NotFound(f"There is no invite {number}. `botleague invite list` lists them.")


def add_session(
    connection: Connection, account_id: int, digest: str, agent: str, now: float, expires_at: float
) -> None:
    """Store a session."""
    connection.execute(
        session.insert().values(
            digest=digest,
            account_id=account_id,
            agent=agent,
            created_at=now,
            seen_at=now,
            expires_at=expires_at,
        )
    )


def find_session(connection: Connection, digest: str, now: float) -> SessionRow | None:
    """Return an open session; None for an unknown or expired one."""
    row = connection.execute(_OPEN_SESSION, {"shown": digest, "now": now}).one_or_none()
    return None if row is None else SessionRow(**row._mapping)


def sessions(connection: Connection, account_id: int, now: float) -> list[SessionRow]:
    """Return the open sessions of an account, the newest first."""
    query = _SESSIONS.where(session.c.account_id == account_id, session.c.expires_at > now)
    return [SessionRow(**row._mapping) for row in connection.execute(query.order_by(session.c.id.desc()))]


def note_seen(connection: Connection, number: int, now: float) -> None:
    """Note that a session was used."""
    connection.execute(session.update().where(session.c.id == number).values(seen_at=now))


def end_session(connection: Connection, account_id: int, number: int) -> None:
    """End a session of an account."""
    connection.execute(session.delete().where(session.c.id == number, session.c.account_id == account_id))


def add_token(
    connection: Connection,
    account_id: int,
    digest: str,
    name: str,
    scopes: tuple[str, ...],
    now: float,
    expires_at: float,
) -> None:
    """Store a token."""
    connection.execute(
        token.insert().values(
            digest=digest,
            account_id=account_id,
            name=name,
            scopes=" ".join(scopes),
            created_at=now,
            expires_at=expires_at,
        )
    )


def find_token(connection: Connection, digest: str, now: float) -> TokenRow | None:
    """Return a usable token; None for an unknown or expired one."""
    row = connection.execute(_GOOD_TOKEN, {"shown": digest, "now": now}).one_or_none()
    return None if row is None else _token(row)


def tokens(connection: Connection, account_id: int, now: float) -> list[TokenRow]:
    """Return the tokens of an account, the newest first."""
    query = _TOKENS.where(token.c.account_id == account_id, token.c.expires_at > now)
    return [_token(row) for row in connection.execute(query.order_by(token.c.id.desc()))]


def note_used(connection: Connection, number: int, now: float) -> None:
    """Note that a token was used."""
    connection.execute(token.update().where(token.c.id == number).values(used_at=now))


def end_token(connection: Connection, account_id: int, number: int) -> None:
    """Void a token of an account."""
    connection.execute(token.delete().where(token.c.id == number, token.c.account_id == account_id))


def end_all(
    connection: Connection, account_id: int, *, but: int | None = None, tokens_too: bool = True
) -> int:
    """End the sessions of an account, void its codes and, unless told otherwise, its tokens.

    Args:
        but: the number of a session that stays open.

    Returns:
        How many sessions and tokens there were.
    """
    ended = session.delete().where(session.c.account_id == account_id)
    if but is not None:
        ended = ended.where(session.c.id != but)
    number = connection.execute(ended).rowcount
    end_codes(connection, account_id)
    if tokens_too:
        number += connection.execute(token.delete().where(token.c.account_id == account_id)).rowcount
    return number


def forget_expired(connection: Connection, now: float) -> None:
    """Delete expired credentials."""
    for table in (session, token, one_time_code):
        connection.execute(table.delete().where(table.c.expires_at <= now))


@functools.cache
def _invites() -> sa.Select[tuple[int, str, str, str, int, int, float, float, int]]:
    return (
        sa.select(
            invite.c.id,
            invite.c.role,
            league.c.name.label("league"),
            team.c.handle.label("team"),
            invite.c.uses,
            invite.c.uses_left,
            invite.c.created_at,
            invite.c.expires_at,
            invite.c.is_public,
        )
        .outerjoin(league, league.c.id == invite.c.league_id)
        .outerjoin(team, team.c.id == invite.c.team_id)
    )


def _read(connection: Connection, *which: sa.ColumnElement[bool]) -> list[InviteRow]:
    rows = connection.execute(_invites().where(*which).order_by(invite.c.id))
    return [InviteRow(**{**row._mapping, "is_public": bool(row.is_public)}) for row in rows]


def _usable(now: float) -> tuple[sa.ColumnElement[bool], ...]:
    return invite.c.uses_left > 0, invite.c.expires_at > now


# Put together once, as every request asks: that takes longer than executing them.
_SESSIONS = sa.select(*columns(session, SessionRow))
_OPEN_SESSION = _SESSIONS.where(
    session.c.digest == sa.bindparam("shown"), session.c.expires_at > sa.bindparam("now")
)
_TOKENS = sa.select(*columns(token, TokenRow))
_GOOD_TOKEN = _TOKENS.where(token.c.digest == sa.bindparam("shown"), token.c.expires_at > sa.bindparam("now"))


def _token(row: sa.Row[Any]) -> TokenRow:
    return TokenRow(**{**row._mapping, "scopes": tuple(row.scopes.split())})
