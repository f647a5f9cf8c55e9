"""Decisions about accounts, roles and invites, in words, for command line and organiser pages."""

from __future__ import annotations

import time

from sqlalchemy.engine import Connection

from botleague.application.decisions import Decided
from botleague.errors import counted
from botleague.people import Role
from botleague_server.accounts import account_service
from botleague_storage import NotFound, credentials, login_addresses
from botleague_storage import accounts as stored


def grant(connection: Connection, handle: str, role: Role, league: str | None) -> Decided:
    """Let somebody be something in a league, or in every league for None."""
    account = stored.find(connection, handle)
    could = account_service.viewer_of(account)
    account_service.granted(connection, handle, role, league)
    return Decided(
        f"{handle} is {role} {_where(league)}.",
        {"handle": handle, "role": role, "league": league},
        {"role": (could.role if league is None else could.role_in(league), role)},
        account.id,
    )


def invite(
    connection: Connection,
    site: str,
    *,
    role: Role,
    league: str | None,
    uses: int,
    days: int,
    team: str | None = None,
) -> Decided:
    """Make an invite; its link is in what is returned and nowhere else.

    Args:
        site: the server's address without a / at its end.
    """
    number, code = account_service.make_invite(
        connection, time.time(), role=role, league=league, team=team, uses=uses, days=days
    )
    url = f"{site}/join/{code}/"
    return Decided(
        f"Invite {number}, for {counted(uses, 'account')} within {counted(days, 'day')}. Its link is shown now and "
        f"never again: {url}",
        {"invite": number, "url": url, "code": code, "uses": uses, "days": days},
        {f"uses of invite {number}": (None, uses)},
    )


def register(connection: Connection, site: str, *, league: str | None, uses: int, days: int) -> Decided:
    """Let anybody make an account, as an author: so many, and for so long. What was open there before is closed.

    Args:
        site: the server's address without a / at its end.
    """
    before = [one for one in credentials.public_invites(connection, time.time()) if one.league == league]
    for one in before:
        credentials.withdraw(connection, one.id)
    number, _ = account_service.make_invite(
        connection, time.time(), role="author", league=league, team=None, uses=uses, days=days, is_public=True
    )
    url = f"{site}/register/"
    return Decided(
        f"Anybody can register as an author {_where(league)}, {counted(uses, 'account')} within "
        f"{counted(days, 'day')}, at {url}. To close it: botleague invite withdraw {number}",
        {"invite": number, "url": url, "uses": uses, "days": days, "league": league},
        {
            **{f"uses of invite {one.id}": (one.uses_left, 0) for one in before},
            f"uses of invite {number}": (None, uses),
        },
    )


def withdraw(connection: Connection, number: int, league: str | None = None) -> Decided:
    """Let nobody use an invite any more.

    Args:
        league: only an invite into this one; None for any.

    Raises:
        NotFound: there is none.
    """
    for row in credentials.invites(connection):
        if row.id == number and league in (None, row.league):
            credentials.withdraw(connection, number)
            return Decided(
                f"Nobody can use invite {number} any more.",
                {"invite": number, "league": row.league},
                {f"uses of invite {number}": (row.uses_left, 0)},
            )
    into = "" if league is None else f" into {league}"
    raise NotFound(f"There is no invite {number}{into}. `botleague invite list` lists them.")


def link(connection: Connection, handle: str, site: str) -> Decided:
    """Make a new link with which somebody logs in once; it is in what is returned and nowhere else."""
    found = stored.find(connection, handle)
    code = account_service.make_code(connection, found.id, time.time())
    url = f"{site}/welcome/{code}/"
    return Decided(
        f"For {found.handle}, once, within {account_service.CODE_DAYS} days. It is shown now and never again: {url}",
        {"handle": found.handle, "code": code, "url": url},
        {"link": (None, "new")},
        found.id,
    )


def unlock(connection: Connection, handle: str) -> Decided:
    """Let somebody log in at once who gave too many wrong passwords."""
    found = stored.find(connection, handle)
    stored.set_lock(connection, found.id, 0, 0.0)
    login_addresses.unlock(connection, found.id)
    return Decided(
        f"{found.handle} can log in.",
        {"handle": found.handle},
        {"wrong passwords": (found.failures, 0)},
        found.id,
    )


def log_out(connection: Connection, handle: str) -> Decided:
    """End all sessions of somebody, and void their tokens and codes."""
    found = stored.find(connection, handle)
    number = credentials.end_all(connection, found.id)
    what = counted(number, "session or token", "sessions and tokens")
    return Decided(
        f"{what} of {found.handle} ended.",
        {"handle": found.handle, "ended": number},
        {"sessions and tokens": (number, 0)},
        found.id,
    )


def _where(league: str | None) -> str:
    return "in every league" if league is None else f"in {league}"
