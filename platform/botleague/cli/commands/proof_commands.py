"""Commands that let others verify a league: export, verify, fairness."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Annotated

import msgspec
import typer

from botleague.application import Workspace
from botleague.cli.commands.standings_command import LeagueArgument, SeasonOption
from botleague.cli.kit.file_output import target
from botleague.cli.kit.printing import output, print_json, print_text, say, show
from botleague.cli.kit.run_progress import stoppable
from botleague.cli.kit.shared_options import Db, Json, SandboxProfile
from botleague.errors import UsageError, counted, did_you_mean
from botleague.league.season import SOURCE_SUFFIXES, hash_chain
from botleague.league.season_ratings import bots_results
from botleague.league.submission import read_bundled
from botleague.league.tables import season_cycles
from botleague.league.verification import (
    TABLES,
    Counts,
    Exported,
    Fingerprint,
    FingerprintedBot,
    check_export,
    exported,
    find_clusters,
    find_favours,
    fingerprint,
    matches_in,
    reexecute_bots,
    terms,
)
from botleague.league.verification import verify as verify_season
from botleague.listing import Column, Number, table_of, write_csv
from botleague.names import BUNDLED
from botleague.plugins import PluginHost
from botleague.rules import Variant
from botleague_storage import bots, fixtures, leagues

SETTINGS = "settings.json"
"""File of an export with the season's settings."""

MAX_CYCLES = 10
"""Cycles that are printed; bots without any order of strength have hundreds."""


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
    files = {name: f"{name}.{'jsonl' if lines else 'csv'}" for name in names}
    if folder is not None:
        _make_folder(folder, files.values())
    with Workspace(db).season(league, season) as opened:
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
    if json:
        print_json(
            [
                {
                    "league": name,
                    "season": number,
                    "matches": done,
                    "problems": problems,
                    "erased": erased,
                    "fingerprint": str(current or ""),
                    "unproved": unproved,
                    **({"bots": repeated} if runs_bots else {}),
                }
            ]
        )
    else:
        for problem in problems:
            print_text(f"{problem.subject}: {problem.text}.")
        for title in erased:
            print_text(f"{title}: source erased; its digest remains and its matches were verified.")
        verdict = (
            f"{counted(len(problems), 'problem')} found"
            if problems
            else "all outcomes and ratings are correct"
        )
        print_text(f"{name}, season {number}: {counted(done, 'match', 'matches')} re-executed, {verdict}.")
        for line in _bots_in_words(repeated) if runs_bots else ():
            print_text(line)
        if current is not None:
            print_text(f"Fingerprint: {current}", soft_wrap=True)
        if unproved:
            print_text(unproved)
    if problems:
        raise typer.Exit(1)


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


def fairness(
    league: LeagueArgument = None,
    near: Annotated[
        float, typer.Option("--near", min=0.1, max=1, help="Smallest similarity to report, from 0 to 1.")
    ] = 0.8,
    skeleton: Annotated[
        list[Path] | None,
        typer.Option(
            "--skeleton",
            help="File or folder that everyone received; its code is ignored; repeatable.",
            metavar="PATH",
        ),
    ] = None,
    season: SeasonOption = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Report copied sources and suspicious results.

    Results are suspicious if strength does not explain them: between bots of the same owner, and in cycles. The report
    is for a person to judge; no bot is penalised automatically. Anyone may copy bundled bots.

    Examples:

        botleague fairness cup

        botleague fairness cup --skeleton handout.py --near 0.6
    """
    published = [_skeleton(path) for path in skeleton or []]
    with Workspace(db).season(league, season) as opened:
        named = opened.names
        erased = {row.id for row in bots.erased(opened.connection, list(named))}
        submitted = []
        with stoppable("Reading sources", len(named)) as report:
            for number, (version, row) in enumerate(named.items(), start=1):
                if version in erased:
                    continue
                source = fingerprint(bots.source_of(opened.connection, version).files)
                # Bots without an owner are unrelated, so each gets an owner of its own.
                owner = row.owner or f"(owner of {row.bot})"
                submitted.append(FingerprintedBot(row.bot, owner, source))
                report(number)
        results = bots_results(opened)
        cycles = season_cycles(opened) if opened.settings.seats > 1 else []
    # Bundled bots have no author who could arrange results either.
    owners = {str(version): row.owner for version, row in named.items() if row.owner not in ("", BUNDLED)}
    clusters = find_clusters(submitted, [*published, *_templates(opened.plugins, opened.variant)], near)
    favours = find_favours(results, owners)
    titles = {str(version): row.title for version, row in named.items()}
    if json:
        print_json(
            {
                "report": "copies",
                "kind": cluster.kind,
                "bots": [msgspec.structs.asdict(copy) for copy in cluster.copies],
            }
            for cluster in clusters
        )
        print_json(
            {
                "report": "favour",
                **msgspec.structs.asdict(favour),
                "winner": titles[favour.winner],
                "loser": titles[favour.loser],
            }
            for favour in favours
        )
        print_json({"report": "cycle", **msgspec.structs.asdict(cycle)} for cycle in cycles)
        return
    console = output()
    if clusters:
        console.print("Similar sources", style="bold")
        rows = [
            {"cluster": number, "kind": cluster.kind, **msgspec.structs.asdict(copy)}
            for number, cluster in enumerate(clusters, start=1)
            for copy in cluster.copies
        ]
        columns = {
            "cluster": Number("cluster"),
            "bot": Column("bot"),
            "share": Number("shared", lambda share: f"{100 * share:.0f} %"),
            "like": Column("like"),
            "owner": Column("owner"),
            "kind": Column("kind"),
        }
        show(table_of(object, rows, columns))
    if favours:
        console.print(
            "Results between bots of the same owner that their strength does not explain", style="bold"
        )
        columns = {
            "owner": Column("owner"),
            "winner": Column("winner", titles.__getitem__),
            "loser": Column("loser", titles.__getitem__),
            "games": Number("games", "g"),
            "points": Number("points", "g"),
            "expected": Number("expected", ".1f"),
            "chance": Number("chance", ".1g"),
        }
        show(table_of(object, favours, columns))
    if cycles:
        console.print("Significant cycles, which no order of strength explains", style="bold")
        for cycle in cycles[:MAX_CYCLES]:
            print_text(f"  {cycle}")
        if len(cycles) > MAX_CYCLES:
            console.print(f"  and {len(cycles) - MAX_CYCLES} more, see --json")
    if not clusters and not favours and not cycles:
        print_text(f"{opened.league.name}: nothing to report among {len(named)} bots.")


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


def _skeleton(path: Path) -> Fingerprint:
    """Return the fingerprint of a file or folder that everyone received."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    try:
        sources = {
            str(file): file.read_bytes()
            for file in files
            if file.suffix in SOURCE_SUFFIXES and file.is_file()
        }
    except OSError as error:
        raise UsageError(f"Cannot read --skeleton {error.filename} ({error.strerror}).") from error
    if not sources:
        raise UsageError(
            f"--skeleton {path} has no source ({', '.join(SOURCE_SUFFIXES)}). Name such a file, or a folder with "
            "such files."
        )
    return fingerprint(sources, is_template=True)


def _templates(plugins: PluginHost, variant: Variant) -> Sequence[Fingerprint]:
    """Return the fingerprints of the bundled bots, which anyone may copy."""
    return [
        fingerprint(read_bundled(bot, variant.entries).files, is_template=True)
        for bot in plugins.bots_of(variant.game)
    ]
