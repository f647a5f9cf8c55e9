"""Invites that anybody may use, without a code.

Revision ID: 0016
Revises: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("invite", sa.Column("is_public", sa.Integer(), server_default="0", nullable=False))
