"""Commands that decide about a running league: organise retire, disqualify, ... Each decision is logged."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from botleague.application import Workspace
from botleague.application.decisions import Decided, command, decision_log, organiser_decisions, write_sources
from botleague.cli.commands.standings_command import SeasonOption
from botleague.cli.kit.file_output import private
from botleague.cli.kit.printing import output, print_json, print_table, say
from botleague.cli.kit.shared_options import LARGEST, Db, Json
from botleague.cli.viewing.film_files import refuse_target, write_new
from botleague.errors import counted
from botleague.league import Season
from botleague.league.season import DATES, Date
from botleague.names import owner_name, remark

organise = typer.Typer(help="Decide about a running league: every decision is logged.", no_args_is_help=True)

League = Annotated[str, typer.Argument(help="The league.", metavar="LEAGUE")]
Bot = Annotated[str, typer.Argument(help="NAME or NAME@VERSION of an entrant.", metavar="BOT")]
Reason = Annotated[str, typer.Option("--reason", help="Why; shown in the table.", callback=remark)]
Why = Annotated[str, typer.Option("--reason", help="Why; for the log.", callback=remark)]


def _time_option(date: Date) -> Any:
    return typer.Option(f"--{date}", help=f"{DATES[date].capitalize()}.", metavar="TIME")


@organise.command("retire")
def retire(league: League, bot: Bot, reason: Reason = "", db: Db = None, json: Json = False) -> None:
    """Let a bot play no more. Its matches count, in every table.

    Examples:

        botleague organise retire cup ann --reason "replaced by ann@2"

        botleague organise retire cup ann@1 --json
    """
    _decide(
        lambda season: organiser_decisions.retire(season, bot, reason),
        db,
        json,
        "retire",
        league,
        bot,
        reason=reason,
    )


@organise.command("disqualify")
def disqualify(
    league: League,
    bot: Bot,
    reason: Reason = "",
    first: Annotated[
        str | None,
        typer.Option("--from", help="The first match that does not count; default: all.", metavar="MATCH"),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Remove a bot: its matches do not count, and ratings are computed anew. Nothing is deleted.

    Examples:

        botleague organise disqualify cup eve --reason "copied from ann"

        botleague organise disqualify cup eve --from cup/120
    """
    _decide(
        lambda season: organiser_decisions.disqualify(season, bot, reason, first),
        db,
        json,
        "disqualify",
        league,
        bot,
        reason=reason,
        **{"from": first},
    )


@organise.command("reinstate")
def reinstate(league: League, bot: Bot, reason: Reason = "", db: Db = None, json: Json = False) -> None:
    """Let a bot that is out play again, or a version that was suspended. Void matches stay void.

    Examples:

        botleague organise reinstate cup ann

        botleague organise reinstate cup ann --reason "it was the machine's fault"
    """
    _decide(
        lambda season: organiser_decisions.reinstate(season, bot, reason),
        db,
        json,
        "reinstate",
        league,
        bot,
        reason=reason,
    )


@organise.command("anchor")
def anchor(
    league: League,
    bot: Bot,
    value: Annotated[float, typer.Option("--value", help="Its rating in published tables.")] = 1500,
    release: Annotated[bool, typer.Option("--release", help="Let it be an anchor no more.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Hold tables in place by a bot with a fixed rating, so that those of different times can be compared.

    Name three or more, spread over the field: online tables are moved so that their anchors with 30 matches stand at
    their values in the mean. In batch tables the anchor that was named last has its value.

    Examples:

        botleague organise anchor cup random --value 1000

        botleague organise anchor cup random --release
    """
    _decide(
        lambda season: organiser_decisions.anchor(season, bot, None if release else value),
        db,
        json,
        "anchor",
        league,
        bot,
        value=None if release else f"{value:g}",
        release=release,
    )


@organise.command("void")
def void(
    league: League,
    match: Annotated[
        str, typer.Argument(help="The number of a finished match, like cup/17.", metavar="MATCH")
    ],
    replay: Annotated[
        bool, typer.Option("--replay", help="Play it again with the same seed; its result is kept apart.")
    ] = False,
    reason: Reason = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Take one match out of the count, and compute ratings anew.

    Examples:

        botleague organise void cup cup/17 --reason "the machine was overloaded"

        botleague organise void cup cup/17 --replay
    """
    _decide(
        lambda season: organiser_decisions.void(season, match, reason, replay=replay),
        db,
        json,
        "void",
        league,
        match,
        replay=replay,
        reason=reason,
    )


@organise.command("undo")
def undo(
    league: League,
    entry: Annotated[int, typer.Argument(max=LARGEST, help="Its number in `organise log`.", metavar="ENTRY")],
    reason: Reason = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Take back a decision: what it took out of the count counts again, or is played. Both stay in the log.

    Examples:

        botleague organise undo cup 3 --reason "eve wrote it first"

        botleague organise undo cup 3
    """
    _decide(
        lambda season: organiser_decisions.undo(season, entry, reason),
        db,
        json,
        "undo",
        league,
        str(entry),
        reason=reason,
    )


@organise.command("transfer")
def transfer(
    bot: Annotated[str, typer.Argument(help="The name of a bot in the database.", metavar="BOT")],
    owner: Annotated[str, typer.Argument(help="Whose it is to be.", metavar="NEW_OWNER")],
    variant: Annotated[
        str | None, typer.Option("--variant", "-v", help="If bots of several games have the name.")
    ] = None,
    reason: Reason = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Give a bot to another owner, who alone may then hand in new versions. Its leagues' logs tell.

    Examples:

        botleague organise transfer ann bob --reason "a team now"

        botleague organise transfer ann bob --variant isolation --json
    """
    owner_name(owner)  # refused before anything is opened
    workspace = Workspace(db)
    game = workspace.plugins.variant(variant).game if variant else None
    with workspace.database(create=False) as database, database.writing() as connection:
        done = decision_log.decide(
            connection,
            None,
            "transfer",
            lambda: organiser_decisions.transfer(connection, workspace.plugins, bot, owner, reason, game),
            reason=reason,
            command=command("organise", "transfer", bot, owner, variant=variant, reason=reason),
        )
    show_decision(done, json)


@organise.command("close")
def close(league: League, reason: Reason = "", db: Db = None, json: Json = False) -> None:
    """Cancel everything that the current season has still to play.

    Examples:

        botleague organise close cup

        botleague organise close cup --reason "out of time"
    """
    _decide(
        lambda season: organiser_decisions.close(season, reason), db, json, "close", league, reason=reason
    )


@organise.command("calendar")
def calendar(
    league: League,
    zone: Annotated[
        str | None,
        typer.Option("--zone", help="In which the times are meant, like Europe/Berlin.", metavar="ZONE"),
    ] = None,
    opens: Annotated[str | None, _time_option("opens")] = None,
    deadline: Annotated[str | None, _time_option("deadline")] = None,
    freeze: Annotated[str | None, _time_option("freeze")] = None,
    blind: Annotated[str | None, _time_option("blind")] = None,
    ends: Annotated[str | None, _time_option("ends")] = None,
    reveal: Annotated[str | None, _time_option("reveal")] = None,
    reason: Why = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Say when what happens in the current season, or show it. What is not named stays; `none` takes a date out.

    Examples:

        botleague organise calendar cup --zone Europe/Berlin --deadline "2027-03-01 18:00"

        botleague organise calendar cup --freeze none --json
    """
    said = {
        "zone": zone,
        "opens": opens,
        "deadline": deadline,
        "freeze": freeze,
        "blind": blind,
        "ends": ends,
        "reveal": reveal,
    }
    given = {name: text for name, text in said.items() if text is not None}
    with Workspace(db).season(league, write=bool(given)) as season:
        if given:
            _decided(
                season,
                partial(organiser_decisions.set_calendar, said=given),
                "calendar",
                league,
                **given,
                reason=reason,
            )
        dates, frozen = season.calendar, season.frozen
    if json:
        print_json([{**dates.said(), "frozen_at": None if frozen is None else frozen.ordinal}])
        return
    rows = [[name, dates.shown(name), what] for name, what in DATES.items() if dates.shown(name)]
    if not rows:
        output().print(f"{league} has no calendar.", markup=False)
        return
    print_table(["date", "when", "what happens"], rows)
    if frozen is not None:
        say(f"Others see {counted(frozen.ordinal, 'match', 'matches')} of it now.")


@organise.command("reveal")
def reveal(league: League, reason: Why = "", db: Db = None, json: Json = False) -> None:
    """Let everybody see everything from now on: ends a freeze, and what is hidden of others' matches.

    Examples:

        botleague organise reveal cup

        botleague organise reveal cup --json
    """
    _decide(organiser_decisions.reveal, db, json, "reveal", league, reason=reason)


@organise.command("sources")
def sources(
    league: League,
    out: Annotated[Path, typer.Option("--out", "-o", help="The .zip file to write.", metavar="FILE")],
    every_version: Annotated[
        bool, typer.Option("--every-version", help="All that have played, and not only those that play.")
    ] = False,
    season: SeasonOption = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Write the sources of all bots of a season into one zip, a folder for each owner and bot.

    Examples:

        botleague organise sources cup --out cup.zip

        botleague organise sources cup --out cup.zip --every-version
    """
    refuse_target("--out", out)
    packed = io.BytesIO()
    with Workspace(db).season(league, season) as opened:
        number = write_sources(opened, packed, every_version=every_version)
    write_new("--out", out, packed.getvalue(), private)
    show_decision(
        Decided(f"{counted(number, 'source')} written to {out}.", {"file": str(out), "sources": number}), json
    )


@organise.command("log")
def log(league: League, season: SeasonOption = None, db: Db = None, json: Json = False) -> None:
    """List what was decided in a season and what followed from its terms, in order.

    Examples:

        botleague organise log cup

        botleague organise log cup --season 1 --json
    """
    with Workspace(db).season(league, season) as opened:
        entries = decision_log.log_entries(opened)
    if json:
        print_json(entries)
        return
    shown = ("number", "event", "bot", "match")
    print_table(
        [*shown, "at (UTC)", "details"],
        [
            [
                *("" if entry[key] is None else entry[key] for key in shown),
                entry["at"][:16].replace("T", " "),
                decision_log.details(entry),
            ]
            for entry in entries
        ],
        numbers=["number", "at (UTC)"],
    )


def _decide(
    work: Callable[[Season], Decided],
    db: str | None,
    json: bool,
    name: str,
    league: str,
    *words: str,
    **options: object,
) -> None:
    """Decide about a league's current season, and say what came of it."""
    with Workspace(db).season(league, write=True) as season:
        done = _decided(season, work, name, league, *words, **options)
    show_decision(done, json)


def _decided(
    season: Season, work: Callable[[Season], Decided], name: str, league: str, *words: str, **options: object
) -> Decided:
    return decision_log.decide(
        season.connection,
        league,
        name,
        partial(work, season),
        reason=str(options.get("reason", "")),
        command=command("organise", name, league, *words, **options),
    )


def show_decision(done: Decided, json: bool) -> None:
    if json:
        print_json([done.values])
    else:
        output().print(done.text, markup=False)
