"""Checks before a server is started: `botleague serve --check`."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import typer

from botleague.application import Workspace
from botleague.cli.commands.doctor_command import clock_problems, keeps_account, lateness_ms
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.texts import print_text
from botleague.errors import BotleagueError
from botleague_sandbox import diagnose
from botleague_storage import Database, StorageError, problems, server_metrics
from botleague_storage.connection.database import HEAD

MIN_FREE_SHARE = 0.05
"""Free share of the disk below which bot logs are not written."""

MIN_FREE_BYTES = 200_000_000

TURNED_BACK_S = 300.0
"""Seconds: a clock further behind the newest record was set back, and every date of a calendar with it."""


class Check(msgspec.Struct, frozen=True):
    """Result of a check."""

    name: str
    ok: bool
    found: str


def check(workspace: Workspace, json: bool, now: float | None = None) -> None:
    """Print the results, one per line, and exit with code 2 if a check failed."""
    results = list(_checks(workspace, time.time() if now is None else now))
    if json:
        print_json(results)
    for one in () if json else results:
        print_text(f"{'ok    ' if one.ok else 'FAILED'} {one.name}: {one.found}")
    if not all(one.ok for one in results):
        raise typer.Exit(2)


def _checks(workspace: Workspace, now: float) -> Iterator[Check]:
    try:
        settings, failed = workspace.settings, workspace.plugins.failed()
    except BotleagueError as error:
        yield Check("configuration", False, str(error))
        return
    broken = "; ".join(f"{one.name}: {one.error}" for one in failed)
    where = settings.public_url or "not set, so the server answers only to this machine's own names"
    yield Check(
        "configuration", not broken, f"plugins left out: {broken}" if broken else f"public_url is {where}."
    )
    last = 0.0
    try:
        with workspace.reading() as database:
            with database.reading() as connection:
                last = server_metrics.latest(connection)
            yield _of_database(database)
    except StorageError as error:
        yield Check("database", False, str(error))
    diagnosis = diagnose()
    required = settings.sandbox
    is_safe = required == "strong" and diagnosis.profile == "strong"
    advice = "" if is_safe else " Untrusted bots need strong: see `botleague doctor` and `botleague config`."
    profile = diagnosis.profile or "nothing"
    yield Check(
        "sandbox", is_safe, f"this machine offers {profile}, the settings require {required}.{advice}"
    )
    yield _of_clock(now, last)
    yield _of_disk(settings.database)


def _of_database(database: Database) -> Check:
    findings = problems(database)
    file = Path(database.place or "")
    if problem := database.write_problem():
        findings = [problem, *findings]
    text = " ".join(findings) or f"{database.place} is undamaged, and its schema is {HEAD}, the newest."
    if file.is_file() and file.stat().st_mode & 0o044:
        text += f" Other users of this machine can read it, with its password hashes: `chmod 600 {file}`."
    return Check("database", not findings, text)


def _of_clock(now: float, last: float) -> Check:
    clock = f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M:%S} UTC"
    if now < last - TURNED_BACK_S:
        last_record = f"{datetime.fromtimestamp(last, UTC):%Y-%m-%d %H:%M} UTC"
        text = f"the time is {clock}, but the newest record in the database is from {last_record}."
        return Check("clock", False, f"{text} Correct the clock: calendars depend on it.")
    if not keeps_account():
        return Check("clock", False, " ".join(clock_problems(False, 0.0)))
    # A busy moment is reported, but does not prevent a start.
    return Check("clock", True, " ".join([f"the time is {clock}.", *clock_problems(True, lateness_ms())]))


def _of_disk(database: str) -> Check:
    if "://" in database:
        return Check("disk", True, "not checked: the database is on a server.")
    folder = Path(database).absolute().parent
    try:
        disk = shutil.disk_usage(folder)
    except OSError as error:
        text = f"{folder}, the database folder, cannot be read: {error.strerror}."
        return Check(
            "disk", False, f"{text} Create the folder, give this user access, or choose another database."
        )
    is_enough = disk.free >= max(MIN_FREE_BYTES, MIN_FREE_SHARE * disk.total)
    text = f"{disk.free / 1e9:.1f} GB of {disk.total / 1e9:.1f} GB are free."
    return Check(
        "disk", is_enough, text if is_enough else f"{text} Free some space: {MIN_FREE_SHARE:.0%} are needed."
    )
