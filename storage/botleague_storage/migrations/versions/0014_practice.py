"""Matches of practice, and how many of them a league takes.

Revision ID: 0014
Revises: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.add_column("upload_limit", sa.Column("matches", sa.Integer(), server_default="20", nullable=False))
    op.create_table(
        "practice",
        sa.Column("id", number, nullable=False),
        sa.Column("league_id", number, nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("version_id", number, nullable=False),
        sa.Column("opponent_id", number, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("asked_at", sa.Float(), nullable=False),
        sa.Column("played_at", sa.Float(), nullable=True),
        sa.Column("claimed_by", sa.String(128), nullable=True),
        sa.Column("lease_until", sa.Float(), server_default="0", nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failure", sa.Text(), server_default="", nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.Column("journal", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"], name=op.f("fk_practice_league_id_league")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_practice_version_id_version")),
        sa.ForeignKeyConstraint(
            ["opponent_id"], ["version.id"], name=op.f("fk_practice_opponent_id_version")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_practice")),
    )
    op.create_index("ix_practice_state", "practice", ["state", "id"])
    op.create_index("ix_practice_owner", "practice", ["league_id", "owner", "asked_at"])
