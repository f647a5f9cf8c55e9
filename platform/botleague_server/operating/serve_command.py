"""Commands that show leagues as pages: publish and serve."""

from __future__ import annotations

import logging
import sys
from logging.handlers import WatchedFileHandler
from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.cli.kit.printing import output
from botleague.cli.kit.shared_options import Db
from botleague.errors import UsageError
from botleague_storage import leagues


def _log_to(place: str) -> None:
    """Write what is logged to a file as JSON, and requests with it; on standard error nothing else then.

    Raises:
        UsageError: the file cannot be written.
    """
    from botleague_server.monitoring import JsonLines

    try:
        # Whoever moves a file away that has become long, is given a new one.
        handler = logging.StreamHandler() if place == "-" else WatchedFileHandler(place, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--log {place}: it cannot be written ({error.strerror}).") from error
    handler.setFormatter(JsonLines())
    logging.raiseExceptions = False  # else each line that a full disk does not take is a traceback
    for ours in ("botleague", "botleague_server", "botleague_storage"):
        logger = logging.getLogger(ours)
        logger.setLevel(logging.INFO)
        for other in logger.handlers:
            other.setLevel(logging.WARNING)  # as much as without a log
        logger.handlers[:] = [handler] if place == "-" else [*logger.handlers, handler]


def _runner_options(db: str | None, league: list[str] | None) -> list[str]:
    named = [text for name in league or [] for text in ("--league", name)]
    return [*named, *(["--db", db] if db else [])]


def serve(
    host: Annotated[
        str, typer.Option("--host", help="The address to listen at.", metavar="ADDRESS")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port; 0 for any that is free.")
    ] = 8300,
    league: Annotated[
        list[str] | None,
        typer.Option("--league", "-l", help="Show only this league; can be repeated.", metavar="LEAGUE"),
    ] = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Let people with an account log in; see `botleague account`.")
    ] = False,
    play: Annotated[
        bool, typer.Option("--play", help="Keep the leagues playing, in a process beside the server.")
    ] = False,
    public_url: Annotated[
        str | None,
        typer.Option(
            "--public-url",
            help="The address under which others reach it; default: only this machine.",
            metavar="URL",
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            help="Write JSON, a line for each request or event; - for standard error.",
            metavar="FILE",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Only look whether all is ready: settings, database, sandbox, clock, disk."
        ),
    ] = False,
    db: Db = None,
    json: Annotated[bool, typer.Option("--json", help="With --check: as JSON, one object per line.")] = False,
) -> None:
    """Serve the leagues of a database as pages that follow every result, until Ctrl-C.

    Unless --open or --play, it reads only. --check ends with exit code 2 if something is not ready.

    Examples:

        botleague serve --open --play

        botleague serve --host 0.0.0.0 --public-url http://192.168.1.20:8300 --league cup
    """
    from botleague_server.app import serve as run
    from botleague_server.monitoring import RunnerProcess
    from botleague_server.uploads import refuse_weaker_settings

    workspace = Workspace(db, public_url=public_url)
    if check:
        from botleague_server.operating.serve_check import check as look

        look(workspace, json)
        return
    if json:
        raise UsageError("--json goes with --check: pages have objects of their own, under index.json.")
    if log is not None:
        _log_to(log)
    if open_:
        refuse_weaker_settings(workspace)
    with workspace.database(create=False) as database, database.reading() as connection:
        for name in league or []:
            leagues.find(connection, name)
    _ = workspace.plugins  # what is broken is said before the first page

    def tell(url: str) -> None:
        output().print(f"Serving {url} (Ctrl-C ends it)", markup=False, soft_wrap=True)
        sys.stdout.flush()  # for a program that waits for the address

    run(
        workspace,
        host,
        port,
        tuple(league or ()),
        tell,
        is_open=open_,
        player=RunnerProcess(_runner_options(db, league)) if play else None,
    )
