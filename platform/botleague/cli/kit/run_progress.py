"""Progress of long commands, with an estimate, and a clean stop at Ctrl-C or when the system ends the program."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr

from rich.console import Console, ConsoleOptions, Group
from rich.live import Live
from rich.text import Text

from botleague.application import Workspace
from botleague.application.leagues import run_league
from botleague.cli.printing.consoles import on_ground, shows_emblems
from botleague.cli.printing.texts import in_words, say
from botleague.cli.printing.untrusted_text import one_line
from botleague.errors import Stopped
from botleague.league import Progress
from botleague_storage import Database, DatabaseAway

STDERR = 2
"""File descriptor of standard error."""

UPDATES_PER_S = 2.0
"""Updates of the line of progress per second."""

MIN_BAR, MAX_BAR = 8, 30
"""Minimum and maximum number of characters of the bar; it is omitted if it does not fit."""

EDGE = 3
"""Characters to the right of the line, where the terminal prints ^C."""

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
    with counting(f"Playing {league}") as report:
        deviations = run_league(workspace, database, league, report, batches=batches, is_over=is_stopped)
    if is_stopped():
        raise KeyboardInterrupt
    for deviation in deviations:
        say(deviation.text)


@contextmanager
def stopping() -> Iterator[Callable[[], bool]]:
    """Stop a league at a signal, see :func:`until_stopped`.

    Raises:
        Stopped: with a message.
    """
    with until_stopped() as is_stopped:
        try:
            yield is_stopped
        except KeyboardInterrupt:
            message = "Stopped. Finished matches are saved; run the same command again to resume."
            raise Stopped(message) from None
        except DatabaseAway as error:
            if not is_stopped():
                raise
            message = f"Stopped. {error} Matches that were not recorded will be played again."
            raise Stopped(message) from error


class Stop:
    """Whether a command was asked to stop, and by Ctrl-C."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self) -> bool:
        """Return whether a signal came."""
        return bool(self.number)

    def end(self) -> None:
        """End a command that runs until a signal comes.

        Raises:
            KeyboardInterrupt: the signal was Ctrl-C, whose exit code is 130; others end it with 0.
        """
        if self.number == signal.SIGINT:
            raise KeyboardInterrupt


@contextmanager
def until_stopped() -> Iterator[Stop]:
    """Note the first of :data:`SIGNALS`, for work that stops between two steps; a second one raises KeyboardInterrupt.

    Signals that the caller ignores stay ignored, as after ``nohup``.
    """
    stop = Stop()

    def note(number: int, _frame: object) -> None:
        if stop():
            raise KeyboardInterrupt
        stop.number = number

    heeded = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, note) for number in heeded}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def live_display(*, per_second: float | None = None) -> Iterator[Live]:
    """Show something that changes at the end of a terminal; texts printed meanwhile stand above it.

    An empty line separates them, and takes up the rest of a line that breaks when the terminal gets narrower.

    Args:
        per_second: number of updates; None for updates by the caller only.
    """
    with ExitStack() as stack:
        if sys.stderr.isatty():
            stack.enter_context(_lines_of_children())
        live = Live(
            console=Console(file=sys.stderr, highlight=False, emoji=False, soft_wrap=True),
            auto_refresh=per_second is not None,
            refresh_per_second=per_second or 1,
            transient=True,
            # What is printed to a pipe must not appear here.
            redirect_stdout=sys.stdout.isatty(),
            redirect_stderr=sys.stderr.isatty(),
        )
        yield stack.enter_context(live)


@contextmanager
def _lines_of_children() -> Iterator[None]:
    """Print what other processes write to standard error like our own texts, equal lines in a row once.

    Match hosts share our standard error, and would write into the line of progress.
    """
    ours = os.dup(STDERR)
    reader, writer = os.pipe()
    os.dup2(writer, STDERR)
    os.close(writer)

    def print_lines() -> None:
        before = ""
        with open(reader, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line != before:
                    say(line.rstrip("\n"))
                before = line

    # It ends with the last process that has the pipe.
    threading.Thread(target=print_lines, daemon=True).start()
    try:
        with (
            open(ours, "w", encoding=sys.stderr.encoding, errors=sys.stderr.errors, closefd=False) as file,
            redirect_stderr(file),
        ):
            yield
    finally:
        os.dup2(ours, STDERR)
        os.close(ours)


@contextmanager
def counting(title: str, what: str = "matches") -> Iterator[Callable[[Progress], None]]:
    """Show progress with an estimate of the remaining time, on a terminal."""
    bar = _Bar(one_line(title), what)
    if not sys.stderr.isatty():
        yield bar.note
        return
    with live_display(per_second=UPDATES_PER_S) as live:
        live.update(Group("", bar))
        yield bar.note


class _Bar:
    """A line of progress."""

    def __init__(self, title: str, what: str) -> None:
        self._title, self._what = title, what
        self._first = self._last = Progress(0, 0)
        self._started = time.monotonic()

    def note(self, progress: Progress) -> None:
        if not self._last.planned:  # what was done before needed no time now
            self._first = progress
        self._last = progress

    def __rich_console__(self, console: Console, _options: ConsoleOptions) -> Iterator[Text]:
        done, planned = self._last.done, self._last.planned
        room = console.width - EDGE
        line = Text(self._title, no_wrap=True)
        if planned:
            here = done - self._first.done
            left = (time.monotonic() - self._started) * (planned - done) / here if here else 0.0
            estimate = f", about {in_words(max(1.0, left))} left" if left else ""
            count = f"  {done:{len(str(planned))}} of {planned} {self._what}{estimate}"
            hint = " (Ctrl-C to stop)"
            rest = room - line.cell_len - len(count) - 2
            hint = hint if rest - len(hint) >= MIN_BAR else ""
            width = min(MAX_BAR, rest - len(hint))
            if width >= MIN_BAR:
                full = width * done // max(done, planned)
                stroke = "━" if shows_emblems(console) else "-"
                line.append("  ").append(stroke * full, on_ground("#5fce97", "#176f45"))
                line.append(stroke * (width - full), "dim")
            line.append(count).append(hint, "dim")
        line.truncate(room, overflow="ellipsis")
        yield line


@contextmanager
def stoppable(
    title: str, total: int, message: str = "Nothing was changed."
) -> Iterator[Callable[[int], None]]:
    """Show the progress of work that stores nothing before its end; Ctrl-C ends it with ``message``.

    Args:
        total: expected number of steps.

    Raises:
        Stopped: Ctrl-C.
    """
    with counting(title, "done") as show:
        try:
            yield lambda number: show(Progress(number, max(total, number)))
        except KeyboardInterrupt:
            raise Stopped(f"Stopped. {message}") from None
