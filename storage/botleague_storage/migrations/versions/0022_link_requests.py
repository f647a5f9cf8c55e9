"""Requests of people who forgot their password.

Revision ID: 0022
Revises: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("account", sa.Column("asked_at", sa.Float(), nullable=True))
