"""Listings: a row's type describes its columns for terminal, page, JSON and CSV.

JSON and CSV have every field under its name. Terminals and pages have the fields with a :class:`Column`::

    class Term(msgspec.Struct):
        name: Annotated[str, Column("setting")]
        text: Annotated[str, Column("value")]
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from operator import itemgetter
from typing import IO, Any, Generic, Literal, TypeVar, get_type_hints

import msgspec

T = TypeVar("T")
Face = Literal["terminal", "page"]

USUAL = 5
"""The importance of most columns."""

FORMULA_SIGNS = frozenset("=+-@\t\r")
"""First characters that spreadsheets take for a formula; owners and reasons are untrusted texts."""

PORTION = 1000
"""Rows of a table that are written at once."""

_needs_quotes = re.compile('[",\r\n]').search


class Column(msgspec.Struct, frozen=True):
    """A column for one field of a row.

    Attributes:
        title: the heading.
        text: function or format that makes the text of a cell; None makes an empty cell.
        of_row: returns the value, if it is not the field alone.
        importance: order in which narrow terminals or screens drop columns: 9 first, 0 never. If all columns of a
            table are equally important, none is dropped, and long texts continue in the next line.
        screen: its importance on a page, if different.
        is_number: aligned right, and never broken.
        is_optional: left out if it is empty in all rows.
        before: field of the next column; by default columns are in the order of the fields.
        only: its only interface; "" for all.
        heading: on a page; "" for the title with a capital letter.
        explains: explanation of the heading, on a page.
        filter: filter of the site for the value on a page; "" for the text.
        bots: field with the name of the bot, or the names of the bots, in the text: a terminal puts their emblems in
            front of the names.
        is_gain: a gain or loss with its sign: a terminal writes ▲ or ▼, and colours it.
        name: of the field; filled in by :func:`columns_of`.
    """

    title: str
    text: Callable[[Any], object] | str = str
    of_row: Callable[[Any], Any] | None = None
    importance: int = USUAL
    screen: int | None = None
    is_number: bool = False
    is_optional: bool = False
    before: str = ""
    only: Face | Literal[""] = ""
    heading: str = ""
    explains: str = ""
    filter: str = ""
    bots: str = ""
    is_gain: bool = False
    name: str = ""

    def value(self, row: Any) -> Any:
        """Return the column's value of a row."""
        return _field(row, self.name) if self.of_row is None else self.of_row(row)

    def cell(self, row: Any) -> str:
        """Return the column's text of a row."""
        value = self.value(row)
        if value is None:
            return ""
        return format(value, self.text) if isinstance(self.text, str) else str(self.text(value))

    def names(self, row: Any) -> Sequence[str]:
        """Return the names of the bots in the column's text of a row."""
        names = _field(row, self.bots) if self.bots else ()
        return [names] if isinstance(names, str) else names

    def order(self, row: Any) -> float | None:
        """Return the number by which a page sorts rows; None to sort by the cell's text."""
        if not (self.filter or (self.is_number and self.of_row)):
            return None
        value = getattr(row, self.name) if hasattr(row, self.name) else self.value(row)
        value = sum(value.values()) if isinstance(value, Mapping) else value
        return 0 if value is None else value

    @property
    def classes(self) -> str:
        """Classes of its cells on a page: "num" for numbers; "w1" to "w3" hide it on narrow screens."""
        importance = self.importance if self.screen is None else self.screen
        width = "" if importance < 4 else "w1" if importance < 7 else "w2" if importance < 9 else "w3"
        return " ".join(filter(None, ("num" if self.is_number else "", width)))

    @property
    def label(self) -> str:
        """The heading on a page."""
        return self.heading or self.title[:1].upper() + self.title[1:]


Number = partial(Column, is_number=True)
"""A column of numbers."""


class Table(msgspec.Struct, Generic[T], frozen=True):
    """Rows of one type with their columns.

    Attributes:
        notes: sentences below the table.
    """

    rows: Sequence[T]
    columns: tuple[Column, ...]
    title: str = ""
    notes: Sequence[str] = ()

    def shown(self, face: Face) -> list[Column]:
        """Return the columns of an interface, without empty optional ones."""
        return [
            column
            for column in self.columns
            if column.only in ("", face) and not (column.is_optional and not any(map(column.cell, self.rows)))
        ]


@cache
def columns_of(kind: type) -> Mapping[str, Column]:
    """Return the columns of a row's type by the names of their fields."""
    return {
        name: msgspec.structs.replace(one, name=name)
        for name, hint in _hints(kind).items()
        for one in getattr(hint, "__metadata__", ())
        if isinstance(one, Column)
    }


def table_of(
    kind: type,
    rows: Sequence[T],
    more: Mapping[str, Column | None] | None = None,
    *,
    title: str = "",
    notes: Sequence[str] = (),
) -> Table[T]:
    """Return rows as a table.

    Args:
        kind: the type of the rows; ``object`` for a type without columns.
        more: further columns by name, or replacements of those of the type; None removes one.
    """
    changed = {name: one and msgspec.structs.replace(one, name=name) for name, one in (more or {}).items()}
    columns = {**columns_of(kind), **{name: one for name, one in changed.items() if one is not None}}
    lacking = {name for name, one in changed.items() if one is None}
    visible = tuple(one for one in _ordered([*columns.values()]) if one.name not in lacking)
    return Table(rows, visible, title, notes)


def write_csv(out: IO[str], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table as CSV; structure is JSON, booleans are 1 or 0, and no cell starts a formula."""
    write_rows(out, [columns])
    write_rows(out, rows)


def write_rows(out: IO[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows of a table as :func:`write_csv` does."""
    coming = iter(rows)
    while portion := list(itertools.islice(coming, PORTION)):
        columns = map(_cells, zip(*portion, strict=True))
        lines = map(",".join, zip(*columns, strict=True))
        # An empty line would be no row.
        out.write("\n".join([*(line or '""' for line in lines), ""]))


def _cells(values: Sequence[Any]) -> Iterable[str]:
    """Return the values of a column as cells of a CSV file."""
    # The values of a column are mostly of one type. Looking at each of them takes longer than writing it.
    kinds = set(map(type, values))
    if kinds == {int} or kinds == {float}:
        return map(repr, values)
    if kinds == {bool}:
        return map("01".__getitem__, values)
    is_safe = kinds == {str} and FORMULA_SIGNS.isdisjoint(map(itemgetter(slice(1)), values))
    texts = values if is_safe else list(map(cell_text, values))
    return map(_quoted, texts) if _needs_quotes("".join(texts)) else texts


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _needs_quotes(text) else text


def cell_text(value: Any) -> str:
    """Return a value as text of a CSV file."""
    value = value if isinstance(value, str) else plain_value(value)
    if isinstance(value, str):
        return f"'{value}" if value[:1] in FORMULA_SIGNS else value
    return "" if value is None else str(int(value) if isinstance(value, bool) else value)


def plain_text(text: str) -> str:
    """Return the text before :func:`cell_text`."""
    return text[1:] if text[:1] == "'" and text[1:2] in FORMULA_SIGNS else text


def plain_value(value: Any) -> Any:
    """Return a value that fits into one cell."""
    return json.dumps(value) if isinstance(value, dict | tuple | list) else value


def counts(number_of: Mapping[str, int]) -> str:
    """Return numbers by kind: "2 timeout, 1 crash"."""
    return ", ".join(f"{count} {kind}" for kind, count in number_of.items())


def unless_zero(value: float) -> str:
    """Return a number, or nothing for 0."""
    return f"{value:g}" if value else ""


def title_of(row: Any) -> str:
    """Return the name of a row's bot with its version; the first version has no number."""
    return str(row.bot) if row.version == 1 else f"{row.bot}@{row.version}"


def with_error(value: float | None, error: float | None) -> str | None:
    """Return a rating with its standard error, if known: "1500 ±35"."""
    if value is None:
        return None
    return f"{value:.0f}" if error is None else f"{value:.0f} ±{error:.0f}"


def _field(row: Any, name: str) -> Any:
    return row[name] if isinstance(row, Mapping) else getattr(row, name)


def _hints(kind: type) -> dict[str, Any]:
    # In the module: by default a lambda in an annotation would see only the names of its class.
    return get_type_hints(kind, vars(sys.modules[kind.__module__]), include_extras=True)


def _ordered(columns: Sequence[Column], before: str = "") -> Iterator[Column]:
    names = {one.name for one in columns}
    for one in columns:
        if (one.before if one.before in names else "") == before:
            yield from _ordered(columns, one.name)
            yield one
