"""Commands for organisers: run, leagues, and the demonstration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from botleague.cli.context import Cluster, Context, Db, Jobs, Json, SandboxProfile, Seed, WithSiblings
from botleague.cli.terms import (
    Audit,
    BankMs,
    ClockName,
    DivisionOption,
    FormatName,
    FormatOption,
    IncrementMs,
    LeagueOption,
    LeavingRule,
    LoadFailures,
    MoveMs,
    RatingName,
    RatingOption,
    Rounds,
    SeatsOption,
    Strike,
    StrikePoints,
    SuspendAfter,
    TableName,
    Terms,
)

if TYPE_CHECKING:
    from botleague_storage import Database

DEMO_VARIANT = "isolation-blitz"
DEMO_BOTS = ("random", "greedy", "minimax", "alphabeta", "mcts")
DEMO_SEED = 2018
DEMO_NEXT = (
    ("botleague play isolation-blitz alphabeta mcts --watch", False, "watch a match"),
    ("botleague history greedy", True, "every match of a bot"),
    ("botleague replay 1", True, "one of them, turn by turn"),
    ("botleague variants", False, "what else can be played"),
    ("botleague check my_bot.py --variant isolation", False, "is my bot accepted?"),
)

BATCHES = 10
"""How many batches a format without end plays in one run, if nobody says."""


def run(
    variant: Annotated[str, typer.Argument(help="What to play, see `botleague variants`.")],
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            help="Who plays; default: every bot of the game in the database, or the bundled ones."
        ),
    ] = None,
    league: LeagueOption = None,
    format: FormatName = None,
    rounds: Rounds = None,
    seats: SeatsOption = None,
    rating: RatingName = None,
    table: TableName = None,
    division: DivisionOption = None,
    seeded_by: Annotated[
        str | None,
        typer.Option("--seeded-by", help="Seed by another league's table; its bots enter.", metavar="LEAGUE"),
    ] = None,
    top: Annotated[
        int | None, typer.Option("--top", min=2, help="Take only the best N of that league.")
    ] = None,
    add: Annotated[
        list[str] | None, typer.Option("--add", help="A bot that joins the running league.", metavar="BOT")
    ] = None,
    batches: Annotated[
        int | None, typer.Option("--batches", min=1, help="Batches of an endless format to play; 10.")
    ] = None,
    format_option: FormatOption = None,
    rating_option: RatingOption = None,
    strike: Strike = None,
    strike_points: StrikePoints = None,
    suspend_after: SuspendAfter = None,
    load_failures: LoadFailures = None,
    move_ms: MoveMs = None,
    bank_ms: BankMs = None,
    increment_ms: IncrementMs = None,
    clock: ClockName = None,
    audit: Audit = None,
    leaving: LeavingRule = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    seed: Seed = None,
    with_siblings: WithSiblings = False,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Run a league and print its table. The same command again goes on where it stopped.

    Examples:

        botleague run isolation greedy minimax my_custom_player.py --league cup --rounds 5

        botleague run isolation --league finals --format knockout --seeded-by cup --top 8
    """
    from botleague.cli.opening import Opening
    from botleague.cli.running import play_out
    from botleague.cli.show import print_json
    from botleague.cli.tables import read_table, show_table

    terms = Terms(
        format=format,
        format_options=format_option or (),
        rating=rating,
        rating_options=rating_option or (),
        rounds=rounds,
        seats=seats,
        seed=seed,
        table=table,
        strikes=strike or (),
        strike_points=strike_points,
        suspend_after=suspend_after,
        load_failures=load_failures,
        time={"move_ms": move_ms, "bank_ms": bank_ms, "increment_ms": increment_ms, "clock": clock},
        audit=audit,
        leaving=leaving,
    )
    context = Context(db, jobs, sandbox, cluster, with_siblings)
    played = context.plugins.variant(variant)
    with context.database() as database:
        opening = Opening(context, database, played, variant if league is None else league)
        newcomers = opening.find(add or [])
        name = opening.open(bots or [], terms, division or [], seeded_by, top)
        opening.add(name, newcomers)
        play_out(context, database, name, batches=_batches(context, database, name, batches))
        rows = read_table(context, database, name)
    if json:
        print_json(rows)
    else:
        show_table(name, variant, rows)


def list_leagues(db: Db = None, json: Json = False) -> None:
    """List the leagues and how far they are.

    Examples:

        botleague leagues

        botleague leagues --json
    """
    from botleague.cli.show import print_json, print_table
    from botleague_storage import leagues

    context = Context(db)
    database = context.existing_database()
    rows = []
    if database is not None:
        with database.reading() as connection:
            rows = leagues.leagues(connection)
        database.close()
    fields = ["name", "variant", "entrants", "done", "fixtures"]
    if json:
        print_json({field: getattr(row, field) for field in fields} for row in rows)
    else:
        print_table(fields, [[getattr(row, field) for field in fields] for row in rows], numbers=fields[2:])


def demo(
    jobs: Jobs = None,
    db: Annotated[str | None, typer.Option("--db", help="Where to store the league.", metavar="URL")] = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Play a rated league of the bundled Isolation bots in sandboxes, and say what to try next.

    Examples:

        botleague demo

        botleague demo --jobs 1 --db demo.db
    """
    from botleague.cli.opening import Opening
    from botleague.cli.running import play_out
    from botleague.cli.show import print_json, say
    from botleague.cli.tables import read_table, show_table

    context = Context(db, jobs, sandbox)
    played = context.plugins.variant(DEMO_VARIANT)
    with context.database() as database:
        name = Opening(context, database, played, "demo").open(DEMO_BOTS, Terms(seed=DEMO_SEED))
        play_out(context, database, name)
        table = read_table(context, database, name)
    if json:
        print_json(table)
        return
    show_table(name, DEMO_VARIANT, table)
    option = f" --db {db}" if db else ""
    say(
        "\nEvery number above follows from stored results. Try next:\n"
        + "\n".join(f"  {line + option * stored:<56} {what}" for line, stored, what in DEMO_NEXT)
    )


def _batches(context: Context, database: Database, league: str, batches: int | None) -> int | None:
    """Return how many batches to play: all, unless the format goes on for ever."""
    from botleague.league import open_season

    with database.reading() as connection:
        form = open_season(connection, context.plugins, league).format
    return batches or (BATCHES if form.is_endless else None)
