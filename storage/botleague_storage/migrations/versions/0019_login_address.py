"""Wrong passwords by address, and what a server notes of itself.

Revision ID: 0019
Revises: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "login_address",
        sa.Column("account_id", number, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("locked_until", sa.Float(), nullable=False),
        sa.Column("tried_at", sa.Float(), nullable=False),
        sa.Column("logged_in_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_login_address_account_id_account")
        ),
        sa.PrimaryKeyConstraint("account_id", "digest", name=op.f("pk_login_address")),
    )
    op.create_table(
        "server_note",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_server_note")),
    )
