"""Results written to files: whole under their name or not at all, and harmless to spreadsheets."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from botleague.cli.show import write_utf8
from botleague.errors import UsageError

__all__ = ["target", "write_csv"]

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets take a text that begins so for a formula, and owners and reasons are strangers' texts."""


@contextmanager
def target(path: Path | None) -> Iterator[IO[str]]:
    """Give a file to write, standard output for None; what is unfinished is never left under its name.

    Raises:
        UsageError: it cannot be written.
    """
    if path is None:
        write_utf8()
        yield sys.stdout
        return
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("w", encoding="utf-8", newline="") as file:
            yield file
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error


def write_csv(file: IO[str], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table as CSV; truth is 1 or 0, and nothing looks like a formula."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(value) for value in row])


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_SIGNS) else value
