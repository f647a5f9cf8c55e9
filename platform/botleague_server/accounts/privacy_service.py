"""What a person may ask for: all that is stored of them, in one archive; and that it is erased.

A person is an account, or an owner of bots on the command line who has none. Bots of a team are of each who is in it;
whoever leaves it, be it by being erased, leaves them to the others. Who is alone in a team takes it along.
"""

from __future__ import annotations

import json
import time
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

import msgspec
from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league import open_season
from botleague.league.decisions import season_decisions
from botleague.league.submission import plain_name
from botleague.names import BUNDLED
from botleague.plugins import PluginHost
from botleague.referee import read_journal
from botleague_storage import NotFound, accounts, bots, leagues, personal_data, server_notes, uploads
from botleague_storage.people_rows.accounts import AccountRow
from botleague_storage.people_rows.personal_data import Erased, Whose

README = """What {site} stores of {handle}.

tables/NAME.jsonl   the rows of the database that are about {handle}, one a line: the account, sessions and tokens
                    (without what is secret of them), the team and its invites, bots and their versions, uploads,
                    matches (seat: how they ended; fixture_seat: who sat where), ratings, entries of the log.
sources/            the source of each version.
uploads/            what was handed in and is not checked yet, as it came.
journals/           what the bots printed and drew, and what their turns took: a folder per league, a file per match
                    and seat.

Numbers of matches are those of their pages. Times are seconds since the beginning of 1970.
The records of matches, which everybody sees, are not in it: botleague replay MATCH --record FILE.
"""


@dataclass(frozen=True, slots=True)
class Person:
    """Who is to be told or forgotten.

    Attributes:
        account: None for an owner of bots without one.
        handle: as it is stored.
        whose: what stands for them.
    """

    account: AccountRow | None
    handle: str
    whose: Whose


@dataclass(frozen=True, slots=True)
class Leaving:
    """What erasing a person comes to.

    Attributes:
        person: with the bots that go along.
        teams: ids of teams that go along, because nobody else is in them.
        left: the handle of the team whose bots and sources stay with its other members, "" for none.
        named: names of bots that have the handle in them; they stay, records have them.
    """

    person: Person
    teams: tuple[int, ...]
    left: str
    named: tuple[str, ...]


def find(connection: Connection, handle: str) -> Person:
    """Return who has a handle: an account with its team's bots, or an owner of bots.

    Raises:
        NotFound: nobody has it.
    """
    try:
        account = accounts.find(connection, handle)
    except NotFound:
        if handle.lower() == BUNDLED or not accounts.owns_bots(connection, handle):
            raise
        return Person(None, handle, personal_data.whose(connection, None, [handle]))
    owners = {account.handle, account.team}
    return Person(account, account.handle, personal_data.whose(connection, account.id, owners))


def export(connection: Connection, person: Person, site: str, file: IO[bytes]) -> None:
    """Write all that is stored of a person as a zip archive.

    What a connection does not hold because a season is frozen for who asks is not in it.

    Args:
        site: the name of where it is stored, for the reader.
    """
    whose = person.whose
    with zipfile.ZipFile(file, "w") as archive:

        def write(name: str, content: bytes) -> None:
            # Without a time: the same is stored, the same is told.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)

        write("README.txt", README.format(site=site, handle=person.handle).encode())
        tables: dict[str, list[bytes]] = {}
        for table, row in personal_data.rows(connection, whose):
            tables.setdefault(table, []).append(json.dumps(row).encode() + b"\n")
        for table, lines in tables.items():
            write(f"tables/{table}.jsonl", b"".join(lines))
        gone = {row.id for row in bots.erased(connection, whose.versions)}
        there = [version for version in whose.versions if version not in gone]
        for version, source in bots.with_sources(connection, there):
            folder = f"sources/{version.game}/{version.bot}@{version.number}"
            for path, content in source.files.items():
                write(f"{folder}/{path}", content)
        for upload in personal_data.waiting(connection, whose):
            for number, (_, content) in enumerate(uploads.content(connection, upload), start=1):
                write(f"uploads/{upload}/file-{number}", content)
        folders: dict[str, str] = {}
        for league, season, match, seat, content in personal_data.journals(connection, whose):
            # Leagues can be called like no folder.
            folder = folders.setdefault(league, f"{len(folders) + 1}-{plain_name(league)}".rstrip("-"))
            notes = msgspec.json.encode(read_journal(content))
            write(f"journals/{folder}/season-{season}-match-{match}-seat-{seat}.json", notes)
        for number, content in personal_data.practice_journals(connection, whose):
            write(f"journals/practice-{number}.json", msgspec.json.encode(read_journal(content)))


def leaving(connection: Connection, handle: str) -> Leaving:
    """Return what erasing somebody comes to.

    Raises:
        NotFound: nobody has the handle.
    """
    person = find(connection, handle)
    owners, teams, left = {person.handle}, [], ""
    if person.account is not None:
        with suppress(NotFound):
            teams.append(accounts.find_team(connection, person.handle).id)
        if person.account.team_id not in teams:
            team = accounts.find_team(connection, person.account.team)
            if len(team.members) == 1:
                owners.add(team.handle)
                teams.append(team.id)
            else:
                left = team.handle
    account = None if person.account is None else person.account.id
    whose = personal_data.whose(connection, account, owners)
    named = tuple(
        row.name
        for row in bots.bots(connection)
        if row.id in whose.bots and person.handle.lower() in row.name.lower()
    )
    return Leaving(Person(person.account, person.handle, whose), tuple(teams), left, named)


def erase(connection: Connection, plugins: PluginHost, who: Leaving) -> tuple[str, Erased]:
    """Erase a person: what is theirs is out of all seasons, has no source any more, and another owner's name.

    Needs a write transaction. The file holds what was deleted until it is compacted.

    Returns:
        By what they are called from now on, and what went.

    Raises:
        UsageError: they are the last organiser.
    """
    account = who.person.account
    if account is not None and _is_last_organiser(connection, account):
        raise UsageError(
            f"{account.handle} is the last organiser. Make another one first: botleague account grant HANDLE organiser."
        )
    for league in leagues.leagues(connection):
        season = open_season(connection, plugins, league.name)
        theirs = set(who.person.whose.versions) & set(season.names)
        for version in sorted({season.roster.member(one).version for one in theirs}):
            season_decisions.take_out(season, version, "erased")
    alias = _alias(connection, account)
    gone = personal_data.erase(connection, who.person.whose, who.person.handle, alias, who.teams)
    # Servers and commands that find another time there delete their caches of sources and replays.
    server_notes.store(connection, "erased-at", repr(time.time()))
    return alias, gone


def _is_last_organiser(connection: Connection, account: AccountRow) -> bool:
    organisers = [row.id for row in accounts.accounts(connection) if row.roles.get(None) == "organiser"]
    return organisers == [account.id]


def _alias(connection: Connection, account: AccountRow | None) -> str:
    """Return a name that nobody has, nor ever had."""
    number = 1 if account is None else account.id
    while accounts.is_taken(connection, f"erased-{number}") or accounts.owns_bots(
        connection, f"erased-{number}"
    ):
        number += 1
    return f"erased-{number}"
