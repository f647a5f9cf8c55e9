"""Texts: results to standard output, remarks and errors to standard error."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.text_widths import PROSE_WIDTH, broken_lines
from botleague.cli.printing.untrusted_text import cleaned


def in_words(seconds: float) -> str:
    """Return a duration in words: "40 s", "12 min", "3 h 20 min", "5 days"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes / (24 * 60):.0f} days"


def print_text(text: str, style: str = "", *, end: str = "\n", breaks: bool = True) -> None:
    """Print a text to standard output as it is; a terminal breaks its lines between words, unless ``breaks`` is off."""
    _print(sys.stdout, (text, style), end=end, breaks=breaks)


def remark(text: str, style: str = "dim") -> None:
    """Print a note to standard output, with line breaks between words."""
    print_text("\n".join(broken_lines(text, min(PROSE_WIDTH, page_width()))), style)


def answer(text: str, /, *, json: bool, **values: object) -> None:
    """Print the result of a command, as a sentence or as one JSON object."""
    if json:
        print_json([values])
    else:
        print_text(text)


def say(text: str) -> None:
    """Print a remark to standard error."""
    _print(sys.stderr, (cleaned(text), ""))


def print_error(text: str) -> None:
    """Print the error that ends a command to standard error."""
    _print(sys.stderr, ("Error:", "bold red"), (f" {cleaned(text)}", ""))


def print_log_record(record: logging.LogRecord) -> None:
    """Print a log record to standard error; critical ones in red."""
    text = cleaned(record.getMessage())
    is_dangerous = record.levelno >= logging.CRITICAL
    parts = [(text, "bold red")] if is_dangerous else [("Warning:", "yellow"), (f" {text}", "")]
    _print(sys.stderr, *parts)


@contextmanager
def changing_status(text: str) -> Iterator[Callable[[str], None]]:
    """Show what a command waits for at the end of a terminal, with a function that changes this text."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.text import Text

    from botleague.cli.printing.consoles import errors

    with errors().status(text) as status:
        yield lambda text: status.update(Text(text))


def page_width() -> int:
    """Return the width of a table in characters: the terminal's, ``COLUMNS``, or 80 for a pipe or a file."""
    return shutil.get_terminal_size().columns


def shows_styles(stream: TextIO) -> bool:
    """Return whether a stream is a terminal for rich: the environment may decide in place of the stream."""
    if (compatible := os.environ.get("TTY_COMPATIBLE")) in ("0", "1"):
        return compatible == "1"
    forced = os.environ.get("FORCE_COLOR")
    return stream.isatty() if forced is None else forced != ""


def _print(stream: TextIO, *parts: tuple[str, str], end: str = "\n", breaks: bool = True) -> None:
    """Print parts of a text, each with its style."""
    if shows_styles(stream):
        from botleague.cli.printing.consoles import print_parts

        print_parts(stream, parts, end, breaks=breaks)
    else:
        stream.write("".join([*(text for text, _ in parts), end]))
        stream.flush()
