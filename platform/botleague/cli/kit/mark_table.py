"""Marks as a table, and as CSV with their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from botleague.cli.kit.file_output import target
from botleague.league.tables import Mark
from botleague.listing import Column, Number, Table, table_of, write_csv


def write_marks(rows: Sequence[Mark], path: Path | None) -> None:
    """Write marks as CSV, with points and games against each staff bot; to standard output if ``path`` is None."""
    columns = [name for name in Mark.__struct_fields__ if name != "meetings"]
    pool = [one.bot for one in rows[0].meetings] if rows else []
    against = [f"{what} against {name}" for name in pool for what in ("points", "games")]
    with target(path) as file:
        write_csv(
            file,
            [*columns, *against],
            [
                [
                    *(getattr(row, name) for name in columns),
                    *(number for one in row.meetings for number in (one.points, one.games)),
                ]
                for row in rows
            ],
        )


def marks_table(title: str, rows: Sequence[Mark]) -> Table[Mark]:
    """Return marks as a table, with the points scored against each staff bot."""
    # Bot names contain no blank, so these titles differ from those of other columns.
    pool: dict[str, Column | None] = {
        f"v {one.bot}": Number(
            f"v {one.bot}", of_row=partial(_score_against, place), before="share", importance=4
        )
        for place, one in enumerate(rows[0].meetings if rows else ())
    }
    notes = ["v: points scored against each staff bot, and games played. Details: --wide, --csv or --json."]
    if any(row.open for row in rows):
        notes.append("open: matches still to be played; the mark may change until then.")
    return table_of(Mark, rows, pool, title=title, notes=notes)


def _score_against(place: int, row: Mark) -> str:
    return f"{row.meetings[place].points:g}/{row.meetings[place].games}"
