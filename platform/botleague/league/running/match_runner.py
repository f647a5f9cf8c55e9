"""The league runner: claims fixtures, has them played, and records their results, all or nothing.

It is the only code that writes results. Whatever is killed, and however many runners share a database, a fixture is
recorded exactly once and the final tables are the same: a claim carries an epoch and a lease, a result is written
together with everything that follows from it, and ratings count results in the order of their ordinal numbers.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from sqlalchemy.engine import Connection

from botleague.errors import MachineryError, PluginError
from botleague.executors import Executor, MatchOutcome
from botleague.league.decisions import close, extend_target
from botleague.league.results import count_in, enter_newest
from botleague.league.running.dispatch import MatchOrders
from botleague.league.running.leases import LEASE_S, RENEW_S, Leases
from botleague.league.running.retried_transactions import Transactions, outlast
from botleague.league.running.runner_report import RunnerReport
from botleague.league.scheduling import expected_matches, plan_more
from botleague.league.season import Gathered, Season, open_season, refuse_if_paused
from botleague.league.season_ratings import rank
from botleague.plugins import PluginHost
from botleague.plugins.boundary import watched
from botleague.referee import MatchReport
from botleague_storage import (
    Database,
    DatabaseAway,
    StorageError,
    bots,
    extensions,
    fixtures,
    journals,
    matches,
    results,
    runners,
)
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.league_rows.ratings import RatingChange
from botleague_storage.league_rows.results import MatchRow, SeatRow
from botleague_storage.queries.match_numbers import MatchNumber

logger = logging.getLogger(__name__)

T = TypeVar("T")
_Held = tuple[Match, MatchReport]

POLL_S = 0.5
PROGRESS_S = 0.1
EXPECT_S = 1.0
"""Seconds between two estimates of the number of matches."""

IDLE_REPORT_S = 60.0
"""Seconds between the reports of a runner that waits for matches."""

RANKING_PAUSE = 20
"""Pause between two batch tables of a season, in multiples of the time that the last one took."""

MIN_FREE_SHARE = 0.05
"""Share of the disk that must be free to store bot logs: the rest is reserved for results."""

ATTEMPTS = 3
"""Attempts per fixture. If the system failed in all of them, the run stops; if a plugin did, other matches continue.

The run also stops after this number of fixtures at which a plugin failed, if none could be played.
"""


class Progress(msgspec.Struct, frozen=True):
    """Progress of a season: fixtures with a result, and fixtures planned or at least expected."""

    done: int
    planned: int


class Runner:
    """Runner of a season: plays it to its end or until it is stopped; the next run resumes.

    A context manager, since it is on the list of runners until its end.

    Args:
        database: the database of the league. While it is unavailable, the runner waits.
        plugins: formats, ratings, and observers to notify.
        name: name of this runner, unique among all that share the database.
        sleep: waits for a number of seconds.
        clock: the time in seconds since the epoch, for calendars.
        steady: seconds on a monotonic clock, for leases.
    """

    def __init__(
        self,
        database: Database,
        plugins: PluginHost,
        executor: Executor,
        name: str,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._steady = steady
        self._database = database
        self._plugins = plugins
        self._executor = executor
        self._name = name
        self._sleep = sleep
        self._transactions = Transactions(database)
        self._under_way: dict[tuple[int, int], Match] = {}
        self._failed: Counter[int] = Counter()
        self._given_up: dict[int, tuple[str, str]] = {}  # number and failure by id
        self._league = ""
        self._has_recorded = False
        self._failed_observers: set[str] = set()
        self._has_said_that_the_disk_is_full = False
        self._leases = Leases(steady)
        self._self_report = RunnerReport(name, clock, steady)
        self._renew_at = 0.0
        self._report_at = 0.0
        self._expect_at = 0.0
        self._rank_at = 0.0
        self._is_ranked = True
        self._rounds: int | None = None
        self._planned = self._expected = 0
        self._entered_state: object = None
        self._is_pausing: Callable[[], bool] = lambda: False

    def run(
        self,
        league: str,
        progress: Callable[[Progress], None],
        *,
        rounds: int | None = None,
        is_over: Callable[[], bool] | None = None,
        is_pausing: Callable[[], bool] = lambda: False,
    ) -> None:
        """Play the league's current season until its format plans nothing more.

        Versions submitted meanwhile enter as the season's setting ``new_versions`` defines.

        Args:
            progress: called regularly.
            rounds: plan nothing after this round, except for bots that wait then; None for no limit.
            is_over: called after each round of reports, and while the database is unavailable; if it returns true,
                running matches are given up.
            is_pausing: if it returns true, no more matches start, and the run ends after the running ones.

        Raises:
            LeaguePaused: an organiser paused the league; its running matches are recorded.
            MachineryError: a match could not be played in several attempts.
            PluginError: a format or a rating system broke its contract; or rules did in some matches, and all other
                matches were played.
            StorageError: the database failed or stayed unavailable; recorded results stay.
        """
        self._transactions = Transactions(self._database, is_over, self._sleep)
        season = self._transactions.read(
            lambda connection: open_season(connection, self._plugins, league, clock=self._clock)
        )
        _ = season.format, season.system, season.openings  # computed here, once for all transactions
        season.kept, self._league = (), season.league.name
        orders = MatchOrders(season)
        self._leases = Leases(self._steady)
        self._renew(season)
        self._write(season, count_in)  # recomputes the fold of another version of botleague
        self._failed.clear()
        self._given_up.clear()
        self._has_recorded, self._is_ranked = False, True
        self._rounds, self._entered_state, self._is_pausing = rounds, None, is_pausing
        self._planned = self._expected = 0
        try:
            while not self._transactions.is_over() and self._step(season, orders):
                if time.monotonic() >= self._report_at:
                    self._report(season, progress)
            self._report(season, progress, is_over=True)
            self._report_given_up()
        except (MachineryError, PluginError) as error:
            self._self_report.failed(self._league, str(error))
            raise
        finally:
            # Matches in progress are released at once, so that a rerun need not wait for leases; they run out by
            # themselves where the server is gone.
            with suppress(DatabaseAway), self._database.writing() as connection:
                fixtures.release(connection, [self._name])
                if not self._is_ranked:
                    rank(season.within(connection))
                self._self_report.write(connection)

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        """Take the runner off the list of runners, unless it has a failure to show."""
        if not self._self_report.has_failed:
            with suppress(StorageError), self._database.writing() as connection:
                runners.remove(connection, self._name)

    def report(self) -> None:
        """Store that this runner waits for matches, at most once a minute."""
        if self._steady() >= self._renew_at - RENEW_S + IDLE_REPORT_S:
            # Nothing depends on it: an unavailable or full database must not end a runner without matches.
            with suppress(StorageError), self._database.writing() as connection:
                self._self_report.write(connection)
            self._renew_at = self._steady() + RENEW_S

    def _write(self, season: Season, work: Callable[[Season], T]) -> T:
        """Return what ``work`` returns, done to the season within one transaction."""

        def attempt(connection: Connection) -> tuple[T, Season]:
            again = season.within(connection)
            again.note_freeze()  # before anything that comes after it
            season.gathered = Gathered()  # a rollback must also undo what was read
            return work(again), again

        done, again = self._transactions.write(attempt)
        season.gathered, season.kept = again.gathered, again.kept
        return done

    def _step(self, season: Season, orders: MatchOrders) -> bool:
        """Submit matches to the executor and record finished ones. Return whether the season continues."""
        is_pausing = self._is_pausing()
        free = 0 if is_pausing else self._executor.capacity - len(self._under_way)
        if free > 0:
            claims, self._entered_state = self._write(
                season, lambda season: self._claim(season, orders, free)
            )
            self._transactions.was_lost = False
            for claim in claims:
                self._under_way[claim.fixture_id, claim.epoch] = claim
                self._executor.submit(orders.make(claim.fixture_id, claim.epoch, claim.seed, claim.versions))
            orders.forget()
        if not self._under_way:
            if is_pausing:
                return False
            match self._plan(season):
                case "over":
                    return False
                case "planned":
                    return True
                case "elsewhere":
                    pass  # another runner plays the rest; it may still leave matches
        self._take_in(season, orders, self._executor.wait(POLL_S))
        if not self._is_ranked and self._steady() >= self._rank_at:
            self._write(season, lambda season: self._rank(season, is_revised=False))
        if self._steady() >= self._renew_at:
            self._renew(season)
        return True

    def _claim(self, season: Season, orders: MatchOrders, limit: int) -> tuple[list[Match], object]:
        """Claim the next matches with the newest versions; return them, and the state in which versions entered."""
        connection = season.connection
        if season.calendar.has_come("ends", self._clock()):
            close(season, "the calendar of the season says so")
            return [], self._entered_state
        if season.pause is not None:
            return [], self._entered_state
        if self._transactions.was_lost:
            # Without this, a committed claim whose confirmation was lost would be renewed forever.
            fixtures.release(connection, [self._name], keep={fixture for fixture, _ in self._under_way})
        state = bots.last_version(connection), extensions.extensions(connection, season.id)
        if state != self._entered_state:
            enter_newest(season)
        # Other runners may have released matches that run here: a stopped runner looks dead.
        under_way = (fixture for fixture, _ in self._under_way)
        claims = fixtures.claim(
            connection, season.id, self._name, self._clock() + LEASE_S, limit, {*self._given_up, *under_way}
        )
        orders.load(connection, {version for claim in claims for version in claim.versions})
        return claims, state

    def _plan(self, season: Season) -> Literal["planned", "elsewhere", "over"]:
        """Plan more matches if all are played. Return whether any are left, and where."""
        has_tried = False

        def plan(season: Season) -> Literal["planned", "elsewhere", "over"]:
            nonlocal has_tried
            refuse_if_paused(season)
            if fixtures.is_open(season.connection, season.id):
                if not fixtures.is_open(season.connection, season.id, self._given_up):
                    return "over"
                # A repeated transaction finds its own plan.
                return "planned" if has_tried else "elsewhere"
            has_tried = True
            last = matches.last_round(season.connection, season.id)
            if (
                self._rounds is not None
                and last >= self._rounds
                and last >= extend_target(season, self._rounds)
            ):
                return "over"
            with season.connection.begin_nested() as attempt:
                if enter_newest(season, is_planning=True):
                    if plan_more(season) or fixtures.is_open(season.connection, season.id):
                        return "planned"
                    attempt.rollback()  # a version without a match enters the next season
                    season.unread()  # it may have read what was rolled back
            return "planned" if plan_more(season.within(season.connection)) else "over"

        return self._write(season, plan)

    def _take_in(self, season: Season, orders: MatchOrders, outcomes: Sequence[MatchOutcome]) -> None:
        """Record finished matches, all in one transaction."""
        held: list[_Held] = []
        void: list[tuple[Match, MatchOutcome]] = []
        for outcome in outcomes:
            claim = self._under_way.pop((outcome.fixture, outcome.epoch))
            if outcome.report is None:
                void.append((claim, outcome))
            else:
                held.append((claim, outcome.report))
        if held:
            rows = [(claim.fixture_id, claim.epoch, match_row(claim, report)) for claim, report in held]

            def record(season: Season) -> tuple[list[_Held], list[RatingChange], dict[int, int]]:
                # Refused matches were cancelled, or another runner took over their claim and records them.
                accepted = results.add_all(season.connection, rows)
                recorded = [one for one in held if (one[0].fixture_id, one[0].epoch) in accepted]
                journals.add_all(season.connection, season.id, self._journals(recorded))
                changes = count_in(season, ranked=self._rank) if recorded else []
                matches = {claim.ordinal: claim.fixture_id for claim, _ in held}
                earlier = {change.ordinal for change in changes} - matches.keys()
                earlier_ids = fixtures.ids(season.connection, season.id, sorted(earlier))
                return recorded, changes, matches | earlier_ids

            recorded, changes, matches = self._write(season, record)
            self._has_recorded = True
            self._self_report.finished(len(recorded))
            self._tell(orders, recorded, changes, matches)
        for claim, outcome in void:
            self._void(claim, outcome)

    def _rank(self, season: Season, is_revised: bool) -> None:
        """Store the batch table that is due, unless only rounds are new and the last table recently took long."""
        started = self._steady()
        self._is_ranked = rank(season, recompute=is_revised, may_lag=started < self._rank_at)
        if started >= self._rank_at:
            finished = self._steady()
            self._rank_at = finished + RANKING_PAUSE * (finished - started)

    def _journals(self, held: Sequence[_Held]) -> list[tuple[int, int, int, bytes]]:
        """Return the journals of matches as they are stored, or none if the disk is nearly full."""
        if self._database.free_share() < MIN_FREE_SHARE:
            if not self._has_said_that_the_disk_is_full:
                logger.warning(
                    "Less than %.0f %% of the disk of %s is free, so bot logs are not stored. Free some disk space; "
                    "matches continue.",
                    100 * MIN_FREE_SHARE,
                    self._database.place,
                )
            self._has_said_that_the_disk_is_full = True
            return []
        return [
            (claim.fixture_id, seat, version, used.journal)
            for claim, report in held
            for seat, (version, used) in enumerate(zip(claim.versions, report.seats, strict=True))
        ]

    def _void(self, claim: Match, outcome: MatchOutcome) -> None:
        self._transactions.write(
            lambda connection: results.add_void(connection, claim.fixture_id, claim.epoch, outcome.failure)
        )
        self._self_report.failed(self._league, outcome.failure)
        # Only attempts of this run count: the user may have fixed the cause before running the command again.
        self._failed[claim.fixture_id] += 1
        if self._failed[claim.fixture_id] < ATTEMPTS:
            return
        called = str(MatchNumber(self._league, None, claim.ordinal + 1))
        if not outcome.is_final:
            raise MachineryError(
                f"Match {called} could not be played in {ATTEMPTS} attempts: {outcome.failure.rstrip('.')}. "
                "Fix the cause and run the same command again; it resumes from the recorded results."
            )
        self._given_up[claim.fixture_id] = called, outcome.failure
        if len(self._given_up) >= ATTEMPTS and not self._has_recorded:
            self._report_given_up()

    def _report_given_up(self) -> None:
        if not self._given_up:
            return
        match, failure = next(iter(self._given_up.values()))
        number = len(self._given_up)
        which = f"Match {match}" if number == 1 else f"{number} matches, the first of them match {match},"
        rest = (
            "All other matches are played and recorded." if self._has_recorded else "Nothing else was tried."
        )
        raise PluginError(
            f"{which} could not be played in {ATTEMPTS} attempts each: {failure} {rest} Fix the plugin and run the "
            "same command again."
        )

    def _renew(self, season: Season) -> None:
        """Renew this runner's lease, free what dead or expired runners hold, and checkpoint the database."""

        def renew(connection: Connection) -> None:
            fixtures.renew(connection, self._name, self._clock() + LEASE_S)
            leases = {name: until for name, _, until in fixtures.claims(connection, season.id)}
            gone = {*filter(is_dead, leases), *self._leases.run_out(leases)} - {self._name}
            if gone:
                fixtures.release(connection, sorted(gone))
            self._self_report.write(connection)

        self._transactions.write(renew)
        self._renew_at = self._steady() + RENEW_S
        outlast(self._database.checkpoint, self._transactions.is_over, self._sleep)

    def _tell(
        self,
        orders: MatchOrders,
        held: Sequence[_Held],
        changes: Sequence[RatingChange],
        matches: Mapping[int, int],
    ) -> None:
        """Notify observing plugins after everything is recorded; ``matches`` are ids by ordinal number."""
        hook = self._plugins.manager.hook
        is_observed = hook.botleague_match_finished.get_hookimpls()
        for claim, report in held if is_observed else ():
            names = tuple(orders.names[version] for version in claim.versions)
            with watched("botleague_match_finished", self._failed_observers):
                hook.botleague_match_finished(
                    league=orders.league.name, match=claim.fixture_id, bots=names, outcome=report.outcome
                )
        is_observed = hook.botleague_rating_changed.get_hookimpls()
        for change in changes if is_observed else ():
            name = orders.names.get(change.version_id)
            if name is not None:
                with watched("botleague_rating_changed", self._failed_observers):
                    hook.botleague_rating_changed(
                        league=orders.league.name,
                        match=matches[change.ordinal],
                        bot=name,
                        before=change.before,
                        after=change.after,
                    )

    def _report(self, season: Season, progress: Callable[[Progress], None], *, is_over: bool = False) -> None:
        planned, done = self._transactions.read(lambda connection: fixtures.counts(connection, season.id))
        # This reads all entrants, which takes too long for every round of a large ladder.
        if planned != self._planned and not is_over and time.monotonic() >= self._expect_at:
            self._planned, self._expect_at = planned, time.monotonic() + EXPECT_S
            self._expected, _ = self._transactions.read(
                lambda connection: expected_matches(season.within(connection), self._rounds)
            )
        progress(Progress(done, planned if is_over else max(planned, self._expected)))
        self._report_at = time.monotonic() + PROGRESS_S


def match_row(claim: Match, report: MatchReport) -> MatchRow:
    """Return a report as it is stored."""
    return MatchRow(
        reason=report.outcome.reason,
        layers=report.layers,
        turns=report.turns,
        wall_ms=report.wall_ms,
        seats=tuple(
            SeatRow(version_id=version, **result)
            for version, result in zip(claim.versions, report.results(), strict=True)
        ),
        content=report.record,
        game_digest=report.game_digest,
    )


def runner_name() -> str:
    """Return a name for this process as a runner: machine, process id and its start, so that no other has it."""
    return f"{socket.gethostname()}/{os.getpid()}/{_started(os.getpid())}"


def is_dead(name: str) -> bool:
    """Return whether ``name`` belongs to a process of this machine that has ended."""
    try:
        machine, process, started = name.rsplit("/", 2)
        return machine == socket.gethostname() and _started(int(process)) != started
    except ValueError:
        return False


def _started(process: int) -> str:
    """Return the start of a process, in clock ticks since boot; "" without such a process."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return ""
    return fields.rpartition(")")[2].split()[19]
