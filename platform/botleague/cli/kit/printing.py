"""Printing: results to standard output, everything else to standard error."""

from __future__ import annotations

import io
import logging
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TextIO

import msgspec
import rich.table
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape

from botleague.listing import Table
from botleague_sandbox import clean_text

# Wide enough that a pipe or a file never gets cut cells.
PIPE_WIDTH = 200

GAP = "  "
"""Gap between two columns of a table."""

MAX_TEXT_BYTES = 1_000_000
"""Bytes of a text that is printed at once; more than the output limit of any bot."""

_WORD = re.compile(r"\d+ [a-z]+|\S+")
"""Text that stays on one line: a word, or a number with its unit."""

BAR = "    | "
"""Prefix of untrusted lines."""


def output() -> Console:
    """Return a console on the current standard output."""
    return _console(sys.stdout)


def errors() -> Console:
    """Return a console on the current standard error."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    return Console(
        file=stream, highlight=False, width=None if stream.isatty() else PIPE_WIDTH, soft_wrap=True
    )


def one_line(text: str) -> str:
    """Return an untrusted text as one line, without control characters."""
    return " ".join(clean_text(text, MAX_TEXT_BYTES).split("\n"))


def behind_a_bar(text: str, *, first: bool = False) -> str:
    """Return an untrusted text without control characters, its lines marked by :data:`BAR`.

    Args:
        first: mark the first line, too; otherwise it is a line of our own.
    """
    return BAR * first + f"\n{BAR}".join(clean_text(text, MAX_TEXT_BYTES).splitlines())


def say(text: str) -> None:
    """Print a remark to standard error."""
    errors().print(escape(clean_text(text, MAX_TEXT_BYTES)))


def show_log_record(record: logging.LogRecord) -> None:
    """Print a log record to standard error; critical ones in red."""
    text = escape(clean_text(record.getMessage(), MAX_TEXT_BYTES))
    is_dangerous = record.levelno >= logging.CRITICAL
    errors().print(f"[bold red]{text}[/]" if is_dangerous else f"[yellow]Warning:[/] {text}")


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


def print_json(items: Iterable[object]) -> None:
    """Print one JSON object per line."""
    write_utf8()
    for item in items:
        sys.stdout.write(msgspec.json.encode(item).decode() + "\n")


def write_utf8() -> None:
    """Switch standard output to UTF-8, whatever the terminal's encoding: programs read the rest."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")


def show(table: Table[Any], *, json: bool = False, wide: bool = False) -> None:
    """Print rows as JSON, one object per line, or as a table with its title and notes.

    Args:
        json: print JSON.
        wide: show all columns, one line per row, even if lines wrap.
    """
    if json:
        print_json(table.rows)
        return
    if table.title:
        output().print(table.title, markup=False, style="bold")
    columns = table.shown("terminal")
    print_table(
        [column.title for column in columns],
        [[column.cell(row) for column in columns] for row in table.rows],
        numbers=[column.title for column in columns if column.is_number],
        importance={column.title: column.importance for column in columns},
        wide=wide,
    )
    for note in table.notes:
        remark(note)


def answer(text: str, *, json: bool, **values: object) -> None:
    """Print the result of a command, as a sentence or as one JSON object."""
    if json:
        print_json([values])
    else:
        output().print(text, markup=False)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    numbers: Iterable[str] = (),
    *,
    importance: Mapping[str, int] | None = None,
    wide: bool = False,
) -> None:
    """Print rows under headings. Words stay whole where the longest word of each column fits.

    Args:
        columns: the headings.
        rows: one cell per column; further cells are ignored.
        numbers: columns that are right-aligned and never broken.
        importance: of each column; a narrow terminal hides columns from the highest number down, but never those of 0,
            and names them. Each row is then one line, and long texts end in "…". If all columns are equally important,
            all are shown, and long texts continue in the next line.
        wide: show all columns, one line per row, even if lines wrap.
    """
    ranked = importance or {}
    is_cut = len(set(ranked.values())) > 1
    cells = [[one_line(str(cell)) for cell in row] for row in rows]
    right = set(numbers)
    full = {title: max(map(cell_len, [title, *column])) for title, column in _by_title(columns, cells)}
    least = {
        title: full[title] if title in right else _least_width(title, column, one_line_each=is_cut)
        for title, column in _by_title(columns, cells)
    }
    console = output()
    console.soft_wrap = False
    available = page_width() if is_cut else console.width
    titles = set(columns)
    if wide:
        available = sum(full.values()) + len(GAP) * len(full)
    elif is_cut:
        titles = _fitting(ranked, least, available)
    widths = {title: least[title] for title in columns if title in titles}
    spare = available - sum(widths.values()) - len(GAP) * (len(widths) - 1)
    if spare < 0 and is_cut:  # a single word that is wider than the page
        widest = max(widths, key=widths.__getitem__)
        widths[widest] = max(1, widths[widest] + spare)
    for title in widths:
        more = max(0, min(spare, full[title] - widths[title]))
        widths[title] += more
        spare -= more
    table = rich.table.Table(box=None, pad_edge=False, header_style="bold")
    for title, width in widths.items():
        # Without a width, rich distributes the space if not even single words fit.
        table.add_column(
            title,
            justify="right" if title in right else "left",
            overflow="fold",
            width=None if spare < 0 and not is_cut and title not in right else width,
        )
    for row in cells:
        row_cells = [(title, cell) for title, cell in zip(columns, row, strict=False) if title in titles]
        table.add_row(
            *(escape(_shortened(cell, widths[title]) if is_cut else cell) for title, cell in row_cells)
        )
    console.width = max(1, available)
    console.print(table)
    if len(widths) < len(columns):
        hidden = ", ".join(title for title in columns if title not in titles)
        remark(f"Hidden columns: {hidden}. Use --wide to show them.")


def remark(text: str, style: str = "dim") -> None:
    """Print a note to standard output, with line breaks between words."""
    console = output()
    console.soft_wrap = False
    console.width = page_width()
    console.print(text, markup=False, style=style)


def page_width() -> int:
    """Return the width of a table in characters: the terminal's, ``COLUMNS``, or 80 for a pipe or a file."""
    return shutil.get_terminal_size().columns


def _by_title(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> Iterator[tuple[str, list[str]]]:
    for number, title in enumerate(columns):
        yield title, [row[number] for row in cells]


def _least_width(title: str, column: Sequence[str], *, one_line_each: bool) -> int:
    """Return the minimum width of a column: its longest word, or its longest first word if texts are shortened."""
    words = [_WORD.findall(text) or [""] for text in (title, *column)]
    if one_line_each:
        return max(cell_len(first) + bool(more) for first, *more in words)
    return max(cell_len(word) for text in words for word in text)


def _shortened(text: str, width: int) -> str:
    """Return a text that fits into ``width``: unchanged, or its first words and "…"."""
    if cell_len(text) <= width:
        return text
    short = text[: max(0, width - 1)]
    while cell_len(short) >= width:
        short = short[:-1]
    words = short if text[len(short)] == " " else short.rpartition(" ")[0]
    return f"{words.rstrip(',') or short}…"


def _fitting(importance: Mapping[str, int], widths: Mapping[str, int], available: int) -> set[str]:
    """Return the columns that fit into a line: those of importance 0, then the most important ones."""
    taken: set[str] = set()
    used = -len(GAP)
    for title in sorted(importance, key=importance.__getitem__):
        if importance[title] == 0 or used + len(GAP) + widths[title] <= available:
            taken.add(title)
            used += len(GAP) + widths[title]
    return taken
