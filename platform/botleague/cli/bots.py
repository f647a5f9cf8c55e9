"""Commands for bot authors: check, submit, bots, history."""

from __future__ import annotations

from typing import Annotated

import typer

from botleague.cli.context import LARGEST, Context, Db, Json, SandboxProfile, VariantName
from botleague.cli.names import bot_name, owner_name

BotArgument = Annotated[
    str, typer.Argument(help="A .py file, a folder, a .zip, or the name of a bot.", metavar="BOT")
]


def check(
    bot: BotArgument,
    variant: VariantName,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Check a bot: whether its source is accepted, loads, and answers a first question.

    Examples:

        botleague check my_custom_player.py --variant isolation

        botleague check my_folder/ -v isolation --json
    """
    from botleague.cli.entrants import find_bot, is_path
    from botleague.cli.show import output, print_json
    from botleague.errors import UsageError
    from botleague.trial import try_out

    context = Context(db, sandbox=sandbox)
    played = context.plugins.variant(variant)
    database = None if is_path(bot) else context.existing_database()
    candidate = find_bot(bot, played, context.plugins, database)
    with context.open_sandbox() as rooms:
        trial = try_out(candidate.player, played, rooms)
    if json:
        print_json([trial])
        if trial.problems:
            raise typer.Exit(2)
        return
    if trial.problems:
        raise UsageError(f"{candidate.name} is not accepted for {variant}:\n\n" + "\n\n".join(trial.problems))
    console = output()
    console.print(f"{candidate.name} is accepted for {variant}.", markup=False)
    for name, value in trial.declared:
        console.print(f"  {name}: {value}", markup=False)
    for line in trial.remarks:
        console.print(f"  {line}", markup=False)


def submit(
    bot: BotArgument,
    variant: VariantName,
    name: Annotated[str | None, typer.Option("--name", help="The bot's name; default: the file's.")] = None,
    owner: Annotated[str, typer.Option("--owner", help="Whose bot it is.", callback=owner_name)] = "",
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Check a bot and store it as the newest version of its name.

    Examples:

        botleague submit my_custom_player.py --variant isolation --name ann --owner "Ann B."

        botleague submit team.zip -v isolation
    """
    from botleague.cli.entrants import find_bot, register
    from botleague.cli.show import output, print_json
    from botleague.errors import UsageError
    from botleague.plugins.boundary import watched
    from botleague.trial import try_out

    context = Context(db, sandbox=sandbox)
    played = context.plugins.variant(variant)
    candidate = find_bot(bot, played, context.plugins, None)
    called = bot_name(candidate.name if name is None else name)
    with context.open_sandbox() as rooms:
        trial = try_out(candidate.player, played, rooms)
    if trial.problems:
        raise UsageError(f"{called} is not accepted for {variant}:\n\n" + "\n\n".join(trial.problems))
    with context.database() as database:
        version, is_new = register(candidate, played, database, called, owner)
    if is_new:
        with watched("botleague_bot_submitted", set()):
            context.plugins.manager.hook.botleague_bot_submitted(
                game=played.game, bot=called, version=version.number, digest=version.digest
            )
    if json:
        print_json([version])
    elif is_new:
        output().print(f"Stored {called} as version {version.number} ({version.digest[:12]}).", markup=False)
    else:
        output().print(f"{called} version {version.number} has this source already.", markup=False)


def bots(
    variant: Annotated[
        str | None, typer.Option("--variant", "-v", help="Only bots of this variant's game.")
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the bots in the database, and the bundled ones of a variant.

    Examples:

        botleague bots

        botleague bots --variant isolation --json
    """
    from botleague.cli.show import print_json, print_table
    from botleague_storage import bots as stored_bots

    context = Context(db)
    played = context.plugins.variant(variant) if variant else None
    game = played.game if played else None
    rows: list[dict[str, object]] = []
    database = context.existing_database()
    if database is not None:
        with database.reading() as connection:
            rows += [
                {
                    "game": row.game,
                    "name": row.name,
                    "owner": row.owner,
                    "versions": row.versions,
                    "summary": "",
                }
                for row in stored_bots.bots(connection, game)
            ]
        database.close()
    rows += [
        {"game": bot.game, "name": bot.name, "owner": "(bundled)", "versions": 0, "summary": bot.summary}
        for bot in (context.plugins.bots_for(played) if played else context.plugins.bots)
    ]
    if json:
        print_json(rows)
    else:
        print_table(
            ["game", "name", "owner", "versions", "summary"],
            [[row["game"], row["name"], row["owner"], row["versions"] or "", row["summary"]] for row in rows],
            numbers=["versions"],
        )


def history(
    bot: Annotated[str, typer.Argument(help="The name of a bot in the database.", metavar="BOT")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=LARGEST, help="How many matches.")] = 30,
    variant: Annotated[
        str | None, typer.Option("--variant", "-v", help="If bots of several games have the name.")
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """List a bot's newest matches, and what each did to its rating.

    Examples:

        botleague history greedy

        botleague history greedy --limit 5 --json
    """
    from botleague.cli.show import describe_faults, print_json, print_table
    from botleague_storage import bots as stored_bots
    from botleague_storage import summaries

    context = Context(db)
    game = context.plugins.variant(variant).game if variant else None
    with context.database(create=False) as database, database.reading() as connection:
        stored_bots.find_version(connection, game, bot)
        rows = summaries.history(connection, game, bot, limit)
    if json:
        print_json(rows)
        return
    print_table(
        ["match", "league", "version", "seat", "against", "place", "rating", "faults", "how it ended"],
        [
            [
                row.fixture_id,
                row.league,
                row.version,
                row.seat,
                ", ".join(row.opponents),
                row.place,
                ""
                if row.after is None or row.before is None
                else f"{row.after:.0f} ({row.after - row.before:+.0f})",
                describe_faults(row.faults),
                row.reason,
            ]
            for row in rows
        ],
        numbers=["match", "version", "seat", "place", "rating"],
    )
