"""Marks as a table, and as CSV with their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from botleague.cli.kit.file_output import target
from botleague.cli.kit.printing import output, print_table, remark
from botleague.league.tables import Mark, Meeting
from botleague.league.verification import write_csv


def write_marks(rows: Sequence[Mark], path: Path | None) -> None:
    """Write marks as CSV, to standard output for None; against each of the pool the points and of how many."""
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


def show_marks(title: str, rows: Sequence[Mark], *, wide: bool) -> None:
    """Print marks with what was taken from each of the pool."""
    output().print(f"{title}, marks", markup=False, style="bold")
    # No bot has a blank in its name, so none is called like another column.
    pool = [f"v {one.bot}" for one in rows[0].meetings] if rows else []
    columns = {
        "bot": [row.bot if row.version == 1 else f"{row.bot}@{row.version}" for row in rows],
        "mark": [row.mark or "-" for row in rows],
        **{name: [_taken(row.meetings[place]) for row in rows] for place, name in enumerate(pool)},
        "score": ["" if row.score is None else f"{row.score:.3f}" for row in rows],
        "rating": ["" if row.rating is None else f"{row.rating:.0f} ±{row.error:.0f}" for row in rows],
        "open": [str(row.open or "") for row in rows],
        "owner": [row.owner for row in rows],
        "status": [row.status for row in rows],
        "because": [row.because for row in rows],
    }
    shown = {title: cells for title, cells in columns.items() if any(cells)}
    print_table(
        list(shown),
        list(zip(*shown.values(), strict=True)),
        numbers={"mark", *pool, "score", "rating", "open"},
        essential=["bot", "mark", "rating", "open", *pool, "score", "status"],
        wide=wide,
    )
    remark("v: points from each of the staff, of how many games. The evidence: --wide, --csv or --json.")
    if any(row.open for row in rows):
        remark("open: matches that are still to be played; until then a mark may change.")


def _taken(one: Meeting) -> str:
    return f"{one.points:g}/{one.games}"
