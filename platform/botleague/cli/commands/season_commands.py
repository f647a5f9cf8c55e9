"""Commands for seasons: season new, season list."""

from __future__ import annotations

from shlex import quote
from typing import Annotated

import typer

from botleague.application import LeagueOptions, Workspace
from botleague.application.leagues import (
    SeasonChoices,
    begin_next_season,
    matches_in_words,
    unentered_bots,
    unentered_text,
)
from botleague.cli.kit.option_expansion import expanding
from botleague.cli.kit.shared_options import Db, Division, Json, TakesAll, WithSiblings
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import answer, say
from botleague.errors import counted
from botleague.league import seasons_of
from botleague.listing import Column, table_of
from botleague_storage import fixtures

season = typer.Typer(help="Manage the seasons of a league.", no_args_is_help=True)

League = Annotated[str, typer.Argument(help="League name.", metavar="LEAGUE")]


@season.command("new")
@expanding(LeagueOptions)
def new(
    league: League,
    options: LeagueOptions,
    bots: Annotated[
        list[str] | None,
        typer.Argument(help="Bots that play (default: all active bots, each with its newest version)."),
    ] = None,
    carry: Annotated[
        float | None,
        typer.Option(
            "--carry",
            help="Share of each rating's distance from the mean to keep, for example 0.75.",
            metavar="SHARE",
        ),
    ] = None,
    close: Annotated[
        bool, typer.Option("--close", help="End the previous season, and cancel its remaining matches.")
    ] = False,
    promote: Annotated[
        int | None,
        typer.Option("--promote", min=1, help="Promote and relegate N bots between divisions.", metavar="N"),
    ] = None,
    division: Division = None,
    takes_all: TakesAll = False,
    with_siblings: WithSiblings = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Start the next season, with fresh ratings seeded by the last standings or with ratings carried over.

    Settings you do not give stay the same. A new version of a bot starts at the rating of its previous version, with
    more uncertainty. `botleague run` plays the season.

    Examples:

        botleague season new cup --carry 0.75

        botleague season new cup --format knockout --format-option best_of=3
    """
    workspace = Workspace(db, with_siblings=with_siblings)
    coming = SeasonChoices(
        named=bots or [],
        carry=carry,
        close=close,
        promote=promote,
        division=division or [],
        takes_all=takes_all,
    )
    begun = begin_next_season(workspace, league, options, coming)
    with workspace.season(league) as made:
        variant, matches, unentered = made.league.variant, matches_in_words(made), unentered_bots(made)
        if text := unentered_text(made):
            say(text)
    answer(
        f"Season {begun.number} of {league!r}: {counted(begun.entrants, 'bot')}, {begun.settings.format}, "
        f"{matches}, seed {begun.settings.seed}. "
        f"To play it: botleague run {variant} --league {quote(league)}",
        json=json,
        league=league,
        season=begun.number,
        entrants=begun.entrants,
        seed=begun.settings.seed,
        unentered=[one.bot for one in unentered],
    )


@season.command("list")
def list_seasons(league: League, db: Db = None, json: Json = False) -> None:
    """List the seasons of a league.

    Examples:

        botleague season list cup

        botleague season list cup --json
    """
    workspace = Workspace(db)
    rows: list[dict[str, object]] = []
    with workspace.reading() as database, database.reading() as connection:
        for item in seasons_of(connection, workspace.plugins, league):
            planned, done = fixtures.counts(connection, item.id)
            rows.append(
                {
                    "season": item.row.number,
                    "format": item.settings.format,
                    "rating": item.settings.rating,
                    "table": item.settings.table,
                    "entrants": len(item.roster.members),
                    "done": done,
                    "matches": planned,
                    "seed": item.settings.seed,
                }
            )
    numbers = ("season", "entrants", "done")
    show(
        table_of(object, rows, {name: Column(name, is_number=name in numbers) for name in rows[0]}), json=json
    )
