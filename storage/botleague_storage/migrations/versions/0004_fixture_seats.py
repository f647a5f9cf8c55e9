"""Seats of a fixture as rows instead of a JSON text, the size of its mirrored set; a league's dead settings go.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

UNPACK = {
    "sqlite": "select fixture.id, each.key, each.value from fixture, json_each(fixture.versions) as each",
    "postgresql": "select fixture.id, each.place - 1, each.value::bigint from fixture, "
    "json_array_elements_text(fixture.versions::json) with ordinality as each (value, place)",
}


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "fixture_seat",
        sa.Column("fixture_id", number, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", number, nullable=False),
        sa.ForeignKeyConstraint(
            ["fixture_id"], ["fixture.id"], name=op.f("fk_fixture_seat_fixture_id_fixture")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["version.id"], name=op.f("fk_fixture_seat_version_id_version")
        ),
        sa.PrimaryKeyConstraint("fixture_id", "seat", name=op.f("pk_fixture_seat")),
        sqlite_with_rowid=False,
    )
    op.execute(
        f"insert into fixture_seat (fixture_id, seat, version_id) {UNPACK[op.get_bind().dialect.name]}"
    )
    op.add_column("fixture", sa.Column("set_size", sa.Integer(), server_default="1", nullable=False))
    op.execute(
        "update fixture set set_size = (select count(*) from fixture as other "
        'where other.season_id = fixture.season_id and other."group" = fixture."group")'
    )
    # Not in Alembic's batch mode, which on SQLite would copy millions of rows to drop a column.
    op.execute("alter table fixture drop column versions")
    op.execute("alter table league drop column settings")
