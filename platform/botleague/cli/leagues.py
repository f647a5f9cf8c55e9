"""Commands for organisers: run, standings, leagues, and the demonstration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from botleague.cli.context import Context, Db, Jobs, Json, SandboxProfile, Seed

if TYPE_CHECKING:
    from botleague.league import LeagueSettings, Standing
    from botleague.rules import Variant
    from botleague_storage import Database
    from botleague_storage.leagues import LeagueRow

LeagueArgument = Annotated[
    str | None, typer.Argument(help="The league; default: the one made last.", metavar="LEAGUE")
]

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


def run(
    variant: Annotated[str, typer.Argument(help="What to play, see `botleague variants`.")],
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            help="Who plays; default: every bot of the game in the database, or the bundled ones."
        ),
    ] = None,
    league: Annotated[
        str | None, typer.Option("--league", "-l", help="Its name; default: the variant's.")
    ] = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="How often everyone meets everyone.")] = 1,
    seats: Annotated[int | None, typer.Option("--seats", min=1, help="Bots in a match.")] = None,
    jobs: Jobs = None,
    seed: Seed = None,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Run a league and print its table. The same command again goes on where it stopped.

    Examples:

        botleague run isolation greedy minimax my_custom_player.py --league cup --rounds 5

        botleague run isolation --league cup --jobs 4
    """
    from botleague.cli.show import print_json

    context = Context(db, jobs, sandbox)
    played = context.plugins.variant(variant)
    with context.database() as database:
        row = _open_league(context, database, played, league or variant, bots or [], rounds, seats, seed)
        _play_out(context, database, row)
        table = _table(context, database, row)
    if json:
        print_json(table)
    else:
        _show_table(row.name, row.variant, table)


def standings(league: LeagueArgument = None, db: Db = None, json: Json = False) -> None:
    """Print a league's table: ratings, results and faults.

    Examples:

        botleague standings

        botleague standings cup --json
    """
    from botleague.cli.show import print_json
    from botleague_storage import leagues

    context = Context(db)
    with context.database(create=False) as database:
        with database.reading() as connection:
            row = leagues.find(connection, league)
        table = _table(context, database, row)
    if json:
        print_json(table)
        return
    _show_table(row.name, row.variant, table)


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
    from botleague.cli.show import print_json, say

    context = Context(db, jobs, sandbox)
    played = context.plugins.variant(DEMO_VARIANT)
    with context.database() as database:
        row = _open_league(context, database, played, "demo", DEMO_BOTS, 1, None, DEMO_SEED)
        _play_out(context, database, row)
        table = _table(context, database, row)
    if json:
        print_json(table)
        return
    _show_table(row.name, row.variant, table)
    option = f" --db {db}" if db else ""
    say(
        "\nEvery number above follows from stored results. Try next:\n"
        + "\n".join(f"  {line + option * stored:<56} {what}" for line, stored, what in DEMO_NEXT)
    )


def _open_league(
    context: Context,
    database: Database,
    variant: Variant,
    name: str,
    named: Sequence[str],
    rounds: int,
    seats: int | None,
    seed: int | None,
) -> LeagueRow:
    """Return the league to run: the one of that name if it is there, else a new one."""
    from botleague.cli.show import say
    from botleague.errors import UsageError
    from botleague.league import LeagueSettings, create_league
    from botleague.league.seeds import checked_seed, new_seed
    from botleague_storage import NotFound, leagues

    number = variant.seats.least if seats is None else seats
    if number not in variant.seats:
        raise UsageError(f"{variant.name} has {variant.seats} seats, not {number}.")
    entrants = _entrants(context, database, variant, named)
    with database.writing() as connection:
        try:
            row = leagues.find(connection, name)
        except NotFound:
            row = None
        if row is not None:
            season = leagues.current_season(connection, row.id)
            known = leagues.entrants(connection, season.id)
            _refuse_other_terms(
                row,
                variant,
                LeagueSettings.decode(season.settings),
                known,
                entrants if named else None,
                rounds,
                seed,
            )
            return row
        settings = LeagueSettings(
            format_options={"rounds": rounds, "seats": number},
            seed=new_seed() if seed is None else checked_seed(seed),
            seats=number,
            sandbox=context.settings.sandbox,  # type: ignore[arg-type]  # checked on reading
        )
        row = create_league(connection, name, variant, settings, entrants, context.plugins)
    say(
        f"League {name!r}: {row.entrants} bots, {row.fixtures} matches of {variant.name}, seed {settings.seed}."
    )
    return row


def _refuse_other_terms(
    row: LeagueRow,
    variant: Variant,
    settings: LeagueSettings,
    known: Sequence[int],
    entrants: Sequence[int] | None,
    rounds: int,
    seed: int | None,
) -> None:
    """A league that has begun keeps its terms: say so instead of playing something else than was asked for."""
    from botleague.errors import UsageError
    from botleague.referee import config_digest

    other = "Give another name with --league to begin a new one."
    if row.variant != variant.name:
        raise UsageError(f"League {row.name!r} plays {row.variant}, not {variant.name}. {other}")
    if row.variant_digest != config_digest(variant.config):
        raise UsageError(f"League {row.name!r} began with another configuration of {variant.name}. {other}")
    if entrants is not None and sorted(entrants) != sorted(known):
        raise UsageError(f"League {row.name!r} has begun with other bots or other versions of them. {other}")
    if seed is not None and seed != settings.seed:
        raise UsageError(f"League {row.name!r} has seed {settings.seed}, not {seed}. {other}")
    if rounds not in (1, settings.format_options.get("rounds", 1)):
        raise UsageError(
            f"League {row.name!r} has {settings.format_options.get('rounds', 1)} rounds, not {rounds}. {other}"
        )


def _entrants(context: Context, database: Database, variant: Variant, named: Sequence[str]) -> list[int]:
    """Return the version ids of those who are to play, storing bots that are not stored yet."""
    from botleague.cli.entrants import find_bot, register
    from botleague.errors import UsageError
    from botleague_storage import bots

    if not named:
        with database.reading() as connection:
            stored = bots.bots(connection, variant.game)
        named = [row.name for row in stored] or [bot.name for bot in context.plugins.bots_for(variant)]
    entrants: list[int] = []
    for text in named:
        candidate = find_bot(text, variant, context.plugins, database)
        version_id = candidate.version_id
        if version_id is None:
            version_id = register(candidate, variant, database)[0].id
        if version_id in entrants:
            raise UsageError(f"{text!r} was named twice.")
        entrants.append(version_id)
    return entrants


def _play_out(context: Context, database: Database, row: LeagueRow) -> None:
    """Run the league to its end, with progress on a terminal; Ctrl-C stops it cleanly."""
    from botleague.cli.show import say, warn_of_profile
    from botleague.league import Runner, runner_name

    warn_of_profile(context.settings.sandbox)
    options = {"setup": context.host_setup(), "jobs": context.settings.jobs}
    with (
        context.plugins.make("executor", "local", options) as executor,
        _progress_bar(row.name) as report,
    ):
        try:
            Runner(database, context.plugins, executor, runner_name()).run(row, report)
        except KeyboardInterrupt:
            say("Stopped. Every finished match is recorded; run the same command again to go on.")
            raise typer.Exit(1) from None


@contextmanager
def _progress_bar(title: str) -> Iterator[ProgressReport]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from botleague.cli.show import errors

    console = errors()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("matches, about"),
        TimeRemainingColumn(),
        TextColumn("to go"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task(title, total=None)

        def report(progress: LeagueProgress) -> None:
            bar.update(task, completed=progress.done, total=progress.planned)

        yield report


def _table(context: Context, database: Database, row: LeagueRow) -> list[Standing]:
    from botleague.league import standings as compute

    with database.reading() as connection:
        return compute(connection, row.id, context.plugins)


def _show_table(name: str, variant: str, table: Sequence[Standing]) -> None:
    from botleague.cli.show import describe_faults, output, print_table

    output().print(f"{name} ({variant})", markup=False, style="bold")
    print_table(
        ["#", "bot", "rating", "matches", "won", "drawn", "lost", "forfeits", "faults"],
        [
            [
                row.rank,
                row.bot if row.version == 1 else f"{row.bot}@{row.version}",
                f"{row.rating:.0f}{'?' if row.is_provisional else ''}",
                row.matches,
                row.wins,
                row.draws,
                row.losses,
                row.forfeits or "",
                describe_faults(row.faults),
            ]
            for row in table
        ],
        numbers=["#", "rating", "matches", "won", "drawn", "lost", "forfeits"],
    )
    if any(row.is_provisional for row in table):
        output().print("? provisional: few matches so far", style="dim")


if TYPE_CHECKING:
    from collections.abc import Callable

    from botleague.league import Progress as LeagueProgress

    ProgressReport = Callable[[LeagueProgress], None]
