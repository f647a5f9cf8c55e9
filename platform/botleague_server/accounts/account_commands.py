"""Commands about people: account, team, invite. What they print once, codes and links, is stored nowhere."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, get_args

import typer
from sqlalchemy.engine import Connection

from botleague.application import Workspace
from botleague.application.decisions import Decided, command, decision_log
from botleague.cli.kit.file_output import private, target
from botleague.cli.kit.printing import output, print_json, print_table, say
from botleague.cli.kit.shared_options import LARGEST, Db, Json
from botleague.errors import UsageError, counted
from botleague.names import handle as checked_handle
from botleague.names import remark
from botleague.people import Role
from botleague_server.accounts import account_decisions, account_service, privacy_commands
from botleague_server.accounts.account_service import Enrolled, Person
from botleague_storage import accounts as stored
from botleague_storage import credentials

account = typer.Typer(help="Accounts: who may log in, and what they may do.", no_args_is_help=True)
team = typer.Typer(help="Teams: who hands in bots together.", no_args_is_help=True)
invite = typer.Typer(help="Invites: let others make an account.", no_args_is_help=True)

MOST_DAYS = 3650

Handle = Annotated[str, typer.Argument(help="The handle of an account.", metavar="HANDLE")]
RoleOption = Annotated[
    str, typer.Option("--role", help="author, helper, organiser or spectator.", metavar="ROLE")
]
LeagueOption = Annotated[
    str | None, typer.Option("--league", "-l", help="Only in this league; default: in all.", metavar="LEAGUE")
]
TeamOption = Annotated[
    str | None, typer.Option("--team", help="The team; default: one of their own.", metavar="TEAM")
]
Why = Annotated[str, typer.Option("--reason", help="Why; for the log.", callback=remark)]
Days = Annotated[int, typer.Option("--days", min=1, max=MOST_DAYS, help="How long it may be used.")]


@account.command("new")
def new(
    handle: Handle,
    organiser: Annotated[bool, typer.Option("--organiser", help="The same as --role organiser.")] = False,
    role: RoleOption = "author",
    league: LeagueOption = None,
    in_team: TeamOption = None,
    name: Annotated[str, typer.Option("--name", help="The real name; never public.")] = "",
    email: Annotated[str, typer.Option("--email", help="An e-mail address; never public.")] = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Make an account, and print a link with which its owner logs in once and chooses a password.

    Examples:

        botleague account new ann --organiser

        botleague account new bob --league cup --team gold
    """
    workspace, now = Workspace(db), time.time()
    wanted = _role("organiser" if organiser else role)
    for one in filter(None, (handle, in_team)):
        checked_handle(one)
    # What is refused makes no database.
    with workspace.database(create=league is None) as database, database.writing() as connection:
        person = Person(handle, in_team or "", name, email)
        made = account_service.make_account(connection, person, now, role=wanted, league=league)
        code = account_service.make_code(connection, made.id, now)
        bots = stored.owns_bots(connection, made.team)
    where = "in every league" if league is None else f"in {league}"
    bots_too = f" {counted(bots, 'bot')} of that owner are theirs." if bots else ""
    _print_link(
        json,
        f"{made.handle} is {wanted} {where}, in the team {made.team}.{bots_too}",
        {
            "handle": made.handle,
            "team": made.team,
            "role": wanted,
            "league": league,
            "code": code,
            "url": f"{_site(workspace)}/welcome/{code}/",
        },
    )


@account.command("link")
def link(handle: Handle, reason: Why = "", db: Db = None, json: Json = False) -> None:
    """Print a new link with which somebody logs in once, as after a forgotten password. The one before is void.

    Examples:

        botleague account link ann

        botleague account link ann --json
    """
    workspace = Workspace(db)
    with workspace.database(create=False) as database, database.writing() as connection:
        done = account_decisions.link(connection, handle, _site(workspace))
        _note(connection, "link", done, "account", "link", handle, reason=reason)
    _print_link(json, f"For {done.values['handle']}:", done.values)


@account.command("list")
def list_accounts(db: Db = None, json: Json = False) -> None:
    """List the accounts: team, what they may do in which league, and whether they can log in.

    Examples:

        botleague account list

        botleague account list --json
    """
    now = time.time()
    with Workspace(db).reading() as database, database.reading() as connection:
        rows = stored.accounts(connection)
    if json:
        print_json(
            {
                "handle": row.handle,
                "team": row.team,
                "roles": [{"league": league, "role": role} for league, role in row.roles.items()],
                "name": row.name,
                "email": row.email,
                "has_password": row.has_password,
                "locked_s": max(0.0, row.locked_until - now),
                "created_at": row.created_at,
            }
            for row in rows
        )
        return
    print_table(
        ["handle", "team", "may", "login", "name"],
        [
            [
                row.handle,
                "(own)" if row.team == row.handle else row.team,
                ", ".join(f"{role} in {league}" if league else role for league, role in row.roles.items()),
                "locked" if row.locked_until > now else "password" if row.has_password else "not yet",
                row.name,
            ]
            for row in rows
        ],
    )


@account.command("grant")
def grant(
    handle: Handle,
    role: Annotated[str, typer.Argument(help="author, helper, organiser or spectator.", metavar="ROLE")],
    league: LeagueOption = None,
    reason: Why = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Say what somebody may do, in one league or in all.

    Examples:

        botleague account grant bob helper --league cup

        botleague account grant ann organiser
    """
    wanted = _role(role)
    with Workspace(db).database(create=False) as database, database.writing() as connection:
        done = account_decisions.grant(connection, handle, wanted, league)
        _note(connection, "grant", done, "account", "grant", handle, wanted, league=league, reason=reason)
    _done(json, done.text, **done.values)


@account.command("unlock")
def unlock(handle: Handle, reason: Why = "", db: Db = None, json: Json = False) -> None:
    """Let somebody log in at once who gave too many wrong passwords.

    Examples:

        botleague account unlock ann

        botleague account unlock ann --json
    """
    with Workspace(db).database(create=False) as database, database.writing() as connection:
        done = account_decisions.unlock(connection, handle)
        _note(connection, "unlock", done, "account", "unlock", handle, reason=reason)
    _done(json, done.text, **done.values)


@account.command("logout")
def logout(handle: Handle, reason: Why = "", db: Db = None, json: Json = False) -> None:
    """End all sessions of somebody, and void their tokens and codes.

    Examples:

        botleague account logout ann

        botleague account logout ann --json
    """
    with Workspace(db).database(create=False) as database, database.writing() as connection:
        done = account_decisions.log_out(connection, handle)
        _note(connection, "logout", done, "account", "logout", handle, reason=reason)
    _done(json, done.text, **done.values)


account.command("export")(privacy_commands.export)
account.command("erase")(privacy_commands.erase)


@team.command("new")
def new_team(
    handle: Annotated[str, typer.Argument(help="The handle of the team.", metavar="TEAM")],
    members: Annotated[
        list[str] | None, typer.Argument(help="Who is in it from now on.", metavar="[HANDLE]...")
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Make a team. Its handle is the owner of its bots, and all of its members have equal rights.

    Examples:

        botleague team new gold

        botleague team new gold ann bob
    """
    checked_handle(handle)
    with Workspace(db).database(create=not members) as database, database.writing() as connection:
        account_service.make_team(connection, handle, time.time())
        for member in members or ():
            account_service.join(connection, member, handle)
    text = f"{handle} has {counted(len(members or ()), 'member')}."
    _done(json, text, team=handle, members=members or [])


@team.command("join")
def join(
    handle: Annotated[str, typer.Argument(help="The handle of the team.", metavar="TEAM")],
    members: Annotated[list[str], typer.Argument(help="Who is in it from now on.", metavar="HANDLE...")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Put people into a team. Bots stay with the team that handed them in, and results with the bots.

    Examples:

        botleague team join gold cleo

        botleague team join gold cleo dan --json
    """
    with Workspace(db).database(create=False) as database, database.writing() as connection:
        for member in members:
            account_service.join(connection, member, handle)
        found = stored.find_team(connection, handle)
    text = f"In {found.handle}: {', '.join(found.members)}."
    _done(json, text, team=found.handle, members=found.members)


@team.command("leave")
def leave(handle: Handle, db: Db = None, json: Json = False) -> None:
    """Put somebody into a team of their own again. Bots stay with the team that handed them in.

    Examples:

        botleague team leave cleo

        botleague team leave cleo --json
    """
    with Workspace(db).database(create=False) as database, database.writing() as connection:
        account_service.leave(connection, handle)
    _done(json, f"{handle} is in a team of their own.", handle=handle)


@team.command("list")
def list_teams(db: Db = None, json: Json = False) -> None:
    """List the teams, their members and how many bots they own.

    Examples:

        botleague team list

        botleague team list --json
    """
    with Workspace(db).reading() as database, database.reading() as connection:
        rows = stored.teams(connection)
    if json:
        print_json({"team": row.handle, "members": row.members, "bots": row.bots} for row in rows)
    else:
        print_table(
            ["team", "members", "bots"],
            [[row.handle, ", ".join(row.members), row.bots] for row in rows],
            numbers=["bots"],
        )


@invite.command("new")
def new_invite(
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=10_000, help="How many may use it.")] = 1,
    days: Days = 14,
    role: RoleOption = "author",
    league: LeagueOption = None,
    in_team: Annotated[
        str | None, typer.Option("--team", help="Into this team; default: one of their own.", metavar="TEAM")
    ] = None,
    reason: Why = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Print a link with which others make accounts of their own. It is printed once and stored nowhere.

    Examples:

        botleague invite new --league cup --count 30

        botleague invite new --role helper --days 2
    """
    workspace, wanted = Workspace(db), _role(role)
    has_all = league is None and in_team is None
    with workspace.database(create=has_all) as database, database.writing() as connection:
        done = account_decisions.invite(
            connection, _site(workspace), role=wanted, league=league, team=in_team, uses=count, days=days
        )
        terms = {"count": count, "days": days, "role": wanted, "league": league, "team": in_team}
        _note(connection, "invite", done, "invite", "new", **terms, reason=reason)
    if json:
        print_json([done.values])
        return
    what = f"Invite {done.values['invite']}, for {counted(count, 'account')} within {counted(days, 'day')}:"
    output().print(what, markup=False)
    output().print(str(done.values["url"]), markup=False, soft_wrap=True)


@invite.command("open")
def open_registration(
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=10_000, help="How many accounts.")] = 100,
    days: Days = 14,
    league: LeagueOption = None,
    reason: Why = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Let anybody make an account at the server, without an invite: so many, and for so long. They may hand in.

    `botleague invite list` shows how many have; `botleague invite withdraw` closes it.

    Examples:

        botleague invite open --league cup --count 200

        botleague invite open --days 2 --json
    """
    workspace = Workspace(db)
    with workspace.database(create=league is None) as database, database.writing() as connection:
        done = account_decisions.register(connection, _site(workspace), league=league, uses=count, days=days)
        terms = {"count": count, "days": days, "league": league}
        _note(connection, "register", done, "invite", "open", **terms, reason=reason)
    if json:
        print_json([done.values])
    else:
        say(done.text)


@invite.command("list")
def list_invites(db: Db = None, json: Json = False) -> None:
    """List the invites, and how many may still use them.

    Examples:

        botleague invite list

        botleague invite list --json
    """
    now = time.time()
    with Workspace(db).reading() as database, database.reading() as connection:
        rows = credentials.invites(connection)
    if json:
        print_json(rows)
        return
    print_table(
        ["invite", "role", "league", "team", "used", "until"],
        [
            [
                row.id,
                f"{row.role} (anybody)" if row.is_public else row.role,
                row.league or "(all)",
                row.team or "(own)",
                f"{row.uses - row.uses_left} of {row.uses}",
                "withdrawn or used up"
                if not row.uses_left
                else "expired"
                if row.expires_at <= now
                else datetime.fromtimestamp(row.expires_at, UTC).strftime("%Y-%m-%d %H:%M UTC"),
            ]
            for row in rows
        ],
        numbers=["invite"],
    )


@invite.command("withdraw")
def withdraw(
    number: Annotated[int, typer.Argument(max=LARGEST, help="As in `invite list`.", metavar="INVITE")],
    reason: Why = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Let nobody use an invite any more. Accounts that were made with it stay.

    Examples:

        botleague invite withdraw 3

        botleague invite withdraw 3 --json
    """
    with Workspace(db).database(create=False) as database, database.writing() as connection:
        done = account_decisions.withdraw(connection, number)
        _note(connection, "withdraw", done, "invite", "withdraw", str(number), reason=reason)
    _done(json, done.text, **done.values)


@invite.command("sheet")
def sheet(
    roster: Annotated[
        Path | None,
        typer.Argument(
            help="CSV file with the column handle, if you like team, name, email.", metavar="[FILE]"
        ),
    ] = None,
    count: Annotated[
        int, typer.Option("--count", "-n", min=0, max=10_000, help="Make so many handles instead.")
    ] = 0,
    prefix: Annotated[str, typer.Option("--prefix", help="What these handles begin with.")] = "author",
    role: RoleOption = "author",
    league: LeagueOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write it to a file, as text.", metavar="FILE")
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Make the accounts of a class, and a sheet to print: a line for each with handle and one-time code.

    Done again, it makes new codes for those who have not chosen a password yet; the codes before are void.

    Examples:

        botleague invite sheet class.csv --league cup

        botleague invite sheet --count 30 --prefix student --out sheet.txt
    """
    if (roster is None) == (count == 0):
        raise UsageError("Give a roster, or how many accounts to make: --count 30.")
    workspace, wanted = Workspace(db), _role(role)
    width = len(str(count))
    people = (
        account_service.read_people(roster)
        if roster is not None
        else [Person(f"{prefix}-{number:0{width}}") for number in range(1, count + 1)]
    )
    for person in people:
        checked_handle(person.handle)
    # The file is opened first: codes that nobody could read would have voided others.
    with target(out, private) as file, workspace.database(create=league is None) as database:
        with database.writing() as connection:
            done = account_service.enrol(connection, people, time.time(), role=wanted, league=league)
        if json:
            print_json(done)
        elif out is not None:
            file.write(_sheet(workspace, done))
    if out is not None:
        say(f"{counted(len(done), 'line')} written to {out}.")
    elif not json:
        output().print(f"Log in at {_site(workspace)}/login/ with handle and code, once.", markup=False)
        print_table(
            ["handle", "team", "one-time code"],
            [[one.handle, one.team, one.code or "has a password"] for one in done],
        )


def _sheet(workspace: Workspace, done: list[Enrolled]) -> str:
    """Return a sheet of strips that can be cut apart, each with all that its reader needs."""
    site = f"{_site(workspace)}/login/"
    lines = [f"{one.handle:<32}  {one.code or 'has a password'}\n{site}\n{'-' * 72}\n" for one in done]
    return "".join(lines)


def _role(text: str) -> Role:
    for role in get_args(Role):
        if text == role:
            found: Role = role
            return found
    raise UsageError(f"{text!r} is not a role: choose author, helper, organiser or spectator.")


def _site(workspace: Workspace) -> str:
    return workspace.settings.public_url or "http://127.0.0.1:8300"


def _note(connection: Connection, kind: str, done: Decided, *words: str, reason: str, **said: object) -> None:
    """Note a decision in the log of its league, or of every league."""
    league = said.get("league", done.values.get("league"))
    decision_log.note(
        connection,
        kind,
        done,
        None if league is None else str(league),
        reason=reason,
        command=command(*words, **said, reason=reason),
    )


def _print_link(json: bool, text: str, values: Mapping[str, object]) -> None:
    if json:
        print_json([values])
        return
    output().print(text, markup=False)
    output().print(f"Log in once, within 14 days: {values['url']}", markup=False, soft_wrap=True)


def _done(json: bool, text: str, **values: object) -> None:
    if json:
        print_json([values])
    else:
        output().print(text, markup=False)
