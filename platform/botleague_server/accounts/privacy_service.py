"""Personal data: an archive of all data stored about a person, and its erasure.

A person is an account, or an owner of bots on the command line without one. The bots of a team belong to all of its
members. An erased member leaves them to the others; with its only member, a team is erased.
"""

from __future__ import annotations

import json
import time
import zipfile
from contextlib import suppress
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
from botleague_storage.people_rows.personal_data import ErasedCounts, Whose

README = """Data that {site} stores about {handle}.

tables/NAME.jsonl   rows of the database about {handle}, one per line: account, sessions and tokens (without
                    secrets), the team and its invites, bots and their versions, uploads, matches (seat: their
                    results; fixture_seat: who sat where), ratings, entries of the decision log.
sources/            the source of each version.
uploads/            submitted files that are not checked yet, unchanged.
journals/           bot logs: output, drawings and times of turns; a folder per league, a file per match
                    and seat.

Match numbers are those of the match pages. Times are seconds since the start of 1970.
Records of matches are public and not included: botleague replay MATCH --record FILE.
"""


class Person(msgspec.Struct, frozen=True):
    """Person to export or erase.

    Attributes:
        account: None for an owner of bots without one.
        handle: as stored.
        whose: ids of their rows.
    """

    account: AccountRow | None
    handle: str
    whose: Whose


class ErasurePlan(msgspec.Struct, frozen=True):
    """Effects of erasing a person.

    Attributes:
        person: with the bots to erase.
        teams: ids of teams to erase, which have no other member.
        left: handle of the team whose bots and sources stay with its other members, "" for none.
        named: names of bots that contain the handle; they stay, because records contain them.
    """

    person: Person
    teams: tuple[int, ...]
    left: str
    named: tuple[str, ...]


def find(connection: Connection, handle: str) -> Person:
    """Return the person with a handle: an account with its team's bots, or an owner of bots.

    Raises:
        NotFound: no such person.
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
    """Write all data stored about a person as a zip archive.

    Data that the connection hides, because a season is frozen for the person, is not included.

    Args:
        site: name or address of the server, for the reader.
    """
    whose = person.whose
    with zipfile.ZipFile(file, "w") as archive:

        def write(name: str, content: bytes) -> None:
            # Without a time, so that the same data gives the same archive.
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
            # A league's name may be no valid name of a folder.
            folder = folders.setdefault(league, f"{len(folders) + 1}-{plain_name(league)}".rstrip("-"))
            notes = msgspec.json.encode(read_journal(content))
            write(f"journals/{folder}/season-{season}-match-{match}-seat-{seat}.json", notes)
        for number, content in personal_data.practice_journals(connection, whose):
            write(f"journals/practice-{number}.json", msgspec.json.encode(read_journal(content)))


def plan_erasure(connection: Connection, handle: str) -> ErasurePlan:
    """Return the effects of erasing a person.

    Raises:
        NotFound: no such person.
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
    return ErasurePlan(Person(person.account, person.handle, whose), tuple(teams), left, named)


def erase(connection: Connection, plugins: PluginHost, plan: ErasurePlan) -> tuple[str, ErasedCounts]:
    """Erase a person: their bots leave all seasons, lose their sources and get another owner's name.

    Needs a write transaction. The file contains the deleted data until it is compacted.

    Returns:
        The new handle, and the numbers of erased rows.

    Raises:
        UsageError: they are the last organiser.
    """
    account = plan.person.account
    if account is not None and _is_last_organiser(connection, account):
        raise UsageError(
            f"{account.handle} is the last organiser. Appoint another one first: "
            "botleague account grant HANDLE organiser."
        )
    for league in leagues.leagues(connection):
        season = open_season(connection, plugins, league.name)
        theirs = set(plan.person.whose.versions) & set(season.names)
        for version in sorted({season.roster.member(one).version for one in theirs}):
            season_decisions.take_out(season, version)
    alias = _alias(connection, account)
    gone = personal_data.erase(connection, plan.person.whose, plan.person.handle, alias, plan.teams)
    # Servers and commands delete their caches of sources and replays when this time changes.
    server_notes.store(connection, "erased-at", repr(time.time()))
    return alias, gone


def _is_last_organiser(connection: Connection, account: AccountRow) -> bool:
    organisers = [row.id for row in accounts.accounts(connection) if row.roles.get(None) == "organiser"]
    return organisers == [account.id]


def _alias(connection: Connection, account: AccountRow | None) -> str:
    """Return a handle that was never used."""
    number = 1 if account is None else account.id
    while accounts.is_taken(connection, f"erased-{number}") or accounts.owns_bots(
        connection, f"erased-{number}"
    ):
        number += 1
    return f"erased-{number}"
