"""Commands that create a bot, a game or a variant from a template."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.application.authoring import new_bot, new_game, new_variant
from botleague.cli.kit.printing import output, say
from botleague.cli.kit.shared_options import VariantName
from botleague.errors import UsageError
from botleague.rules import Seats

new = typer.Typer(
    name="new",
    help="Create a bot, game or variant from a template.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@new.command("bot")
def bot(
    name: Annotated[
        str, typer.Argument(help="Folder to create; its name becomes the name of the bot.", metavar="NAME")
    ],
    variant: VariantName,
) -> None:
    """Create a folder with a working bot and a test.

    Examples:

        botleague new bot ann --variant isolation

        botleague new bot teams/owls --variant pelita
    """
    workspace = Workspace()
    folder = Path(name)
    _show(new_bot(folder, workspace.plugins.variant(variant), workspace.plugins))
    say(f"Next: botleague try {folder}, and read {folder / 'README.md'}.")


@new.command("game")
def game(
    name: Annotated[
        str, typer.Argument(help="Folder to create; its name becomes the name of the game.", metavar="NAME")
    ],
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="All seats move at the same time.")
    ] = False,
    seats: Annotated[
        str, typer.Option("--seats", help="Number of seats, for example 2 or 2-6.", metavar="N")
    ] = "2",
) -> None:
    """Create an installable plugin with a small example game, two bots and tests.

    Examples:

        botleague new game nim

        botleague new game auction --simultaneous --seats 2-6
    """
    least, _, most = seats.partition("-")
    if not (least.isdecimal() and (most or least).isdecimal()):
        raise UsageError(f"--seats must be a number, or two like 2-6, not {seats!r}.")
    try:
        numbers = Seats(int(least), int(most or least))
    except ValueError as error:
        raise UsageError(f"--seats {seats!r}: {error}") from None
    folder = Path(name)
    _show(new_game(folder, numbers, simultaneous=simultaneous))
    say(f"Next: cd {folder}, pip install --editable '.[test]', pytest, and read README.md.")


@new.command("variant")
def variant(
    name: Annotated[str, typer.Argument(help="New variant, for example isolation-10x10.", metavar="NAME")],
    base: Annotated[str, typer.Option("--base", help="Variant to start from.", metavar="VARIANT")],
) -> None:
    """Add a variant of your own to botleague.toml in this folder, with all options as comments.

    Examples:

        botleague new variant isolation-10x10 --base isolation

        botleague new variant pelita-short --base pelita-quick
    """
    workspace = Workspace()
    block = new_variant(Path("botleague.toml"), name, workspace.plugins.variant(base), workspace.plugins)
    output().print(block, markup=False, end="")
    say("Added to botleague.toml. Remove the # of each line whose value you change.")


def _show(files: list[Path]) -> None:
    for file in files:
        output().print(str(file), markup=False)
