"""Printing: results to standard output, everything else to standard error."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from botleague_sandbox import clean_text

__all__ = [
    "LONGEST_TEXT",
    "behind_a_bar",
    "describe_faults",
    "errors",
    "one_line",
    "output",
    "print_json",
    "print_table",
    "say",
    "show_log_record",
    "write_utf8",
]

# Wide enough that a pipe or a file never gets cut cells.
WIDTH_OF_A_PIPE = 200

LONGEST_TEXT = 1_000_000
"""Bytes of a text that is printed at once, more than any bot may print."""

BAR = "    | "
"""What lines of strangers stand behind."""


def output() -> Console:
    """Return the console of standard output as it is now."""
    return Console(
        file=sys.stdout,
        highlight=False,
        width=None if sys.stdout.isatty() else WIDTH_OF_A_PIPE,
        soft_wrap=True,
    )


def errors() -> Console:
    """Return the console of standard error as it is now."""
    return Console(
        file=sys.stderr,
        highlight=False,
        width=None if sys.stderr.isatty() else WIDTH_OF_A_PIPE,
        soft_wrap=True,
    )


def one_line(text: str) -> str:
    """Return a stranger's text as one line that no terminal acts upon."""
    return " ".join(clean_text(text, LONGEST_TEXT).split("\n"))


def behind_a_bar(text: str, *, first: bool = False) -> str:
    """Return a stranger's text so that no terminal acts upon it and none of its lines looks like one of ours.

    Args:
        first: set the first line behind a bar too; else it is one of ours, and only the others are not.
    """
    return BAR * first + f"\n{BAR}".join(clean_text(text, LONGEST_TEXT).splitlines())


def say(text: str) -> None:
    """Print a remark to standard error."""
    errors().print(escape(clean_text(text, LONGEST_TEXT)))


def show_log_record(record: logging.LogRecord) -> None:
    """Print what a layer below logged to standard error: warnings, and in red what is dangerous."""
    text = escape(clean_text(record.getMessage(), LONGEST_TEXT))
    is_dangerous = record.levelno >= logging.CRITICAL
    errors().print(f"[bold red]{text}[/]" if is_dangerous else f"[yellow]Warning:[/] {text}")


def describe_faults(faults: Mapping[str, int]) -> str:
    """Return faults by kind as text: "2 timeout, 1 crash"."""
    return ", ".join(f"{count} {kind}" for kind, count in faults.items())


def print_json(items: Iterable[object]) -> None:
    """Print one JSON object a line."""
    write_utf8()
    for item in items:
        sys.stdout.write(msgspec.json.encode(item).decode() + "\n")


def write_utf8() -> None:
    """Let standard output be UTF-8 from now on, whatever the terminal: what follows is for programs."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], numbers: Iterable[str] = ()) -> None:
    """Print rows under headings; the columns named in ``numbers`` are set to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    right = set(numbers)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(escape(one_line(str(cell))) for cell in row))
    console = output()
    console.soft_wrap = False
    console.print(table)
