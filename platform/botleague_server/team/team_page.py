"""A bot as its own team sees it: what became of its newest version, what went wrong and where, how it uses its time.

Helpers and organisers see the same. Nothing here goes beyond what exists for who looks: while a season is frozen, a
team learns no more of its own bot either.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.authoring import LogLine, faults_of, log_lines
from botleague.application.pages import (
    BotPage,
    MatchLine,
    SeasonHead,
    match_lines,
    read_bot_page,
    season_head,
)
from botleague.league import Season
from botleague.league.results import put_back
from botleague.league.season import Visible, readable_seats, sees_all
from botleague.people import Viewer
from botleague.referee import BEFORE, as_seen_by, read_journal, read_record
from botleague_storage import NotFound, bots, events, journals, page_queries, results, uploads
from botleague_storage import matches as stored
from botleague_storage.league_rows.bots import Source, VersionRow
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.people_rows.uploads import UploadRow

MAX_RECORDS = 60
"""Matches with faults that are read for their details."""

MAX_JOURNALS = 60
"""Journals that are read for the time used."""

UPLOADS = 50
"""Newest uploads of an owner among which those of a bot are looked for."""

MAX_CAUSE_LENGTH = 160

BARS = 10
"""Into so many ranges the limit of a turn is divided."""

UploadState: TypeAlias = Literal["waiting", "checked", "accepted", "unchanged", "refused"]


class UploadLine(msgspec.Struct, frozen=True):
    """Something that was handed in over the web.

    Attributes:
        before: how many others are likely to be checked before it.
        received_at: seconds since the epoch.
        problems: why it was refused.
    """

    upload: int
    bot: str
    state: UploadState
    before: int
    received_at: float
    problems: list[str]


class BotState(msgspec.Struct, frozen=True):
    """What became of a bot's newest version.

    Attributes:
        newest: its number.
        playing: the version that plays, None where none does.
        since: when that began, in seconds since the epoch; None for the beginning of the season.
        status: why the bot is out, "" while it is in; ``reason`` says more.
        suspended: why the newest version was suspended, so that an earlier one plays; "" if it was not.
        coming: why the newest version does not play yet, "" if it does, or was suspended.
        upload: what was handed in last, if that waits or was refused.
    """

    newest: int
    playing: int | None
    since: float | None
    status: str
    reason: str
    suspended: str
    coming: str
    upload: UploadLine | None


class FaultSeen(msgspec.Struct, frozen=True):
    """One fault, in which match, by its number; the turn is None before the first one."""

    match: str
    seat: int
    turn: int | None
    detail: str


class FaultGroup(msgspec.Struct, frozen=True):
    """Faults with one cause.

    Attributes:
        cause: what the exception or the fault says, in a line; ``where`` is the line of the bot's that failed.
        faults, matches: how many, and in how many matches.
        newest: the newest of them.
    """

    kind: str
    cause: str
    where: str
    faults: int
    matches: int
    newest: FaultSeen


class TimeBar(msgspec.Struct, frozen=True):
    """Turns that took up to ``upto_ms`` milliseconds and longer than the bar before; None for beyond the limit."""

    upto_ms: float | None
    turns: int


class TimeUse(msgspec.Struct, frozen=True):
    """What the turns of a version's newest matches took.

    Attributes:
        limit_ms: of a turn, by ``clock``.
        matches, turns: that were measured.
        median_ms, late_ms: half of the turns, and 99 of 100, took no longer.
        worst_ms, worst_match, worst_turn: the longest turn.
        bars: all turns by what they took.
    """

    limit_ms: float
    clock: str
    matches: int
    turns: int
    median_ms: float
    late_ms: float
    worst_ms: float
    worst_match: str
    worst_turn: int
    bars: list[TimeBar]


class TeamVersion(msgspec.Struct, frozen=True):
    """A version of the bot; ``matches`` of this season, ``submitted_at`` in seconds since the epoch."""

    version: int
    digest: str
    submitted_at: float
    matches: int
    is_playing: bool


class TeamBotPage(msgspec.Struct, frozen=True):
    """A bot in the current season of a league, as its team sees it.

    Attributes:
        public: what everybody sees of it; None before it has entered.
        faults: of the version that plays, or was suspended last, by cause, the most frequent first; ``faults_in``
            matches were read.
        time: None where no journal tells.
        versions: the newest first.
        uploads: of this bot, the newest first.
    """

    head: SeasonHead
    bot: str
    owner: str
    state: BotState
    public: BotPage | None
    faults: list[FaultGroup]
    faults_in: int
    time: TimeUse | None
    versions: list[TeamVersion]
    uploads: list[UploadLine]


class OwnBot(msgspec.Struct, frozen=True):
    """A team's bot in a league, in short; the rank is None where it has none."""

    league: str
    bot: str
    state: BotState


class VersionPage(msgspec.Struct, frozen=True):
    """The source of a version: its files as text, by path; bytes that are no text are replaced."""

    head: SeasonHead
    bot: str
    owner: str
    version: int
    newest: int
    digest: str
    entry: str
    submitted_at: float
    files: dict[str, str]


class TeamMatchPage(msgspec.Struct, frozen=True):
    """A match as the teams of its bots see it, each of its own.

    Attributes:
        seats: that the viewer may look into.
        lines: what their bots printed, used and failed at, turn by turn.
    """

    head: SeasonHead
    match: MatchLine
    seats: list[int]
    lines: list[LogLine]


def own_bots(season: Season, owner: str) -> list[OwnBot]:
    """Return a team's bots in the current season of a league, by name."""
    names = uploads.bots_in(season.connection, season.league.id, owner)
    return [OwnBot(season.league.name, name, bot_state(season, name)) for name in sorted(names)]


def team_bot_page(season: Season, visible: Visible, now: float, name: str) -> TeamBotPage:
    """Return what a team sees of its bot.

    Raises:
        NotFound: there is no such bot.
    """
    connection, game = season.connection, season.league.game
    rows = bots.all_versions(connection, game, name)
    if not rows:
        raise NotFound(f"There is no bot {name!r} in {season.league.name!r}.")
    state = bot_state(season, name)
    has_entered = bool(page_queries.entered(connection, season.id, game, name))
    playing = next((row for row in rows if row.number == state.playing), None)
    failing = rows[-1] if state.suspended else playing
    faults, faults_in = _faults(season, visible, failing) if failing is not None else ([], 0)
    played = page_queries.played(connection, season.id, [row.id for row in rows], visible.end)
    return TeamBotPage(
        head=season_head(season, visible, now),
        bot=name,
        owner=rows[-1].owner,
        state=state,
        public=read_bot_page(season, visible, now, name) if has_entered else None,
        faults=faults,
        faults_in=faults_in,
        time=None if playing is None else _time_use(season, visible, playing),
        versions=[
            TeamVersion(row.number, row.digest, row.submitted_at, played.get(row.id, 0), row is playing)
            for row in reversed(rows)
        ],
        uploads=_uploads(connection, season.league.id, rows[-1].owner, name),
    )


def bot_state(season: Season, name: str) -> BotState:
    """Return what became of the newest version of a bot that is there."""
    connection = season.connection
    rows = bots.all_versions(connection, season.league.game, name)
    newest = rows[-1] if rows else None
    entered = page_queries.entered(connection, season.id, season.league.game, name)
    member = season.roster.member(entered[-1]) if entered else None
    playing = None if member is None else next(row for row in rows if row.id == member.version)
    last = next(iter(_uploads(connection, season.league.id, newest.owner, name)), None) if newest else None
    suspended = put_back(season, member).get(newest.id, "") if newest and member else ""
    is_new = newest is not None and newest is not playing and not suspended
    return BotState(
        newest=newest.number if newest else 0,
        playing=None if playing is None or (member is not None and member.is_out) else playing.number,
        since=None if playing is None else _entered_at(season, playing.id),
        status=member.status if member else "",
        reason=member.reason if member else "",
        suspended=suspended,
        coming=_coming(season, newest, is_in=playing is not None) if newest and is_new else "",
        upload=last if last is not None and last.state in ("waiting", "checked", "refused") else None,
    )


def version_page(
    season: Season, visible: Visible, now: float, name: str, number: int
) -> tuple[VersionPage, Source]:
    """Return a version of a bot, and its source as it is stored.

    Raises:
        NotFound: there is none.
    """
    rows = bots.all_versions(season.connection, season.league.game, name)
    row = next((row for row in rows if row.number == number), None)
    if row is None:
        raise NotFound(f"{name} has no version {number}.")
    source = bots.source_of(season.connection, row.id)
    page = VersionPage(
        head=season_head(season, visible, now),
        bot=name,
        owner=row.owner,
        version=number,
        newest=rows[-1].number,
        digest=row.digest,
        entry=source.entry,
        submitted_at=row.submitted_at,
        files={path: content.decode(errors="replace") for path, content in source.files.items()},
    )
    return page, source


def team_match_page(
    season: Season, visible: Visible, viewer: Viewer, now: float, number: int
) -> tuple[TeamMatchPage, dict[int, bytes]]:
    """Return what a viewer may see of a match that others may not, and the journals of the seats that are theirs.

    Args:
        number: of the match in its season, from 1.

    Raises:
        NotFound: there is no such match, it does not exist for the viewer, or no seat is theirs.
    """
    match = _finished(season, visible, number)
    organises = sees_all(viewer, season.league.name)
    seats = sorted(readable_seats(season, match.versions, viewer.team or None, organises=organises))
    if not seats:
        raise NotFound(f"There is no match {number} of yours here.")
    record = read_record(results.find(season.connection, match.fixture_id).content)
    logs = journals.find(season.connection, match.fixture_id)
    own_logs = {seat: content for seat, content in logs.items() if seat in seats}
    (line,) = match_lines(season, page_queries.described(season.connection, season.id, [match.fixture_id]))
    lines = log_lines(line.match, record, own_logs, seats)
    return TeamMatchPage(season_head(season, visible, now), line, seats, lines), own_logs


def record_for(season: Season, visible: Visible, viewer: Viewer, number: int) -> bytes:
    """Return the record of a match without the details of faults that are not the viewer's to see.

    Args:
        number: of the match in its season, from 1.

    Raises:
        NotFound: there is no such match, or it does not exist for the viewer.
    """
    match = _finished(season, visible, number)
    organises = sees_all(viewer, season.league.name)
    content = results.find(season.connection, match.fixture_id).content
    record = read_record(content)
    visible_record = as_seen_by(
        readable_seats(season, match.versions, viewer.team or None, organises=organises), record
    )
    if visible_record is record:
        return content
    (line,) = match_lines(season, page_queries.described(season.connection, season.id, [match.fixture_id]))
    # Rules put details into the recorded words, too.
    return msgspec.structs.replace(
        visible_record, outcome=replace(visible_record.outcome, reason=line.reason)
    ).encode()


def _finished(season: Season, visible: Visible, number: int) -> Match:
    """Return a match that is done."""
    match = stored.at(season.connection, season.id, number - 1)
    if match is None or not match.places or match.ordinal >= visible.end:
        raise NotFound(f"There is no match {number} here, or it is not done.")
    return match


def _uploads(connection: Connection, league_id: int, owner: str, name: str) -> list[UploadLine]:
    rows = uploads.uploads(connection, league_id, owner, UPLOADS)
    return [_upload_line(connection, row) for row in rows if name in (row.bot, row.report.get("bot"))]


def _upload_line(connection: Connection, row: UploadRow) -> UploadLine:
    return msgspec.convert(
        {
            "upload": row.id,
            "bot": row.report.get("bot") or row.bot,
            "state": row.state,
            "before": uploads.before(connection, row) if row.is_open else 0,
            "received_at": row.received_at,
            "problems": list(row.report.get("problems", ())),
        },
        UploadLine,
    )


def _entered_at(season: Season, version: int) -> float | None:
    """Return since when a version plays in a season, None for one that has played since that began."""
    log = events.events(season.connection, season.id, ["joined", "updated", "suspended", "reinstated"])
    for row in reversed(log):
        if row.content.get("back") == version or (row.kind != "suspended" and row.version_id == version):
            return row.recorded_at
    return None


def _coming(season: Season, newest: VersionRow, *, is_in: bool) -> str:
    """Return why a version does not play, in words."""
    if season.is_closed:
        return "The season is closed."
    if season.calendar.has_come("deadline", newest.submitted_at):
        return f"It came after the deadline, {season.calendar.shown('deadline')}."
    if not is_in:
        takes = season.format.takes_newcomers
        return (
            "It has not entered the season yet." if takes else "It enters the next season: this one is fixed."
        )
    if season.settings.new_versions == "hold":
        return "It enters the next season: by its terms, this one plays on with the versions it began with."
    return "It plays from the next matches on that nobody has begun."


def _faults(season: Season, visible: Visible, version: VersionRow) -> tuple[list[FaultGroup], int]:
    """Return the faults of a version by cause, and of how many matches."""
    seats = page_queries.faulty_seats(season.connection, season.id, [version.id], visible.end, MAX_RECORDS)
    groups: dict[tuple[str, str, str], FaultGroup] = {}
    for match, of in itertools.groupby(seats, key=lambda found: found[0]):
        record = read_record(results.find(season.connection, match).content)
        counted: set[tuple[str, str, str]] = set()
        for _, seat in of:
            for turn, kind, detail in faults_of(record, seat):
                cause, where = _cause(detail)
                key = kind, re.sub(r"\d+(?:\.\d+)?", "#", cause), where
                known = groups.get(key)
                groups[key] = FaultGroup(
                    kind,
                    known.cause if known else cause,
                    where,
                    (known.faults if known else 0) + 1,
                    (known.matches if known else 0) + (key not in counted),
                    known.newest if known else FaultSeen(season.match_called(match), seat, turn, detail),
                )
                counted.add(key)
    ordered = sorted(groups.values(), key=lambda group: -group.faults)
    return ordered, len({match for match, _ in seats})


def _cause(detail: str) -> tuple[str, str]:
    """Return what a fault says in one line, and the line of the bot's where it came about, "" where none is told.

    A traceback has indented lines for the calls, and then what was raised.
    """
    where = ""
    for line in detail.splitlines():
        if line.startswith("  ") and not line.startswith("    "):
            where = line.strip()
        elif line.strip() and not line.startswith(" "):
            return line.strip()[:MAX_CAUSE_LENGTH], where[:MAX_CAUSE_LENGTH]
    return detail.strip()[:MAX_CAUSE_LENGTH], where[:MAX_CAUSE_LENGTH]


def _time_use(season: Season, visible: Visible, version: VersionRow) -> TimeUse | None:
    logs = journals.newest(season.connection, season.id, version.id, visible.end, MAX_JOURNALS)
    clock = season.time.clock
    took = sorted(
        (note.cpu_ms if clock == "cpu" else note.wall_ms, match, note.turn)
        for match, content in logs
        for note in read_journal(content)
        if note.turn != BEFORE
    )
    if not took:
        return None
    limit = season.time.move_ms
    counts = [0] * (BARS + 1)
    for ms, _, _ in took:
        counts[min(BARS, max(0, math.ceil(ms / limit * BARS) - 1))] += 1
    ranges: Sequence[float | None] = [limit * (bar + 1) / BARS for bar in range(BARS)]
    worst_ms, worst_match, worst_turn = took[-1]
    return TimeUse(
        limit_ms=limit,
        clock=clock,
        matches=len({match for match, _ in logs}),
        turns=len(took),
        median_ms=took[len(took) // 2][0],
        late_ms=took[min(len(took) - 1, len(took) * 99 // 100)][0],
        worst_ms=worst_ms,
        worst_match=season.match_called(worst_match),
        worst_turn=worst_turn,
        bars=[TimeBar(upto, turns) for upto, turns in zip([*ranges, None], counts, strict=True)],
    )
