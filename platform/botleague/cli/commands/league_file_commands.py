"""Commands for the settings of a league as a file: league new, league show, league template."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import Annotated

import msgspec
import typer

from botleague.application import LeagueOptions, Workspace
from botleague.application.leagues import (
    LeagueFile,
    LeagueOpening,
    file_of,
    read_league_file,
    rehearse,
    template,
    written,
)
from botleague.application.pages import Term, describe_terms
from botleague.cli.commands.league_commands import report_creation
from botleague.cli.commands.standings_command import LeagueArgument, SeasonOption
from botleague.cli.kit.option_expansion import expanding
from botleague.cli.kit.shared_options import Db, Json, WithSiblings
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import say
from botleague.errors import UsageError, counted
from botleague.listing import table_of
from botleague.plugins import PluginHost
from botleague.rules import Variant

league = typer.Typer(help="Manage league settings files.", no_args_is_help=True)


@league.command("new")
@expanding(LeagueOptions)
def new(
    file: Annotated[
        Path, typer.Argument(help="Settings file, as printed by `league template` or `league show --toml`.")
    ],
    options: LeagueOptions,
    name: Annotated[
        str | None, typer.Option("--league", "-l", help="League name (default: the name in the file).")
    ] = None,
    with_siblings: WithSiblings = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Create the league of a settings file without playing it. Options override the file.

    If the file names no bots, all submitted bots of the game enter. Bundled bots enter only if you confirm it, or if
    you name them with --staff.

    Examples:

        botleague league new cup.toml

        botleague league new cup.toml --league spring-cup --rounds 9
    """
    workspace = Workspace(db, with_siblings=with_siblings)
    terms = read_league_file(file).with_options(options, league=name)
    called = terms.variant if terms.league is None else terms.league
    played = workspace.plugins.variant(terms.variant)
    terms, staff = _staff_of(terms, workspace.plugins)
    if staff is None:
        staff = _bundled(workspace.plugins, played)
        if not staff:
            say("No bundled bots enter. To add some, use --staff BOT,BOT,...")
    rehearse(
        workspace, lambda database: LeagueOpening(workspace, database, played, called, staff).open(terms)
    )
    with workspace.database() as database:
        opening = LeagueOpening(workspace, database, played, called, staff)
        made = opening.open(terms)
    if made is None:
        raise UsageError(
            f"League {called!r} already has these settings. To play it: "
            f"botleague run {quote(str(file))} --league {quote(called)}"
        )
    report_creation(opening, made)
    if json:
        print_json(
            [
                {
                    "league": called,
                    "entrants": made.entrants,
                    "matches": made.planned,
                    "seed": made.settings.seed,
                }
            ]
        )
    else:
        play = f"botleague run {quote(str(file))}" + (f" --league {quote(name)}" if name else "")
        say(f"To play it: {play}. To let people log in and submit: botleague serve --open --play")


def _staff_of(terms: LeagueFile, plugins: PluginHost) -> tuple[LeagueFile, list[str] | None]:
    """Return the settings, and bots to enter in addition to theirs; None if the settings name no bots.

    In formats without staff bots, bots named as staff are ordinary entrants.
    """
    if terms.staff and "staff" not in plugins.formats.options(terms.format or "round-robin"):
        return msgspec.structs.replace(terms, staff=None), list(terms.staff)
    names_bots = terms.bots or terms.staff or terms.divisions or terms.seeded_by
    return terms, [] if names_bots else None


def _bundled(plugins: PluginHost, variant: Variant) -> list[str]:
    """Return the bundled bots if the user at the terminal confirms them."""
    names = [bot.name for bot in plugins.bots_for(variant)]
    if not names or not sys.stdin.isatty():
        return []
    text = f"Enter the {counted(len(names), 'bundled bot')} of {variant.name}: {', '.join(names)}?"
    return names if typer.confirm(text, err=True) else []


@league.command("show")
def show_terms(
    name: LeagueArgument = None,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print a settings file for `league new` and `run`.")
    ] = False,
    season: SeasonOption = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show the settings of a league, as a table or as a file.

    Examples:

        botleague league show cup

        botleague league show cup --toml
    """
    workspace = Workspace(db)
    with workspace.season(name, season) as opened:
        if json:
            print_json(
                [
                    {
                        key: value
                        for key, value in msgspec.structs.asdict(file_of(opened)).items()
                        if value is not None
                    }
                ]
            )
        elif toml:
            typer.echo(written(file_of(opened), workspace.plugins), nl=False)
        else:
            show(table_of(Term, describe_terms(opened), title=f"{opened.title} ({opened.league.variant})"))


@league.command("template")
@expanding(LeagueOptions)
def make_template(
    variant: Annotated[str, typer.Argument(help="Variant to play (see `botleague variants`).")],
    options: LeagueOptions,
) -> None:
    """Print a settings file to fill in, with an explanation of each setting.

    Examples:

        botleague league template isolation > cup.toml

        botleague league template pelita --format knockout > finals.toml
    """
    typer.echo(template(variant, options, Workspace().plugins), nl=False)
