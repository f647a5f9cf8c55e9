"""Report on copied sources and suspicious results, for a person to judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from botleague.application import Workspace
from botleague.cli.commands.standings_command import LeagueArgument, SeasonOption
from botleague.cli.kit.run_progress import stoppable
from botleague.cli.kit.shared_options import Db, Json
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import print_text
from botleague.errors import UsageError
from botleague.league import Season
from botleague.league.season import SOURCE_SUFFIXES
from botleague.league.season_ratings import bots_units
from botleague.league.submission import read_bundled
from botleague.league.tables import Cycle, season_cycles
from botleague.league.verification import (
    Cluster,
    Fingerprint,
    FingerprintedBot,
    Suspicion,
    find_clusters,
    find_favours,
    fingerprint,
)
from botleague.listing import Column, Number, table_of
from botleague.names import BUNDLED
from botleague.plugins import PluginHost
from botleague.rules import Variant
from botleague_storage import bots

MAX_CYCLES = 10
"""Cycles that are printed; bots without any order of strength have hundreds."""


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
        submitted = _submitted(opened)
        units = bots_units(opened)
        cycles = season_cycles(opened) if opened.settings.seats > 1 else []
    # Bundled bots have no author who could arrange results either.
    owners = {str(version): row.owner for version, row in named.items() if row.owner not in ("", BUNDLED)}
    titles = {str(version): row.title for version, row in named.items()}
    clusters = find_clusters(submitted, [*published, *_templates(opened.plugins, opened.variant)], near)
    favours = [
        msgspec.structs.replace(one, winner=titles[one.winner], loser=titles[one.loser])
        for one in find_favours(units, owners)
    ]
    if json:
        _print_as_json(clusters, favours, cycles)
    elif clusters or favours or cycles:
        _print(clusters, favours, cycles)
    else:
        print_text(f"{opened.league.name}: nothing to report among {len(named)} bots.")


def _print_as_json(
    clusters: Sequence[Cluster], favours: Sequence[Suspicion], cycles: Sequence[Cycle]
) -> None:
    print_json(
        {
            "report": "copies",
            "kind": cluster.kind,
            "bots": [msgspec.structs.asdict(copy) for copy in cluster.copies],
        }
        for cluster in clusters
    )
    print_json({"report": "favour", **msgspec.structs.asdict(favour)} for favour in favours)
    print_json({"report": "cycle", **msgspec.structs.asdict(cycle)} for cycle in cycles)


def _print(clusters: Sequence[Cluster], favours: Sequence[Suspicion], cycles: Sequence[Cycle]) -> None:
    if clusters:
        print_text("Similar sources", "bold")
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
        print_text("Results between bots of the same owner that their strength does not explain", "bold")
        columns = {
            "owner": Column("owner"),
            "winner": Column("winner"),
            "loser": Column("loser"),
            "sets": Number("sets"),
            "points": Number("points", "g"),
            "expected": Number("expected", ".1f"),
            "chance": Number("chance", ".1g"),
        }
        show(table_of(object, favours, columns))
    if cycles:
        print_text("Significant cycles, which no order of strength explains", "bold")
        for cycle in cycles[:MAX_CYCLES]:
            print_text(f"  {cycle}")
        if len(cycles) > MAX_CYCLES:
            print_text(f"  and {len(cycles) - MAX_CYCLES} more, see --json")


def _submitted(season: Season) -> list[FingerprintedBot]:
    """Return the fingerprints of the season's sources, without erased ones."""
    erased = {row.id for row in bots.erased(season.connection, list(season.names))}
    submitted = []
    with stoppable("Reading sources", len(season.names)) as report:
        for number, (version, row) in enumerate(season.names.items(), start=1):
            if version in erased:
                continue
            source = fingerprint(bots.source_of(season.connection, version).files)
            # Bots without an owner are unrelated, so each gets an owner of its own.
            submitted.append(FingerprintedBot(row.bot, row.owner or f"(owner of {row.bot})", source))
            report(number)
    return submitted


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
