"""Data of the organiser pages: entrants, decisions, runners, uploads, people and invites.

Helpers see all of it but cannot decide.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.decisions import log_entries
from botleague.application.leagues import UnenteredBot, unentered_bots
from botleague.application.pages import ROWS, PlannedLine, SeasonHead, planned_lines, season_head
from botleague.league import Season
from botleague.league.decisions.season_decisions import hidden_season, hides_results
from botleague.league.season import DATES, Visible
from botleague.league.submission import as_text
from botleague.people import Viewer, is_at_least
from botleague_server.accounts import refusal_of_link
from botleague_storage import (
    Database,
    accounts,
    bots,
    credentials,
    extensions,
    fixtures,
    page_queries,
    results,
    runners,
    uploads,
)
from botleague_storage.people_rows.credentials import InviteRow
from botleague_storage.people_rows.uploads import Limits

FAILURES = 20
"""Attempts that failed because of the machine: the newest ones shown."""

ENTRIES = 200
"""Entries of the decision log: the newest ones shown."""

WAITING = 50

PLAYING = 50


class OrganiserEntrant(msgspec.Struct, frozen=True):
    """A bot of the season.

    Attributes:
        version: the one that plays, or played last; ``newest`` is the latest submission.
        status: why the bot is out, "" for an active one.
    """

    bot: str
    owner: str
    version: int
    newest: int
    status: str
    reason: str


class OrganiserPage(msgspec.Struct, frozen=True):
    """Current season of a league for its organisers.

    Attributes:
        calendar: times by name, "" for no time, and the zone.
        extensions: later deadlines, by owner in small letters.
        frozen_at: the first ordinal that others do not see, None outside a freeze.
        hides_results: whether this season or an earlier one is frozen or blind.
        entrants: a page of the ``total`` by name, from the one numbered ``first``; with ``near``, only those with this
                text in their name or their owner's.
        unentered: the first submitted bots by name that do not play in the season.
        log: the newest of the ``logged`` entries of ``organise log --json``, newest first.
    """

    head: SeasonHead
    calendar: dict[str, str]
    extensions: dict[str, str]
    frozen_at: int | None
    hides_results: bool
    limits: Limits
    near: str
    first: int
    total: int
    entrants: list[OrganiserEntrant]
    unentered: list[UnenteredBot]
    log: list[dict[str, Any]]
    logged: int


class RunnerLine(msgspec.Struct, frozen=True):
    """A process that plays matches, of this league or others.

    Attributes:
        machine, process: its machine, and its process id there.
        started_at, seen_at: its start and its newest report, in seconds since the epoch.
        is_silent: whether it should have reported since.
        matches: matches of this league that it plays now.
        hourly: matches per hour in all leagues; None in its first minute.
        error, error_at: its last failure in a league that the reader may see, "" and None without one.
    """

    machine: str
    process: str
    started_at: float
    seen_at: float
    is_silent: bool
    matches: int
    hourly: float | None
    error: str
    error_at: float | None


class WaitingUpload(msgspec.Struct, frozen=True):
    """Upload that waits for its checks; ``tries`` counts attempts."""

    upload: int
    owner: str
    bot: str
    received_at: float
    tries: int


class Failure(msgspec.Struct, frozen=True):
    """Attempt at a match that failed because of the machine; the match was played again."""

    ordinal: int
    reason: str


class Machine(msgspec.Struct, frozen=True):
    """State of the server's machine.

    Attributes:
        cores, load: processors, and the average number of processes that needed one in the last minute.
        free_memory, free_disk: shares from 0 to 1, of memory and of the database's disk.
        database_bytes: its size, None for a database that is not a file.
        profile: of the sandbox, from the settings.
    """

    cores: int
    load: float
    free_memory: float
    free_disk: float
    database_bytes: int | None
    profile: str


class MachinePage(msgspec.Struct, frozen=True):
    """Matches and uploads in progress, machine failures, and the machine.

    Attributes:
        layers: of the sandbox of the newest match.
        failures: newest first.
    """

    head: SeasonHead
    runners: list[RunnerLine]
    matches: list[PlannedLine]
    uploads: list[WaitingUpload]
    layers: list[str]
    failures: list[Failure]
    machine: Machine


class OrganiserPerson(msgspec.Struct, frozen=True):
    """Person with a role in the league.

    Attributes:
        role: the one in the league, or else in every league; ``is_everywhere`` is set for the latter.
        locked_s: seconds until a password is accepted again.
        asked_at: when the person asked for a login link, None without an open request.
    """

    handle: str
    team: str
    role: str
    is_everywhere: bool
    name: str
    email: str
    has_password: bool
    locked_s: float
    asked_at: float | None


class LinkRequest(msgspec.Struct, frozen=True):
    """Open request for a login link; ``refusal`` is why this organiser cannot create it, "" if they can."""

    handle: str
    asked_at: float
    refusal: str


class PeoplePage(msgspec.Struct, frozen=True):
    """People with roles in the league, its invites, and requests for login links, the oldest first."""

    head: SeasonHead
    requests: list[LinkRequest]
    people: list[OrganiserPerson]
    invites: list[InviteRow]


class SourcesPage(msgspec.Struct, frozen=True):
    """Two sources side by side: title, owner and files as text by path of both versions."""

    head: SeasonHead
    bots: tuple[str, str]
    owners: tuple[str, str]
    files: tuple[dict[str, str], dict[str, str]]


def organiser_page(
    season: Season, visible: Visible, now: float, first: int = 1, near: str = ""
) -> OrganiserPage:
    """Return the page of entrants and decisions.

    Args:
        first: number of the first entrant, from 1.
        near: only entrants with this text in their name or their owner's, in any case.
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
        extensions={
            owner: calendar.extended(until).shown("deadline")
            for owner, until in extensions.extensions(connection, season.id).items()
        },
        frozen_at=None if frozen is None else frozen.ordinal,
        hides_results=hides_results(hidden_season(season)),
        limits=uploads.limits(connection, season.league.id),
        near=near,
        first=first,
        total=len(matching),
        entrants=entrants,
        unentered=unentered_bots(season)[:ROWS],
        log=log[: -ENTRIES - 1 : -1],
        logged=len(log),
    )


def runner_lines(
    connection: Connection, now: float, viewer: Viewer, season: Season | None
) -> list[RunnerLine]:
    """Return the processes that play matches, those with the newest reports first.

    Args:
        viewer: the reader: failures in leagues whose details they may not see are left out.
        season: its matches in progress are counted; None for none.
    """
    playing = (
        {} if season is None else {name: number for name, number, _ in fixtures.claims(connection, season.id)}
    )
    lines = []
    for row in runners.runners(connection, now):
        machine, _, process = row.name.rpartition("/")[0].rpartition("/")
        sees_error = is_at_least(viewer.role_in(row.error_league), "helper")
        lines.append(
            RunnerLine(
                machine or row.name,
                process,
                row.started_at,
                row.seen_at,
                row.is_silent_at(now),
                playing.get(row.name, 0),
                row.hourly,
                row.error if sees_error else "",
                row.error_at if sees_error else None,
            )
        )
    return lines


def machine_page(
    season: Season, visible: Visible, now: float, profile: str, database: Database, viewer: Viewer
) -> MachinePage:
    """Return what is being played and checked.

    Args:
        profile: of the sandbox, as the settings say.
    """
    connection = season.connection
    planned, _ = page_queries.queue(connection, season.id, PLAYING)
    head = season_head(season, visible, now)
    failed = results.voids(connection, season.id)[: -FAILURES - 1 : -1]
    return MachinePage(
        head=head,
        runners=runner_lines(connection, now, viewer, season),
        matches=planned_lines(season, [match for match in planned if match.is_claimed], head.done, None),
        uploads=[
            WaitingUpload(row.id, row.owner, row.bot, row.received_at, row.tries)
            for row in uploads.waiting(connection, season.league.id, WAITING)
        ],
        layers=json.loads(page_queries.newest_layers(connection, season.id, visible.end) or "[]"),
        failures=[Failure(ordinal, reason) for ordinal, reason in failed],
        machine=_machine(profile, database),
    )


def people_page(season: Season, visible: Visible, now: float, viewer: Viewer) -> PeoplePage:
    """Return who may do what in the league of a season."""
    connection, league = season.connection, season.league.name
    people, requests = [], []
    for row in accounts.accounts(connection):
        here, everywhere = row.roles.get(league), row.roles.get(None)
        if here is None and everywhere in (None, "spectator"):
            continue
        if row.asked_at is not None:
            requests.append(
                LinkRequest(row.handle, row.asked_at, refusal_of_link(connection, row, viewer, league))
            )
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
                row.asked_at,
            )
        )
    invites = [one for one in credentials.invites(connection) if one.league in (None, league)]
    requests.sort(key=lambda one: one.asked_at)
    return PeoplePage(season_head(season, visible, now), requests, people, invites[::-1])


def sources_page(season: Season, visible: Visible, now: float, one: int, other: int) -> SourcesPage:
    """Return the sources of two versions of the season.

    Raises:
        NotFound: one of them was erased.
    """
    rows = season.names[one], season.names[other]
    texts = [as_text(bots.source_of(season.connection, row.id).files) for row in rows]
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
    """Return the number of free pages of memory, including caches of files."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024 / os.sysconf("SC_PAGE_SIZE")
    return os.sysconf("SC_AVPHYS_PAGES")
