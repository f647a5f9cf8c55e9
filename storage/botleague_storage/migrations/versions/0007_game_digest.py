"""What tells games apart, so that a game that is repeated is counted as evidence once. Older results have none.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("result", sa.Column("game_digest", sa.String(length=32), nullable=False, server_default=""))
