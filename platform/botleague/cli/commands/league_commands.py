"""Commands for organisers: run, leagues, and the demonstration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from shlex import quote
from typing import Annotated, NamedTuple

import msgspec
import typer
from msgspec import structs
from sqlalchemy.engine import Connection

from botleague.application import LeagueOptions, Workspace
from botleague.application.leagues import (
    LeagueFile,
    LeagueOpening,
    MadeLeague,
    is_league_file,
    read_league_file,
    rehearse,
    unentered_text,
)
from botleague.cli.commands.standings_command import show_standings
from botleague.cli.kit.option_expansion import expanding
from botleague.cli.kit.run_progress import play_out, stopping
from botleague.cli.kit.shared_options import (
    Cluster,
    Db,
    Division,
    Jobs,
    Json,
    Lenient,
    SandboxProfile,
    TakesAll,
    WithSiblings,
    db_option,
)
from botleague.cli.printing.texts import page_width, say
from botleague.cli.printing.untrusted_text import one_line
from botleague.cli.viewing.worth_watching import RecordedMatch, newest_matches, suggest_match
from botleague.errors import UsageError, VariantNotFound, counted
from botleague.league import Standing, Transactions, open_season, outlast
from botleague.league.decisions import is_over
from botleague.league.tables import read_standings
from botleague.rules import Variant
from botleague_storage import Database, leagues, matches

DEMO_VARIANT = "isolation-blitz"
DEMO_BOTS = ("random", "greedy", "minimax", "alphabeta", "mcts")
DEMO_SEED = 2018
DEMO_NEXT = (
    ("botleague play isolation-blitz alphabeta mcts --watch", False, "watch a match"),
    ("botleague history greedy", True, "list a bot's matches"),
    ("botleague variants", False, "list the games"),
    ("botleague check my_bot.py --variant isolation", False, "check your bot"),
    ("botleague replay demo/1 --open", True, "open a replay"),
)


DEMO_WIDTH = 80
"""Columns of a terminal in which a command and its purpose fit into a line."""


@expanding(LeagueOptions)
def run(
    variant: Annotated[
        str, typer.Argument(help="Variant to play (see `botleague variants`), or a settings file FILE.toml.")
    ],
    options: LeagueOptions,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            help="Bots, or folders of bots (default: all bots of the game in the database, else the bundled ones)."
        ),
    ] = None,
    league: Annotated[
        str | None, typer.Option("--league", "-l", help="League name (default: the name of the variant).")
    ] = None,
    division: Division = None,
    seeded_by: Annotated[
        str | None,
        typer.Option(
            "--seeded-by", help="Enter the bots of this league, seeded by its standings.", metavar="LEAGUE"
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
    takes_all: TakesAll = False,
    batches: Annotated[
        int | None,
        typer.Option(
            "--batches", min=1, help="Total rounds of an endless format; raise it to play more (default: 10)."
        ),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    lenient: Lenient = False,
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
    if lenient and options.imports == "refuse":
        raise UsageError("--lenient cannot be combined with --imports refuse.")
    if lenient:
        options = msgspec.structs.replace(options, imports="lenient")
    terms = terms.with_options(options, **named)
    try:
        played = workspace.plugins.variant(terms.variant)
    except VariantNotFound as error:
        raise _league_instead(workspace, error) from None
    if terms.bots:
        terms = structs.replace(terms, bots=_without_folders(workspace, terms.bots, played))
    name = terms.variant if terms.league is None else terms.league

    def begin(opening: LeagueOpening) -> MadeLeague | None:
        opening.refuse_fewer_batches(batches)
        return opening.open(terms, division or [], add or [], takes_all=takes_all)

    done = _play_league(workspace, played, name, begin, batches, names_unentered=True)
    show_standings(done.title, terms.variant, done.rows, done.seats, json=json)
    if not json:
        suggest_match(done.newest, played, db_option(db))


def _league_instead(workspace: Workspace, error: VariantNotFound) -> UsageError:
    """Return the error for an unknown variant, with the command for a league if that has the name."""
    opened = workspace.existing_database()
    if opened is not None:
        with closing(opened) as database, database.reading() as connection:
            for row in leagues.leagues(connection):
                if row.name == error.name != row.variant:  # else its variant is the unknown one
                    again = f"`botleague run {row.variant} --league {quote(row.name)}`"
                    return UsageError(f"{row.name!r} is a league, not a variant. Use {again}.")
    return error


def _without_folders(workspace: Workspace, bots: Sequence[str], variant: Variant) -> list[str]:
    """Return named bots with the bots of each folder in its place, and print what each folder contains."""
    # Not above: most leagues are played without folders.
    from botleague.application.authoring import bots_in

    named: list[str] = []
    for text in bots:
        contents = bots_in(workspace, text, variant)
        if contents is None:
            named.append(text)
            continue
        named += contents.bots
        names = ", ".join(Path(bot).name for bot in contents.bots)
        say(f"{text}: {counted(len(contents.bots), 'bot')}: {names}.")
        for name, reason in contents.left_out.items():
            say(f"{text}: left out {name}: {one_line(reason)}")
    return named


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
        return opening.open(LeagueFile(variant=DEMO_VARIANT, bots=[*DEMO_BOTS], seed=DEMO_SEED))

    done = _play_league(workspace, played, "demo", begin)
    show_standings(done.title, DEMO_VARIANT, done.rows, done.seats, json=json)
    if json:
        return
    option = db_option(db)
    suggest_match(done.newest, played, option)
    say(next_steps(option, page_width()))


def next_steps(option: str, columns: int) -> str:
    """Return commands to continue with; their purposes are below them where both do not fit into a line.

    Args:
        option: names the database, "" for the default one.
        columns: width of the terminal.
    """
    line_of = "  {:<56}{}" if columns >= DEMO_WIDTH else "  {}\n      {}"
    return "\nNext steps:\n" + "\n".join(
        line_of.format(line + option * stored, what) for line, stored, what in DEMO_NEXT
    )


class _PlayedLeague(NamedTuple):
    """A league after its run: its title, standings, the number of seats per match, and the newest matches."""

    title: str
    rows: list[Standing]
    seats: int
    newest: list[RecordedMatch]


def _play_league(
    workspace: Workspace,
    variant: Variant,
    name: str,
    begin: Callable[[LeagueOpening], MadeLeague | None],
    batches: int | None = None,
    *,
    names_unentered: bool = False,
) -> _PlayedLeague:
    """Open a league with ``begin``, and play it to its end.

    While the database is unavailable, it waits.
    """
    rehearse(workspace, lambda database: begin(LeagueOpening(workspace, database, variant, name)))
    with stopping() as is_stopped, workspace.database(is_over=is_stopped) as database:
        opening = LeagueOpening(workspace, database, variant, name)
        report_creation(opening, outlast(lambda: begin(opening), is_stopped))
        if names_unentered:
            _say_unentered(workspace, database, name, is_stopped)
        play_out(workspace, database, name, is_stopped, batches=batches)

        def has_rounds_left(connection: Connection) -> bool:
            return not is_over(open_season(connection, workspace.plugins, name))

        # Endless formats tell it themselves.
        is_cut = batches is not None and Transactions(database, is_stopped).write(has_rounds_left)

        def table(connection: Connection) -> _PlayedLeague:
            season = open_season(connection, workspace.plugins, name)
            seats = season.settings.seats
            active = sum(not member.is_out for member in season.roster.members.values())
            if season.is_closed:
                say(
                    f"{season.title} is closed, so no match starts. `botleague organise log {quote(name)}` shows why, "
                    f"`botleague season new {quote(name)}` starts the next season."
                )
            elif season.format.is_endless and active < seats:
                say(
                    f"{name!r} waits for bots: a match needs {seats}, and {active} can play. To add one: botleague "
                    f"organise add {quote(name)} BOT"
                )
            elif season.format.is_endless:
                played = matches.last_round(connection, season.id)
                say(
                    f"{name!r} has played {counted(played, 'round')}. To play more, use --batches {played + 10}."
                )
            elif is_cut:
                say(f"{season.title} is not over. To play on, leave out --batches.")
            return _PlayedLeague(season.title, read_standings(season), seats, newest_matches(season))

        return Transactions(database, is_stopped).read(table)


def _say_unentered(
    workspace: Workspace, database: Database, name: str, is_stopped: Callable[[], bool]
) -> None:
    def text(connection: Connection) -> str:
        return unentered_text(open_season(connection, workspace.plugins, name), is_starting=True)

    if unentered := Transactions(database, is_stopped).read(text):
        say(unentered)


def report_creation(opening: LeagueOpening, made: MadeLeague | None) -> None:
    if made is not None:
        say(
            f"League {opening.name!r}: {counted(made.entrants, 'bot')}, {made.settings.format} of "
            f"{opening.variant.name}, {made.matches}, seed {made.settings.seed}."
        )
