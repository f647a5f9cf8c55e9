"""What organisers decided, by whom and how, and what was found of copies.

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "decision",
        sa.Column("id", number, nullable=False),
        sa.Column("season_id", number, nullable=False),
        sa.Column("event", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("account_id", number, nullable=True),
        sa.Column("about_id", number, nullable=True),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_decision_season_id_season")),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_decision_account_id_account")),
        sa.ForeignKeyConstraint(["about_id"], ["account.id"], name=op.f("fk_decision_about_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
    )
    op.create_index("ix_decision_season_id", "decision", ["season_id", "id"])
    op.create_table(
        "likeness",
        sa.Column("season_id", number, nullable=False),
        sa.Column("looked_at", sa.Float(), nullable=False),
        sa.Column("found", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_likeness_season_id_season")),
        sa.PrimaryKeyConstraint("season_id", name=op.f("pk_likeness")),
    )
