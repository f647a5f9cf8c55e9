"""Data of the team pages of a bot: the state of its newest version, its faults, and its times.

Helpers and organisers see the same. A frozen season limits these pages like all others: its teams get no further
results of their own bots.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.authoring import LogLine, log_lines
from botleague.application.pages import (
    BotPage,
    MatchLine,
    SeasonHead,
    match_lines,
    read_bot_page,
    season_head,
)
from botleague.league import Season
from botleague.league.decisions import season_decisions
from botleague.league.results import put_back
from botleague.league.season import Visible, readable_seats, sees_all
from botleague.league.submission import as_text
from botleague.people import Viewer
from botleague.referee import BEFORE, as_seen_by, faults_of, read_journal, read_record
from botleague_storage import NotFound, bots, events, journals, page_queries, results, uploads
from botleague_storage import matches as stored
from botleague_storage.league_rows.bots import Source, VersionRow
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.people_rows.uploads import UploadRow

MAX_RECORDS = 60
"""Matches with faults whose details are read."""

MAX_JOURNALS = 60
"""Bot logs read for the times of turns."""

UPLOADS = 50
"""Newest uploads of an owner, which are searched for those of a bot."""

MAX_CAUSE_LENGTH = 160

BARS = 10
"""Ranges that the time limit of a turn is divided into."""

UploadState: TypeAlias = Literal["waiting", "checked", "accepted", "unchanged", "refused"]


class UploadLine(msgspec.Struct, frozen=True):
    """Upload of a bot.

    Attributes:
        before: number of uploads that are probably checked before it.
        received_at: seconds since the epoch.
        problems: reasons for its refusal.
    """

    upload: int
    bot: str
    state: UploadState
    before: int
    received_at: float
    problems: list[str]


class BotState(msgspec.Struct, frozen=True):
    """State of a bot's newest version.

    Attributes:
        newest: number of that version.
        playing: the version that plays, None for none.
        since: start of its play in seconds since the epoch; None for the start of the season.
        status: why the bot is out, "" for an active one; ``reason`` adds details.
        suspended: why the newest version was suspended, while an earlier one plays; "" if it was not.
        coming: why the newest version does not play yet, "" if it plays or was suspended.
        upload: the latest upload, if it waits or was refused.
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
    """Fault in a match, by the match's number; ``turn`` is None before the first turn."""

    match: str
    seat: int
    turn: int | None
    detail: str


class FaultGroup(msgspec.Struct, frozen=True):
    """Faults with the same cause.

    Attributes:
        cause: message of the exception or fault, in one line; ``where`` is the failing line of the bot.
        faults, matches: number of faults, and of matches with one.
    """

    kind: str
    cause: str
    where: str
    faults: int
    matches: int
    newest: FaultSeen


class TimeBar(msgspec.Struct, frozen=True):
    """Turns up to ``upto_ms`` milliseconds and above the previous bar; None for those beyond the limit."""

    upto_ms: float | None
    turns: int


class TimeUse(msgspec.Struct, frozen=True):
    """Times of the turns in a version's newest matches.

    Attributes:
        limit_ms: of a turn, by ``clock``.
        matches, turns: number of measured ones.
        median_ms, late_ms: maximum of half of the turns, and of 99 of 100.
        worst_ms, worst_match, worst_turn: the longest turn.
        bars: number of turns by time.
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
    """Version of the bot; ``matches`` are of this season, ``submitted_at`` is in seconds since the epoch."""

    version: int
    digest: str
    submitted_at: float
    matches: int
    is_playing: bool


class TeamBotPage(msgspec.Struct, frozen=True):
    """Bot in the current season of a league, for its team.

    Attributes:
        public: its public page; None before it has entered.
        faults: of the version that plays, or was suspended last, by cause, most frequent first; ``faults_in``
                counts the matches that were read.
        time: None without bot logs.
        versions: newest first.
        uploads: of this bot, newest first.
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
    """Bot of a team in a league."""

    league: str
    bot: str
    state: BotState


class VersionPage(msgspec.Struct, frozen=True):
    """Source of a version, with its files as text by path; bytes that are not text are replaced."""

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
    """Match for the teams of its bots.

    Attributes:
        seats: the seats whose bot logs the viewer may see.
        lines: output, times and faults of these seats, turn by turn.
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
    """Return the team page of a bot.

    Raises:
        NotFound: no such bot.
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
    """Return the state of a bot's newest version."""
    connection = season.connection
    rows = bots.all_versions(connection, season.league.game, name)
    newest = rows[-1] if rows else None
    entered = page_queries.entered(connection, season.id, season.league.game, name)
    member = season.roster.member(entered[-1]) if entered else None
    playing = None if member is None else next(row for row in rows if row.id == member.version)
    last = next(iter(_uploads(connection, season.league.id, newest.owner, name)), None) if newest else None
    suspended = put_back(season, member).get(newest.id, "") if newest and member else ""
    # The newer version of a suspended bot plays; that of a retired or disqualified one does not.
    is_over = member is not None and member.status in ("retired", "disqualified")
    is_new = newest is not None and newest is not playing and not suspended and not is_over
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
    """Return a version of a bot, and its stored source.

    Raises:
        NotFound: no such version.
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
        files=as_text(source.files),
    )
    return page, source


def team_match_page(
    season: Season, visible: Visible, viewer: Viewer, now: float, number: int
) -> tuple[TeamMatchPage, dict[int, bytes]]:
    """Return the team page of a match, and the bot logs of the seats that the viewer may see.

    Args:
        number: of the match in its season, from 1.

    Raises:
        NotFound: no such match, it is hidden from the viewer, or no seat is theirs.
    """
    match, readable = _finished(season, visible, viewer, number)
    seats = sorted(readable)
    if not seats:
        raise NotFound(f"Your team has no bot in match {number}.")
    record = read_record(results.find(season.connection, match.fixture_id).content)
    logs = journals.find(season.connection, match.fixture_id)
    own_logs = {seat: content for seat, content in logs.items() if seat in seats}
    (line,) = match_lines(season, page_queries.described(season.connection, season.id, [match.fixture_id]))
    lines = log_lines(line.match, record, own_logs, seats)
    return TeamMatchPage(season_head(season, visible, now), line, seats, lines), own_logs


def record_for(season: Season, visible: Visible, viewer: Viewer, number: int) -> bytes:
    """Return the record of a match, without details of faults that the viewer may not see.

    Args:
        number: of the match in its season, from 1.

    Raises:
        NotFound: no such match, or it is hidden from the viewer.
    """
    match, readable = _finished(season, visible, viewer, number)
    content = results.find(season.connection, match.fixture_id).content
    record = read_record(content)
    visible_record = as_seen_by(readable, record)
    if visible_record is record:
        return content
    (line,) = match_lines(season, page_queries.described(season.connection, season.id, [match.fixture_id]))
    # Rules copy details into the recorded reason, too.
    return msgspec.structs.replace(
        visible_record, outcome=msgspec.structs.replace(visible_record.outcome, reason=line.reason)
    ).encode()


def _finished(season: Season, visible: Visible, viewer: Viewer, number: int) -> tuple[Match, frozenset[int]]:
    """Return a finished, visible match, and the seats whose details the viewer may see."""
    match = stored.at(season.connection, season.id, number - 1)
    if match is None or not match.places or match.ordinal >= visible.end:
        raise NotFound(f"There is no match {number} here, or it is not finished.")
    organises = sees_all(viewer, season.league.name)
    return match, readable_seats(season, match.versions, viewer.team or None, organises=organises)


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
    """Return the time at which a version entered a season, None for the start of the season."""
    log = events.events(season.connection, season.id, ["joined", "updated", "suspended", "reinstated"])
    for row in reversed(log):
        if row.content.get("back") == version or (row.kind != "suspended" and row.version_id == version):
            return row.recorded_at
    return None


def _coming(season: Season, newest: VersionRow, *, is_in: bool) -> str:
    """Return why a version does not play yet, in words."""
    if season.is_closed:
        return "The season is closed."
    calendar = season.calendar_of(newest.owner)
    if calendar.has_come("deadline", newest.submitted_at):
        return f"It was submitted after the deadline, {calendar.shown('deadline')}."
    if not is_in:
        why = season_decisions.why_nobody_joins(season, newest.submitted_at, newest.owner)
        return f"It waits for the next season. {why}" if why else "It has not entered the season yet."
    if season.settings.new_versions == "hold":
        return "It enters the next season: this season keeps the versions it started with."
    return "It plays from the next match that has not started."


def _faults(season: Season, visible: Visible, version: VersionRow) -> tuple[list[FaultGroup], int]:
    """Return the faults of a version by cause, and the number of matches that were read."""
    seats = page_queries.faulty_seats(season.connection, season.id, [version.id], visible.end, MAX_RECORDS)
    groups: dict[tuple[str, str, str], FaultGroup] = {}
    for match, of in itertools.groupby(seats, key=lambda row: row[0]):
        record = read_record(results.find(season.connection, match).content)
        counted: set[tuple[str, str, str]] = set()
        for _, seat in of:
            for turn, kind, detail in faults_of(record, seat):
                cause, where = _cause(detail)
                key = kind, re.sub(r"\d+(?:\.\d+)?", "#", cause), where
                earlier = groups.get(key)
                groups[key] = FaultGroup(
                    kind,
                    earlier.cause if earlier else cause,
                    where,
                    (earlier.faults if earlier else 0) + 1,
                    (earlier.matches if earlier else 0) + (key not in counted),
                    earlier.newest if earlier else FaultSeen(season.match_called(match), seat, turn, detail),
                )
                counted.add(key)
    ordered = sorted(groups.values(), key=lambda group: -group.faults)
    return ordered, len({match for match, _ in seats})


def _cause(detail: str) -> tuple[str, str]:
    """Return the message of a fault in one line, and the bot's line that failed, "" for an unknown one.

    A traceback has indented lines for the calls, and then the exception.
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
