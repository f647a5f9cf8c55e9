"""Decisions about accounts, roles and invites, for the command line and the organiser pages."""

from __future__ import annotations

import time
from typing import Annotated, get_args

import msgspec

from botleague.application.decisions import DecisionContext, DecisionResult, Why, asks, declare
from botleague.errors import UsageError, counted
from botleague.people import Role, reach_note
from botleague.struct_fields import LARGEST
from botleague_server.accounts import account_service
from botleague_storage import NotFound, credentials, login_addresses
from botleague_storage import accounts as stored

MAX_DAYS = 3650
DAYS = 14
MAX_USES = 10_000


def role_named(text: str) -> Role:
    """Return the role with this name; raises UsageError: no such role."""
    role: Role
    for role in get_args(Role):
        if text == role:
            return role
    raise UsageError(f"Unknown role {text!r}. Choose author, helper, organiser or spectator.")


ROLE_HELP = "Role: author, helper, organiser or spectator."

Handle = Annotated[str, asks("Handle of the account.", "Handle", argument=True)]
InvitedRole = Annotated[Role, asks(ROLE_HELP, "Role", metavar="ROLE", read=role_named)]
League = Annotated[
    str | None, asks("League of the role (default: all).", flags=("--league", "-l"), metavar="LEAGUE")
]
Days = Annotated[int, asks("Days until it expires.", range=(1, MAX_DAYS))]


def _uses(help: str, label: str, what: str) -> msgspec.Meta:
    refusal = f"{what} is for 1 to {MAX_USES} accounts."
    return asks(help, label, flags=("--count", "-n"), range=(1, MAX_USES), refusal=refusal)


class OfAccount(msgspec.Struct):
    """Account that a decision is about."""

    handle: Handle
    reason: Why = ""


class Grant(msgspec.Struct):
    """Role of an account."""

    handle: Handle
    role: Annotated[Role, asks(ROLE_HELP, "Role", argument=True, read=role_named)]
    league: League = None
    reason: Why = ""


class Invite(msgspec.Struct):
    """Invite to create accounts."""

    count: Annotated[int, _uses("Number of accounts it can create.", "Number of uses", "An invite")] = 1
    days: Days = DAYS
    role: InvitedRole = "author"
    league: League = None
    team: Annotated[
        str | None,
        asks("Team of the new accounts (default: one team per account).", flags=("--team",), metavar="TEAM"),
    ] = None
    reason: Why = ""


class Registration(msgspec.Struct):
    """Registration without an invite."""

    count: Annotated[int, _uses("Maximum number of accounts.", "Number of accounts", "Registration")] = 100
    days: Days = DAYS
    league: League = None
    reason: Why = ""


class Revocation(msgspec.Struct):
    """Invite to revoke."""

    invite: Annotated[int, asks("Number in `invite list`.", "Invite", argument=True, range=(None, LARGEST))]
    reason: Why = ""


@declare(Grant, "account grant", "Grant a role", "In this league.")
def grant(context: DecisionContext, fields: Grant) -> DecisionResult:
    """Give an account a role in one league or in all.

    Examples:

        botleague account grant bob helper --league cup

        botleague account grant ann organiser
    """
    connection, handle, role, league = context.connection, fields.handle, fields.role, fields.league
    account = stored.find(connection, handle)
    could = account_service.viewer_of(account)
    account_service.granted(connection, handle, role, league)
    return DecisionResult(
        f"{handle} is {role} {_where(league)}.",
        {"handle": handle, "role": role, "league": league},
        {"role": (could.role if league is None else could.role_in(league), role)},
        account.id,
    )


@declare(
    *(Invite, "invite new", "Create invite", f"A link to join this league, valid for {DAYS} days."),
    name="invite",
)
def invite(context: DecisionContext, fields: Invite) -> DecisionResult:
    """Create an invite and print its link. The link is shown only once.

    Examples:

        botleague invite new --league cup --count 30

        botleague invite new --role helper --days 2
    """
    uses, days = fields.count, fields.days
    number, code = account_service.make_invite(
        *(context.connection, time.time()),
        role=fields.role,
        league=fields.league,
        team=fields.team,
        uses=uses,
        days=days,
    )
    url = f"{context.site}/join/{code}/"
    return DecisionResult(
        f"Invite {number}, for {counted(uses, 'account')} within {counted(days, 'day')}. The link is shown only once: "
        f"{url} {reach_note(url)}".rstrip(),
        {"invite": number, "url": url, "code": code, "uses": uses, "days": days},
        {f"uses of invite {number}": (None, uses)},
    )


@declare(
    *(Registration, "invite open", "Open registration"),
    f"Anyone can create an account and submit bots here, for {DAYS} days. Revoke the invite to close registration.",
    name="register",
)
def register(context: DecisionContext, fields: Registration) -> DecisionResult:
    """Open registration: anyone can create an account and submit bots.

    `botleague invite list` shows the remaining uses; `botleague invite revoke` closes registration.

    Examples:

        botleague invite open --league cup --count 200

        botleague invite open --days 2 --json
    """
    connection, league, uses, days = context.connection, fields.league, fields.count, fields.days
    before = [one for one in credentials.public_invites(connection, time.time()) if one.league == league]
    for one in before:  # a league has one open registration at a time
        credentials.withdraw(connection, one.id)
    number, _ = account_service.make_invite(
        connection, time.time(), role="author", league=league, team=None, uses=uses, days=days, is_public=True
    )
    url = f"{context.site}/register/"
    return DecisionResult(
        f"Anyone can register as an author {_where(league)}, {counted(uses, 'account')} within "
        f"{counted(days, 'day')}, at {url}. To close registration: botleague invite revoke {number}. "
        f"{reach_note(url)}".rstrip(),
        {"invite": number, "url": url, "uses": uses, "days": days, "league": league},
        {
            **{f"uses of invite {one.id}": (one.uses_left, 0) for one in before},
            f"uses of invite {number}": (None, uses),
        },
    )


@declare(
    *(Revocation, "invite revoke", "Revoke invite"),
    "The invite stops working. Accounts created with it remain.",
    name="withdraw",  # in logs and addresses
)
def revoke(context: DecisionContext, fields: Revocation) -> DecisionResult:
    """Revoke an invite. Accounts created with it remain.

    Examples:

        botleague invite revoke 3

        botleague invite revoke 3 --json
    """
    number, league = fields.invite, None if context.visitor.viewer.role == "organiser" else context.league
    for row in credentials.invites(context.connection):
        if row.id == number and league in (None, row.league):
            credentials.withdraw(context.connection, number)
            return DecisionResult(
                f"Revoked invite {number}.",
                {"invite": number, "league": row.league},
                {f"uses of invite {number}": (row.uses_left, 0)},
            )
    into = "" if league is None else f" into {league}"
    raise NotFound(f"There is no invite {number}{into}. Run `botleague invite list` to list all invites.")


@declare(
    *(OfAccount, "account link", "Create login link"),
    "A one-time link to log in and choose a password. The previous link stops working.",
)
def link(context: DecisionContext, fields: OfAccount) -> DecisionResult:
    """Print a new one-time login link, for example after a forgotten password. The previous link stops working.

    Examples:

        botleague account link ann

        botleague account link ann --json
    """
    account = stored.find(context.connection, fields.handle)
    if refusal := account_service.refusal_of_link(
        context.connection, account, context.visitor.viewer, context.league
    ):
        raise UsageError(refusal)
    code = account_service.make_code(context.connection, account.id, time.time())
    stored.close_request(context.connection, account.id)
    url = f"{context.site}/welcome/{code}/"
    return DecisionResult(
        f"Login link for {account.handle}, valid once within {account_service.CODE_DAYS} days. The link is shown only "
        f"once: {url} {reach_note(url)}".rstrip(),
        {"handle": account.handle, "code": code, "url": url},
        {"link": (None, "new")},
        account.id,
    )


@declare(OfAccount, "account unlock", "Unlock login", "After too many wrong passwords.", is_everywhere=True)
def unlock(context: DecisionContext, fields: OfAccount) -> DecisionResult:
    """Unlock a login after too many wrong passwords.

    Examples:

        botleague account unlock ann

        botleague account unlock ann --json
    """
    account = stored.find(context.connection, fields.handle)
    stored.set_lock(context.connection, account.id, 0, 0.0)
    login_addresses.unlock(context.connection, account.id)
    return DecisionResult(
        f"{account.handle} can log in.",
        {"handle": account.handle},
        {"wrong passwords": (account.failures, 0)},
        account.id,
    )


@declare(
    *(OfAccount, "account logout", "Log out everywhere"),
    "Ends all sessions of the account and revokes its tokens and codes.",
    is_everywhere=True,
)
def log_out(context: DecisionContext, fields: OfAccount) -> DecisionResult:
    """End all sessions of an account and revoke its tokens and codes.

    Examples:

        botleague account logout ann

        botleague account logout ann --json
    """
    account = stored.find(context.connection, fields.handle)
    number = credentials.end_all(context.connection, account.id)
    what = counted(number, "session or token", "sessions and tokens")
    return DecisionResult(
        f"{what} of {account.handle} ended.",
        {"handle": account.handle, "ended": number},
        {"sessions and tokens": (number, 0)},
        account.id,
    )


def _where(league: str | None) -> str:
    return "in every league" if league is None else f"in {league}"
