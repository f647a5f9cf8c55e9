"""Command that writes type stubs of a game's modules for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.application.authoring import write_stubs
from botleague.cli.printing.texts import print_text, say
from botleague.errors import counted


def stubs(
    variant: Annotated[str, typer.Argument(help="Variant (see `botleague variants`).", metavar="VARIANT")],
    out: Annotated[Path, typer.Option("--out", help="Output folder.", metavar="FOLDER")] = Path("typings"),
) -> None:
    """Write type stubs of a variant for editors: the modules its bots import, their observations and actions.

    Editors with Pylance find the folder `typings` themselves. For mypy, set MYPYPATH=typings.

    Examples:

        botleague stubs isolation

        botleague stubs pelita --out my_team/typings
    """
    files = write_stubs(Workspace().plugins.variant(variant), out)
    print_text(str(out))
    say(f"{counted(len(files), 'stub')} of {variant}.")
