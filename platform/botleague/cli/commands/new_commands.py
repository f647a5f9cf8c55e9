"""Commands that create a bot, a game or a variant from a template."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.application.authoring import LANGUAGES, new_bot, new_game, new_variant, new_wasm_bot
from botleague.cli.kit.command_tree import COMMANDS
from botleague.cli.kit.shared_options import VariantName
from botleague.cli.printing.texts import print_text, say
from botleague.cli.printing.untrusted_text import one_line
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
    language: Annotated[
        str,
        typer.Option(
            "--language",
            help="Language of the source: python, or for a bot in WebAssembly c, zig, rust, go or assemblyscript "
            "(default: python).",
            metavar="LANGUAGE",
        ),
    ] = "python",
) -> None:
    """Create a folder with a working bot and a test.

    Examples:

        botleague new bot ann --variant isolation

        botleague new bot teams/owls --variant pelita --language c
    """
    workspace = Workspace()
    folder, chosen, plugins = Path(name), workspace.plugins.variant(variant), workspace.plugins
    if language == "python":
        _show(new_bot(folder, chosen, plugins))
        say(f"Next: botleague try {_as_word(folder)}, and read {folder / 'README.md'}.")
        return
    if language not in LANGUAGES:
        raise UsageError(f"Unknown language {language!r}. Languages: python, {', '.join(LANGUAGES)}.")
    _show(new_wasm_bot(folder, chosen, language, plugins))
    say(f"Next: cd {_as_word(folder)}, sh build.sh, botleague try ., and read README.md.")


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

        botleague new game duel

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
    if any(folder.name == command.name for command in COMMANDS):
        raise UsageError(
            f"{folder.name!r} is a command of botleague, so commands of the game could not be called. Choose another "
            "name."
        )
    _show(new_game(folder, numbers, Workspace().plugins, simultaneous=simultaneous))
    say(f"Next: cd {shlex.quote(str(folder))}, pip install --editable '.[test]', pytest, and read README.md.")


@new.command("variant")
def variant(
    name: Annotated[str, typer.Argument(help="New variant, for example isolation-10x10.", metavar="NAME")],
    base: Annotated[
        str | None, typer.Option("--base", help="Variant to start from (required).", metavar="VARIANT")
    ] = None,
    of: Annotated[str | None, typer.Option("--of", hidden=True)] = None,
) -> None:
    """Add your own variant to botleague.toml in this folder, with all options as comments.

    Examples:

        botleague new variant isolation-10x10 --base isolation

        botleague new variant pelita-short --base pelita-quick
    """
    workspace = Workspace()
    if base is None:
        game = name.partition("-")[0]
        likely = of or (game if game in workspace.plugins.variants else "VARIANT")
        raise UsageError(
            f"Name the variant to start from: `botleague new variant {shlex.quote(name)} --base {shlex.quote(likely)}`."
        )
    block = new_variant(Path("botleague.toml"), name, workspace.plugins.variant(base), workspace.plugins)
    print_text(block, end="")
    say("Added to botleague.toml. Remove the # from each line whose value you change.")


def _as_word(folder: Path) -> str:
    """Return a path as a word for a shell that no command takes for an option."""
    return shlex.quote(f"./{folder}" if str(folder).startswith("-") else str(folder))


def _show(files: list[Path]) -> None:
    for file in files:
        print_text(one_line(str(file)))
