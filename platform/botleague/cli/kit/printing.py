"""Printing: results to standard output, everything else to standard error."""

from __future__ import annotations

import io
import logging
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import IO, Any, TextIO, cast

import msgspec
from rich.cells import cell_len
from rich.console import Console, ConsoleRenderable, Group, RenderHook
from rich.markup import escape
from rich.text import Text

from botleague.emblems import BOT_COLORS, GLYPHS, emblem_of
from botleague.errors import Problem
from botleague.listing import Column, Table
from botleague_sandbox import clean_text

# Wide enough that a pipe or a file never gets cut cells.
PIPE_WIDTH = 200

PROSE_WIDTH = 100
"""Maximum characters of a line of prose on a terminal."""

NAME_WIDTH = 24
"""Width that names keep in a table whose columns do not all fit, in characters."""

GAP = "  "
"""Gap between two columns of a table."""

MAX_TEXT_BYTES = 1_000_000
"""Bytes of a text that is printed at once; more than the output limit of any bot."""

_WORD = re.compile(rf"[{GLYPHS}] \S+|\d+ [a-z]+|\S+")
"""Text that stays on one line: a word, an emblem with a name, or a number with its unit."""

_PIECE = re.compile(r"\s*(?:`[^`]+`\S*|(?:^|(?<=[: ] ))botleague .+|\S+)")
"""Prose that stays on one line: a word, or a command, so that it can be copied."""

GAINS = {"+": ("▲", "#5fce97", "#176f45"), "-": ("▼", "#ff8d7a", "#b3341f")}
"""Mark of a gain and of a loss, with its colours on dark and on light ground."""

_LIGHT_GROUNDS = ("7", "15")
"""Numbers of white and light grey in COLORFGBG, in which terminals store their colours."""

BAR = "    | "
"""Prefix of untrusted lines."""


def output() -> Console:
    """Return a console on the current standard output."""
    return _console(sys.stdout)


def errors() -> Console:
    """Return a console on the current standard error."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    is_terminal = stream.isatty()
    file = cast("IO[str]", _Redirected(stream))
    # Texts of users have no codes of pictures, such as ":-1:".
    width = None if is_terminal else PIPE_WIDTH
    console = Console(file=file, highlight=False, emoji=False, width=width, soft_wrap=True)
    if is_terminal:
        console.push_render_hook(_Prose(console))
    return console


class _Redirected:
    """A standard stream for a console, which prints above a live display, if there is one.

    A console writes to the stream behind a redirected one, if it can get it, and thus into the live display.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        if name == "rich_proxied_file":
            raise AttributeError(name)
        return getattr(self._stream, name)


class _Prose(RenderHook):
    """Breaks the lines of printed texts between words; texts with ``no_wrap`` stay."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        width = min(PROSE_WIDTH, self._console.width)
        return [
            _wrapped(one, width) if isinstance(one, Text) and not one.no_wrap else one for one in renderables
        ]


def _wrapped(text: Text, width: int) -> Text:
    """Return a text whose lines break between words; further lines are indented like the first.

    Lines of bots stay as they are.
    """
    lines = []
    for line in text.split("\n", allow_blank=True):
        plain = line.plain
        indent = plain[: len(plain) - len(plain.lstrip())]
        start, end = 0, 0
        for piece in () if plain.startswith(BAR) else _PIECE.finditer(plain):
            if end > start and cell_len(plain[start : piece.end()]) + cell_len(indent) * bool(start) > width:
                lines.append(Text(indent * bool(start)).append_text(line[start:end]))
                start = piece.start() + len(piece[0]) - len(piece[0].lstrip())
            end = piece.end()
        lines.append(Text(indent * bool(start)).append_text(line[start:]))
    return Text("\n", end=text.end, style=text.style).join(lines)


def shows_emblems(console: Console) -> bool:
    """Return whether emblems and arrows can be printed: on a terminal whose encoding has these characters."""
    try:
        GLYPHS.encode(console.encoding)
    except UnicodeEncodeError:
        return False
    return console.is_terminal


def on_ground(dark: str, light: str) -> str:
    """Return one of two colours: for a terminal of dark ground, also if its ground is unknown, or of light ground."""
    return light if os.environ.get("COLORFGBG", "").rpartition(";")[2] in _LIGHT_GROUNDS else dark


def bot_color(bot: str) -> str:
    """Return the colour of a bot on this terminal."""
    colors = BOT_COLORS[emblem_of(bot).color]
    return on_ground(colors.dark, colors.light)


def emblem(bot: str) -> Text:
    """Return the emblem of a bot as one character."""
    return Text().append(emblem_of(bot).glyph, bot_color(bot))


def one_line(text: str) -> str:
    """Return an untrusted text as one line, without control characters."""
    return " ".join(clean_text(text, MAX_TEXT_BYTES).split("\n"))


def behind_a_bar(text: str, *, first: bool = False) -> str:
    """Return an untrusted text without control characters, its lines marked by :data:`BAR`.

    Args:
        first: mark the first line, too; otherwise it is a line of our own.
    """
    return BAR * first + f"\n{BAR}".join(clean_text(text, MAX_TEXT_BYTES).splitlines())


def print_text(text: str | Text, *, soft_wrap: bool | None = None) -> None:
    """Print a text to standard output as it is; ``soft_wrap`` keeps a link or fingerprint in one line."""
    output().print(text, markup=False, soft_wrap=soft_wrap)


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


def print_problem(error: Problem, findings: Sequence[Problem] = ()) -> None:
    """Print a refusal as JSON: the error, and its parts as findings."""
    print_json([{"error": _cleaned(error), "findings": [*map(_cleaned, findings)]}])


def _cleaned(problem: Problem) -> Problem:
    message, advice = (clean_text(text, MAX_TEXT_BYTES) for text in (problem.message, problem.advice))
    return replace(problem, message=message, advice=advice)


def write_utf8() -> None:
    """Switch standard output to UTF-8, whatever the terminal's encoding: programs read the rest."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")


def show(table: Table[Any], *, json: bool = False, wide: bool = False, empty: str = "") -> None:
    """Print rows as JSON, one object per line, or as a table with its title and notes.

    Words stay whole where the longest word of each column fits. If some columns are less important than others, a
    narrow terminal hides those and names them. Each row is then one line, and long texts end in "…".

    Args:
        wide: show all columns, one line per row, even if lines wrap.
        empty: sentence in place of a table without rows.
    """
    if json:
        print_json(table.rows)
        return
    if empty and not table.rows:
        print_text(empty)
        return
    if table.title:
        output().print(table.title, markup=False, style="bold")
    _print_table(table, wide=wide)
    for note in table.notes:
        remark(note)


def _cell(column: Column, row: Any, *, is_marked: bool) -> Text:
    text = one_line(column.cell(row))
    if not is_marked:
        return Text(text)
    if column.is_gain:
        sign, size = text[:1], text[1:]
        mark, *colors = GAINS.get(sign if size.strip("0.") else "", ("", "", ""))
        return Text(f"{mark}{size}", on_ground(*colors))
    cell = Text()
    for name in map(one_line, column.names(row)):
        before, name, text = text.partition(name)
        cell.append(before).append_text(emblem(name) + Text(" ") if name else Text()).append(name)
    return cell.append(text)


def answer(text: str, /, *, json: bool, **values: object) -> None:
    """Print the result of a command, as a sentence or as one JSON object."""
    if json:
        print_json([values])
    else:
        print_text(text)


def _print_table(table: Table[Any], *, wide: bool) -> None:
    console = output()
    columns, is_marked = table.shown("terminal"), shows_emblems(console)
    rows = [[_cell(column, row, is_marked=is_marked) for column in columns] for row in table.rows]
    texts = {
        column.title: [column.title, *(row[number].plain for row in rows)]
        for number, column in enumerate(columns)
    }
    right = {column.title for column in columns if column.is_number}
    is_cut = len({column.importance for column in columns}) > 1
    available = page_width() if is_cut else console.width
    full = {title: max(map(cell_len, column)) for title, column in texts.items()}
    needed = sum(full.values()) + len(GAP) * (len(full) - 1)
    if wide:
        available = needed
    # Before a column is hidden, those with names of bots are cut.
    names = {column.title for column in columns if any(column.names(row) for row in table.rows)}
    widths = _widths(columns, texts, full, names, available, is_cut=is_cut, wide=wide)
    console.soft_wrap, console.width = False, max(1, available)
    if is_cut or needed <= available:
        # The tables of rich take a tenth of a millisecond for each cell, and some lists are long.
        head = [Text(title, "bold") for title in texts]
        lines = [
            Text(GAP).join(
                _aligned(cell, widths[title], is_right=title in right)
                for title, cell in zip(texts, row, strict=True)
                if title in widths
            )
            for row in (head, *rows)
        ]
        console.print(Group(*lines), no_wrap=True, overflow="ignore")
    else:
        console.print(_grid(rows, widths, right, available))
    if hidden := [title for title in texts if title not in widths]:
        remark(f"Hidden columns: {', '.join(hidden)}. Use --wide to show them.")


def _aligned(cell: Text, width: int, *, is_right: bool) -> Text:
    """Return a cell in one line of ``width`` characters."""
    cell = shortened(cell, width)
    cell.align("right" if is_right else "left", width)
    return cell


def _grid(
    rows: Iterable[Sequence[Text]], widths: Mapping[str, int], right: Collection[str], available: int
) -> ConsoleRenderable:
    """Return a table whose cells may take several lines."""
    # Not above: most tables have one line for each row.
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False, header_style="bold")
    # Without a width, rich distributes the space if not even single words fit.
    is_free = sum(widths.values()) + len(GAP) * (len(widths) - 1) > available
    for title, width in widths.items():
        is_right = title in right
        grid.add_column(
            title,
            justify="right" if is_right else "left",
            overflow="fold",
            width=None if is_free and not is_right else width,
        )
    for row in rows:
        grid.add_row(*row)
    return grid


def _widths(
    columns: Sequence[Column],
    texts: Mapping[str, Sequence[str]],
    full: Mapping[str, int],
    names: Collection[str],
    available: int,
    *,
    is_cut: bool,
    wide: bool,
) -> dict[str, int]:
    """Return the widths of the columns that are shown, in characters, in their order.

    Args:
        texts: title and cells of each column.
        full: width of the longest of them.
        names: columns with names of bots, which are the last to get more than their minimum.
        available: width of a line.
        is_cut: whether columns are hidden and texts are cut where they do not fit.
        wide: show all columns, whatever their width.
    """
    least = {}
    for column in columns:
        title = column.title
        longest = NAME_WIDTH if is_cut and title in names else full[title]
        least[title] = (
            full[title]
            if column.is_number
            else min(_least_width(texts[title], one_line_each=is_cut), longest)
        )
    importance = {column.title: column.importance for column in columns}
    fitting = _fitting(importance, least, available) if is_cut and not wide else set(importance)
    widths = {title: least[title] for title in importance if title in fitting}
    spare = available - sum(widths.values()) - len(GAP) * (len(widths) - 1)
    if spare < 0 and is_cut:  # a single word that is wider than the page
        widest = max(widths, key=widths.__getitem__)
        widths[widest] = max(1, widths[widest] + spare)
    for title in sorted(widths, key=lambda title: title in names):
        more = max(0, min(spare, full[title] - widths[title]))
        widths[title] += more
        spare -= more
    return widths


def remark(text: str, style: str = "dim") -> None:
    """Print a note to standard output, with line breaks between words."""
    output().print(_wrapped(Text(text, style), min(PROSE_WIDTH, page_width())))


def page_width() -> int:
    """Return the width of a table in characters: the terminal's, ``COLUMNS``, or 80 for a pipe or a file."""
    return shutil.get_terminal_size().columns


def _least_width(texts: Sequence[str], *, one_line_each: bool) -> int:
    """Return the minimum width of a column: its longest word, or its longest first word if texts are shortened."""
    words = [_WORD.findall(text) or [""] for text in texts]
    if one_line_each:
        return max(cell_len(first) + bool(more) for first, *more in words)
    return max(cell_len(word) for text in words for word in text)


def shortened(cell: Text, width: int) -> Text:
    """Return a text that fits into ``width``: unchanged, or its first words and "…"."""
    text = cell.plain
    if cell_len(text) <= width:
        return cell
    short = text[: max(0, width - 1)]
    while cell_len(short) >= width:
        short = short[:-1]
    words = short if text[len(short)] == " " else short.rpartition(" ")[0]
    if cell_len(words) < width / 2:  # a long word, such as a name after its emblem
        words = short
    return cell[: len(words.rstrip(",") or short)].append("…")


def _fitting(importance: Mapping[str, int], widths: Mapping[str, int], available: int) -> set[str]:
    """Return the columns that fit into a line: those of importance 0, then the most important ones."""
    taken: set[str] = set()
    used = -len(GAP)
    for title in sorted(importance, key=importance.__getitem__):
        if importance[title] == 0 or used + len(GAP) + widths[title] <= available:
            taken.add(title)
            used += len(GAP) + widths[title]
    return taken
