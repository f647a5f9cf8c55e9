"""Commands that let others verify a league: export and verify."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Annotated

import msgspec
import typer
from msgspec import UNSET, UnsetType

from botleague.application import Workspace
from botleague.cli.commands.standings_command import LeagueArgument, SeasonOption
from botleague.cli.kit.file_output import target
from botleague.cli.kit.run_progress import stoppable
from botleague.cli.kit.shared_options import Db, Json, SandboxProfile
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.result_stream import reserve_output
from botleague.cli.printing.texts import print_text, say
from botleague.errors import UsageError, counted, did_you_mean
from botleague.league.season import hash_chain
from botleague.league.verification import (
    TABLES,
    Counts,
    Exported,
    Problem,
    check_export,
    exported,
    matches_in,
    reexecute_bots,
    terms,
)
from botleague.league.verification import verify as verify_season
from botleague.listing import write_csv
from botleague_storage import bots, fixtures, leagues

SETTINGS = "settings.json"
"""File of an export with the season's settings."""


def export(
    league: LeagueArgument = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Write CSV, one file per table (default).")] = False,
    as_jsonl: Annotated[bool, typer.Option("--jsonl", help="Write JSON Lines, one file per table.")] = False,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Output folder, or - for standard output.", metavar="FOLDER")
    ] = Path("-"),
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help=f"Tables to export: {', '.join(TABLES)} (default: all); repeatable.",
            metavar="TABLE",
        ),
    ] = None,
    season: SeasonOption = None,
    db: Db = None,
    json: Annotated[bool, typer.Option("--json", help="Alias of --jsonl.")] = False,
) -> None:
    """Export a season's tables, and its settings as settings.json. The export is enough to recompute every table.

    On standard output, JSON Lines contain the name of their table, and CSV is a single table.

    Examples:

        botleague export cup --csv --out cup-tables

        botleague export cup --jsonl --only results
    """
    lines = as_jsonl or json
    if as_csv and lines:
        raise UsageError("Use either --csv or --jsonl, not both.")
    names = list(only or TABLES)
    for name in names:
        if name not in TABLES:
            raise UsageError(
                f"Unknown table {name!r}.{did_you_mean(name, list(TABLES))} Choose one of {', '.join(TABLES)}."
            )
    folder = None if out == Path("-") else out
    if folder is None and not lines and len(names) > 1:
        raise UsageError(
            "CSV on standard output can hold only one table. Choose it with --only, or use --out FOLDER or --jsonl."
        )
    reserve_output(folder is None)
    files = {name: f"{name}.{'jsonl' if lines else 'csv'}" for name in names}
    with Workspace(db).season(league, season) as opened:
        if folder is not None:
            _make_folder(folder, files.values())
        planned, _ = fixtures.counts(opened.connection, opened.id)
        with stoppable(f"Exporting {opened.league.name}", 2 * planned) as report:
            if folder is not None:
                # Before the tables: after an interrupted export, this file marks the folder as an export.
                with target(folder / SETTINGS) as file:
                    file.write(msgspec.json.format(msgspec.json.encode(terms(opened))).decode() + "\n")
            for table in exported(opened, report):
                if table.name in files:
                    with target(folder and folder / files[table.name]) as file:
                        _write(file, table, lines, named=folder is None)
    if folder is not None:
        say(f"Exported {', '.join(names)} of {opened.league.name!r} to {folder}.")


def verify(
    league: LeagueArgument = None,
    published: Annotated[
        str | None,
        typer.Option(
            "--fingerprint",
            metavar="TEXT",
            help="Published fingerprint of the season, as printed by `standings`; verify that it still matches.",
        ),
    ] = None,
    from_export: Annotated[
        Path | None,
        typer.Option(
            "--from-export", metavar="FOLDER", help="Verify the tables of an export, using only its files."
        ),
    ] = None,
    runs_bots: Annotated[
        bool,
        typer.Option(
            "--re-execute-bots",
            help="Also run the WebAssembly bots of the matches again, and compare every answer and its fuel.",
        ),
    ] = False,
    season: SeasonOption = None,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Re-execute all stored matches and verify every stored outcome and rating.

    If something is wrong, print a list and exit with code 1. With --from-export, recompute every table from the CSV
    files and settings.json, without a database. Only the database can prove that the matches were played.

    Examples:

        botleague verify cup

        botleague verify --from-export cup-tables --json
    """
    if from_export is not None:
        if league is not None or published is not None or season is not None or runs_bots:
            raise UsageError(
                "--from-export cannot be combined with LEAGUE, --season, --fingerprint or --re-execute-bots."
            )
        _verify_export(from_export, json)
        return

    expected = None if published is None else hash_chain.Fingerprint.parse(published)
    done = 0

    def count(number: int) -> None:
        nonlocal done
        done = number
        report(number)

    workspace, repeated = Workspace(db, sandbox=sandbox), Counts()
    with workspace.season(league, season) as opened:
        name, number = opened.league.name, opened.row.number
        planned, _ = fixtures.counts(opened.connection, opened.id)
        with stoppable(f"Verifying {name}", planned) as report:
            problems = list(verify_season(opened, count, expected))
            current, unproved = hash_chain.fingerprint(opened), hash_chain.why_unproved(opened)
        if runs_bots:
            with (
                stoppable(f"Running bots of {name}", planned) as report_bots,
                workspace.open_sandbox() as opened_sandbox,
            ):
                problems += reexecute_bots(opened, opened_sandbox, report_bots, repeated)
        entered = leagues.entrants(opened.connection, opened.id)
        erased = [row.title for row in bots.erased(opened.connection, entered)]
    result = _Verification(
        name, number, done, problems, erased, str(current or ""), unproved, repeated if runs_bots else UNSET
    )
    if json:
        print_json([result])
    else:
        for line in result.lines():
            print_text(line)
    if problems:
        raise typer.Exit(1)


class _Verification(msgspec.Struct, frozen=True):
    """Result of a verification, as JSON has it; ``bots`` only if they were run again."""

    league: str
    season: int
    matches: int
    problems: list[Problem]
    erased: list[str]
    fingerprint: str
    unproved: str
    bots: Counts | UnsetType

    def lines(self) -> Iterator[str]:
        """Yield the same in words."""
        for problem in self.problems:
            yield f"{problem.subject}: {problem.text}."
        for title in self.erased:
            yield f"{title}: source erased; its digest remains and its matches were verified."
        verdict = "all outcomes and ratings are correct"
        if self.problems:
            verdict = f"{counted(len(self.problems), 'problem')} found"
        matches = counted(self.matches, "match", "matches")
        yield f"{self.league}, season {self.season}: {matches} re-executed, {verdict}."
        if self.bots is not UNSET:
            yield from _bots_in_words(self.bots)
        if self.fingerprint:
            yield f"Fingerprint: {self.fingerprint}"
        if self.unproved:
            yield self.unproved


def _bots_in_words(repeated: Counts) -> Iterator[str]:
    matches, answers = counted(repeated.matches, "match", "matches"), counted(repeated.answers, "answer")
    yield f"Ran the WebAssembly bots of {matches} again: compared {answers} with their fuel."
    if repeated.taken:
        yield f"Took {counted(repeated.taken, 'turn')} as recorded, because the machine's clock had ended them."
    for engine, number in repeated.foreign.items():
        yield (
            f"Did not run the bots of {counted(number, 'match', 'matches')}: they were played with {engine}, "
            "and another engine may give different answers."
        )
    if repeated.erased:
        yield f"Did not run the bots of {counted(repeated.erased, 'match', 'matches')}: a source was erased."


def _verify_export(folder: Path, json: bool) -> None:
    with stoppable(f"Verifying {folder}", 4 * matches_in(folder)) as report:
        problems = list(check_export(folder, Workspace().plugins, report))
    if json:
        print_json([{"folder": str(folder), "problems": problems}])
    else:
        for one in problems:
            print_text(f"{one.file}: {one.text}.")
        verdict = "some tables are wrong" if problems else "all tables match the files"
        print_text(f"{folder}: {verdict}.")
    if problems:
        raise typer.Exit(1)


def _make_folder(folder: Path, files: Iterable[str]) -> None:
    """Create the folder of an export if it is missing.

    Raises:
        UsageError: it cannot be created, or contains one of the files without being an export.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"Cannot create the folder --out {folder} ({error.strerror}).") from error
    there = next((file for file in (SETTINGS, *files) if os.path.lexists(folder / file)), None)
    if there is not None and not _is_export(folder):
        raise UsageError(
            f"{folder / there} already exists and is not from an export. Choose another folder, or remove it first."
        )


def _is_export(folder: Path) -> bool:
    try:
        msgspec.json.decode((folder / SETTINGS).read_bytes(), type=_Terms)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return True


class _Terms(msgspec.Struct):
    """Fields that identify the settings file of an export."""

    league: str
    season: int
    variant: str


def _write(file: IO[str], table: Exported, lines: bool, *, named: bool) -> None:
    if not lines:
        write_csv(file, table.columns, table.rows)
        return
    for row in table.rows:
        values = dict(zip(table.columns, row, strict=True))
        whole = {"table": table.name, **values} if named else values
        file.write(msgspec.json.encode(whole).decode() + "\n")
