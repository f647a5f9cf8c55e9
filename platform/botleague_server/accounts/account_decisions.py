"""Decisions about accounts, roles and invites, in words, for command line and organiser pages."""

from __future__ import annotations

import time
from typing import Annotated, get_args

import msgspec

from botleague.application.decisions import DecisionContext, DecisionResult, Why, asks, declare
from botleague.errors import UsageError, counted
from botleague.people import Role
from botleague.struct_fields import LARGEST
from botleague_server.accounts import account_service
from botleague_storage import NotFound, credentials, login_addresses
from botleague_storage import accounts as stored

MOST_DAYS = 3650
DAYS = 14
MOST_USES = 10_000


def role_named(text: str) -> Role:
    """Return the role of that name; raises UsageError if there is none."""
    for role in get_args(Role):
        if text == role:
            found: Role = role
            return found
    raise UsageError(f"{text!r} is not a role: choose author, helper, organiser or spectator.")


ROLE_HELP = "author, helper, organiser or spectator."

Handle = Annotated[str, asks("The handle of an account.", "Handle", argument=True)]
InvitedRole = Annotated[Role, asks(ROLE_HELP, "Role", metavar="ROLE", read=role_named)]
League = Annotated[
    str | None, asks("Only in this league; default: in all.", flags=("--league", "-l"), metavar="LEAGUE")
]
Days = Annotated[int, asks("How long it may be used.", range=(1, MOST_DAYS))]


def _uses(help: str, label: str, what: str) -> msgspec.Meta:
    refusal = f"{what} is for 1 to {MOST_USES} accounts."
    return asks(help, label, flags=("--count", "-n"), range=(1, MOST_USES), refusal=refusal)


class OfAccount(msgspec.Struct):
    """What is decided about an account."""

    handle: Handle
    reason: Why = ""


class Grant(msgspec.Struct):
    """What somebody may do."""

    handle: Handle
    role: Annotated[Role, asks(ROLE_HELP, "Role", argument=True, read=role_named)]
    league: League = None
    reason: Why = ""


class Invite(msgspec.Struct):
    """Who may make an account with an invite."""

    count: Annotated[int, _uses("How many may use it.", "How many may use it", "An invite")] = 1
    days: Days = DAYS
    role: InvitedRole = "author"
    league: League = None
    team: Annotated[
        str | None, asks("Into this team; default: one of their own.", flags=("--team",), metavar="TEAM")
    ] = None
    reason: Why = ""


class Registration(msgspec.Struct):
    """How many may make an account without an invite."""

    count: Annotated[int, _uses("How many accounts.", "How many accounts", "Registration")] = 100
    days: Days = DAYS
    league: League = None
    reason: Why = ""


class Withdrawal(msgspec.Struct):
    """Which invite nobody may use any more."""

    invite: Annotated[int, asks("As in `invite list`.", "Invite", argument=True, range=(None, LARGEST))]
    reason: Why = ""


@declare(Grant, "account grant", "Grant a role", "In this league.")
def grant(context: DecisionContext, given: Grant) -> DecisionResult:
    """Say what somebody may do, in one league or in all.

    Examples:

        botleague account grant bob helper --league cup

        botleague account grant ann organiser
    """
    connection, handle, role, league = context.connection, given.handle, given.role, given.league
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
    *(Invite, "invite new", "Make an invite", f"A link into this league, for {DAYS} days."), name="invite"
)
def invite(context: DecisionContext, given: Invite) -> DecisionResult:
    """Print a link with which others make accounts of their own. It is printed once and stored nowhere.

    Examples:

        botleague invite new --league cup --count 30

        botleague invite new --role helper --days 2
    """
    uses, days = given.count, given.days
    number, code = account_service.make_invite(
        *(context.connection, time.time()),
        role=given.role,
        league=given.league,
        team=given.team,
        uses=uses,
        days=days,
    )
    url = f"{context.site}/join/{code}/"
    return DecisionResult(
        f"Invite {number}, for {counted(uses, 'account')} within {counted(days, 'day')}. Its link is shown now and "
        f"never again: {url}",
        {"invite": number, "url": url, "code": code, "uses": uses, "days": days},
        {f"uses of invite {number}": (None, uses)},
    )


@declare(
    *(Registration, "invite open", "Open registration"),
    f"Anybody can make an account and hand in here, for {DAYS} days. Withdrawing the invite closes it.",
    name="register",
)
def register(context: DecisionContext, given: Registration) -> DecisionResult:
    """Let anybody make an account at the server, without an invite: so many, and for so long. They may hand in.

    `botleague invite list` shows how many have; `botleague invite withdraw` closes it.

    Examples:

        botleague invite open --league cup --count 200

        botleague invite open --days 2 --json
    """
    connection, league, uses, days = context.connection, given.league, given.count, given.days
    before = [one for one in credentials.public_invites(connection, time.time()) if one.league == league]
    for one in before:  # what was open there is closed
        credentials.withdraw(connection, one.id)
    number, _ = account_service.make_invite(
        connection, time.time(), role="author", league=league, team=None, uses=uses, days=days, is_public=True
    )
    url = f"{context.site}/register/"
    return DecisionResult(
        f"Anybody can register as an author {_where(league)}, {counted(uses, 'account')} within "
        f"{counted(days, 'day')}, at {url}. To close it: botleague invite withdraw {number}",
        {"invite": number, "url": url, "uses": uses, "days": days, "league": league},
        {
            **{f"uses of invite {one.id}": (one.uses_left, 0) for one in before},
            f"uses of invite {number}": (None, uses),
        },
    )


@declare(
    *(Withdrawal, "invite withdraw", "Withdraw an invite"),
    "Nobody can use it any more; accounts that were made with it stay.",
)
def withdraw(context: DecisionContext, given: Withdrawal) -> DecisionResult:
    """Let nobody use an invite any more. Accounts that were made with it stay.

    Examples:

        botleague invite withdraw 3

        botleague invite withdraw 3 --json
    """
    number, league = given.invite, None if context.visitor.viewer.role == "organiser" else context.league
    for row in credentials.invites(context.connection):
        if row.id == number and league in (None, row.league):
            credentials.withdraw(context.connection, number)
            return DecisionResult(
                f"Nobody can use invite {number} any more.",
                {"invite": number, "league": row.league},
                {f"uses of invite {number}": (row.uses_left, 0)},
            )
    into = "" if league is None else f" into {league}"
    raise NotFound(f"There is no invite {number}{into}. `botleague invite list` lists them.")


@declare(
    *(OfAccount, "account link", "Make a new link"),
    "With it somebody logs in once and chooses a password; the one before is void.",
    is_everywhere=True,
)
def link(context: DecisionContext, given: OfAccount) -> DecisionResult:
    """Print a new link with which somebody logs in once, as after a forgotten password. The one before is void.

    Examples:

        botleague account link ann

        botleague account link ann --json
    """
    found = stored.find(context.connection, given.handle)
    code = account_service.make_code(context.connection, found.id, time.time())
    url = f"{context.site}/welcome/{code}/"
    return DecisionResult(
        f"For {found.handle}, once, within {account_service.CODE_DAYS} days. It is shown now and never again: {url}",
        {"handle": found.handle, "code": code, "url": url},
        {"link": (None, "new")},
        found.id,
    )


@declare(OfAccount, "account unlock", "Unlock a login", "After too many wrong passwords.", is_everywhere=True)
def unlock(context: DecisionContext, given: OfAccount) -> DecisionResult:
    """Let somebody log in at once who gave too many wrong passwords.

    Examples:

        botleague account unlock ann

        botleague account unlock ann --json
    """
    found = stored.find(context.connection, given.handle)
    stored.set_lock(context.connection, found.id, 0, 0.0)
    login_addresses.unlock(context.connection, found.id)
    return DecisionResult(
        f"{found.handle} can log in.",
        {"handle": found.handle},
        {"wrong passwords": (found.failures, 0)},
        found.id,
    )


@declare(
    *(OfAccount, "account logout", "Log somebody out", "All sessions end, tokens and codes are void."),
    is_everywhere=True,
)
def log_out(context: DecisionContext, given: OfAccount) -> DecisionResult:
    """End all sessions of somebody, and void their tokens and codes.

    Examples:

        botleague account logout ann

        botleague account logout ann --json
    """
    found = stored.find(context.connection, given.handle)
    number = credentials.end_all(context.connection, found.id)
    what = counted(number, "session or token", "sessions and tokens")
    return DecisionResult(
        f"{what} of {found.handle} ended.",
        {"handle": found.handle, "ended": number},
        {"sessions and tokens": (number, 0)},
        found.id,
    )


def _where(league: str | None) -> str:
    return "in every league" if league is None else f"in {league}"
