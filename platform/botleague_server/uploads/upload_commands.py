"""The command about uploads: organise limits."""

from __future__ import annotations

from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.application.decisions import command, decision_log
from botleague.cli.commands.organise_commands import League, Why, show_decision
from botleague.cli.kit.shared_options import Db, Json
from botleague_server.uploads import limit_decision


def limits(
    league: League,
    a_day: Annotated[
        int | None, typer.Option("--a-day", min=0, max=10_000, help="Uploads of an owner within 24 hours.")
    ] = None,
    gap: Annotated[
        float | None, typer.Option("--gap", min=0, max=86_400, help="Seconds between two of them.")
    ] = None,
    size: Annotated[
        int | None, typer.Option("--size", min=1, max=5_000, help="kB of all that is sent at once.")
    ] = None,
    most_bots: Annotated[
        int | None, typer.Option("--bots", min=1, max=10_000, help="Bots of an owner in the league.")
    ] = None,
    matches_an_hour: Annotated[
        int | None,
        typer.Option("--matches", min=0, max=10_000, help="Matches of practice of an owner within an hour."),
    ] = None,
    reason: Why = "",
    db: Db = None,
    json: Json = False,
) -> None:
    """Say how much each owner may hand in over the web, or show it. The command line has no limits.

    Examples:

        botleague organise limits cup

        botleague organise limits cup --a-day 20 --gap 60 --size 500 --bots 1
    """
    given = {"a_day": a_day, "gap": gap, "size": size, "bots": most_bots, "matches": matches_an_hour}
    with Workspace(db).database(create=False) as database, database.writing() as connection:
        done = limit_decision.limit(
            connection,
            league,
            a_day=a_day,
            gap_s=gap,
            size_kb=size,
            most_bots=most_bots,
            matches_an_hour=matches_an_hour,
        )
        if done.changed:
            said = command("organise", "limits", league, **given, reason=reason)
            decision_log.note(connection, "limits", done, league, reason=reason, command=said)
    show_decision(done, json)
