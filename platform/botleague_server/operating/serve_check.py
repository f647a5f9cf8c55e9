"""What has to be so before a server is started: `botleague serve --check`."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import typer

from botleague.application import Workspace
from botleague.cli.commands.doctor_command import clock_problems, keeps_account, lateness_ms
from botleague.cli.kit.printing import output, print_json
from botleague.errors import BotleagueError
from botleague_sandbox import diagnose
from botleague_storage import Database, StorageError, problems, server_metrics
from botleague_storage.connection.database import HEAD

MIN_FREE_SHARE = 0.05
"""Of the disk that has to be free; below it journals are not written."""

MIN_FREE_BYTES = 200_000_000

TURNED_BACK_S = 300.0
"""A clock that is behind what was recorded by more than this was set back, and every date of a calendar with it."""


@dataclass(frozen=True, slots=True)
class Check:
    """Something that was looked at: whether it is as it has to be, and what was found."""

    name: str
    ok: bool
    found: str


def check(workspace: Workspace, json: bool, now: float | None = None) -> None:
    """Print what was found, a line each, and end with exit code 2 if something is not as it has to be."""
    results = list(_checks(workspace, time.time() if now is None else now))
    if json:
        print_json(results)
    for one in () if json else results:
        output().print(
            f"{'ok    ' if one.ok else 'FAILED'} {one.name}: {one.found}", markup=False, soft_wrap=True
        )
    if not all(one.ok for one in results):
        raise typer.Exit(2)


def _checks(workspace: Workspace, now: float) -> Iterator[Check]:
    try:
        settings, failed = workspace.settings, workspace.plugins.failed()
    except BotleagueError as error:
        yield Check("configuration", False, str(error))
        return
    broken = "; ".join(f"{one.name}: {one.error}" for one in failed)
    where = settings.public_url or "not set, so this server answers only as this machine"
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
    asked = settings.sandbox
    is_safe = asked == "strong" and diagnosis.profile == "strong"
    advice = "" if is_safe else " Strangers' bots need strong: see `botleague doctor` and `botleague config`."
    profile = diagnosis.profile or "nothing"
    yield Check("sandbox", is_safe, f"this machine offers {profile}, the settings ask for {asked}.{advice}")
    yield _of_clock(now, last)
    yield _of_disk(settings.database)


def _of_database(database: Database) -> Check:
    findings = problems(database)
    file = Path(database.place or "")
    if file.is_file() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
        findings = [
            f"{file} may not be written by this user. Change its permissions, and its folder's.",
            *findings,
        ]
    text = " ".join(findings) or f"{database.place} is sound, and its schema is {HEAD}, the newest."
    if file.is_file() and file.stat().st_mode & 0o044:
        text += f" Other users of this machine may read it, with its hashes of passwords: `chmod 600 {file}`."
    return Check("database", not findings, text)


def _of_clock(now: float, last: float) -> Check:
    clock = f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M:%S} UTC"
    if now < last - TURNED_BACK_S:
        text = f"it says {clock}, but the database knows of {datetime.fromtimestamp(last, UTC):%Y-%m-%d %H:%M} UTC."
        return Check("clock", False, f"{text} Set it right: calendars go by it.")
    if not keeps_account():
        return Check("clock", False, " ".join(clock_problems(False, 0.0)))
    # A busy moment is told, and no reason not to begin.
    return Check("clock", True, " ".join([f"it says {clock}.", *clock_problems(True, lateness_ms())]))


def _of_disk(database: str) -> Check:
    if "://" in database:
        return Check("disk", True, "the database is a server's.")
    folder = Path(database).absolute().parent
    try:
        disk = shutil.disk_usage(folder)
    except OSError as error:
        text = f"{folder}, the database's folder, cannot be looked at: {error.strerror}."
        return Check("disk", False, f"{text} Make the folder, let this user in, or name another database.")
    is_enough = disk.free >= max(MIN_FREE_BYTES, MIN_FREE_SHARE * disk.total)
    text = f"{disk.free / 1e9:.1f} GB of {disk.total / 1e9:.1f} GB are free."
    return Check(
        "disk", is_enough, text if is_enough else f"{text} Make room: {MIN_FREE_SHARE:.0%} have to be."
    )
