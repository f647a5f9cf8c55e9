"""Tables of rows, as wide as the terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.text_widths import GAP, PIPE_WIDTH, aligned, cell_len
from botleague.cli.printing.texts import page_width, print_text, remark, shows_styles
from botleague.cli.printing.untrusted_text import one_line
from botleague.emblems import GLYPHS
from botleague.listing import Column, Table

NAME_WIDTH = 24
"""Width that names keep in a table whose columns do not all fit, in characters."""

_WORD = re.compile(rf"[{GLYPHS}] \S+|\d+ [a-z]+|\S+")
"""Text that stays on one line: a word, an emblem with a name, or a number with its unit."""


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
        print_text(table.title, "bold")
    _print_table(table, wide=wide)
    for note in table.notes:
        remark(note)


def _print_table(table: Table[Any], *, wide: bool) -> None:
    is_styled = shows_styles(sys.stdout)
    columns = table.shown("terminal")
    # Texts, or for a terminal those of rich.
    rows: Sequence[Sequence[Any]] = [[one_line(column.cell(row)) for column in columns] for row in table.rows]
    if is_styled:
        from botleague.cli.printing.consoles import marked_rows

        rows = marked_rows(columns, table.rows, rows)
    texts = {
        column.title: [column.title, *(str(row[number]) for row in rows)]
        for number, column in enumerate(columns)
    }
    right = {column.title for column in columns if column.is_number}
    is_cut = len({column.importance for column in columns}) > 1
    available = page_width() if is_cut or sys.stdout.isatty() else PIPE_WIDTH
    full = {title: max(map(cell_len, column)) for title, column in texts.items()}
    needed = sum(full.values()) + len(GAP) * (len(full) - 1)
    if wide:
        available = needed
    # Before a column is hidden, those with names of bots are cut.
    names = {column.title for column in columns if any(column.names(row) for row in table.rows)}
    widths = _widths(columns, texts, full, names, available, is_cut=is_cut, wide=wide)

    def line(cells: Iterable[Any]) -> list[Any]:
        return [
            aligned(cell, widths[title], is_right=title in right)
            for title, cell in zip(texts, cells, strict=True)
            if title in widths
        ]

    if not (is_cut or needed <= available):
        from botleague.cli.printing.consoles import print_grid

        print_grid(rows, widths, right, available)
    elif is_styled:
        from botleague.cli.printing.consoles import print_rows

        print_rows(line(texts), map(line, rows), available)
    else:
        print_text("\n".join(GAP.join(line(cells)) for cells in (texts, *rows)))
    if hidden := [title for title in texts if title not in widths]:
        remark(f"Hidden columns: {', '.join(hidden)}. Use --wide to show them.")


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


def _least_width(texts: Sequence[str], *, one_line_each: bool) -> int:
    """Return the minimum width of a column: its longest word, or its longest first word if texts are shortened."""
    words = [_WORD.findall(text) or [""] for text in texts]
    if one_line_each:
        return max(cell_len(first) + bool(more) for first, *more in words)
    return max(cell_len(word) for text in words for word in text)


def _fitting(importance: Mapping[str, int], widths: Mapping[str, int], available: int) -> set[str]:
    """Return the columns that fit into a line: those of importance 0, then the most important ones."""
    taken: set[str] = set()
    used = -len(GAP)
    for title in sorted(importance, key=importance.__getitem__):
        if importance[title] == 0 or used + len(GAP) + widths[title] <= available:
            taken.add(title)
            used += len(GAP) + widths[title]
    return taken
