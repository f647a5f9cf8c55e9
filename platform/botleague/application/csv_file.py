"""CSV files from spreadsheets, with commas or semicolons."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import msgspec

from botleague.errors import UsageError


class CsvFile(msgspec.Struct, frozen=True):
    """The rows of a CSV file.

    Attributes:
        columns: their names in lower case.
        rows: for each line that is not empty its number and its values by column.
    """

    file: Path
    columns: tuple[str, ...]
    rows: tuple[tuple[int, dict[str, str]], ...]

    @classmethod
    def read(cls, file: Path) -> CsvFile:
        """Read a CSV file.

        Raises:
            UsageError: it cannot be read, or is not a CSV file.
        """
        try:
            text = file.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{file} is not text in UTF-8: {error.reason}. Save it as CSV in UTF-8."
            ) from error
        head = text.partition("\n")[0]
        lines = csv.DictReader(text.splitlines(), delimiter=";" if head.count(";") > head.count(",") else ",")
        try:
            columns = [column.strip().lower() for column in lines.fieldnames or ()]
            lines.fieldnames = columns
            return cls(file, tuple(columns), tuple(_filled(lines)))
        except csv.Error as error:
            raise UsageError(f"{file} is not a CSV file: {error}.") from error


def _filled(lines: csv.DictReader[str]) -> Iterator[tuple[int, dict[str, str]]]:
    for line in lines:
        if any(line.values()):
            # Values beyond the last column have no name; missing values are None.
            yield lines.line_num, {name: (value or "").strip() for name, value in line.items() if name}
