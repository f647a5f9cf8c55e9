"""The batch table of a season that is played round by round; of older seasons it is made at the next run or rebuild.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.add_column("season", sa.Column("ranked", sa.Integer(), server_default="0", nullable=False))
    op.add_column("season", sa.Column("ranked_event", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "strength",
        sa.Column("season_id", number, nullable=False),
        sa.Column("version_id", number, nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("error", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_strength_season_id_season")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_strength_version_id_version")),
        sa.PrimaryKeyConstraint("season_id", "version_id", name=op.f("pk_strength")),
        sqlite_with_rowid=False,
    )
