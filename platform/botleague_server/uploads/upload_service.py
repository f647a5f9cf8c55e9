"""Uploads, from their files to a version that plays: limits, two queues, checks, and entry into the season.

An upload is stored as it arrives. There are two queues, which serve the owners in turns. In the first one an upload is
unpacked and its language checked; this takes a tenth of a second, so its author has a quick answer. Then it waits in
the second one for its games, and its verdict is stored in one transaction. A thread per queue gives the work to a
process, :mod:`botleague_server.uploads.upload_worker`. A killed process leaves an upload waiting; the next one to start
takes it over, or another one when its lease is over.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.authoring import SubmissionResult, zipped
from botleague.application.workspace import Workspace
from botleague.errors import BotleagueError, MachineryError, Problem, UsageError, VariantNotFound, counted
from botleague.executors.served_time import ServedTime
from botleague.league import Season, is_dead, open_season, runner_name
from botleague.league.decisions import season_decisions
from botleague.league.results import refused_by_settings, too_late_for
from botleague.league.submission import (
    MAX_FILES,
    MAX_TOTAL_BYTES,
    NamedBot,
    NameTaken,
    announce,
    check_name,
    store,
    stored_version,
)
from botleague.league.trials import Game, budget_ms
from botleague.names import bot_name
from botleague.referee import Player
from botleague.rules import Variant
from botleague.rules.variant import Imports
from botleague.workers import ChildProcess
from botleague_sandbox import clean_text, diagnose
from botleague_server.accounts import DAY_S
from botleague_server.monitoring import counts_at
from botleague_server.serving import LimitReached
from botleague_server.uploads.upload_worker import CheckOrder, CheckResult
from botleague_storage import Database, StorageError, bots, leagues, page_queries, uploads
from botleague_storage.league_rows.bots import VersionRow
from botleague_storage.people_rows.uploads import Limits, Stage, UploadRow

logger = logging.getLogger(__name__)

MAX_CHECK_S: Mapping[Stage, float] = {"language": 30.0, "games": 90.0}
"""Seconds for one check, beyond the time charged to the bot. Time that the machine loses does not count."""

POLL_INTERVAL_S = 1.0
"""Seconds between polls of a process that checks."""

LEASE_S = 60.0
"""Seconds after which an upload can be claimed again; renewed while it is checked."""

AT_A_TIME: Mapping[Stage, int] = {"language": 8, "games": 1}
"""Uploads claimed and stored together: waiting for the write lock may take as long as a check."""

IDLE_S = 0.25
FIRST_RETRY_S, MAX_RETRY_S = 0.5, 10.0
"""Pauses after the second and after many failures in a row; each one doubles: the cause may be this machine."""

GAMES_SHARE = 0.15
MAX_REST_S = 2.0
"""On a busy machine, games of checks take this share of the time, with a rest of at most ``MAX_REST_S`` after each.

Rated matches need the processors. Bots with long games wait long enough for them.
"""

RUSH, RUSH_S = 8, 5.0
"""A rush is this number of language checks within this number of seconds. Games then rest on a busy machine."""

GATHERING_S = 1.0
"""Seconds that language checks rest in a rush while nothing waits: later uploads are then stored together."""

MAX_TRIES = 5
"""Attempts at a check that fails because of the machine: a program that causes this must not block others."""

T = TypeVar("T")


class UploadVerdict(SubmissionResult, frozen=True):
    """Verdict on an upload: the result of a local submission, and the test matches."""

    games: tuple[Game, ...] = ()


class RemainingQuota(msgspec.Struct, frozen=True):
    """Remaining uploads of an owner in a league.

    Attributes:
        today: number of remaining uploads within 24 hours.
        wait_s: seconds until the next upload, 0 for now.
    """

    limits: Limits
    today: int
    wait_s: float


def refuse_weaker_settings(workspace: Workspace) -> None:
    """Refuse settings with a weaker profile than ``strong``, which uploads need.

    Raises:
        UsageError: the profile is weaker.
    """
    profile = workspace.settings.sandbox
    if profile != "strong":
        raise UsageError(
            f"Anyone who logs in can submit bots, which requires the sandbox profile strong; the settings say "
            f"{profile!r} (`botleague config` shows where). Remove that setting, or serve without --open."
        )


def refuse_where_unsafe() -> None:
    """Refuse to check uploads on a machine that cannot isolate them fully; takes a few seconds.

    Raises:
        UsageError: this machine does not support the profile.
    """
    if not diagnose(tiers=()).is_strong:
        raise UsageError(
            "Anyone who logs in can submit bots, but this machine cannot isolate them. Run `botleague doctor` to see "
            "what is missing, or serve without --open."
        )


def limits_of(connection: Connection, league_id: int) -> Limits:
    """Return the limits of a league as enforced: the size is at most that of a bot."""
    limits = uploads.limits(connection, league_id)
    return msgspec.structs.replace(limits, size=min(limits.size, MAX_TOTAL_BYTES))


def remaining_quota(connection: Connection, league_id: int, owner: str, now: float) -> RemainingQuota:
    """Return the remaining uploads of an owner in a league."""
    limits = limits_of(connection, league_id)
    times = uploads.received(connection, league_id, owner, now - DAY_S)
    # Later times come from before the clock was set back.
    latest = next((time for time in times if time <= now), now - limits.gap_s)
    wait = max(0.0, latest + limits.gap_s - now)
    if len(times) >= limits.a_day:
        wait = max(wait, times[limits.a_day - 1] + DAY_S - now)
    return RemainingQuota(limits, max(0, limits.a_day - len(times)), wait)


def receive(
    connection: Connection,
    league: str,
    account_id: int,
    owner: str,
    files: Sequence[tuple[str, bytes]],
    now: float,
    *,
    bot: str = "",
    entry: str = "",
) -> int:
    """Store an upload in the queue and return its number. Needs a write transaction.

    Args:
        now: start of its arrival, in seconds since the epoch.

    Raises:
        LimitReached: the owner has no upload left for now; nothing is stored.
        UsageError: invalid name, no files, or too large.
        NotFound: no such league.
    """
    league_id = leagues.id_of(connection, league)
    arrived = counts_at(connection, league_id, owner, now)
    quota = remaining_quota(connection, league_id, owner, now)
    if quota.wait_s > 0:
        raise LimitReached(
            f"{owner} has submitted {quota.limits.a_day - quota.today} of {quota.limits.a_day} times within 24 hours, "
            f"and {quota.limits.gap_s:g} seconds must pass between two uploads. You can submit again in "
            f"{in_words(quota.wait_s)}.",
            quota.wait_s,
        )
    if not files or not any(content for _, content in files):
        raise UsageError("No files were submitted: choose a .py file, several files, or a .zip.")
    if len(files) > MAX_FILES:
        raise UsageError(f"These are {len(files)} files. Submit at most {MAX_FILES}, or a .zip.")
    if (size := sum(len(content) for _, content in files)) > quota.limits.size:
        raise UsageError(f"These are {size // 1000} kB; at most {quota.limits.size // 1000} kB are accepted.")
    if len(entry) > 256 or not entry.isprintable():
        raise UsageError("The entry module is not a valid name: write it like team.py or team.py:Player.")
    called = bot_name(bot) if bot else ""
    return uploads.add(connection, league_id, account_id, owner, called, entry, files, arrived)


def go_back(connection: Connection, league: str, account_id: int, bot: str, number: int, now: float) -> int:
    """Submit the source of an earlier version of a bot again, and return the number of the upload.

    It is an upload like any other: limited, checked, and entered by the league's settings. Needs a write transaction.

    Raises:
        LimitReached: the owner has no upload left for now; nothing is stored.
        UsageError: it is the newest version.
        NotFound: no such league or version.
    """
    row = leagues.find(connection, league)
    version = bots.find_version(connection, row.game, bot, number=number)
    if number == bots.find(connection, row.game, bot).versions:
        raise UsageError(f"Version {number} of {bot} is already the newest version.")
    source = bots.source_of(connection, version.id)
    files = [(f"{bot}.zip", zipped(source.files))]
    return receive(connection, league, account_id, version.owner, files, now, bot=bot, entry=source.entry)


class UploadChecks:
    """Checks of uploads: a queue for languages, and one for games.

    Args:
        workspace: settings and plugins.
        database: opened for writing.
        changed: called after each verdict.
        longest_s: seconds for one check, beyond the time charged to the bot.
    """

    def __init__(
        self,
        workspace: Workspace,
        database: Database,
        changed: Callable[[], None],
        longest_s: Mapping[Stage, float] = MAX_CHECK_S,
    ) -> None:
        self._database = database
        self._has_begun = False
        recent = deque[float](maxlen=RUSH)
        self._queues = [
            _Queue(stage, workspace, database, changed, recent, seconds)
            for stage, seconds in longest_s.items()
        ]

    def start(self) -> None:
        """Start."""
        for queue in self._queues:
            queue.start()
        self._has_begun = True

    @property
    def is_alive(self) -> bool:
        """Whether uploads are checked, or will be once the sandbox has been tested."""
        return not self._has_begun or all(queue.is_alive() for queue in self._queues)

    def forget(self) -> None:
        """Use new processes for the next checks, since the running ones remember sources, after a person was erased."""
        for queue in self._queues:
            queue.forget()

    def close(self) -> None:
        """End. Unfinished checks are repeated by the next server."""
        for queue in self._queues:
            queue.stop()
        for queue in self._queues if self._has_begun else ():
            queue.join()


class _Queue(threading.Thread):
    """Queue of uploads, which are checked one after another; some are claimed together.

    Args:
        recent: times of the last language checks, on the monotonic clock.
        longest_s: seconds for one check, beyond the time charged to the bot.
    """

    def __init__(
        self,
        stage: Stage,
        workspace: Workspace,
        database: Database,
        changed: Callable[[], None],
        recent: deque[float],
        longest_s: float,
    ) -> None:
        super().__init__(name=f"uploads: {stage}", daemon=True)
        self._stage = stage
        self._plugins = workspace.plugins
        self._database = database
        self._changed = changed
        self._recent = recent
        self._longest_s = longest_s
        self._leased: Sequence[UploadRow] = ()
        self._renewed_at = 0.0
        self._setup = workspace.host_setup
        self._host: ChildProcess | None = None
        self._failures = 0  # in a row
        self._complaint = ""  # about the last one
        self._has_begun = False
        self._is_over = threading.Event()
        self._forgets = threading.Event()

    def forget(self) -> None:
        """Use another process for the next checks."""
        self._forgets.set()

    def stop(self) -> None:
        """End soon."""
        self._is_over.set()
        self._end_host()

    def run(self) -> None:
        """Check uploads until stopped."""
        pause = 0.0
        while not self._is_over.wait(pause):
            begun = time.monotonic()
            try:
                checked = self._check_some() if self._has_begun else self._begin()
                pause = IDLE_S if not checked else self._rest_s(time.monotonic() - begun, checked)
                self._failures, self._complaint = 0, ""
            except Exception as error:  # any failure: other uploads must still be checked
                if not self._is_over.is_set():
                    is_expected = isinstance(error, BotleagueError | StorageError | OSError)
                    reason = str(error) if is_expected else "".join(traceback.format_exception(error))
                    if reason != self._complaint:  # once, and not every second of a night
                        logger.error("Uploads cannot be checked now: %s", reason)
                    self._complaint = reason
                self._failures += 1
                pause = retry_s(self._failures)
        self._end_host()

    def _rest_s(self, taken_s: float, checked: int) -> float:
        if os.getloadavg()[0] < len(os.sched_getaffinity(0)):
            return 0.0
        is_rush = len(self._recent) == RUSH and time.monotonic() - self._recent[0] < RUSH_S
        return rest_s(self._stage, checked, taken_s, is_rush=is_rush)

    def _begin(self) -> int:
        """Release the uploads of processes that ended, and check an empty bot for each variant of a league.

        On a busy machine the first check takes seconds.
        """
        with self._database.writing() as connection:
            uploads.release(connection, [name for name in uploads.claimants(connection) if is_dead(name)])
        self._has_begun = True
        with self._database.reading() as connection:
            played = {row.variant for row in leagues.leagues(connection)} & self._plugins.variants.keys()
        for variant in sorted(played) if self._stage == "language" else ():
            self._ask(CheckOrder(variant, "refuse", "", "", [("bot.py", b"\n")], plays=False))
        return 1

    def _check_some(self) -> int:
        """Check the next uploads; return their number."""
        if self._forgets.is_set():
            self._forgets.clear()
            self._end_host()
        # Without the write lock: most of the time nothing waits.
        with self._database.reading() as connection:
            if not uploads.is_any_waiting(connection, self._stage, time.time(), LEASE_S):
                return 0
        now, most = time.time(), AT_A_TIME[self._stage]
        with self._database.writing() as connection:
            claim = partial(uploads.claim, connection, self._stage, runner_name(), now, LEASE_S)
            rows = list(islice(iter(claim, None), most))
        with self._database.reading() as connection:
            names = {row.league for row in rows}
            seasons = {name: open_season(connection, self._plugins, name) for name in names}
        judged: list[tuple[UploadRow, UploadVerdict, Player | None]] = []
        failure: BotleagueError | None = None
        self._renewed_at = now
        for row in rows:
            self._leased = rows[len(judged) :]
            try:
                judged.append((row, *self._judge(row, seasons[row.league])))
                self._failures = 0
            except (MachineryError, VariantNotFound) as error:  # uploads to other leagues must be checked
                failure = error
                break
        self._note(judged, rows[len(judged) :])
        if self._stage == "language":
            self._recent.extend([time.monotonic()] * len(rows))
        if failure is not None:
            raise failure
        return len(rows)

    def _judge(self, row: UploadRow, season: Season) -> tuple[UploadVerdict, Player | None]:
        """Return the verdict on an upload, and its bot if nothing is wrong with it.

        Raises:
            MachineryError: this machine could not check it.
            VariantNotFound: the league's variant is not installed.
        """
        if row.tries > MAX_TRIES:
            problem = f"It was not checked: the check failed {MAX_TRIES} times on this machine. Contact the organiser."
            findings: tuple[Problem, ...] = (Problem(MachineryError.code, problem),)
            verdict = UploadVerdict("", row.bot, row.owner, "refused", problems=(problem,), findings=findings)
            return verdict, None
        with self._database.reading() as connection:
            files = uploads.content(connection, row.id)
        imports, is_last = season.settings.imports or season.variant.imports, self._stage == "games"
        charged_ms = budget_ms(season.variant) if is_last else season.variant.time.load_ms
        order = CheckOrder(season.league.variant, imports, row.bot, row.entry, files, is_last, charged_ms)
        result = self._ask(order)
        player, problems, findings = result.player, result.problems, result.findings
        if player is not None and not problems and not is_last:
            findings = self._refusals(row, player, season.variant)
            problems = tuple(one.message for one in findings)
        done = UploadVerdict(
            _label(files),
            player.name if player else row.bot,
            row.owner,
            "refused",
            digest=player.digest if player else "",
            files=tuple(player.files) if player else (),
            problems=problems,
            findings=findings,
            warnings=result.warnings,
            notes=result.notes,
            games=result.games,
        )
        return done, None if problems else player

    def _note(
        self, judged: Sequence[tuple[UploadRow, UploadVerdict, Player | None]], unjudged: Sequence[UploadRow]
    ) -> None:
        """Store verdicts in few transactions, as others write, too.

        Args:
            unjudged: the first one failed; the others wait for another process.
        """
        is_last = self._stage == "games"
        with self._database.writing() as connection:
            for row, done, player in judged:
                if player is None:
                    uploads.finish(connection, row.id, "refused", msgspec.to_builtins(done))
            if not is_last:
                passed = [row.id for row, _, player in judged if player is not None]
                uploads.let_through(connection, passed, time.time())
            for row in unjudged[:1]:
                uploads.postpone(connection, row.id, time.time() + retry_s(row.tries))
            uploads.give_back(connection, [row.id for row in unjudged[1:]])
        for row, done, player in judged:
            if player is not None and is_last:
                self._accept(row, done, player)
        self._changed()

    def _refusals(self, row: UploadRow, player: Player, variant: Variant) -> tuple[Problem, ...]:
        """Return why a bot's name is refused, as far as that is known before its games."""
        bot = NamedBot(player, is_guessed=not row.bot)
        with self._database.reading() as connection:
            try:
                check_name(player.name, variant, self._plugins)
                stored_version(connection, variant.game, bot, row.owner)
            except UsageError as error:
                return (_for_strangers(error),)
        return ()

    def _accept(self, row: UploadRow, done: UploadVerdict, player: Player) -> None:
        """Store a version and enter it, or refuse it for reasons in the database, in one transaction."""
        stored: list[tuple[VersionRow, bool]] = []
        with self._database.writing() as connection:
            if not uploads.is_waiting(
                connection, row.id
            ):  # for example after its author's account was erased
                return
            season = open_season(connection, self._plugins, row.league)
            limits = limits_of(connection, season.league.id)
            try:
                check_name(player.name, season.variant, self._plugins)
                mine = uploads.bots_in(connection, season.league.id, row.owner) | {player.name}
                if len(mine) > limits.bots:
                    raise UsageError(
                        f"{row.owner} has {counted(limits.bots, 'bot')} in this league, the maximum per "
                        "owner. Submit it under the name of one of them, as a new version."
                    )
                imports: Imports = "lenient" if done.warnings else "refuse"
                bot = NamedBot(player, is_guessed=not row.bot).with_imports(imports)
                stored = store(
                    connection, [bot], season.variant, self._plugins, lambda: row.owner, goes_back=True
                )
            except UsageError as error:
                problem = _for_strangers(error)
                refused = msgspec.structs.replace(done, problems=(problem.message,), findings=(problem,))
                uploads.finish(connection, row.id, "refused", msgspec.to_builtins(refused))
            else:
                ((version, is_new),) = stored
                outcome = "accepted" if is_new else "unchanged"
                if is_new:
                    # Waiting in the queue must not make an author miss a deadline.
                    version = msgspec.structs.replace(version, submitted_at=row.received_at)
                notes = (
                    *done.notes,
                    *too_late_for(connection, self._plugins, version),
                    *refused_by_settings(connection, self._plugins, version),
                )
                if not page_queries.entered(connection, season.id, version.game, version.bot):
                    why = season_decisions.why_nobody_joins(
                        season, row.received_at, row.owner, is_public=True
                    )
                    if not why and not season.is_closed:
                        why = _enter(season, version.id, row.received_at)
                    if why:
                        notes = (*notes, f"{version.bot} waits for the next season. {why}")
                done = msgspec.structs.replace(done, outcome=outcome, version=version.number, notes=notes)
                uploads.finish(connection, row.id, outcome, msgspec.to_builtins(done), version.id)
                bots.set_submitted(connection, version.id, version.submitted_at)
        announce(self._plugins, stored)

    def _ask(self, order: CheckOrder) -> CheckResult:
        """Send an order to the process and return its result.

        Raises:
            MachineryError: this machine could not check it; the next order gets a new process.
        """
        host = self._host = self._host or ChildProcess("botleague_server.uploads.upload_worker", self._setup)
        # A source that breaks its process is checked twice.
        longest_s = self._longest_s + 2 * order.budget_ms / 1000
        frame = None
        try:
            with contextlib.suppress(OSError, ValueError):  # it died, or was killed
                host.write(order)
                served = ServedTime(host.pid, 2 * POLL_INTERVAL_S)
                while not (has_answer := host.has_answer(POLL_INTERVAL_S)) and served.look() < longest_s:
                    self._renew()
                frame = host.read() if has_answer else None
        finally:
            if frame is None:  # a late answer must not become the answer to another order
                self._host = None
                host.end()
        if frame is None:
            raise MachineryError(f"An upload was not checked. {host.death()}")
        checked = msgspec.msgpack.decode(frame, type=CheckResult)
        if checked.failure:
            raise MachineryError(checked.failure)
        return checked

    def _renew(self) -> None:
        """Renew the lease of claimed uploads, if it is due."""
        now = time.time()
        if self._leased and abs(now - self._renewed_at) > LEASE_S / 3:  # or the clock was set back
            self._renewed_at = now
            with self._database.writing() as connection:
                uploads.renew(connection, [row.id for row in self._leased], now + LEASE_S)

    def _end_host(self) -> None:
        host, self._host = self._host, None
        if host is not None:
            host.end()


def rest_s(stage: Stage, checked: int, taken_s: float, *, is_rush: bool) -> float:
    """Return the seconds that a queue rests on a busy machine after some checks that took ``taken_s`` seconds."""
    if stage == "games":
        return RUSH_S if is_rush else min(MAX_REST_S, taken_s * (1 / GAMES_SHARE - 1))
    return GATHERING_S if is_rush and checked < AT_A_TIME[stage] else 0.0


def retry_s(failures: int) -> float:
    """Return the seconds to wait after a number of failures in a row."""
    return min(MAX_RETRY_S, FIRST_RETRY_S * 2.0 ** min(failures - 2, 10)) if failures > 1 else 0.0


def _for_strangers(error: UsageError) -> Problem:
    """Return a refusal as its author may see it."""
    text = error.for_strangers if isinstance(error, NameTaken) else str(error)
    return Problem(error.code, text)


def _label(files: Sequence[tuple[str, bytes]]) -> str:
    return " ".join(clean_text(files[0][0], 80).split()) if len(files) == 1 else f"{len(files)} files"


def in_words(seconds: float) -> str:
    """Return a waiting time in words, rounded up."""
    if seconds < 90:
        return f"{math.ceil(seconds)} s"
    return f"{math.ceil(seconds / 60)} min" if seconds < 5400 else f"{math.ceil(seconds / 3600)} h"


def _enter(season: Season, version: int, received_at: float) -> str:
    """Add a new bot to a season; return why its format cannot work with it, "" if it can."""
    try:
        with season.connection.begin_nested():
            season_decisions.add_newcomers(season, [version], season.roster.divisions[-1], received_at)
    except UsageError as error:
        return str(error)
    return ""
