"""Options that several commands share."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from botleague.cli.printing.result_stream import reserve_output

Db = Annotated[str | None, typer.Option("--db", help="Database path or URL.", metavar="URL")]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON, one object per line.", callback=reserve_output)
]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Matches played in parallel.")]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Address of the Dask scheduler to play on, or NAME://... for the executor of a plugin.",
        metavar="ADDRESS",
    ),
]
Seed = Annotated[
    int | None, typer.Option("--seed", help="Random seed (default: chosen at random and printed).")
]
SandboxProfile = Annotated[
    str | None,
    typer.Option(
        "--sandbox", help="Sandbox profile: strong, or weak or none for bots you trust.", metavar="PROFILE"
    ),
]
WithSiblings = Annotated[
    bool,
    typer.Option("--with-siblings", help="Include the files next to a .py file that its source refers to."),
]
Lenient = Annotated[
    bool,
    typer.Option("--lenient", help="Accept unavailable imports, which fail only where the bot uses them."),
]
Wide = Annotated[bool, typer.Option("--wide", help="Show all columns, even if lines wrap.")]
OnServer = Annotated[
    bool, typer.Option("--server", help="Use the server you last logged in to (see `botleague login`).")
]
TakesAll = Annotated[
    bool, typer.Option("--all", help="Enter all submitted bots of the variant, besides those named.")
]
VariantName = Annotated[str, typer.Option("--variant", "-v", help="Variant (see `botleague variants`).")]
Division = Annotated[
    list[str] | None,
    typer.Option("--division", help="Bots that play in a division; repeatable.", metavar="NAME=BOT,BOT,..."),
]


def db_option(db: str | None) -> str:
    """Return ``--db`` for the end of another command that uses the same database."""
    return f" --db {shlex.quote(db)}" if db else ""
