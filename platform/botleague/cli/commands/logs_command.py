"""Command that prints the bot logs of a match."""

from __future__ import annotations

from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.application.authoring import LogLine, log_lines
from botleague.cli.kit.shared_options import Db, Json, OnServer
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.texts import print_text
from botleague.cli.printing.untrusted_text import behind_a_bar, one_line
from botleague.errors import UsageError, counted
from botleague.referee import read_record
from botleague_storage import journals, match_numbers, results


def logs(
    match: Annotated[str, typer.Argument(help="Match number, for example cup/17.", metavar="MATCH")],
    seat: Annotated[
        list[int] | None, typer.Option("--seat", min=0, help="Show only this seat; repeatable.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="Show only turns with this tag; repeatable.")
    ] = None,
    server: OnServer = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Print the bots' output and faults in a match, turn by turn.

    On a server, only your own team's bots are shown.

    Examples:

        botleague logs cup/12

        botleague logs cup/12 --seat 0 --tag rush --json
    """
    if server:
        if db is not None:
            raise UsageError("--db cannot be combined with --server.")
        # Not above: local commands need no client.
        from botleague.cli.commands.login_commands import logs as logs_there

        lines = logs_there(match)
        seats = sorted({line.seat for line in lines})
    else:
        with Workspace(db).reading() as database, database.reading() as connection:
            match_id = match_numbers.find(connection, match)
            record = read_record(results.find(connection, match_id).content)
            contents = journals.find(connection, match_id)
            called = match_numbers.called(connection, match_id)
        seats = list(range(len(record.seats)))
        lines = log_lines(called, record, contents, seats)
    for one in seat or ():
        if seats and one not in seats:
            raise UsageError(f"--seat must be {' or '.join(map(str, seats))}, not {one}.")
    chosen = [
        line
        for line in lines
        if (not seat or line.seat in seat) and (not tag or not set(tag).isdisjoint(line.tags))
    ]
    if json:
        print_json(chosen)
        return
    for line in chosen:
        _show(line)


def _show(line: LogLine) -> None:
    when = "before the first turn" if line.turn is None else f"turn {line.turn}"
    facts = [] if line.turn is None else [f"{line.cpu_ms:.2f} ms CPU, {line.wall_ms:.2f} ms wall"]
    facts += [counted(line.proposals, "provisional answer")] if line.proposals else []
    facts += [f"{counted(line.shapes, 'shape')} drawn"] if line.shapes else []
    facts += [f"tags: {', '.join(line.tags)}"] if line.tags else []
    facts += ["the rest is cut off"] if line.is_cut else []
    print_text(f"{when}, {one_line(line.bot)}: {', '.join(facts)}")
    if line.fault:
        print_text(behind_a_bar(f"{line.fault}: {line.detail}", first=True))
    if line.printed:
        print_text(behind_a_bar(line.printed, first=True))
