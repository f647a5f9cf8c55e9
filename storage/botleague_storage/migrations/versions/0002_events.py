"""Events of a season, its start states, and matches that count for nothing.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "season_start",
        sa.Column("season_id", number, nullable=False),
        sa.Column("version_id", number, nullable=False),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("value", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_season_start_season_id_season")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["version.id"], name=op.f("fk_season_start_version_id_version")
        ),
        sa.PrimaryKeyConstraint("season_id", "version_id", name=op.f("pk_season_start")),
    )
    op.create_table(
        "event",
        sa.Column("id", number, nullable=False),
        sa.Column("season_id", number, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("version_id", number, nullable=True),
        sa.Column("fixture_id", number, nullable=True),
        sa.Column("content", sa.Text(), server_default="{}", nullable=False),
        sa.Column("recorded_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_event_season_id_season")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_event_version_id_version")),
        sa.ForeignKeyConstraint(["fixture_id"], ["fixture.id"], name=op.f("fk_event_fixture_id_fixture")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.UniqueConstraint("season_id", "number", name=op.f("uq_event_season_id_number")),
    )
    op.add_column("fixture", sa.Column("void", sa.Integer(), server_default="0", nullable=False))
