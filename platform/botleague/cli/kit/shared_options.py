"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Db = Annotated[str | None, typer.Option("--db", help="Database: a path or URL.", metavar="URL")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Matches played at a time.")]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Play on a Dask cluster: its scheduler's address.", metavar="ADDRESS"),
]
Seed = Annotated[int | None, typer.Option("--seed", help="Decides all chance; printed when you give none.")]
SandboxProfile = Annotated[
    str | None,
    typer.Option(
        "--sandbox", help="strong, weak or none; the last two for bots you trust.", metavar="PROFILE"
    ),
]
WithSiblings = Annotated[
    bool,
    typer.Option("--with-siblings", help="Take along the files beside a .py file that its source names."),
]
OnServer = Annotated[
    bool, typer.Option("--server", help="On the server that you logged in to last; see `botleague login`.")
]
VariantName = Annotated[str, typer.Option("--variant", "-v", help="The variant, see `botleague variants`.")]
Division = Annotated[
    list[str] | None,
    typer.Option("--division", help="Who plays in a division.", metavar="NAME=BOT,BOT,..."),
]
