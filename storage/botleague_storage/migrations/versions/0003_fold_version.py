"""Which version of the rating fold a season's cached numbers come from.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("season", sa.Column("fold_version", sa.Integer(), server_default="1", nullable=False))
