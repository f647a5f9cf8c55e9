"""Number of links in the chain of a season; null for a season that was not chained.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("season", sa.Column("links", sa.Integer(), server_default="0", nullable=True))
    # The only place that marks a season as not chained: its botleague is older than the chain.
    op.execute(
        "update season set links = (select nullif(count(*), 0) from chain where chain.season_id = season.id)"
    )
