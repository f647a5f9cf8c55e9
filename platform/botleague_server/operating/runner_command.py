"""The command runner, which plays leagues continuously."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.cli.kit.run_progress import until_stopped
from botleague.cli.kit.shared_options import Db
from botleague.cli.printing.texts import say


def runner(
    league: Annotated[
        list[str] | None,
        typer.Option("--league", "-l", help="Play only this league; repeatable.", metavar="LEAGUE"),
    ] = None,
    with_parent: Annotated[
        bool, typer.Option("--with-parent", hidden=True, help="Exit when standard input is closed.")
    ] = False,
    db: Db = None,
) -> None:
    """Play the current seasons of all leagues, including new ones, until Ctrl-C. Calendars are respected.

    Several runners may share a database. `botleague serve --play` also starts one.

    Examples:

        botleague runner

        botleague runner --league cup
    """
    from botleague_server.operating.continuous_play import keep_playing

    workspace = Workspace(db)
    with until_stopped() as is_stopped:
        if with_parent:
            threading.Thread(target=_follow, name="parent", daemon=True).start()
        else:
            say("Playing all leagues (Ctrl-C to stop).")
        with workspace.database(create=False, is_over=is_stopped) as database:
            for name in league or []:
                _refuse_unknown(workspace, name)
            keep_playing(workspace, database, league or [], is_stopped)
        is_stopped.end()


def _follow() -> None:
    """End with the parent process, even if it is killed."""
    while os.read(
        sys.stdin.fileno(), 1
    ):  # not the stream itself: a thread that reads it keeps Python from exiting
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _refuse_unknown(workspace: Workspace, league: str) -> None:
    with workspace.season(league):
        pass
