"""Journals in a table of their own; what bots printed in older matches becomes part of them.

Revision ID: 0008
Revises: 0007
"""

import json
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

BEFORE = -1  # of older matches nobody knows in which turn something was printed
MOST_BYTES = 64 * 1024 * 1024
BATCH = 500

PRINTED = sa.text(
    "select seat.fixture_id, seat.seat, seat.output, fixture.season_id, version.bot_id from seat "
    "join fixture on fixture.id = seat.fixture_id join version on version.id = seat.version_id "
    "where seat.output <> '' and seat.fixture_id > :last order by seat.fixture_id, seat.seat"
)


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    journal = op.create_table(
        "journal",
        sa.Column("fixture_id", number, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("season_id", number, nullable=False),
        sa.Column("bot_id", number, nullable=False),
        sa.Column("through", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["fixture_id"], ["fixture.id"], name=op.f("fk_journal_fixture_id_fixture")),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_journal_season_id_season")),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_journal_bot_id_bot")),
        sa.PrimaryKeyConstraint("fixture_id", "seat", name=op.f("pk_journal")),
    )
    op.create_index("ix_journal_bot", "journal", ["season_id", "bot_id", "through"])
    connection = op.get_bind()
    through: Counter[tuple[int, int]] = Counter()
    for rows in _printed(connection):
        kept = []
        for row in rows:
            content = zlib.compress(msgspec.msgpack.encode({"format": 1, "printed": {BEFORE: row.output}}), 1)
            through[row.season_id, row.bot_id] += len(content)
            kept.append(
                {
                    "fixture_id": row.fixture_id,
                    "seat": row.seat,
                    "season_id": row.season_id,
                    "bot_id": row.bot_id,
                    "through": through[row.season_id, row.bot_id],
                    "content": content,
                }
            )
        connection.execute(journal.insert(), kept)
    for (season_id, bot_id), total in through.items():
        whose = sa.and_(journal.c.season_id == season_id, journal.c.bot_id == bot_id)
        connection.execute(journal.delete().where(whose, journal.c.through <= total - MOST_BYTES))
    _forget_in_replaced(connection)
    op.execute("alter table seat drop column output")


def _printed(connection: Any) -> Iterator[list[Any]]:
    """Yield the seats that printed something, whole matches at a time."""
    last = 0
    while True:
        rows = connection.execute(PRINTED, {"last": last}).fetchmany(BATCH)
        if not rows:
            return
        if len(rows) == BATCH and rows[0].fixture_id < rows[-1].fixture_id:
            # The last match may go on behind what was fetched.
            rows = [row for row in rows if row.fixture_id < rows[-1].fixture_id]
        last = rows[-1].fixture_id
        yield rows


def _forget_in_replaced(connection: Any) -> None:
    """Take what was printed out of results that were set aside: they are put back into a table without it."""
    rows = connection.execute(sa.text("select fixture_id, epoch, noted from replaced")).all()
    for row in rows:
        noted = json.loads(row.noted)
        for seat in noted["seats"]:
            seat.pop("output", None)
        connection.execute(
            sa.text("update replaced set noted = :noted where fixture_id = :fixture and epoch = :epoch"),
            {"noted": json.dumps(noted), "fixture": row.fixture_id, "epoch": row.epoch},
        )
