"""Command for test matches of an author's bot, repeated when the bot changes."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.application.authoring import TryLoop, TryReport, open_try_loop
from botleague.cli.commands.bot_commands import BotArgument, Entry, OwnVariant, refusal
from botleague.cli.kit.run_progress import counting, until_stopped
from botleague.cli.kit.shared_options import Db, Jobs, Json, Lenient, SandboxProfile, Seed, WithSiblings
from botleague.cli.kit.verdict_text import cut_off_text
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import print_text, remark, say
from botleague.cli.printing.untrusted_text import behind_a_bar
from botleague.cli.viewing.profile_text import Profile, show_profile
from botleague.errors import Stopped, UsageError, counted
from botleague.league.trials import TestMatchRow, seats_of_tests
from botleague.listing import counts, table_of
from botleague.ratings import FEWEST_UNITS

POLL_INTERVAL_S = 0.3
"""Seconds between checks for changes of a bot. They compare its content, since editors replace files in many ways."""

MAX_MATCHES = 100_000
"""All matches are planned before the first one is played."""


def try_bot(
    bot: BotArgument,
    variant: OwnVariant = None,
    against: Annotated[
        list[str] | None,
        typer.Option("--against", help="Opponent, instead of the bundled bots; repeatable.", metavar="BOT"),
    ] = None,
    matches: Annotated[
        int, typer.Option("--matches", min=1, max=MAX_MATCHES, help="Total number of matches.")
    ] = 50,
    watch_files: Annotated[
        bool, typer.Option("--watch-files", help="Restart whenever a file of the bot changes.")
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Folder for the record and the bot log of each match.", metavar="FOLDER"),
    ] = None,
    profile: Profile = False,
    entry: Entry = "",
    lenient: Lenient = False,
    seed: Seed = None,
    jobs: Jobs = None,
    with_siblings: WithSiblings = False,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Test a bot against the bundled bots and its previous version, in mirrored matches.

    Nothing is stored in the database.

    Examples:

        botleague try ann --matches 20 --save tried --json

        botleague try my_custom_player.py -v isolation --against greedy --watch-files
    """
    workspace = Workspace(db, jobs, sandbox, with_siblings=with_siblings)
    named = (workspace, bot, variant, against or (), matches)
    find = partial(open_try_loop, *named, entry=entry, lenient=lenient, profiled=profile)
    with until_stopped() as is_stopped:
        first = find(seed=seed)
        if watch_files:
            _play_on_change(first, find, is_stopped, save, json)
            is_stopped.end()
            return
        report = _play_matches(first, is_stopped, save, json)
        if is_stopped():
            raise Stopped(_stopped(report))


def _play_on_change(
    first: TryLoop,
    find: Callable[..., TryLoop],
    is_stopped: Callable[[], bool],
    save: Path | None,
    json: bool,
) -> None:
    """Play test matches whenever the bot changes, also during the matches."""
    while not is_stopped():
        source = first.source()

        def is_old(before: str = source) -> bool:
            return is_stopped() or first.source() != before

        try:
            report = _play_matches(find(seed=first.seed), is_old, save, json)
            if report.played < report.planned:
                say(_stopped(report))
        except UsageError as error:
            say(str(error))
        if not is_old():
            say("Waiting for changes (Ctrl-C to stop).")
        while not is_old():
            time.sleep(POLL_INTERVAL_S)


def _play_matches(loop: TryLoop, is_over: Callable[[], bool], save: Path | None, json: bool) -> TryReport:
    """Play test matches, and print and return the results.

    Raises:
        UsageError: the bot is not accepted.
    """
    if trial := loop.refusal():
        raise refusal(trial, loop.variant)
    say(f"{loop.player.name} in {loop.variant.name}, seed {loop.seed}: {_opponents(loop)}.")
    with counting(f"Trying {loop.player.name}") as show:
        loop.play(show, is_over)
    report = loop.report(save)
    if json:
        print_json([report])
    elif report.rows:
        _show(loop, report)
    return report


def _stopped(report: TryReport) -> str:
    return f"Stopped after {report.played} of {counted(report.planned, 'match', 'matches')}."


def _opponents(loop: TryLoop) -> str:
    first, *others = loop.opponents
    if not first.is_earlier:
        return counted(len(loop.opponents), "opponent")
    return f"its version {first.player.name}" + (
        f" and {counted(len(others), 'other opponent')}" if others else ""
    )


def _show(loop: TryLoop, report: TryReport) -> None:
    has_places = any(row.place is not None for row in report.rows)
    show(table_of(TestMatchRow, report.rows))
    seats = seats_of_tests(loop.variant.seats)
    remark(
        f"Time limit per turn: {report.limit_ms:g} ms{' of CPU time' if report.clock == 'cpu' else ''}."
        + (f" Places are out of {seats}; the opponent plays all other seats." if has_places else "")
    )
    if cut_off := sum(row.cut_off for row in report.rows):
        remark(f"{report.bot}: {cut_off_text(cut_off)}.")
    for row in report.rows:
        for line in _row_lines(loop, row):
            print_text(behind_a_bar(line))
    if report.matches_for_all is not None:
        remark(_coverage(loop, report, report.matches_for_all))
    if loop.profiled:
        show_profile(report.bot, report.profile)


def _coverage(loop: TryLoop, report: TryReport, matches: int) -> str:
    """Return which opponents the bot does not meet, and how many matches are enough."""
    first = loop.opponents[0]
    sets = f"{FEWEST_UNITS} sets against {first.player.name}" if first.is_earlier else ""
    if not report.unmet:
        return f"Use --matches {matches} for {sets}."
    return f"Not met: {', '.join(report.unmet)}. Use --matches {matches} to meet every opponent" + (
        f", with {sets}." if sets else "."
    )


def _row_lines(loop: TryLoop, row: TestMatchRow) -> Iterator[str]:
    """Yield remarks on a row: the difference in strength, repeated sets, the command that repeats a fault."""
    if row.is_earlier or len(loop.opponents) == 1:
        luck = "" if row.sets < FEWEST_UNITS else f"{'No more' if row.is_luck else 'More'} than luck: "
        yield f"{luck}{row.difference[:1].upper() if not luck else row.difference[:1]}{row.difference[1:]}."
    if row.repeats:
        yield (
            f"{counted(row.repeats, 'set')} against {row.against} repeated an earlier set move for move and added no "
            "information."
        )
    if (fault := row.first_fault) is not None:
        when = "before the first turn" if fault.turn is None else f"in turn {fault.turn}"
        yield f"{row.against}: {counts(row.faults)}; the first {when}: {fault.kind}: {fault.detail}"
        yield f"  {shlex.join(loop.again(fault.seed, fault.seat, row.against))}"
