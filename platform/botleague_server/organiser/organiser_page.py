"""The organiser's desk: who takes part, what is decided, what is being played and where, who may come in.

Helpers see all of it and decide nothing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec

from botleague.application.decisions import log_entries
from botleague.application.pages import ROWS, PlannedLine, SeasonHead, planned_lines, season_head
from botleague.league import Season
from botleague.league.season import DATES, Visible
from botleague_storage import Database, accounts, bots, credentials, fixtures, page_queries, results, uploads
from botleague_storage.people_rows.credentials import InviteRow
from botleague_storage.people_rows.uploads import Limits

FAILURES = 20
"""Attempts that failed by the machine's doing that are shown, the newest."""

ENTRIES = 200
"""Of the log that are shown, the newest."""

WAITING = 50

PLAYING = 50


class OrganiserEntrant(msgspec.Struct, frozen=True):
    """A bot of the season.

    Attributes:
        version: with which it plays, or played last; ``newest`` is the last that was handed in.
        status: why it is out, "" while it is in.
    """

    bot: str
    owner: str
    version: int
    newest: int
    status: str
    reason: str


class OrganiserPage(msgspec.Struct, frozen=True):
    """The current season of a league as its organisers see it.

    Attributes:
        calendar: times by name, "" for never, and the zone.
        frozen_at: the ordinal number from which on others see nothing, None while they see all.
        entrants: a page of the ``total`` by name, from the one numbered ``first``; with ``near``, of those that have it
            in their name or their owner's.
        log: of the ``logged`` entries that ``organise log --json`` prints the newest, newest first.
    """

    head: SeasonHead
    calendar: dict[str, str]
    frozen_at: int | None
    limits: Limits
    near: str
    first: int
    total: int
    entrants: list[OrganiserEntrant]
    log: list[dict[str, Any]]
    logged: int


class RunnerLine(msgspec.Struct, frozen=True):
    """Who plays how many matches now, and until when they must say that they still do."""

    runner: str
    matches: int
    lease_until: float


class WaitingUpload(msgspec.Struct, frozen=True):
    """Something that waits to be checked; ``tries`` is how often somebody began."""

    upload: int
    owner: str
    bot: str
    received_at: float
    tries: int


class Failure(msgspec.Struct, frozen=True):
    """An attempt at a match that failed by the machine's doing; it was played again."""

    ordinal: int
    reason: str


class Machine(msgspec.Struct, frozen=True):
    """How the server's machine is.

    Attributes:
        cores, load: processors, and how many processes wanted one within the last minute.
        free_memory, free_disk: shares from 0 to 1; the disk's that the database is on.
        database_bytes: its size, None where it is not a file.
        profile: of the sandbox, as the settings say.
    """

    cores: int
    load: float
    free_memory: float
    free_disk: float
    database_bytes: int | None
    profile: str


class MachinePage(msgspec.Struct, frozen=True):
    """What is being played and checked, where, and what went wrong.

    Attributes:
        layers: of the sandbox of the newest match.
        failures: the newest first.
    """

    head: SeasonHead
    runners: list[RunnerLine]
    matches: list[PlannedLine]
    uploads: list[WaitingUpload]
    layers: list[str]
    failures: list[Failure]
    machine: Machine


class OrganiserPerson(msgspec.Struct, frozen=True):
    """Somebody who may do something in the league.

    Attributes:
        role: there or everywhere, whichever is the later; ``is_everywhere`` if it is in every league.
        locked_s: seconds until a password is looked at again.
    """

    handle: str
    team: str
    role: str
    is_everywhere: bool
    name: str
    email: str
    has_password: bool
    locked_s: float


class PeoplePage(msgspec.Struct, frozen=True):
    """Who may do what in the league, and the invites into it."""

    head: SeasonHead
    people: list[OrganiserPerson]
    invites: list[InviteRow]


class SourcesPage(msgspec.Struct, frozen=True):
    """Two sources side by side: of each bot the version that plays, and its files as text by path."""

    head: SeasonHead
    bots: tuple[str, str]
    owners: tuple[str, str]
    files: tuple[dict[str, str], dict[str, str]]


def organiser_page(
    season: Season, visible: Visible, now: float, first: int = 1, near: str = ""
) -> OrganiserPage:
    """Return the desk's first page.

    Args:
        first: the entrant to begin with, counted from 1.
        near: only entrants that have it in their name or their owner's, in small or capital letters.
    """
    connection, calendar, frozen = season.connection, season.calendar, season.frozen
    members, names, part = season.roster.members, season.names, near.casefold()
    matching = sorted(
        (one for one in members if part in f"{names[one].bot}\n{names[one].owner}".casefold()),
        key=lambda version: (names[version].bot.casefold(), names[version].bot),
    )
    listed = matching[first - 1 : first - 1 + ROWS]
    newest = bots.newest_of(connection, listed)
    entrants = [
        OrganiserEntrant(
            names[version].bot,
            names[version].owner,
            names[version].number,
            newest[version].number if version in newest else names[version].number,
            members[version].status,
            members[version].reason,
        )
        for version in listed
    ]
    times, log = calendar.said(), log_entries(season)
    return OrganiserPage(
        head=season_head(season, visible, now),
        calendar={"zone": calendar.zone, **{name: times.get(name, "") for name in DATES}},
        frozen_at=None if frozen is None else frozen.ordinal,
        limits=uploads.limits(connection, season.league.id),
        near=near,
        first=first,
        total=len(matching),
        entrants=entrants,
        log=log[: -ENTRIES - 1 : -1],
        logged=len(log),
    )


def machine_page(
    season: Season, visible: Visible, now: float, profile: str, database: Database
) -> MachinePage:
    """Return what is being played and checked.

    Args:
        profile: of the sandbox, as the settings say.
        database: that the season is in.
    """
    connection = season.connection
    planned, _ = page_queries.queue(connection, season.id, PLAYING)
    head = season_head(season, visible, now)
    failed = results.voids(connection, season.id)[: -FAILURES - 1 : -1]
    return MachinePage(
        head=head,
        runners=[RunnerLine(*row) for row in fixtures.claims(connection, season.id)],
        matches=planned_lines(season, [match for match in planned if match.is_claimed], head.done, None),
        uploads=[
            WaitingUpload(row.id, row.owner, row.bot, row.received_at, row.tries)
            for row in uploads.waiting(connection, season.league.id, WAITING)
        ],
        layers=json.loads(page_queries.newest_layers(connection, season.id, visible.end) or "[]"),
        failures=[Failure(ordinal, reason) for ordinal, reason in failed],
        machine=_machine(profile, database),
    )


def people_page(season: Season, visible: Visible, now: float) -> PeoplePage:
    """Return who may do what in the league of a season."""
    connection, league = season.connection, season.league.name
    people = []
    for row in accounts.accounts(connection):
        here, everywhere = row.roles.get(league), row.roles.get(None)
        if here is None and everywhere in (None, "spectator"):
            continue
        people.append(
            OrganiserPerson(
                row.handle,
                row.team,
                here or everywhere or "",
                here is None,
                row.name,
                row.email,
                row.has_password,
                max(0.0, row.locked_until - now),
            )
        )
    invites = [one for one in credentials.invites(connection) if one.league in (None, league)]
    return PeoplePage(season_head(season, visible, now), people, invites[::-1])


def sources_page(season: Season, visible: Visible, now: float, one: int, other: int) -> SourcesPage:
    """Return the sources of two versions of the season side by side.

    Raises:
        NotFound: one was erased.
    """
    rows = season.names[one], season.names[other]
    texts = [
        {
            path: content.decode(errors="replace")
            for path, content in bots.source_of(season.connection, row.id).files.items()
        }
        for row in rows
    ]
    return SourcesPage(
        season_head(season, visible, now),
        (rows[0].title, rows[1].title),
        (rows[0].owner, rows[1].owner),
        (texts[0], texts[1]),
    )


def _machine(profile: str, database: Database) -> Machine:
    place = Path(database.place or "") if database.is_sqlite else None
    pages = os.sysconf("SC_PHYS_PAGES")
    return Machine(
        cores=os.cpu_count() or 1,
        load=os.getloadavg()[0],
        free_memory=_available_pages() / pages,
        free_disk=database.free_share(),
        database_bytes=place.stat().st_size if place is not None and place.is_file() else None,
        profile=profile,
    )


def _available_pages() -> float:
    """Return how many pages of memory programs could still have, caches of files included."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024 / os.sysconf("SC_PAGE_SIZE")
    return os.sysconf("SC_AVPHYS_PAGES")
