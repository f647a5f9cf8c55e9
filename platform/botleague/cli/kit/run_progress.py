"""Progress of long commands, with an estimate, and a clean stop at Ctrl-C or when the system ends the program."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBar

from botleague.application import Workspace
from botleague.application.leagues import run_league
from botleague.cli.kit.printing import errors, say
from botleague.league import Progress
from botleague_storage import Database, DatabaseAway

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals of Ctrl-C, of a shutdown and of a closed terminal."""


def play_out(
    workspace: Workspace,
    database: Database,
    league: str,
    is_stopped: Callable[[], bool],
    *,
    batches: int | None = None,
) -> None:
    """Run the league to its end, with progress on a terminal.

    Raises:
        KeyboardInterrupt: it was stopped; finished matches are recorded.
    """
    with counting(league) as report:
        deviations = run_league(workspace, database, league, report, batches=batches, is_over=is_stopped)
    if is_stopped():
        raise KeyboardInterrupt
    for deviation in deviations:
        say(deviation.text)


@contextmanager
def stopping() -> Iterator[Callable[[], bool]]:
    """Stop a league at a signal, see :func:`until_stopped`, with a message and exit code 1."""
    with until_stopped() as is_stopped:
        try:
            yield is_stopped
        except KeyboardInterrupt:
            say("Stopped. Finished matches are saved; run the same command again to resume.")
        except DatabaseAway as error:
            if not is_stopped():
                raise
            say(f"Stopped. {error} Matches that were not recorded will be played again.")
        else:
            return
        raise typer.Exit(1)


@contextmanager
def until_stopped() -> Iterator[Callable[[], bool]]:
    """Note the first of :data:`SIGNALS`, for work that stops between two steps; a second one raises KeyboardInterrupt.

    Signals that the caller ignores stay ignored, as after ``nohup``.
    """
    is_noted = False

    def note(_number: int, _frame: object) -> None:
        nonlocal is_noted
        if is_noted:
            raise KeyboardInterrupt
        is_noted = True

    heeded = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, note) for number in heeded}
    try:
        yield lambda: is_noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def counting(title: str, what: str = "matches") -> Iterator[Callable[[Progress], None]]:
    """Show progress with an estimate of the remaining time, on a terminal."""
    console = errors()
    bar = ProgressBar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{what}, about"),
        TimeRemainingColumn(),
        TextColumn("to go"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task(title, total=None)

        def report(progress: Progress) -> None:
            bar.update(task, completed=progress.done, total=progress.planned)

        yield report


@contextmanager
def stoppable(
    title: str, total: int, message: str = "Nothing was changed."
) -> Iterator[Callable[[int], None]]:
    """Show the progress of work that stores nothing before its end; Ctrl-C prints ``message`` and exits with code 1.

    Args:
        title: name of the work.
        total: expected number of steps.
        message: printed after Ctrl-C.
    """
    with counting(title, "done") as show:
        try:
            yield lambda number: show(Progress(number, max(total, number)))
        except KeyboardInterrupt:
            say(f"Stopped. {message}")
            raise typer.Exit(1) from None
