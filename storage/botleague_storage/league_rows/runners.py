"""Processes that play matches, as they report themselves. No result depends on them."""

from __future__ import annotations

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import columns, upsert
from botleague_storage.schema.league_tables import runner

KEPT_S = 7 * 86_400.0
"""Seconds after its last report for which a runner is listed."""

SILENT_S = 150.0
"""Seconds without a report after which a runner is shown as silent: it reports every minute."""


class RunnerRow(msgspec.Struct, frozen=True):
    """A runner. Its times are in seconds since the epoch, by the clock of its machine.

    Attributes:
        name: machine, process id and start of the process.
        started_at, seen_at: its start, and its newest report.
        hourly: matches per hour, over the last hour or since its start; None in its first minute.
        error: its last failure, "" without one; ``error_league`` is the league that it played then.
        error_at: time of that, None without one.
    """

    name: str
    started_at: float
    seen_at: float
    hourly: float | None = None
    error: str = ""
    error_league: str = ""
    error_at: float | None = None

    def is_silent_at(self, now: float) -> bool:
        """Return whether it should have reported since."""
        return now - self.seen_at > SILENT_S


def report(connection: Connection, row: RunnerRow) -> None:
    """Store a report in place of the previous one, and forget old runners. Needs a write transaction."""
    upsert(connection, runner, [msgspec.structs.asdict(row)])
    connection.execute(runner.delete().where(runner.c.seen_at < row.seen_at - KEPT_S))


def remove(connection: Connection, name: str) -> None:
    """Forget a runner that has ended. Needs a write transaction."""
    connection.execute(runner.delete().where(runner.c.name == name))


def runners(connection: Connection, now: float) -> list[RunnerRow]:
    """Return the runners of the last week, by their newest report."""
    query = (
        sa.select(*columns(runner, RunnerRow))
        .where(runner.c.seen_at >= now - KEPT_S)
        .order_by(runner.c.seen_at.desc(), runner.c.name)
    )
    return [RunnerRow(**row._mapping) for row in connection.execute(query)]
