"""Spread of a field, as the stored batch table of a season estimated it; older seasons have no estimate.

Revision ID: 0018
Revises: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("season", sa.Column("ranked_spread", sa.Float(), nullable=True))
