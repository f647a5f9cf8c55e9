"""What is done about people: making accounts and teams, letting in by code or invite, and who a secret belongs to.

Every function takes a connection of a transaction, and the time. The handle of a team is the owner of its bots; on the
command line bots have owners without any account. Whoever has an account is in one team, at first in one of their own
with the same handle.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

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
"""How long a one-time code may be used."""


@dataclass(frozen=True, slots=True)
class Person:
    """A line of a roster of people: the team is "" for one of their own; name and e-mail are optional."""

    handle: str
    team: str = ""
    name: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True)
class Enrolled:
    """What became of a line of a roster.

    Attributes:
        code: what they log in with for the first time; "" for those who have chosen a password already.
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
    is_chosen_by_stranger: bool = False,
) -> AccountRow:
    """Make an account, and its team if there is none of that handle.

    Args:
        role: what they may do, in ``league``; None for every league.
        is_chosen_by_stranger: the handle was chosen by whoever is to have it. Bots on the command line have owners
            without an account; nobody may become one of them by calling themselves so, nor seem to have an office.

    Raises:
        UsageError: the handle cannot be one, or is taken.
        NotFound: there is no such league.
    """
    name = checked_handle(person.handle)
    if is_chosen_by_stranger:
        refuse_office(name)
    if accounts.is_taken(connection, name) or (
        is_chosen_by_stranger and accounts.owns_bots(connection, name)
    ):
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
    """Make a team that nobody is in yet.

    Raises:
        UsageError: the handle cannot be one, or is taken.
    """
    if accounts.is_taken(connection, checked_handle(team)):
        raise UsageError(f"The handle {team!r} is taken. Choose another.")
    accounts.add_team(connection, team, now)


def join(connection: Connection, handle: str, team: str) -> None:
    """Put somebody into another team. Bots stay with the team that handed them in.

    Raises:
        NotFound: there is no such account or team.
        UsageError: it is the team that somebody else has for their own.
    """
    account, there = accounts.find(connection, handle), accounts.find_team(connection, team)
    _refuse_others_own(connection, there.handle, account.handle)
    accounts.move(connection, account.id, there.id)


def leave(connection: Connection, handle: str) -> None:
    """Put somebody into a team of their own again. Bots stay with the team that handed them in.

    Raises:
        NotFound: there is no such account.
    """
    account = accounts.find(connection, handle)
    accounts.move(
        connection, account.id, _team(connection, account.handle, account.handle, account.created_at)
    )


def granted(connection: Connection, handle: str, role: Role | None, league: str | None) -> None:
    """Let somebody be ``role`` in a league, or in every league; nothing in particular for None.

    Raises:
        NotFound: there is no such account or league.
    """
    league_id = None if league is None else leagues.id_of(connection, league)
    accounts.grant(connection, accounts.find(connection, handle).id, league_id, role)


def make_code(connection: Connection, account_id: int, now: float, days: float = CODE_DAYS) -> str:
    """Return a new one-time code for an account; the one before is void."""
    code = new_code()
    credentials.add_code(connection, account_id, digest(code), now + days * DAY_S)
    return code


def person_of_code(connection: Connection, text: str, now: float) -> str | None:
    """Return the handle of the account that a one-time code is for; None if it is none, or void."""
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
    """Make an invite; return its number and its code.

    Args:
        is_public: anybody may use it without the code, to be an author in a team of their own.

    Raises:
        NotFound: there is no such league or team.
        UsageError: it is public, and would make a stranger more than that.
    """
    if is_public and (team is not None or role not in ("author", "spectator")):
        raise UsageError(
            "Whoever registers without an invite is an author or a spectator, in a team of their own."
        )
    league_id = None if league is None else leagues.id_of(connection, league)
    team_id = None if team is None else accounts.find_team(connection, team).id
    code = new_code()
    expires_at = now + days * DAY_S
    number = credentials.add_invite(
        connection, digest(code), role, league_id, team_id, uses, now, expires_at, is_public=is_public
    )
    return number, code


def invited(connection: Connection, text: str, now: float) -> InviteRow | None:
    """Return the invite of a code that can be used now; None if there is none, or no more."""
    code = plain_code(text)
    return credentials.find_invite(connection, digest(code), now) if code else None


def read_people(file: Path) -> list[Person]:
    """Read a roster: a CSV file with the column ``handle`` and, if it likes, ``team``, ``name`` and ``email``.

    Raises:
        UsageError: it cannot be read, lacks the column, or a line is wrong or there twice; the message says which.
    """
    table = CsvFile.read(file)
    if "handle" not in table.columns:
        raise UsageError(
            f"{file}: the first line must name the column handle and, if you like, team, name and email; "
            f"it says {', '.join(table.columns) or 'nothing'}."
        )
    found: dict[str, Person] = {}
    for number, line in table.rows:
        person = Person(*(line.get(column, "") for column in ("handle", "team", "name", "email")))
        try:
            for one in filter(None, (person.handle or "?", person.team)):
                checked_handle(one)
            if person.handle.lower() in found:
                raise UsageError(f"{person.handle!r} is there twice.")
        except UsageError as error:
            raise UsageError(f"{file}, line {number}: {error}") from error
        found[person.handle.lower()] = person
    return list(found.values())


def enrol(
    connection: Connection, people: Sequence[Person], now: float, *, role: Role, league: str | None
) -> list[Enrolled]:
    """Make the accounts of a roster, each with a one-time code; whoever is there already and has no password gets one.

    Raises:
        UsageError: a handle is taken by a team, or a line's team is somebody's own.
        NotFound: there is no such league.
    """
    found = []
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
        found.append(Enrolled(account.handle, person.team or account.team, code, is_new))
    return found


def viewer_of(account: AccountRow, scopes: tuple[Scope, ...] | None = None) -> Viewer:
    """Return somebody as pages and decisions know them.

    Args:
        scopes: of a token, None for a session. Without the scope ``organise``, a token of helpers and organisers is one
            of authors: it shows what their own team may see.
    """
    known = {league: role for league, role in account.roles.items() if role in ROLES}
    if scopes is not None and "organise" not in scopes:
        known = {league: "author" if is_at_least(role, "author") else role for league, role in known.items()}
    everywhere = known.pop(None, "spectator")
    return Viewer(
        account.handle,
        account.team,
        everywhere,
        tuple((league, role) for league, role in known.items() if league is not None),
        scopes,
    )


def _team(connection: Connection, team: str, handle: str, now: float) -> int:
    """Return the team that somebody is to be in, made if there is none.

    Raises:
        UsageError: it is the one that somebody else has for their own.
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
            f"{account.handle!r} is somebody's account, and so the name of a team of their own. Give the team another "
            "handle."
        )


def _private(text: str, longest: int, what: str) -> str:
    if len(text) > longest or not text.isprintable():
        raise UsageError(f"{text[:40]!r} cannot be {what}: use one line of at most {longest} characters.")
    return text
