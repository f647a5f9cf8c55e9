"""Commands for bot authors: check, submit, bots, history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Annotated

import msgspec
import typer

from botleague.application import Workspace
from botleague.application.workspace import TAKE_ALONG
from botleague.cli.shared_options import (
    LARGEST,
    Db,
    Json,
    SandboxProfile,
    VariantName,
    WithSiblings,
)
from botleague.cli.show import behind_a_bar, describe_faults, output, print_json, print_table, say
from botleague.errors import UsageError
from botleague.league import entrants
from botleague.league.trial import Trial, try_out
from botleague.names import bot_name, owner_name
from botleague.referee import Player
from botleague.rules import with_names
from botleague_storage import bots as stored_bots
from botleague_storage import summaries

BotArgument = Annotated[
    str, typer.Argument(help="A .py file, a folder, a .zip, or the name of a bot.", metavar="BOT")
]

Lenient = Annotated[
    bool,
    typer.Option("--lenient", help="Let imports through that bots do not have, and list them as warnings."),
]


def check(
    bot: BotArgument,
    variant: VariantName,
    lenient: Lenient = False,
    with_siblings: WithSiblings = False,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Check a bot: whether its source is accepted, loads, and answers a first question.

    Examples:

        botleague check my_custom_player.py --variant isolation

        botleague check my_folder/ -v isolation --json
    """
    workspace = Workspace(db, sandbox=sandbox, with_siblings=with_siblings)
    (player,) = workspace.find_bots([bot], workspace.plugins.variant(variant), warns=False)
    trial = _try_out(workspace, bot, player, variant, lenient)
    if json:
        print_json([trial])
        if trial.problems:
            raise typer.Exit(2)
        return
    _refuse(trial, variant)
    _show(trial, variant)


def submit(
    bot: BotArgument,
    variant: VariantName,
    name: Annotated[str | None, typer.Option("--name", help="The bot's name; default: the file's.")] = None,
    owner: Annotated[str, typer.Option("--owner", help="Whose bot it is.", callback=owner_name)] = "",
    lenient: Lenient = False,
    with_siblings: WithSiblings = False,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Check a bot and store it as the newest version of its name.

    Examples:

        botleague submit my_custom_player.py --variant isolation --name ann --owner "Ann B."

        botleague submit team.zip -v isolation
    """
    workspace = Workspace(db, sandbox=sandbox, with_siblings=with_siblings)
    played = workspace.plugins.variant(variant)
    (player,) = workspace.find_bots([bot], played, warns=False)
    player = replace(player, name=bot_name(player.name if name is None else name))
    trial = _try_out(workspace, bot, player, variant, lenient)
    _refuse(trial, variant)
    with workspace.database() as database:
        ((version, is_new),) = entrants.submit([player], played, database, workspace.plugins, owner)
    if json:
        print_json([version])
    elif is_new:
        output().print(
            f"Stored {version.bot} as version {version.number} ({version.digest[:12]}).", markup=False
        )
    else:
        output().print(f"{version.bot} version {version.number} has this source already.", markup=False)
    for line in (*map(behind_a_bar, trial.warnings), *_handed_in(trial)):
        say(line)


def _try_out(workspace: Workspace, named: str, player: Player, variant: str, lenient: bool) -> Trial:
    """Try a bot in a sandbox, and note what its source names that was not handed in."""
    played = workspace.plugins.variant(variant)
    with workspace.open_sandbox() as rooms:
        trial = try_out(player, replace(played, imports="lenient") if lenient else played, rooms)
    return msgspec.structs.replace(trial, left_out=workspace.left_out(named))


def _refuse(trial: Trial, variant: str) -> None:
    """Raise UsageError if the bot was not accepted."""
    if trial.problems:
        reasons = (*map(behind_a_bar, trial.problems), *_handed_in(trial))
        raise UsageError(f"{trial.bot} is not accepted for {variant}:\n\n" + "\n\n".join(reasons))


def _show(trial: Trial, variant: str) -> None:
    console = output()
    console.print(f"{trial.bot} is accepted for {variant}.", markup=False)
    said = [f"{name}: {value}" for name, value in trial.declared]
    for line in (*said, *trial.remarks, *trial.warnings, *_handed_in(trial)):
        console.print("  " + behind_a_bar(line), markup=False)


def _handed_in(trial: Trial) -> Iterator[str]:
    """Yield what is to be said of the files, unless it is one file that names no other."""
    if len(trial.files) > 1:
        yield f"Files handed in: {', '.join(trial.files)}"
    if trial.left_out:
        yield (
            f"Files beside it that its source names were not handed in: {', '.join(trial.left_out)}. {TAKE_ALONG}"
        )


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
    workspace = Workspace(db)
    played = workspace.plugins.variant(variant) if variant else None
    game = played.game if played else None
    rows: list[dict[str, object]] = []
    database = workspace.existing_database()
    if database is not None:
        with closing(database), database.reading() as connection:
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
    rows += [
        {"game": bot.game, "name": bot.name, "owner": "(bundled)", "versions": 0, "summary": bot.summary}
        for bot in (workspace.plugins.bots_for(played) if played else workspace.plugins.bots)
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
    """List a bot's newest matches, of all its versions, and what each did to its rating.

    A > marks the first match of a version: there its rating begins, by the season's terms where the one before stood.

    Examples:

        botleague history greedy

        botleague history greedy --limit 5 --json
    """
    workspace = Workspace(db)
    game = workspace.plugins.variant(variant).game if variant else None
    with workspace.reading() as database, database.reading() as connection:
        stored_bots.find_version(connection, game, bot)
        rows = summaries.history(connection, game, bot, limit)
    rows = [
        replace(
            row, reason=with_names(row.reason, [*row.opponents[: row.seat], bot, *row.opponents[row.seat :]])
        )
        for row in rows
    ]
    if json:
        print_json(rows)
        return
    print_table(
        ["match", "league", "version", "seat", "against", "place", "rating", "faults", "how it ended"],
        [
            [
                row.fixture_id,
                row.league,
                f"> {row.version}" if row.is_first else row.version,
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
