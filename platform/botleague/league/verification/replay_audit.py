"""Random audits: a share of a season's matches is played again from its seed, to check that the result repeats.

The season's seed decides which matches are audited. A match with the same record again is reproducible. If the record
differs, the match is played once more: bots that read clocks, or think until their time is up, are not deterministic,
so a match with a third record is reported as not reproducible, and its result stands. If both new runs agree with each
other and not with the record, the result is void and flagged.

Source: RATINGS, sections 10 and 11.
"""

from __future__ import annotations

import hashlib
import shlex
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Literal

import msgspec
from sqlalchemy.engine import Connection

from botleague.errors import MachineryError
from botleague.executors import Executor, MatchOutcome
from botleague.league.results import count_in
from botleague.league.running import ATTEMPTS, MatchOrders, Progress, Transactions
from botleague.league.season import Season, in_force, open_season
from botleague.plugins import PluginHost
from botleague_storage import Database, events, fixtures, matches, results
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.league_rows.results import MatchRow
from botleague_storage.queries.match_numbers import MatchNumber

Verdict = Literal["same", "clock", "differs"]

POLL_S = 0.5
USES_ITS_TIME = 0.5
"""Share of the time limit: a bot that uses more on average may exceed the limit in some turns."""


class Deviation(msgspec.Struct, frozen=True):
    """A match that did not repeat its result, by its number."""

    match: str
    verdict: Verdict

    @property
    def text(self) -> str:
        """The finding in words."""
        if self.verdict == "clock":
            return (
                f"Audit: match {self.match} cannot be reproduced: its bots depend on their clocks. "
                "The result stands."
            )
        return (
            f"Audit: match {self.match} was played twice more with the same outcome, which differs from the "
            "recorded one. Its result is void; "
            f"see `botleague replay {shlex.quote(self.match)}`."
        )


def is_chosen(seed: int, ordinal: int, share: float) -> bool:
    """Return whether match ``ordinal`` of a season with this seed is audited."""
    digest = hashlib.sha256(f"{seed}/audit/{ordinal}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def audit(
    database: Database,
    plugins: PluginHost,
    executor: Executor,
    league: str,
    progress: Callable[[Progress], None],
    sleep: Callable[[float], None] = time.sleep,
    *,
    is_over: Callable[[], bool] | None = None,
) -> list[Deviation]:
    """Audit the chosen matches of the current season that were not yet; return those that did not repeat their result.

    Args:
        sleep: waits for a number of seconds, while the database is unavailable.
        is_over: called regularly; if it returns true, running matches are given up.

    Raises:
        MachineryError: a match could not be played in several attempts.
    """
    transactions = Transactions(database, is_over, sleep)
    season = transactions.read(lambda connection: open_season(connection, plugins, league))
    if not season.settings.audit:
        return []
    chosen = transactions.read(lambda connection: _chosen(season.within(connection)))
    orders = MatchOrders(season)
    move_ms = season.time.move_ms
    deviations: list[Deviation] = []
    waiting = list(reversed(chosen))
    under_way: dict[int, _Trial] = {}
    verdicts: dict[int, Verdict] = {}
    unnoted = deque(match.fixture_id for match in chosen)
    called = {match.fixture_id: str(MatchNumber(league, None, match.ordinal + 1)) for match in chosen}

    def submit(trial: _Trial) -> None:
        match = trial.match
        trial.attempts += 1
        transactions.read(lambda connection: orders.load(connection, set(match.versions)))
        under_way[match.fixture_id] = trial
        # Each repeat counts like a claim: after two that a pause left undecided the clocks decide.
        executor.submit(orders.make(match.fixture_id, trial.attempts, match.seed, match.versions))

    while (waiting or under_way) and not transactions.is_over():
        progress(Progress(len(chosen) - len(waiting) - len(under_way), len(chosen)))
        while waiting and len(under_way) < executor.capacity:
            match = waiting.pop()
            submit(_Trial(match, transactions.read(partial(results.find, fixture_id=match.fixture_id))))
        for outcome in executor.wait(POLL_S):
            trial = under_way.pop(outcome.fixture)
            verdict = trial.judge(outcome, move_ms)
            if verdict is None:
                submit(trial)
                continue
            verdicts[outcome.fixture] = verdict
            # In order of matches, not of finishing: events are chained by number.
            while unnoted and unnoted[0] in verdicts:
                fixture = unnoted.popleft()
                transactions.write(partial(_note, season, fixture, verdicts[fixture]))
                if verdicts[fixture] != "same":
                    deviations.append(Deviation(called[fixture], verdicts[fixture]))
        orders.forget()
    progress(Progress(len(chosen) - len(waiting) - len(under_way), len(chosen)))
    return deviations


class _Trial(msgspec.Struct):
    """A match under audit, and the record of its first repeat."""

    match: Match
    stored: MatchRow
    again: bytes | None = None
    attempts: int = 0
    failed: int = 0

    def judge(self, outcome: MatchOutcome, move_ms: float) -> Verdict | None:
        """Return the verdict, or None if the match must be played once more.

        Raises:
            MachineryError: the match could not be played in several attempts.
        """
        if outcome.report is None:
            self.failed += 1
            if outcome.is_final or self.failed >= ATTEMPTS:
                raise MachineryError(f"A match could not be played again for the audit: {outcome.failure}")
            return None
        record = outcome.report.record
        if self.again is None:
            self.again = record
            return "same" if record == self.stored.content else None
        return "differs" if record == self.again and not _uses_its_time(self.stored, move_ms) else "clock"


def _chosen(season: Season) -> list[Match]:
    """Return the matches that are still to be audited."""
    settings = season.settings
    audited = _audited(season)
    # Published results cannot change while the season is frozen, so they are audited after the reveal.
    first = 0 if season.frozen is None else season.frozen.ordinal
    return [
        match
        for match in matches.matches(season.connection, season.id)
        if match.places
        and match.ordinal >= first
        and not match.is_void
        and match.fixture_id not in audited
        and is_chosen(settings.seed, match.ordinal, settings.audit)
    ]


def _audited(season: Season, fixture_id: int | None = None) -> set[int | None]:
    """Return the matches whose present results were audited, of one match or all."""
    log = events.events(
        season.connection, season.id, ["audited", "replayed", "undone"], fixture_id=fixture_id
    )
    latest = {row.fixture_id: row.kind for row in in_force(log)}
    return {match for match, kind in latest.items() if kind == "audited"}


def _is_seen(season: Season, fixture_id: int) -> bool:
    """Return whether a match was public before the present freeze started."""
    ordinal = events.ordinal(season.connection, season.id, fixture_id)
    return season.frozen is not None and ordinal is not None and ordinal < season.frozen.ordinal


def _uses_its_time(match: MatchRow, move_ms: float) -> bool:
    """Return whether a bot of the match exceeded its time limit, or came near to it."""
    return any(
        "timeout" in seat.faults
        or seat.cpu_ms > USES_ITS_TIME * move_ms * max(1, match.turns / len(match.seats))
        for seat in match.seats
    )


def _note(opened: Season, fixture_id: int, verdict: Verdict, connection: Connection) -> None:
    """Log a verdict, unless another run that audits the same matches was quicker."""
    season = opened.within(connection)
    if _audited(season, fixture_id) or _is_seen(season, fixture_id):
        return
    planned, _ = fixtures.counts(connection, season.id)
    season.log("audited", fixture_id=fixture_id, verdict=verdict, planned=planned)
    if verdict == "differs":
        matches.annul(connection, [fixture_id])
        count_in(season, recompute=True)
