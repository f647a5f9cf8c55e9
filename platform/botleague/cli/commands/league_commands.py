"""Commands for organisers: run, leagues, and the demonstration."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.engine import Connection

from botleague.application import LeagueOptions, Workspace
from botleague.application.leagues import (
    LeagueFile,
    LeagueOpening,
    MadeLeague,
    is_league_file,
    read_league_file,
    rehearse,
)
from botleague.cli.commands.standings_command import show_standings
from botleague.cli.kit.option_expansion import expanding
from botleague.cli.kit.printing import say, show
from botleague.cli.kit.run_progress import play_out, stopping
from botleague.cli.kit.shared_options import Cluster, Db, Division, Jobs, Json, SandboxProfile, WithSiblings
from botleague.errors import counted
from botleague.league import Standing, Transactions, open_season, outlast
from botleague.league.tables import read_standings
from botleague.listing import Column, table_of
from botleague.rules import Variant
from botleague_storage import leagues, matches

DEMO_VARIANT = "isolation-blitz"
DEMO_BOTS = ("random", "greedy", "minimax", "alphabeta", "mcts")
DEMO_SEED = 2018
DEMO_NEXT = (
    ("botleague play isolation-blitz alphabeta mcts --watch", False, "watch a match"),
    ("botleague history greedy", True, "list the matches of a bot"),
    ("botleague replay demo/1", True, "show one match, turn by turn"),
    ("botleague variants", False, "list the games and variants"),
    ("botleague check my_bot.py --variant isolation", False, "check your own bot"),
)


@expanding(LeagueOptions)
def run(
    variant: Annotated[
        str,
        typer.Argument(help="Variant to play (see `botleague variants`), or a settings file FILE.toml."),
    ],
    options: LeagueOptions,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            help="Bots that play (default: all bots of the game in the database, else the bundled ones)."
        ),
    ] = None,
    league: Annotated[
        str | None, typer.Option("--league", "-l", help="League name (default: the name of the variant).")
    ] = None,
    division: Division = None,
    seeded_by: Annotated[
        str | None,
        typer.Option(
            "--seeded-by",
            help="Enter the bots of this league, seeded by its standings.",
            metavar="LEAGUE",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", min=2, help="With --seeded-by: enter only the best N bots.", metavar="N"),
    ] = None,
    add: Annotated[
        list[str] | None,
        typer.Option("--add", help="Add this bot to the running league; repeatable.", metavar="BOT"),
    ] = None,
    batches: Annotated[
        int | None,
        typer.Option(
            "--batches",
            min=1,
            help="Total rounds of an endless format; raise it to play more (default: 10).",
        ),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    with_siblings: WithSiblings = False,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Run a league and print the standings. Run the same command again to resume.

    Examples:

        botleague run isolation greedy minimax my_custom_player.py --league cup --rounds 5

        botleague run isolation --league finals --format knockout --seeded-by cup --top 8
    """
    workspace = Workspace(db, jobs, sandbox, cluster, with_siblings)
    terms = read_league_file(Path(variant)) if is_league_file(variant) else LeagueFile(variant=variant)
    named = {"league": league, "bots": bots, "seeded_by": seeded_by, "top": top}
    terms = terms.with_options(options, **named)
    played = workspace.plugins.variant(terms.variant)
    name = terms.variant if terms.league is None else terms.league

    def begin(opening: LeagueOpening) -> MadeLeague | None:
        opening.refuse_fewer_batches(batches)
        return opening.open_file(terms, division or [], add or [])

    rows, seats = _play_league(workspace, played, name, begin, batches)
    show_standings(name, terms.variant, rows, seats, json=json)


def list_leagues(db: Db = None, json: Json = False) -> None:
    """List the leagues and their progress.

    Examples:

        botleague leagues

        botleague leagues --json
    """
    database = Workspace(db).existing_database()
    rows = []
    if database is not None:
        with closing(database), database.reading() as connection:
            rows = leagues.leagues(connection)
    fields = ["name", "variant", "entrants", "done", "fixtures"]
    columns = {field: Column(field, is_number=field not in ("name", "variant")) for field in fields}
    show(
        table_of(object, [{field: getattr(row, field) for field in fields} for row in rows], columns),
        json=json,
    )


def demo(
    jobs: Jobs = None,
    db: Annotated[
        str | None, typer.Option("--db", help="Database path or URL to store the league in.", metavar="URL")
    ] = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Play a rated league of the bundled Isolation bots in sandboxes, and suggest next steps.

    Examples:

        botleague demo

        botleague demo --jobs 1 --db demo.db
    """
    workspace = Workspace(db, jobs, sandbox)
    played = workspace.plugins.variant(DEMO_VARIANT)

    def begin(opening: LeagueOpening) -> MadeLeague | None:
        return opening.open(DEMO_BOTS, LeagueOptions(seed=DEMO_SEED))

    table, seats = _play_league(workspace, played, "demo", begin)
    show_standings("demo", DEMO_VARIANT, table, seats, json=json)
    if json:
        return
    option = f" --db {db}" if db else ""
    say(
        "\nNext steps:\n"
        + "\n".join(f"  {line + option * stored:<56} {what}" for line, stored, what in DEMO_NEXT)
    )


def _play_league(
    workspace: Workspace,
    variant: Variant,
    name: str,
    begin: Callable[[LeagueOpening], MadeLeague | None],
    batches: int | None = None,
) -> tuple[list[Standing], int]:
    """Open a league with ``begin``, play it to its end and return its standings and the number of seats per match.

    While the database is unavailable, it waits.
    """
    rehearse(workspace, lambda database: begin(LeagueOpening(workspace, database, variant, name)))
    with stopping() as is_stopped, workspace.database(is_over=is_stopped) as database:
        opening = LeagueOpening(workspace, database, variant, name)
        report_creation(opening, outlast(lambda: begin(opening), is_stopped))
        play_out(workspace, database, name, is_stopped, batches=batches)

        def table(connection: Connection) -> tuple[list[Standing], int]:
            season = open_season(connection, workspace.plugins, name)
            if season.format.is_endless and not season.is_closed:
                played = matches.last_round(connection, season.id)
                say(
                    f"{name!r} has played {counted(played, 'round')}. To play more, use --batches {played + 10}."
                )
            return read_standings(season), season.settings.seats

        return Transactions(database, is_stopped).read(table)


def report_creation(opening: LeagueOpening, made: MadeLeague | None) -> None:
    if made is not None:
        say(
            f"League {opening.name!r}: {counted(made.entrants, 'bot')}, {made.settings.format}, "
            f"{counted(made.planned, 'match', 'matches')} of {opening.variant.name} planned, seed {made.settings.seed}."
        )
