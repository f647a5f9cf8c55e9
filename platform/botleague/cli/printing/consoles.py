"""Consoles on standard streams: colours, emblems, and lines that break between words."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import repeat
from typing import IO, Any, TextIO, cast

from rich.console import Console, ConsoleRenderable, Group, RenderHook
from rich.table import Table as Grid
from rich.text import Text

from botleague.cli.printing.text_widths import GAP, PIPE_WIDTH, PROSE_WIDTH, broken_lines
from botleague.cli.printing.untrusted_text import one_line
from botleague.emblems import BOT_COLORS, GLYPHS, emblem_of
from botleague.listing import Column

GAINS = {"+": ("▲", "#5fce97", "#176f45"), "-": ("▼", "#ff8d7a", "#b3341f")}
"""Mark of a gain and of a loss, with its colours on dark and on light ground."""

_LIGHT_GROUNDS = ("7", "15")
"""Numbers of white and light grey in COLORFGBG, in which terminals store their colours."""


def output() -> Console:
    """Return a console on the current standard output."""
    return _console(sys.stdout)


def errors() -> Console:
    """Return a console on the current standard error."""
    return _console(sys.stderr)


def print_parts(stream: TextIO, parts: Iterable[tuple[str, str]], end: str, *, breaks: bool) -> None:
    """Print parts of a text, each with its style; ``breaks`` is whether its lines break between words."""
    text = Text.assemble(*parts, end=end)
    _console(stream).print(text if breaks else Group(text), end=end)


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
    """Breaks the lines of printed texts between words; texts in a group stay."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        width = min(PROSE_WIDTH, self._console.width)
        return [
            Text("\n", end=one.end).join(broken_lines(one, width)) if isinstance(one, Text) else one
            for one in renderables
        ]


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


def marked_rows(
    columns: Sequence[Column], rows: Iterable[Any], texts: Iterable[Sequence[str]]
) -> list[list[Text]]:
    """Return the cells of rows, with emblems and arrows where the terminal has these characters."""
    cell = _marked if shows_emblems(output()) else _unmarked
    return [[*map(cell, columns, repeat(row), cells)] for row, cells in zip(rows, texts, strict=True)]


def _unmarked(_column: Column, _row: Any, text: str) -> Text:
    return Text(text)


def _marked(column: Column, row: Any, text: str) -> Text:
    if column.is_gain:
        sign, size = text[:1], text[1:]
        mark, *colors = GAINS.get(sign if size.strip("0.") else "", ("", "", ""))
        return Text(f"{mark}{size}", on_ground(*colors))
    cell = Text()
    for name in map(one_line, column.names(row)):
        before, name, text = text.partition(name)
        cell.append(before).append_text(emblem(name) + Text(" ") if name else Text()).append(name)
    return cell.append(text)


def print_rows(head: Iterable[str], rows: Iterable[Sequence[Text]], width: int) -> None:
    """Print aligned headings and cells in lines of at most ``width`` characters."""
    lines = [Text(GAP.join(head), "bold"), *map(Text(GAP).join, rows)]
    _console_of_width(width).print(Group(*lines), no_wrap=True, overflow="ignore")


def print_grid(
    rows: Iterable[Sequence[str | Text]], widths: Mapping[str, int], right: Collection[str], width: int
) -> None:
    """Print a table of ``width`` characters whose cells may take several lines.

    Args:
        widths: widths of the columns by their titles.
        right: titles of the columns that are aligned right.
    """
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    # Without a width, rich distributes the space if not even single words fit.
    is_free = sum(widths.values()) + len(GAP) * (len(widths) - 1) > width
    for title, needed in widths.items():
        is_right = title in right
        grid.add_column(
            title,
            justify="right" if is_right else "left",
            overflow="fold",
            width=None if is_free and not is_right else needed,
        )
    for row in rows:
        grid.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    _console_of_width(width).print(grid)


def _console_of_width(width: int) -> Console:
    console = output()
    console.soft_wrap, console.width = False, max(1, width)
    return console
