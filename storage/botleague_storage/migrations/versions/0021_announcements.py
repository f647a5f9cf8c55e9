"""Announcements of leagues, and later deadlines of single owners.

Revision ID: 0021
Revises: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "announcement",
        sa.Column("league_id", number, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("announced_at", sa.Float(), nullable=False),
        sa.Column("withdrawn_at", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"], name=op.f("fk_announcement_league_id_league")),
        sa.PrimaryKeyConstraint("league_id", "number", name=op.f("pk_announcement")),
    )
    op.create_table(
        "extension",
        sa.Column("season_id", number, nullable=False),
        sa.Column("owner", sa.String(128), nullable=False),
        sa.Column("until", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_extension_season_id_season")),
        sa.PrimaryKeyConstraint("season_id", "owner", name=op.f("pk_extension")),
    )
