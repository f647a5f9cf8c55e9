"""The command serve, which serves leagues as pages."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from logging.handlers import WatchedFileHandler
from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.cli.kit.shared_options import Db
from botleague.cli.printing.result_stream import reserve_output
from botleague.cli.printing.texts import print_text
from botleague.errors import UsageError
from botleague.people import reach_note
from botleague_storage import leagues


def _log_to(place: str) -> None:
    """Write log records and requests to a file as JSON, and nothing else to standard error for ``-``.

    Raises:
        UsageError: the file cannot be written.
    """
    from botleague_server.monitoring import JsonLines

    try:
        # After a rotation, the handler opens a new file.
        handler = logging.StreamHandler() if place == "-" else WatchedFileHandler(place, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"Cannot write --log {place} ({error.strerror}).") from error
    handler.setFormatter(JsonLines())
    logging.raiseExceptions = False  # otherwise a full disk prints a traceback per line
    for ours in ("botleague", "botleague_server", "botleague_storage"):
        logger = logging.getLogger(ours)
        logger.setLevel(logging.INFO)
        for other in logger.handlers:
            other.setLevel(logging.WARNING)  # as without --log
        logger.handlers[:] = [handler] if place == "-" else [*logger.handlers, handler]


def _runner_options(db: str | None, league: list[str] | None) -> list[str]:
    named = [text for name in league or [] for text in ("--league", name)]
    return [*named, *(["--db", db] if db else [])]


def serve(
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on.", metavar="ADDRESS")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 for any free port.")
    ] = 8300,
    league: Annotated[
        list[str] | None,
        typer.Option("--league", "-l", help="Show only this league; repeatable.", metavar="LEAGUE"),
    ] = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Allow logins with accounts; see `botleague account`.")
    ] = False,
    play: Annotated[
        bool, typer.Option("--play", help="Also play the leagues, in a separate process.")
    ] = False,
    public_url: Annotated[
        str | None,
        typer.Option(
            "--public-url",
            help="Public URL of the server (default: reachable from this machine only).",
            metavar="URL",
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            help="Write a JSON log to this file, one line per request or event; - for standard error.",
            metavar="FILE",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Check the settings, database, sandbox, clock and disk, then exit."),
    ] = False,
    db: Db = None,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="With --check: print JSON, one object per line.", callback=reserve_output
        ),
    ] = False,
) -> None:
    """Serve the leagues of a database as pages until Ctrl-C.

    Pages are updated after every result. Without --open or --play the server is read-only. --check exits with code 2
    on a failed check.

    Examples:

        botleague serve --open --play

        botleague serve --host 0.0.0.0 --public-url http://192.168.1.20:8300 --league cup
    """
    from botleague_server.accounts import first_link
    from botleague_server.app import serve as run
    from botleague_server.monitoring import RunnerProcess
    from botleague_server.uploads import refuse_weaker_settings

    workspace = Workspace(db, public_url=public_url)
    if check:
        from botleague_server.operating.serve_check import check as run_checks

        run_checks(workspace, json)
        return
    if json:
        raise UsageError("--json needs --check. Pages offer JSON at index.json.")
    if log is not None:
        _log_to(log)
    if open_:
        refuse_weaker_settings(workspace)
    # Without logins, a missing database is a mistake in its path.
    with workspace.database(create=open_) as database:
        with database.reading() as connection:
            for name in league or []:
                leagues.find(connection, name)
        link = first_link(database, time.time()) if open_ else None
    _ = workspace.plugins  # reports broken plugins before the first page

    def show(url: str) -> None:
        print_text(f"Serving {url} (Ctrl-C to stop)")
        if link is not None:
            public = workspace.settings.public_url
            print_text(
                f"Set up this server: {public or url.rstrip('/')}/{link}\nThe link works once, for one hour. "
                f"{reach_note(public or url)}".rstrip()
            )
        sys.stdout.flush()  # for a program that waits for the address

    player = RunnerProcess(_runner_options(db, league)) if play else None
    if asyncio.run(run(workspace, host, port, tuple(league or ()), show, is_open=open_, player=player)):
        raise KeyboardInterrupt
