"""Versions that need lenient imports.

Revision ID: 0020
Revises: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.add_column("version", sa.Column("imports", sa.String(16), nullable=False, server_default="refuse"))
