"""Uploads are checked in two queues: their language first, then their games.

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("upload", sa.Column("checked_at", sa.Float(), nullable=True))
    op.add_column("upload", sa.Column("tried_at", sa.Float(), nullable=True))
    op.add_column("upload", sa.Column("claimed_by", sa.String(128), nullable=True))
