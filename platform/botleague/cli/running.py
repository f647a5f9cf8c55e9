"""Playing a league out: progress with an estimate, a clean stop at Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBar

from botleague.application import Workspace
from botleague.application.running import run_league
from botleague.cli.show import errors, say
from botleague.league import Progress
from botleague_storage import Database

__all__ = ["counting", "play_out", "stoppable", "until_ctrl_c"]


def play_out(workspace: Workspace, database: Database, league: str, *, batches: int | None = None) -> None:
    """Run the league to its end, with progress on a terminal; Ctrl-C stops it cleanly."""
    try:
        with until_ctrl_c() as is_stopped, counting(league) as report:
            found = run_league(workspace, database, league, report, batches=batches, is_over=is_stopped)
        if is_stopped():
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        say("Stopped. Every finished match is recorded; run the same command again to go on.")
        raise typer.Exit(1) from None
    for deviation in found:
        say(deviation.text)


@contextmanager
def until_ctrl_c() -> Iterator[Callable[[], bool]]:
    """Note the first Ctrl-C, for work that stops between two steps, not in the middle of one; a second one raises."""
    pressed = False

    def note(_number: int, _frame: object) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def counting(title: str, what: str = "matches") -> Iterator[Callable[[Progress], None]]:
    """Show how far something is and how long it may take, on a terminal."""
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
def stoppable(title: str, total: int, kept: str = "Nothing was changed.") -> Iterator[Callable[[int], None]]:
    """Show how far something is that changes nothing before its end; Ctrl-C ends it with a sentence.

    Args:
        title: what it is.
        total: how many steps it may have.
        kept: said after Ctrl-C.
    """
    with counting(title, "done") as show:
        try:
            yield lambda number: show(Progress(number, max(total, number)))
        except KeyboardInterrupt:
            say(f"Stopped. {kept}")
            raise typer.Exit(1) from None
