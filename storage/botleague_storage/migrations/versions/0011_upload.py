"""What is handed in over the web, and how much of it a league takes.

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "upload",
        sa.Column("id", number, nullable=False),
        sa.Column("league_id", number, nullable=False),
        sa.Column("account_id", number, nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("bot", sa.String(64), nullable=False),
        sa.Column("entry", sa.String(256), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(9), nullable=False),
        sa.Column("report", sa.Text(), server_default="{}", nullable=False),
        sa.Column("version_id", number, nullable=True),
        sa.Column("received_at", sa.Float(), nullable=False),
        sa.Column("begun_at", sa.Float(), nullable=True),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.Float(), server_default="0", nullable=False),
        sa.CheckConstraint(
            "state in ('waiting', 'accepted', 'unchanged', 'refused')", name=op.f("ck_upload_state")
        ),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"], name=op.f("fk_upload_league_id_league")),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_upload_account_id_account")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_upload_version_id_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_upload")),
    )
    op.create_index("ix_upload_state", "upload", ["state", "id"])
    op.create_index("ix_upload_owner", "upload", ["league_id", "owner", "received_at"])
    op.create_table(
        "upload_limit",
        sa.Column("league_id", number, nullable=False),
        sa.Column("a_day", sa.Integer(), nullable=False),
        sa.Column("gap_s", sa.Float(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("bots", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"], name=op.f("fk_upload_limit_league_id_league")),
        sa.PrimaryKeyConstraint("league_id", name=op.f("pk_upload_limit")),
    )
