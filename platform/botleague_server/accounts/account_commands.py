"""Commands about people: account, team, invite. Codes and links are printed once and not stored."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.application.decisions import DecisionResult
from botleague.cli.kit.decision_command import add_decision, site
from botleague.cli.kit.file_output import private, target
from botleague.cli.kit.shared_options import Db, Json
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import answer, print_text, say
from botleague.errors import UsageError, counted
from botleague.listing import Column, Number, table_of
from botleague.names import handle as checked_handle
from botleague.people import reach_note
from botleague_server.accounts import account_decisions, account_service, privacy_commands
from botleague_server.accounts.account_decisions import role_named
from botleague_server.accounts.account_service import Enrolment, Person
from botleague_storage import accounts as stored
from botleague_storage import credentials
from botleague_storage.people_rows.credentials import InviteRow

account = typer.Typer(help="Manage accounts and roles.", no_args_is_help=True)
team = typer.Typer(help="Manage teams.", no_args_is_help=True)
invite = typer.Typer(help="Manage invites and registration.", no_args_is_help=True)

Handle = Annotated[str, typer.Argument(help="Handle of an account.", metavar="HANDLE")]
RoleOption = Annotated[
    str, typer.Option("--role", help="Role: author, helper, organiser or spectator.", metavar="ROLE")
]
LeagueOption = Annotated[
    str | None,
    typer.Option("--league", "-l", help="League the role applies to (default: all).", metavar="LEAGUE"),
]
TeamOption = Annotated[
    str | None, typer.Option("--team", help="Team (default: a new team of one).", metavar="TEAM")
]


@account.command("new")
def new(
    handle: Handle,
    organiser: Annotated[bool, typer.Option("--organiser", help="Alias of --role organiser.")] = False,
    role: RoleOption = "author",
    league: LeagueOption = None,
    in_team: TeamOption = None,
    name: Annotated[str, typer.Option("--name", help="Real name; never public.")] = "",
    email: Annotated[str, typer.Option("--email", help="E-mail address; never public.")] = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Create an account and print a one-time link to choose its password.

    Examples:

        botleague account new ann --organiser

        botleague account new bob --league cup --team gold
    """
    workspace, now = Workspace(db), time.time()
    chosen_role = role_named("organiser" if organiser else role)
    for one in filter(None, (handle, in_team)):
        checked_handle(one)
    # What is refused makes no database.
    with workspace.database(create=league is None) as database, database.writing() as connection:
        person = Person(handle, in_team or "", name, email)
        made = account_service.make_account(connection, person, now, role=chosen_role, league=league)
        code = account_service.make_code(connection, made.id, now)
        bots = stored.owns_bots(connection, made.team)
    where = "in every league" if league is None else f"in {league}"
    bots_too = f" The team already owns {counted(bots, 'bot')}." if bots else ""
    _print_link(
        json,
        f"{made.handle} is {chosen_role} {where}, in the team {made.team}.{bots_too}",
        {
            "handle": made.handle,
            "team": made.team,
            "role": chosen_role,
            "league": league,
            "code": code,
            "url": f"{site(workspace)}/welcome/{code}/",
        },
    )


add_decision(
    *(account, account_decisions.link),
    show=lambda done, json: _print_link(json, f"For {done.values['handle']}:", done.values),
)


@account.command("list")
def list_accounts(db: Db = None, json: Json = False) -> None:
    """List the accounts with their team, roles and login status.

    Examples:

        botleague account list

        botleague account list --json
    """
    now = time.time()
    with Workspace(db).reading() as database, database.reading() as connection:
        rows = stored.accounts(connection)
    lines = [
        {
            "handle": row.handle,
            "team": row.team,
            "roles": [{"league": league, "role": role} for league, role in row.roles.items()],
            "name": row.name,
            "email": row.email,
            "has_password": row.has_password,
            "locked_s": max(0.0, row.locked_until - now),
            "created_at": row.created_at,
            "asked_at": row.asked_at,
        }
        for row in rows
    ]
    columns = {
        "handle": Column("handle"),
        "team": Column("team", of_row=lambda row: "(own)" if row["team"] == row["handle"] else row["team"]),
        "roles": Column("roles", lambda roles: ", ".join(map(_in_words, roles))),
        "login": Column("login", of_row=_login_of),
        "name": Column("name"),
    }
    show(table_of(object, lines, columns), json=json)


def _in_words(role: Mapping[str, str | None]) -> str:
    return f"{role['role']} in {role['league']}" if role["league"] else str(role["role"])


def _login_of(account: Mapping[str, object]) -> str:
    state = "locked" if account["locked_s"] else "password" if account["has_password"] else "not yet"
    return f"{state}, requested a link" if account["asked_at"] else state


add_decision(account, account_decisions.grant)
add_decision(account, account_decisions.unlock)
add_decision(account, account_decisions.log_out)
account.command("export")(privacy_commands.export)
account.command("erase")(privacy_commands.erase)


@team.command("new")
def new_team(
    handle: Annotated[str, typer.Argument(help="Handle of the team.", metavar="TEAM")],
    members: Annotated[
        list[str] | None, typer.Argument(help="Handles to add to the team.", metavar="[HANDLE]...")
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Create a team. Its handle is the owner of its bots, and all members have equal rights.

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
    answer(text, json=json, team=handle, members=members or [])


@team.command("join")
def join(
    handle: Annotated[str, typer.Argument(help="Handle of the team.", metavar="TEAM")],
    members: Annotated[list[str], typer.Argument(help="Handles to add to the team.", metavar="HANDLE...")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Add people to a team. Bots stay with the team that submitted them, and results with the bots.

    Examples:

        botleague team join gold cleo

        botleague team join gold cleo dan --json
    """
    with Workspace(db).database(create=False) as database, database.writing() as connection:
        for member in members:
            account_service.join(connection, member, handle)
        row = stored.find_team(connection, handle)
    text = f"Members of {row.handle}: {', '.join(row.members)}."
    answer(text, json=json, team=row.handle, members=row.members)


@team.command("leave")
def leave(handle: Handle, db: Db = None, json: Json = False) -> None:
    """Remove a person from their team and give them a team of their own. Bots stay with the previous team.

    Examples:

        botleague team leave cleo

        botleague team leave cleo --json
    """
    with Workspace(db).database(create=False) as database, database.writing() as connection:
        account_service.leave(connection, handle)
    answer(f"{handle} now has a team of their own.", json=json, handle=handle)


@team.command("list")
def list_teams(db: Db = None, json: Json = False) -> None:
    """List the teams, their members and how many bots they own.

    Examples:

        botleague team list

        botleague team list --json
    """
    with Workspace(db).reading() as database, database.reading() as connection:
        rows = stored.teams(connection)
    lines = [{"team": row.handle, "members": row.members, "bots": row.bots} for row in rows]
    columns = {"team": Column("team"), "members": Column("members", ", ".join), "bots": Number("bots")}
    show(table_of(object, lines, columns), json=json)


def _show_invite(done: DecisionResult, json: bool) -> None:
    if json:
        print_json([done.values])
        return
    print_text(f"{done.text.partition('. ')[0]}:")
    print_text(str(done.values["url"]))
    _print_reach(str(done.values["url"]))


def _show_registration(done: DecisionResult, json: bool) -> None:
    if json:
        print_json([done.values])
    else:
        say(done.text)


add_decision(
    *(invite, account_decisions.invite),
    show=_show_invite,
    creates=lambda fields: fields.league is None and fields.team is None,
)
add_decision(
    *(invite, account_decisions.register),
    show=_show_registration,
    creates=lambda fields: fields.league is None,
)


@invite.command("list")
def list_invites(db: Db = None, json: Json = False) -> None:
    """List the invites and their remaining uses.

    Examples:

        botleague invite list

        botleague invite list --json
    """
    now = time.time()
    with Workspace(db).reading() as database, database.reading() as connection:
        rows = credentials.invites(connection)

    def end_of(row: InviteRow) -> str:
        if not row.uses_left:
            return "revoked or used up"
        until = datetime.fromtimestamp(row.expires_at, UTC)
        return "expired" if row.expires_at <= now else until.strftime("%Y-%m-%d %H:%M UTC")

    columns = {
        "id": Number("invite"),
        "role": Column(
            "role", of_row=lambda row: f"{row.role} (registration)" if row.is_public else row.role
        ),
        "league": Column("league", of_row=lambda row: row.league or "(all)"),
        "team": Column("team", of_row=lambda row: row.team or "(own)"),
        "used": Column("used", of_row=lambda row: f"{row.uses - row.uses_left} of {row.uses}"),
        "until": Column("until", of_row=end_of),
    }
    show(table_of(object, rows, columns), json=json)


add_decision(invite, account_decisions.revoke)


@invite.command("sheet")
def sheet(
    roster: Annotated[
        Path | None,
        typer.Argument(
            help="CSV file with a `handle` column; optional columns: team, name, email.", metavar="[FILE]"
        ),
    ] = None,
    count: Annotated[
        int, typer.Option("--count", "-n", min=0, max=10_000, help="Generate this many handles instead.")
    ] = 0,
    prefix: Annotated[str, typer.Option("--prefix", help="Prefix of the generated handles.")] = "author",
    role: RoleOption = "author",
    league: LeagueOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the sheet to this text file.", metavar="FILE")
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Create the accounts of a class and a printable sheet with each handle and one-time code.

    Run the same command again to create new codes for people without a password; their previous codes stop working.

    Examples:

        botleague invite sheet class.csv --league cup

        botleague invite sheet --count 30 --prefix student --out sheet.txt
    """
    if (roster is None) == (count == 0):
        raise UsageError("Give a roster file, or a number of accounts: --count 30.")
    workspace, chosen_role = Workspace(db), role_named(role)
    width = len(str(count))
    people = (
        account_service.read_people(roster)
        if roster is not None
        else [Person(f"{prefix}-{number:0{width}}") for number in range(1, count + 1)]
    )
    for person in people:
        checked_handle(person.handle)
    # The file is opened first, because new codes void the previous ones even if they cannot be written.
    with target(out, private) as file, workspace.database(create=league is None) as database:
        with database.writing() as connection:
            done = account_service.enrol(connection, people, time.time(), role=chosen_role, league=league)
        if json:
            print_json(done)
        elif out is not None:
            file.write(_sheet(workspace, done))
    if not json:
        _print_reach(site(workspace))
    if out is not None:
        say(f"Wrote {counted(len(done), 'line')} to {out}.")
    elif not json:
        print_text(f"Log in once at {site(workspace)}/login/ with handle and code.")
        columns = {
            "handle": Column("handle"),
            "team": Column("team"),
            "code": Column("one-time code", of_row=lambda one: one.code or "has a password"),
        }
        show(table_of(object, done, columns))


def _sheet(workspace: Workspace, done: list[Enrolment]) -> str:
    """Return a sheet of strips that can be cut apart, each with all that its reader needs."""
    place = f"{site(workspace)}/login/"
    lines = [f"{one.handle:<32}  {one.code or 'has a password'}\n{place}\n{'-' * 72}\n" for one in done]
    return "".join(lines)


def _print_link(json: bool, text: str, values: Mapping[str, object]) -> None:
    if json:
        print_json([values])
        return
    print_text(text)
    print_text(f"One-time login link, valid for {account_service.CODE_DAYS} days: {values['url']}")
    _print_reach(str(values["url"]))


def _print_reach(url: str) -> None:
    if note := reach_note(url):
        say(note)
