"""Commands that manage a running league: organise retire, disqualify, ... Each decision is logged."""

from __future__ import annotations

import io
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from botleague.application import Workspace
from botleague.application.decisions import (
    DecisionContext,
    decide,
    decision_log,
    organiser_decisions,
    write_sources,
)
from botleague.cli.commands.standings_command import SeasonOption
from botleague.cli.kit.decision_command import add_decision
from botleague.cli.kit.file_output import private, refuse_target
from botleague.cli.kit.option_expansion import expanding
from botleague.cli.kit.shared_options import Db, Json
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import answer, say
from botleague.cli.viewing.film_files import write_new
from botleague.errors import counted
from botleague.league.season import DATES
from botleague.listing import Column, Number, table_of
from botleague_storage import announcements, runners
from botleague_storage.league_rows.runners import RunnerRow

organise = typer.Typer(help="Manage a running league. Every decision is logged.", no_args_is_help=True)

League = Annotated[str, typer.Argument(help="League name.", metavar="LEAGUE")]

add_decision(organise, organiser_decisions.add)
add_decision(organise, organiser_decisions.retire)
add_decision(organise, organiser_decisions.disqualify)
add_decision(organise, organiser_decisions.reinstate)
add_decision(organise, organiser_decisions.anchor)
add_decision(organise, organiser_decisions.void)
add_decision(organise, organiser_decisions.undo)
add_decision(organise, organiser_decisions.transfer)
add_decision(organise, organiser_decisions.close)
add_decision(organise, organiser_decisions.pause)
add_decision(organise, organiser_decisions.resume)


@organise.command("calendar", help=organiser_decisions.calendar.does.__doc__)
@expanding(organiser_decisions.Dates)
def calendar(options: organiser_decisions.Dates, db: Db = None, json: Json = False) -> None:
    """Set or show the calendar of the current season; showing it needs no write access."""
    workspace = Workspace(db)
    with workspace.season(options.league, write=bool(options.changes)) as season:
        done = None
        if options.changes:
            context = DecisionContext(season.connection, workspace, options.league)
            done = decide(organiser_decisions.calendar, options, context)
        dates, frozen = season.calendar, season.frozen
    if json:
        print_json([{**dates.said(), "frozen_at": None if frozen is None else frozen.ordinal}])
        return
    rows = [
        {"date": name, "when": dates.shown(name), "meaning": what}
        for name, what in DATES.items()
        if dates.shown(name)
    ]
    columns = {name: Column(name) for name in ("date", "when", "meaning")}
    show(table_of(object, rows, columns), empty=f"The league {options.league} has no calendar.")
    if done is not None:
        say(done.text)
    if rows and frozen is not None:
        say(f"The public currently sees {counted(frozen.ordinal, 'match', 'matches')} of it.")


add_decision(organise, organiser_decisions.extend)
add_decision(organise, organiser_decisions.reveal)
add_decision(organise, organiser_decisions.announce)
add_decision(organise, organiser_decisions.withdraw)


@organise.command("announcements")
def list_announcements(league: League, db: Db = None, json: Json = False) -> None:
    """List the announcements of a league, the newest first.

    Examples:

        botleague organise announcements cup

        botleague organise announcements cup --json
    """
    with Workspace(db).season(league) as opened:
        rows = announcements.announcements(opened.connection, opened.league.id)
    columns = {
        "number": Number("number"),
        "announced_at": Number("at (UTC)", _minute),
        "text": Column("text"),
    }
    show(table_of(object, rows, columns), json=json, empty="No announcements.")


class _Runner(RunnerRow, frozen=True, kw_only=True):
    is_silent: bool


@organise.command("runners")
def list_runners(db: Db = None, json: Json = False) -> None:
    """List the processes that play matches, with their speed and last failure. They report every minute.

    Examples:

        botleague organise runners

        botleague organise runners --json
    """
    with Workspace(db).reading() as database, database.reading() as connection:
        now = time.time()
        rows = [
            _Runner(**msgspec.structs.asdict(row), is_silent=row.is_silent_at(now))
            for row in runners.runners(connection, now)
        ]
    columns = {
        "name": Column("machine/process", lambda name: name.rpartition("/")[0]),
        "started_at": Number("since (UTC)", _minute),
        "seen_at": Number("last report (UTC)", _minute),
        "is_silent": Column("state", lambda is_silent: "silent" if is_silent else "reports"),
        "hourly": Number(
            "matches per hour", of_row=lambda row: "–" if row.hourly is None else f"{row.hourly:.0f}"
        ),
        "error": Column(
            "last error", of_row=lambda row: f"{row.error_league}: {row.error}" if row.error else ""
        ),
    }
    show(table_of(object, rows, columns), json=json, empty="No runner has reported in the last week.")


def _minute(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"


@organise.command("sources")
def sources(
    league: League,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output file (.zip).", metavar="FILE")],
    every_version: Annotated[
        bool,
        typer.Option(
            "--every-version", help="Include every version that has played, not only the current ones."
        ),
    ] = False,
    season: SeasonOption = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Write the sources of all bots in a season to one zip, with a folder per owner and bot.

    Examples:

        botleague organise sources cup --out cup.zip

        botleague organise sources cup --out cup.zip --every-version
    """
    refuse_target("--out", out)
    packed = io.BytesIO()
    with Workspace(db).season(league, season) as opened:
        number = write_sources(opened, packed, every_version=every_version)
    write_new("--out", out, packed.getvalue(), private)
    text = f"{counted(number, 'source')} written to {out}."
    answer(text, json=json, file=str(out), sources=number)


@organise.command("log")
def log(league: League, season: SeasonOption = None, db: Db = None, json: Json = False) -> None:
    """List the decisions and automatic events of a season, in order.

    Examples:

        botleague organise log cup

        botleague organise log cup --season 1 --json
    """
    with Workspace(db).season(league, season) as opened:
        entries = decision_log.log_entries(opened)
    columns = {
        "number": Number("number"),
        **{name: Column(name) for name in ("event", "bot", "match")},
        "at": Number("at (UTC)", lambda at: at[:16].replace("T", " ")),
        "details": Column("details", of_row=decision_log.details),
    }
    show(table_of(object, entries, columns), json=json)
