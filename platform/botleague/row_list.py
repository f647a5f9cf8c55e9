"""Rows of one type, for the Python API: a list that notebooks show as a table."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Protocol, SupportsIndex, TypeVar, overload

MAX_SHOWN = 100
"""Maximum number of rows in a notebook; the rest is counted."""


class Row(Protocol):
    """One row of a listing."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        ...


R = TypeVar("R", bound=Row)


class Rows(list[R]):
    """A list of rows of one type, which notebooks show as a table; slices are such lists, too."""

    @overload
    def __getitem__(self, place: SupportsIndex) -> R: ...

    @overload
    def __getitem__(self, place: slice) -> Rows[R]: ...

    def __getitem__(self, place: SupportsIndex | slice) -> R | Rows[R]:
        return Rows(super().__getitem__(place)) if isinstance(place, slice) else super().__getitem__(place)

    def _repr_html_(self) -> str:
        """Return the first rows as a table, without empty columns."""
        rows = [row.as_dict() for row in self[:MAX_SHOWN]]
        names = [
            name for name in (rows[0] if rows else ()) if any(_says_something(row[name]) for row in rows)
        ]
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(_shown(row[name]))}</td>' for name in names)}</tr>" for row in rows
        )
        more = f"<p>… and {len(self) - len(rows)} more</p>" if len(self) > len(rows) else ""
        table = (
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            if rows
            else "<p>no rows</p>"
        )
        return f'<div style="overflow-x: auto">{table}{more}</div>'


def _says_something(value: Any) -> bool:
    return any(value) if isinstance(value, list | tuple) else bool(value)


def _shown(value: Any) -> str:
    """Return a value as text of a cell: rounded numbers, several values separated by commas."""
    match value:
        case None | False:
            return ""
        case True:
            return "yes"
        case float():
            return f"{value:.1f}".removesuffix(".0")
        case Mapping():
            return ", ".join(f"{key} {_shown(item)}" for key, item in value.items())
        case list() | tuple():
            return ", ".join(map(_shown, value))
    return str(value)
