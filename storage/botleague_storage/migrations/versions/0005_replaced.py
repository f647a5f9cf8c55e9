"""A table for results that were set aside, so that their matches are played again.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "replaced",
        sa.Column("fixture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("noted", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["fixture_id"], ["fixture.id"], name=op.f("fk_replaced_fixture_id_fixture")),
        sa.PrimaryKeyConstraint("fixture_id", "epoch", name=op.f("pk_replaced")),
    )
