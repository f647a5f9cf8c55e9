"""The command line as a whole: every command under its name."""

from __future__ import annotations

from typing import Annotated

import typer

from botleague import __version__
from botleague.cli import (
    audit,
    bots,
    catalog,
    compare,
    database,
    doctor,
    leagues,
    matches,
    organise,
    season,
    tables,
)

__all__ = ["app"]

app = typer.Typer(
    name="botleague",
    help="Let programs compete: sandboxed bots, games as plugins, leagues with ratings that last.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"botleague {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Let programs compete: sandboxed bots, games as plugins, leagues with ratings that last."""


app.command()(leagues.demo)
app.command()(bots.check)
app.command()(bots.submit)
app.command()(matches.play)
app.command()(leagues.run)
app.command()(tables.standings)
app.command()(matches.replay)
app.command()(compare.compare)
app.command()(audit.export)
app.command()(audit.verify)
app.command()(audit.fairness)
app.command()(doctor.doctor)
app.command()(bots.bots)
app.command()(bots.history)
app.command("leagues")(leagues.list_leagues)
app.command()(catalog.variants)
app.command()(catalog.plugins)
app.command()(catalog.config)
app.add_typer(season.season, name="season")
app.add_typer(organise.organise, name="organise")
app.add_typer(database.ratings, name="ratings")
app.add_typer(database.db, name="db")
