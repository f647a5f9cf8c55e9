"""The command that keeps leagues playing: runner."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Annotated

import typer

from botleague.application import Workspace
from botleague.cli.kit.printing import say
from botleague.cli.kit.run_progress import until_stopped
from botleague.cli.kit.shared_options import Db


def runner(
    league: Annotated[
        list[str] | None,
        typer.Option("--league", "-l", help="Play only this league; can be repeated.", metavar="LEAGUE"),
    ] = None,
    with_parent: Annotated[
        bool, typer.Option("--with-parent", hidden=True, help="End when the standard input does.")
    ] = False,
    db: Db = None,
) -> None:
    """Play the current seasons of all leagues, and whatever comes, until Ctrl-C. Calendars are obeyed.

    Several may share a database. `botleague serve --play` keeps one beside a server.

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
            say("Playing whatever is to be played (Ctrl-C ends it).")
        with workspace.database(create=False, is_over=is_stopped) as database:
            for name in league or []:
                _refuse_unknown(workspace, name)
            keep_playing(workspace, database, league or [], is_stopped)


def _follow() -> None:
    """End with who started us, even if that one is killed."""
    while os.read(
        sys.stdin.fileno(), 1
    ):  # not the stream itself: a thread that reads it keeps Python from ending
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _refuse_unknown(workspace: Workspace, league: str) -> None:
    with workspace.season(league):
        pass
