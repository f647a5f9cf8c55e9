"""Accounts, teams, one-time codes and invites.

Every function takes a connection in a transaction, and the time. The handle of a team is the owner of its bots; on the
command line, bots have owners without an account. Every account is in one team, at first in its own team of the same
handle.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.csv_file import CsvFile
from botleague.errors import UsageError
from botleague.names import handle as checked_handle
from botleague.names import refuse_office
from botleague.people import ROLES, Role, Scope, Viewer, digest, is_at_least, new_code, plain_code
from botleague_storage import NotFound, accounts, credentials, leagues
from botleague_storage.people_rows.accounts import AccountRow
from botleague_storage.people_rows.credentials import InviteRow

DAY_S = 86_400.0

CODE_DAYS = 14
"""Days until a one-time code expires."""


class Person(msgspec.Struct, frozen=True):
    """Line of a roster of people. The team is "" for a team of one; name and e-mail are optional."""

    handle: str
    team: str = ""
    name: str = ""
    email: str = ""


class Enrolment(msgspec.Struct, frozen=True):
    """Account of a line of a roster.

    Attributes:
        code: one-time code of the first login, "" for an account with a password.
    """

    handle: str
    team: str
    code: str
    is_new: bool


def make_account(
    connection: Connection,
    person: Person,
    now: float,
    *,
    role: Role = "author",
    league: str | None = None,
    is_self_chosen: bool = False,
) -> AccountRow:
    """Create an account, and its team if no team has the handle.

    Args:
        role: in ``league``; None for every league.
        is_self_chosen: the account's user chose the handle. It must then neither be the name of an owner of bots, who
            may have no account, nor look like a reserved name.

    Raises:
        UsageError: the handle is not valid, or is taken.
        NotFound: no such league.
    """
    name = checked_handle(person.handle)
    if is_self_chosen:
        refuse_office(name)
    if accounts.is_taken(connection, name) or (is_self_chosen and accounts.owns_bots(connection, name)):
        raise UsageError(f"The handle {name!r} is taken. Choose another.")
    league_id = None if league is None else leagues.id_of(connection, league)
    team_id = _team(connection, person.team or name, name, now)
    account_id = accounts.add(
        connection,
        name,
        team_id,
        now,
        name=_private(person.name, 128, "a name"),
        email=_private(person.email, 254, "an e-mail address"),
    )
    accounts.grant(connection, account_id, league_id, role)
    return accounts.find(connection, name)


def make_team(connection: Connection, team: str, now: float) -> None:
    """Create a team without members.

    Raises:
        UsageError: the handle is not valid, or is taken.
    """
    if accounts.is_taken(connection, checked_handle(team)):
        raise UsageError(f"The handle {team!r} is taken. Choose another.")
    accounts.add_team(connection, team, now)


def join(connection: Connection, handle: str, team: str) -> None:
    """Move an account to another team. Bots stay with the team that submitted them.

    Raises:
        NotFound: no such account or team.
        UsageError: it is another account's own team.
    """
    account, there = accounts.find(connection, handle), accounts.find_team(connection, team)
    _refuse_others_own(connection, there.handle, account.handle)
    _end_new_links(connection, account)
    accounts.move(connection, account.id, there.id)


def leave(connection: Connection, handle: str) -> None:
    """Move an account back to its own team. Bots stay with the team that submitted them.

    Raises:
        NotFound: no such account.
    """
    account = accounts.find(connection, handle)
    accounts.move(
        connection, account.id, _team(connection, account.handle, account.handle, account.created_at)
    )


def granted(connection: Connection, handle: str, role: Role | None, league: str | None) -> None:
    """Set the role of an account in a league, or in every league; None removes it.

    Raises:
        NotFound: no such account or league.
    """
    league_id = None if league is None else leagues.id_of(connection, league)
    account = accounts.find(connection, handle)
    _end_new_links(connection, account)
    accounts.grant(connection, account.id, league_id, role)


def _end_new_links(connection: Connection, account: AccountRow) -> None:
    """Revoke the login links for a forgotten password: its creator could do so for the former rights only."""
    if account.has_password:
        credentials.end_codes(connection, account.id)


def refusal_of_link(connection: Connection, account: AccountRow, viewer: Viewer, league: str | None) -> str:
    """Return why a viewer cannot give out a login link for an account, "" if they can.

    An organiser of all leagues can for everyone. Others can for accounts of their league that organise nothing, and
    whose roles, bots and uploads are all in leagues that the viewer organises: everyone with the link can log in.

    Args:
        league: in which they decide, None for none in particular.
    """
    if viewer.role == "organiser":
        return ""
    remedy = "Ask an organiser of all leagues, or use the command line of the server."
    roles = {name: role for name, role in account.roles.items() if role != "spectator"}
    if "organiser" in roles.values():
        return f"{account.handle} is an organiser, so you cannot create this link. {remedy}"
    owned = accounts.leagues_of_owner(connection, account.team)
    if league not in roles or any(
        name is None or viewer.role_in(name) != "organiser" for name in (*roles, *owned)
    ):
        return f"{account.handle} has rights outside your leagues, so you cannot create this link. {remedy}"
    return ""


def make_code(connection: Connection, account_id: int, now: float) -> str:
    """Return a new one-time code for an account. The previous code stops working."""
    code = new_code()
    credentials.add_code(connection, account_id, digest(code), now + CODE_DAYS * DAY_S)
    return code


def person_of_code(connection: Connection, text: str, now: float) -> str | None:
    """Return the handle of the account of a one-time code, None for an unknown or expired code."""
    code = plain_code(text)
    return credentials.find_code(connection, digest(code), now) if code else None


def make_invite(
    connection: Connection,
    now: float,
    *,
    role: Role,
    league: str | None,
    team: str | None,
    uses: int,
    days: float,
    is_public: bool = False,
) -> tuple[int, str]:
    """Create an invite; return its number and its code.

    Args:
        is_public: anyone may use it without the code, as an author in a team of one.

    Raises:
        NotFound: no such league or team.
        UsageError: it is public, and grants more than that, or the team is an account's own team.
    """
    if is_public and (team is not None or role not in ("author", "spectator")):
        raise UsageError(
            "Without an invite, an account can only be an author or a spectator, in a team of one."
        )
    league_id = None if league is None else leagues.id_of(connection, league)
    team_id = None if team is None else accounts.find_team(connection, team).id
    # The invited people could not join it, and would be asked to choose another team.
    _refuse_others_own(connection, team or "", "")
    code = new_code()
    expires_at = now + days * DAY_S
    number = credentials.add_invite(
        connection, digest(code), role, league_id, team_id, uses, now, expires_at, is_public=is_public
    )
    return number, code


def invited(connection: Connection, text: str, now: float) -> InviteRow | None:
    """Return the usable invite of a code, None for an unknown, expired or used-up one."""
    code = plain_code(text)
    return credentials.find_invite(connection, digest(code), now) if code else None


def read_people(file: Path) -> list[Person]:
    """Read a roster: a CSV file with the column ``handle`` and optionally ``team``, ``name`` and ``email``.

    Raises:
        UsageError: the file cannot be read, lacks the column, or has a wrong or repeated line, which the message names.
    """
    table = CsvFile.read(file)
    if "handle" not in table.columns:
        raise UsageError(
            f"{file}: the first line must name the column handle, and optionally team, name and email; "
            f"it names {', '.join(table.columns) or 'nothing'}."
        )
    people: dict[str, Person] = {}
    for number, line in table.rows:
        person = Person(*(line.get(column, "") for column in ("handle", "team", "name", "email")))
        try:
            for one in filter(None, (person.handle or "?", person.team)):
                checked_handle(one)
            if person.handle.lower() in people:
                raise UsageError(f"{person.handle!r} is listed twice.")
        except UsageError as error:
            raise UsageError(f"{file}, line {number}: {error}") from error
        people[person.handle.lower()] = person
    return list(people.values())


def enrol(
    connection: Connection, people: Sequence[Person], now: float, *, role: Role, league: str | None
) -> list[Enrolment]:
    """Create the accounts of a roster. Each account without a password, new or not, gets a one-time code.

    Raises:
        UsageError: a team has one of the handles, or a line names another account's own team.
        NotFound: no such league.
    """
    enrolments = []
    for person in people:
        try:
            account, is_new = accounts.find(connection, person.handle), False
            may = viewer_of(account)
            if not is_at_least(may.role if league is None else may.role_in(league), role):
                granted(connection, person.handle, role, league)
            if person.team:
                accounts.move(connection, account.id, _team(connection, person.team, account.handle, now))
        except NotFound:
            account, is_new = make_account(connection, person, now, role=role, league=league), True
        code = "" if account.has_password else make_code(connection, account.id, now)
        enrolments.append(Enrolment(account.handle, person.team or account.team, code, is_new))
    return enrolments


def viewer_of(account: AccountRow, scopes: tuple[Scope, ...] | None = None) -> Viewer:
    """Return the viewer of an account.

    Args:
        scopes: of a token, None for a session. Without the scope ``organise``, a helper's or organiser's token has an
            author's permissions only.
    """
    roles = {league: role for league, role in account.roles.items() if role in ROLES}
    if scopes is not None and "organise" not in scopes:
        roles = {league: "author" if is_at_least(role, "author") else role for league, role in roles.items()}
    everywhere = roles.pop(None, "spectator")
    return Viewer(
        account.handle,
        account.team,
        everywhere,
        tuple((league, role) for league, role in roles.items() if league is not None),
        scopes,
    )


def _team(connection: Connection, team: str, handle: str, now: float) -> int:
    """Return the id of a team, which is created if no team has the handle.

    Raises:
        UsageError: it is another account's own team.
    """
    _refuse_others_own(connection, team, handle)
    try:
        return accounts.find_team(connection, team).id
    except NotFound:
        return accounts.add_team(connection, checked_handle(team), now)


def _refuse_others_own(connection: Connection, team: str, handle: str) -> None:
    if team.lower() == handle.lower():
        return
    with suppress(NotFound):
        account = accounts.find(connection, team)
        raise UsageError(
            f"{account.handle!r} is the handle of an account and of its own team. Choose another handle for the team."
        )


def _private(text: str, longest: int, what: str) -> str:
    if len(text) > longest or not text.isprintable():
        raise UsageError(f"{text[:40]!r} cannot be {what}: use one line of at most {longest} characters.")
    return text
