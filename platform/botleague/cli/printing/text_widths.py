"""Texts of a given width, plain or with styles: where they break, are shortened or are filled up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from botleague.cli.printing.untrusted_text import BAR

if TYPE_CHECKING:
    from rich.text import Text

T = TypeVar("T", str, "Text")

PROSE_WIDTH = 100
"""Maximum characters of a line of prose on a terminal."""

PIPE_WIDTH = 200
"""Characters of a line in a pipe or a file: wide enough that no cell of a table is cut."""

GAP = "  "
"""Gap between two columns of a table."""

_PIECE = re.compile(r"\s*(?:`[^`]+`\S*|(?:^|(?<=[: ] ))botleague .+|\S+)")
"""Prose that stays on one line: a word, or a command, so that it can be copied."""


def cell_len(text: str) -> int:
    """Return the width of a text on a terminal, in characters."""
    if text.isascii() and text.isprintable():
        return len(text)
    # Not above: most texts are ASCII, and the widths of all others are a large table.
    from rich import cells

    return cells.cell_len(text)


def broken_lines(text: T, width: int) -> list[T]:
    """Return the lines of a text, broken between words; further lines are indented like the first.

    Lines of bots stay as they are.
    """
    lines = []
    for line in text.split("\n") if isinstance(text, str) else text.split("\n", allow_blank=True):
        plain = str(line)
        indent = plain[: len(plain) - len(plain.lstrip())]
        start, end = 0, 0
        for piece in () if plain.startswith(BAR) else _PIECE.finditer(plain):
            if end > start and cell_len(plain[start : piece.end()]) + cell_len(indent) * bool(start) > width:
                lines.append(type(text)(indent * bool(start)) + line[start:end])
                start = piece.start() + len(piece[0]) - len(piece[0].lstrip())
            end = piece.end()
        lines.append(type(text)(indent * bool(start)) + line[start:])
    return lines


def shortened(text: T, width: int) -> T:
    """Return a text that fits into ``width``: unchanged, or its first words and "…"."""
    plain = str(text)
    if cell_len(plain) <= width:
        return text
    short = plain[: max(0, width - 1)]
    while cell_len(short) >= width:
        short = short[:-1]
    words = short if plain[len(short)] == " " else short.rpartition(" ")[0]
    if cell_len(words) < width / 2:  # a long word, such as a name after its emblem
        words = short
    return text[: len(words.rstrip(",") or short)] + "…"


def aligned(text: T, width: int, *, is_right: bool) -> T:
    """Return a text in one line of ``width`` characters."""
    text = shortened(text, width)
    blanks = type(text)(" " * (width - cell_len(str(text))))
    return blanks + text if is_right else text + blanks
